#include "tools/conformance/random/random_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/muted_errors.h"
#include "tools/conformance/random/operation_traits.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

// The rows of every operation, without variations.
const std::map<int32_t, std::vector<const Row*>>& rows_by_operation() {
  static const auto* const rows = [] {
    auto* const found = new std::map<int32_t, std::vector<const Row*>>;
    for (const Row& row : generated_rows().all()) {
      const bool is_variation = row.open_outputs || row.constants_as_inputs || row.scalars_as_inputs || row.omitted_as_inputs ||
                                row.computed || row.inputs_as_constants || row.relaxed;
      if (!is_variation && !row.must_be_refused) (*found)[row.operation].push_back(&row);
    }
    return found;
  }();
  return *rows;
}

uint64_t bytes_of(const VectorCase& c) {
  uint64_t bytes = 0;
  for (const auto& operand : c.main.operands) bytes += operand.data.size();
  return bytes;
}

bool is_plain_number(double value) {
  const double size = std::abs(value);
  return size == 0 || (size > 1e-6 && size < 1e4);
}

// Returns whether there are no NaN, infinities or denormals: other cases test these, and they would spread through a graph.
bool has_plain_numbers(const VectorOperand& operand) {
  if (!is_float_tensor(operand.type)) return true;
  const size_t size = element_size(operand.type);
  for (size_t at = 0; at + size <= operand.data.size(); at += size) {
    float value;
    uint16_t half;
    std::memcpy(&half, operand.data.data() + at, sizeof half);
    if (size == sizeof value) std::memcpy(&value, operand.data.data() + at, sizeof value);
    if (!is_plain_number(size == sizeof value ? value : half_to_float(half))) return false;
  }
  return true;
}

// Returns whether the first INT32 input may have any value, because it is no index or size.
bool takes_any_integers(int32_t operation) {
  constexpr int32_t kOperations[] = {ANEURALNETWORKS_CAST,    ANEURALNETWORKS_EQUAL,      ANEURALNETWORKS_GREATER,
                                     ANEURALNETWORKS_LESS,    ANEURALNETWORKS_LESS_EQUAL, ANEURALNETWORKS_GREATER_EQUAL,
                                     ANEURALNETWORKS_MAXIMUM, ANEURALNETWORKS_MINIMUM,    ANEURALNETWORKS_NOT_EQUAL,
                                     ANEURALNETWORKS_ARGMAX,  ANEURALNETWORKS_ARGMIN,     ANEURALNETWORKS_TOPK_V2};
  return std::ranges::find(kOperations, operation) != std::end(kOperations);
}

// The most common operations of networks, and those with the most rewrites: layouts, filters, activations.
const std::vector<int32_t> kOftenInNetworks{
    ANEURALNETWORKS_CONV_2D,           ANEURALNETWORKS_CONV_2D,
    ANEURALNETWORKS_DEPTHWISE_CONV_2D, ANEURALNETWORKS_GROUPED_CONV_2D,
    ANEURALNETWORKS_MAX_POOL_2D,       ANEURALNETWORKS_FULLY_CONNECTED,
    ANEURALNETWORKS_AVERAGE_POOL_2D,   ANEURALNETWORKS_ADD,
    ANEURALNETWORKS_TRANSPOSE_CONV_2D, ANEURALNETWORKS_PAD,
    ANEURALNETWORKS_CONCATENATION,     ANEURALNETWORKS_BATCH_MATMUL,
};

class GraphMaker {
 public:
  GraphMaker(Decisions& decisions, RowShapes& shapes, const GraphLimits& limits)
      : decisions_(decisions), shapes_(shapes), limits_(limits), growing_(decisions, decisions.one_in(2)) {}

  RandomGraph make() {
    growing_.graph().c.relaxed = decisions_.one_in(8);
    const uint32_t wanted = limits_.fewest_operations + decisions_.below(limits_.most_operations - limits_.fewest_operations + 1);
    for (uint32_t tries = 0; growing_.main().operations.size() < wanted && tries < 4 * wanted; ++tries) add_random_row();
    choose_outputs();
    ensure_an_input(growing_.main());
    RandomGraph& graph = growing_.graph();
    graph.c.golden = true;
    graph.c.feature_level = 7;
    return std::move(graph);
  }

