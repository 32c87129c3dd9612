// Each graph of a nested model has values (tensors of the model's type), flags (one BOOL8) and counts (one INT32). Every graph
// inside another one takes the same five operands.
#include "tools/conformance/generators/nesting.h"

namespace nnvk::tools::conformance {
namespace {

constexpr int32_t kMostRounds = 3;  // of a loop
constexpr int32_t kFarthest = 100;  // INT32 values stay between its negative and it

// The operands of one graph that operations may read.
struct Scope {
  std::vector<uint32_t> values;
  std::vector<uint32_t> flags;
  std::vector<uint32_t> counts;
};

class Nesting {
 public:
  Nesting(Decisions& decisions, NestedType type) : decisions_(decisions), type_(std::move(type)) {}

  // Declares the graph that the execution runs.
  void declare_main(Draft& graph, int depth) {
    Scope scope;
    for (int i = 0; i < 2; ++i) scope.values.push_back(graph.input(values_tensor(type_.dims), small_values()));
    scope.flags.push_back(graph.input(tensor(kBool8, {1})));
    scope.counts.push_back(graph.input(tensor(kInt32, {1}), stored(0, kMostRounds)));
    grow(graph, scope, depth);
    // Uses every value, so that each has an effect on an output.
    const uint32_t last = operate(graph, scope.values.back(), scope.values[0], graph.temporary(open_tensor()));
    operate(graph, last, scope.values[1], graph.output(values_tensor({})));
    if (!decisions_.one_in(3)) return;
    const uint32_t count = graph.output(tensor(kInt32, {}));
    graph.operation(ANEURALNETWORKS_ADD, {decisions_.pick(scope.counts), graph.int32s({1}), graph.int32(0)}, {count});
  }

 private:
  Tensor values_tensor(const Dims& dims) const { return tensor(type_.type, dims); }

  // Returns a tensor declared with known dimensions, with unknown dimensions, or with unknown rank.
  Tensor open_tensor() {
    if (decisions_.one_in(3)) return values_tensor({});
    return values_tensor(decisions_.one_in(2) ? type_.dims : Dims(type_.dims.size(), 0));
  }

  Values small_values() const { return type_.type == kInt32 ? stored(-kFarthest, kFarthest) : Values{}; }

  // Adds an operation of x and y that keeps results small.
  uint32_t operate(Draft& graph, uint32_t x, uint32_t y, uint32_t result) {
    constexpr int32_t kClamped = 3;  // RELU6
    if (type_.type != kInt32) {
      const int32_t code = decisions_.pick(std::vector<int32_t>{ANEURALNETWORKS_ADD, ANEURALNETWORKS_SUB});
      graph.operation(code, {x, y, graph.int32(kClamped)}, {result});
      return result;
    }
    const uint32_t sum = graph.temporary(open_tensor());
    const uint32_t bounded = graph.temporary(open_tensor());
    graph.operation(decisions_.one_in(2) ? ANEURALNETWORKS_ADD : ANEURALNETWORKS_SUB, {x, y, graph.int32(0)}, {sum});
    graph.operation(ANEURALNETWORKS_MINIMUM, {sum, graph.int32s({kFarthest})}, {bounded});
    graph.operation(ANEURALNETWORKS_MAXIMUM, {bounded, graph.int32s({-kFarthest})}, {result});
    return result;
  }

  uint32_t combine(Draft& graph, const Scope& scope, uint32_t x, uint32_t result) {
    return operate(graph, x, decisions_.pick(scope.values), result);
  }

