// IF and WHILE.
#include "tools/conformance/generators/nesting.h"
#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

// Makes a separate graph that computes y = operation(a, b).
Draft arithmetic(const Draft& parent, const std::string& suffix, int32_t operation, int32_t type, const Dims& dims) {
  Draft body = parent.nested(suffix);
  const uint32_t a = body.input(tensor(type, dims));
  const uint32_t b = body.input(tensor(type, dims));
  const uint32_t activation = body.int32(0);
  const uint32_t y = body.output_of(tensor(type, dims));
  body.operation(operation, {a, b, activation}, {y});
  return body;
}

void conditional(Draft& c, int32_t type, const Dims& dims, const Dims& inside) {
  const uint32_t condition = c.input(tensor(kBool8, {1}));
  const uint32_t then_graph = c.subgraph(arithmetic(c, ".then", ANEURALNETWORKS_ADD, type, inside));
  const uint32_t else_graph = c.subgraph(arithmetic(c, ".else", ANEURALNETWORKS_SUB, type, inside));
  const uint32_t a = c.input(tensor(type, dims));
  const uint32_t b = c.input(tensor(type, dims));
  const uint32_t y = c.output(tensor(type, {}));
  c.operation(ANEURALNETWORKS_IF, {condition, then_graph, else_graph, a, b}, {y});
}

// The inputs of a loop's condition and body.
struct LoopOperands {
  LoopOperands(Draft& graph, int32_t type, const Dims& dims)
      : value(graph.input(tensor(type, dims))),
        counter(graph.input(tensor(kInt32, {1}))),
        step(graph.input(tensor(type, dims))),
        limit(graph.input(tensor(kInt32, {1}))) {}

  uint32_t value, counter, step, limit;
};

// Declares for (i = 0; i < limit; ++i) value = value + step: the loop carries the counter and the value, and only reads the step.
void loop(Draft& c, int32_t type, const Dims& dims, const Dims& inside) {
  Draft condition = c.nested(".condition");
  const LoopOperands compared(condition, type, inside);
  const uint32_t go_on = condition.output_of(tensor(kBool8, {1}));
  condition.operation(ANEURALNETWORKS_LESS, {compared.counter, compared.limit}, {go_on});
  Draft body = c.nested(".body");
  const LoopOperands before(body, type, inside);
  const uint32_t none = body.int32(0);
  const uint32_t one = body.int32s({1});
  const uint32_t next_value = body.output_of(tensor(type, inside));
  const uint32_t next_counter = body.output_of(tensor(kInt32, {1}));
  body.operation(ANEURALNETWORKS_ADD, {before.value, before.step, none}, {next_value});
  body.operation(ANEURALNETWORKS_ADD, {before.counter, one, none}, {next_counter});
  const uint32_t condition_graph = c.subgraph(std::move(condition));
  const uint32_t body_graph = c.subgraph(std::move(body));
  const uint32_t value = c.input(tensor(type, dims));
  const uint32_t counter = c.int32s({0});
  const uint32_t step = c.input(tensor(type, dims));
  const uint32_t limit = c.input(tensor(kInt32, {1}), stored(0, 5));
  const uint32_t result = c.output(tensor(type, {}));
  c.operation(ANEURALNETWORKS_WHILE, {condition_graph, body_graph, value, counter, step, limit}, {result});
}

// Adds control flow nested up to three levels deep. The models are the same for every seed; only values depend on the seed.
void add_nestings(Rows& rows) {
  constexpr int kDeepest = 3;
  constexpr uint64_t kOfEachDepth = 4;
  for (const int32_t type : kFive) {
    for (int depth = 2; depth <= kDeepest; ++depth) {
      for (uint64_t i = 1; i <= kOfEachDepth; ++i) {
        const auto name = "depth_" + std::to_string(depth) + "_" + std::to_string(i);
        rows.add(ANEURALNETWORKS_WHILE, type, "nested", name,
                 [=](Draft& c) {
                   SeededDecisions decisions(name, i);
                   declare_nesting(c, decisions, {type, {2, 3}}, depth);
                 })
            .without_variations();
      }
    }
  }
}

}  // namespace

void add_control_flow_rows(Rows& rows) {
  for (const int32_t type : kFive) {
    for (const auto& dims : std::vector<Dims>{{1}, {7}, {3, 5}, {2, 3, 4, 5}}) {
      const auto add = [&](int32_t operation, const char* group, const Dims& inside) {
        rows.add(operation, type, group, dims_label(dims),
                 [=](Draft& c) {
                   if (operation == ANEURALNETWORKS_IF) {
                     conditional(c, type, dims, inside);
                   } else {
                     loop(c, type, dims, inside);
                   }
                 })
            .without_variations();
      };
      for (const int32_t operation : {ANEURALNETWORKS_IF, ANEURALNETWORKS_WHILE}) {
        add(operation, "known_shapes", dims);
        add(operation, "unknown_dimensions_inside", Dims(dims.size(), 0));
      }
    }
  }
  add_nestings(rows);
}

}  // namespace nnvk::tools::conformance