 private:
  void add_random_row() {
    constexpr int kTries = 8;
    auto chosen = rows_by_operation().begin();
    std::advance(chosen, decisions_.below(static_cast<uint32_t>(rows_by_operation().size())));
    if (decisions_.one_in(4)) chosen = rows_by_operation().find(decisions_.pick(kOftenInNetworks));
    for (int i = 0; i < kTries; ++i) {
      const Row& row = *decisions_.pick(chosen->second);
      const VectorCase c = row.make(decisions_.below(256));
      if (bytes_of(c) > limits_.most_bytes || !std::ranges::all_of(c.main.operands, has_plain_numbers)) continue;
      const auto* const outputs = shapes_.of(row, c);
      if (outputs == nullptr) continue;
      return add_row(row, c, *outputs);
    }
  }

  void add_row(const Row& row, const VectorCase& piece, const std::vector<Dims>& output_shapes) {
    std::vector<uint32_t> indexes(piece.main.operands.size());
    const size_t first_graph = growing_.graph().c.referenced.size();
    bool is_exact = true;
    bool is_bounded = true;
    for (size_t i = 0; i < indexes.size(); ++i) {
      const VectorOperand& operand = piece.main.operands[i];
      switch (operand.lifetime) {
        case Lifetime::kSubgraph: {
          VectorOperand reference = operand;
          reference.subgraph += first_graph;
          indexes[i] = growing_.add(std::move(reference), {});
          break;
        }
        case Lifetime::kNoValue:
          indexes[i] = omitted(operand);
          break;
        case Lifetime::kModelInput:
        case Lifetime::kConstantCopy:
        case Lifetime::kConstantReference: {
          const Strand strand = argument(row, piece, i);
          indexes[i] = strand.operand;
          is_exact = is_exact && strand.exact;
          is_bounded = is_bounded && strand.bounded;
          break;
        }
        default:
          break;  // below, when the operands are known
      }
    }
    is_exact = is_exact && moves_values(row.operation);
    is_bounded = bounds_values(row.operation) || (is_bounded && moves_values(row.operation));
    for (size_t i = 0; i < indexes.size(); ++i) {
      const VectorOperand& operand = piece.main.operands[i];
      if (operand.lifetime == Lifetime::kTemporary) indexes[i] = growing_.add(operand, operand.dimensions);
      if (operand.lifetime != Lifetime::kModelOutput) continue;
      const auto output = static_cast<size_t>(std::ranges::find(piece.main.outputs, i) - piece.main.outputs.begin());
      indexes[i] = add_output(row, piece, operand, output_shapes[output]);
      if (operand.ignored || output_shapes[output].empty() || element_count(output_shapes[output]) == 0) continue;
      const bool is_float = is_float_tensor(operand.type);
      if (!depends_on_values(row.operation)) pool_.push_back({indexes[i], !is_float || is_exact, !is_float || is_bounded});
    }
    // CAST requires equal dimensions in the declarations of input and output.
    if (row.operation == ANEURALNETWORKS_CAST) {
      growing_.main().operands[indexes[1]].dimensions = growing_.operand(indexes[0]).dimensions;
    }
    for (const auto& operation : piece.main.operations) {
      const auto renamed = [&](std::vector<uint32_t> list) {
        for (uint32_t& index : list) index = indexes[index];
        return list;
      };
      growing_.add_operation(operation.code, renamed(operation.inputs), renamed(operation.outputs));
    }
    for (VectorGraph graph : piece.referenced) {
      for (auto& operand : graph.operands) {
        if (operand.lifetime == Lifetime::kSubgraph) operand.subgraph += first_graph;
      }
      growing_.graph().c.referenced.push_back(std::move(graph));
    }
  }

  // Returns whether the shape of the results depends on values: it contains the number of boxes.
  static bool depends_on_values(int32_t operation) {
    return operation == ANEURALNETWORKS_BOX_WITH_NMS_LIMIT || operation == ANEURALNETWORKS_GENERATE_PROPOSALS;
  }

  uint32_t add_output(const Row& row, const VectorCase& piece, const VectorOperand& operand, const Dims& shape) {
    Tolerance error = moves_values(row.operation) ? Tolerance{} : float_error(operand.type, growing_.graph().c.relaxed);
    if (piece.float_tolerance && is_float_tensor(operand.type)) {
      error.absolute = std::max(error.absolute, piece.float_tolerance->absolute);
      error.relative = std::max(error.relative, piece.float_tolerance->relative);
    }
    VectorOperand result = operand;
    result.lifetime = Lifetime::kTemporary;
    const bool is_known =
        is_tensor(operand.type) && !depends_on_values(row.operation) && !shape.empty() && element_count(shape) > 0;
    result.dimensions = is_known ? growing_.declared(operand.type, shape) : Dims{};
    return growing_.add(std::move(result), shape, error);
  }