  // Adds operations other than IF and WHILE, so that there is a computed operand of every kind.
  void add_plain_operations(Draft& graph, Scope& scope) {
    if (decisions_.one_in(3)) {
      scope.values.push_back(graph.constant(values_tensor(type_.dims), small_values()));
    }
    const uint32_t x = decisions_.pick(scope.values);
    scope.values.push_back(combine(graph, scope, x, graph.temporary(open_tensor())));
    if (decisions_.one_in(2)) {
      const uint32_t flag = graph.temporary(tensor(kBool8, {1}));
      graph.operation(ANEURALNETWORKS_LESS, {decisions_.pick(scope.counts), graph.int32s({2})}, {flag});
      scope.flags.push_back(flag);
    }
    if (decisions_.one_in(2)) {
      const uint32_t flag = graph.temporary(tensor(kBool8, {1}));
      graph.operation(ANEURALNETWORKS_LOGICAL_NOT, {decisions_.pick(scope.flags)}, {flag});
      scope.flags.push_back(flag);
    }
    if (decisions_.one_in(2)) {
      const uint32_t count = graph.temporary(tensor(kInt32, {1}));
      graph.operation(ANEURALNETWORKS_MINIMUM, {decisions_.pick(scope.counts), graph.int32s({2})}, {count});
      scope.counts.push_back(count);
    }
    if (decisions_.one_in(4)) scope.counts.push_back(graph.int32s({static_cast<int32_t>(decisions_.below(kMostRounds))}));
    if (decisions_.one_in(4)) scope.flags.push_back(graph.constant(tensor(kBool8, {1})));
  }

  // Adds operations, including IF or WHILE up to `depth` levels deep.
  void grow(Draft& graph, Scope& scope, int depth) {
    if (depth == 0 || !decisions_.one_in(3)) add_plain_operations(graph, scope);
    if (depth == 0) return;
    add_control_flow(graph, scope, depth);
    if (decisions_.one_in(3)) add_plain_operations(graph, scope);
    if (decisions_.one_in(4)) add_control_flow(graph, scope, 1 + static_cast<int>(decisions_.below(2)) % depth);
  }

  void add_control_flow(Draft& graph, Scope& scope, int depth) {
    if (decisions_.one_in(2)) {
      add_if(graph, scope, depth);
    } else {
      add_while(graph, scope, depth);
    }
  }

  // Declares the five operands of a graph inside of another graph.
  Scope inner_scope(Draft& graph) {
    const Tensor declared = open_tensor();
    Scope scope;
    for (int i = 0; i < 2; ++i) scope.values.push_back(graph.input(declared));
    scope.flags.push_back(graph.input(tensor(kBool8, {1})));
    for (int i = 0; i < 2; ++i) scope.counts.push_back(graph.input(tensor(kInt32, {1})));
    return scope;
  }

  // Chooses arguments for the five operands from `scope`. In every round, a loop replaces its second value and first count.
  std::vector<uint32_t> arguments(const Scope& scope) {
    return {decisions_.pick(scope.values), decisions_.pick(scope.values), decisions_.pick(scope.flags),
            decisions_.pick(scope.counts), decisions_.pick(scope.counts)};
  }

  Draft branch(Draft& parent, int depth) {
    Draft graph = nested(parent);
    Scope scope = inner_scope(graph);
    grow(graph, scope, depth);
    combine(graph, scope, scope.values.back(), graph.output_of(open_tensor()));
    const uint32_t count = graph.output_of(tensor(kInt32, {1}));
    graph.operation(ANEURALNETWORKS_MAXIMUM, {decisions_.pick(scope.counts), graph.int32s({1})}, {count});
    return graph;
  }

  void add_if(Draft& graph, Scope& scope, int depth) {
    const bool first_is_deep = decisions_.one_in(2);
    const uint32_t condition = decisions_.pick(scope.flags);
    const uint32_t then_graph = graph.subgraph(branch(graph, first_is_deep ? depth - 1 : 0));
    const uint32_t else_graph = graph.subgraph(branch(graph, first_is_deep ? 0 : depth - 1));
    std::vector<uint32_t> inputs{condition, then_graph, else_graph};
    for (const uint32_t argument : arguments(scope)) inputs.push_back(argument);
    add_results(graph, scope, ANEURALNETWORKS_IF, std::move(inputs));
  }