  // Adds an operand that the model omits, or a model input that only the execution omits.
  uint32_t omitted(const VectorOperand& operand) {
    VectorOperand result = operand;
    if (decisions_.one_in(2)) result.lifetime = Lifetime::kModelInput;
    const bool is_input = result.lifetime == Lifetime::kModelInput;
    const uint32_t index = growing_.add(std::move(result), operand.dimensions);
    if (is_input) growing_.main().inputs.push_back(index);
    return index;
  }

  Strand argument(const Row& row, const VectorCase& piece, size_t i) {
    const VectorOperand& operand = piece.main.operands[i];
    if (may_be_joined(row, operand, i) && (i == 0 ? !decisions_.one_in(8) : decisions_.one_in(3))) {
      if (const auto joined = join(operand, needs_exact_inputs(piece.main, row.operation))) return *joined;
    }
    const Strand strand{growing_.source(operand)};
    const bool is_free = is_tensor(operand.type) && operand.channel_scales.empty() && operand.type != kInt32;
    if (is_free && decisions_.one_in(3)) pool_.push_back(strand);
    return strand;
  }

  bool may_be_joined(const Row& row, const VectorOperand& operand, size_t i) const {
    if (pool_.empty() || keeps_its_values(row.operation) || !operand.channel_scales.empty()) return false;
    if (operand.type == kInt32) return i == 0 && takes_any_integers(row.operation);
    return is_float_tensor(operand.type) || is_quant8(operand.type) || operand.type == kBool8;
  }

  std::optional<Strand> join(const VectorOperand& operand, bool must_be_exact) {
    constexpr uint32_t kRecent = 5;
    constexpr int kTries = 3;
    const auto count = static_cast<uint32_t>(pool_.size());
    for (int i = 0; i < kTries; ++i) {
      const uint32_t back = decisions_.below(decisions_.one_in(4) ? count : std::min(count, kRecent));
      const Strand chosen = pool_[count - 1 - back];
      const Tensor wanted{operand.type, operand.dimensions, operand.scale, operand.zero_point};
      if (must_be_exact && (!chosen.exact || growing_.graph().c.relaxed)) continue;
      const auto fitted = growing_.fit(chosen, wanted);
      if (!fitted || (must_be_exact && !fitted->exact)) continue;
      return fitted;
    }
    return std::nullopt;
  }

  // Makes every result that no operation reads a model output, and some of the other results.
  void choose_outputs() {
    VectorGraph& graph = growing_.main();
    std::vector<bool> is_read(graph.operands.size());
    std::vector<bool> is_written(graph.operands.size());
    for (const auto& operation : graph.operations) {
      for (const uint32_t input : operation.inputs) is_read[input] = true;
      for (const uint32_t output : operation.outputs) is_written[output] = true;
    }
    for (uint32_t i = 0; i < graph.operands.size(); ++i) {
      VectorOperand& operand = graph.operands[i];
      if (operand.lifetime != Lifetime::kTemporary || !is_written[i] || (is_read[i] && !decisions_.one_in(8))) continue;
      operand.lifetime = Lifetime::kModelOutput;
      graph.outputs.push_back(i);
    }
  }

  Decisions& decisions_;
  RowShapes& shapes_;
  GraphLimits limits_;
  GrowingGraph growing_;
  std::vector<Strand> pool_;  // candidates for operands of later operations
};

}  // namespace

const std::vector<Dims>* RowShapes::of(const Row& row, const VectorCase& c) {
  const auto [found, is_new] = shapes_.try_emplace(&row);
  auto& kept = found->second;
  if (is_new) {
    const MutedErrors muted(true);
    auto compiled = CompiledCase::make(c, reference_);
    if (!compiled || !compiled->unsupported().empty()) return nullptr;
    const auto outputs = compiled->run_with_unknown_sizes(c);
    if (!outputs) return nullptr;
    kept.emplace();
    for (const CaseOutput& output : *outputs) kept->push_back(output.shape);
  }
  return kept ? &*kept : nullptr;
}

RandomGraph random_graph(Decisions& decisions, RowShapes& shapes, const GraphLimits& limits) {
  return GraphMaker(decisions, shapes, limits).make();
}

}  // namespace nnvk::tools::conformance