  // Adds for (count = 0; count < limit; ++count) value = ...; the loop carries the first value and the counter.
  void add_while(Draft& graph, Scope& scope, int depth) {
    Draft condition = nested(graph);
    Draft body = nested(graph);
    const bool condition_is_deep = depth > 1 && decisions_.one_in(4);
    declare_condition(condition, condition_is_deep ? depth - 1 : 0);
    declare_body(body, condition_is_deep ? 0 : depth - 1);
    const uint32_t condition_graph = graph.subgraph(std::move(condition));
    const uint32_t body_graph = graph.subgraph(std::move(body));
    const auto given = arguments(scope);
    const uint32_t start = graph.int32s({0});
    add_results(graph, scope, ANEURALNETWORKS_WHILE,
                {condition_graph, body_graph, given[0], start, given[1], given[2], given[4]});
  }

  // Declares the operands of a loop's graphs, in the loop's order: value, counter; step, flag, limit.
  Scope loop_scope(Draft& graph) {
    const Tensor declared = open_tensor();
    Scope scope;
    scope.values.push_back(graph.input(declared));
    scope.counts.push_back(graph.input(tensor(kInt32, {1})));
    scope.values.push_back(graph.input(declared));
    scope.flags.push_back(graph.input(tensor(kBool8, {1})));
    scope.counts.push_back(graph.input(tensor(kInt32, {1})));
    return scope;
  }

  void declare_condition(Draft& graph, int depth) {
    Scope scope = loop_scope(graph);
    const uint32_t counter = scope.counts[0];
    uint32_t limit = scope.counts[1];
    if (depth > 0 || decisions_.one_in(3)) {
      grow(graph, scope, depth);
      const uint32_t bounded = graph.temporary(tensor(kInt32, {1}));
      graph.operation(ANEURALNETWORKS_MINIMUM, {scope.counts.back(), graph.int32s({kMostRounds})}, {bounded});
      limit = bounded;
    }
    const uint32_t go_on = graph.output_of(tensor(kBool8, {1}));
    // A computed limit may follow the counter, so a second comparison ends the loop after kMostRounds.
    const uint32_t below_limit = graph.temporary(tensor(kBool8, {1}));
    const uint32_t below_most = graph.temporary(tensor(kBool8, {1}));
    graph.operation(ANEURALNETWORKS_LESS, {counter, limit}, {below_limit});
    graph.operation(ANEURALNETWORKS_LESS, {counter, graph.int32s({kMostRounds})}, {below_most});
    graph.operation(ANEURALNETWORKS_LOGICAL_AND, {below_limit, below_most}, {go_on});
  }

  void declare_body(Draft& graph, int depth) {
    Scope scope = loop_scope(graph);
    const uint32_t counter = scope.counts[0];
    grow(graph, scope, depth);
    combine(graph, scope, scope.values.back(), graph.output_of(open_tensor()));
    const uint32_t next = graph.output_of(tensor(kInt32, {1}));
    graph.operation(ANEURALNETWORKS_ADD, {counter, graph.int32s({1}), graph.int32(0)}, {next});
  }

  void add_results(Draft& graph, Scope& scope, int32_t code, std::vector<uint32_t> inputs) {
    const uint32_t value = graph.temporary(open_tensor());
    const uint32_t count = graph.temporary(tensor(kInt32, {1}));
    graph.operation(code, std::move(inputs), {value, count});
    scope.values.push_back(value);
    scope.counts.push_back(count);
  }

  // Makes a nested graph. Each has another name, so that its constants get other values.
  Draft nested(const Draft& parent) { return parent.nested("." + std::to_string(graphs_++)); }

  Decisions& decisions_;
  NestedType type_;
  int graphs_ = 0;
};

}  // namespace

void declare_nesting(Draft& draft, Decisions& decisions, const NestedType& values, int depth) {
  Nesting(decisions, values).declare_main(draft, depth);
}

}  // namespace nnvk::tools::conformance
