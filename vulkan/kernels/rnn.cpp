// One product computes the inputs' part of all time steps; each step is then one dispatch. Two directions run in parallel.
#include <array>
#include <string>
#include <vector>

#include "core/operations/parameters/rnn_parameters.h"
#include "rnn_kernels.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/kernels/products/product.h"
#include "vulkan/kernels/sequence_join.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kFloat = OperandType::kTensorFloat32;

class DirectionEmitter {
 public:
  DirectionEmitter(const EmitContext& context, const RnnParameters& p, const RnnDirection& d)
      : context_(context),
        p_(p),
        d_(d),
        type_(context.input(kSequenceInput).type),
        vectors_(static_cast<uint32_t>(divide_up(d.units, 4))) {}

  Status emit(const Sequence& sequence) {
    Sums sums;
    NNVK_ASSIGN(sums.input, contribution(d_.input, d_.cell.weights(), d_.input_size, true, name("input weights")));
    if (d_.auxiliary) {
      NNVK_ASSIGN(sums.auxiliary,
                  contribution(*d_.auxiliary, d_.auxiliary_weights, d_.auxiliary_size, false, name("auxiliary weights")));
    }
    FilterLayout layout = dense_filter(1, d_.units, 1, d_.units);
    layout.columns = vectors_;
    NNVK_ASSIGN(sums.recurrent_weights, packed_weights(context_, weight_source(context_, d_.cell.recurrent_weights()), layout,
                                                       name("recurrent weights")));

    // Steps alternate between two scratch states. If results are float32, the last step writes them directly to the output.
    const uint64_t state_bytes = uint64_t{p_.batch} * d_.units * sizeof(float);
    const std::array<TensorId, 2> between = {context_.dispatches.scratch(state_bytes), context_.dispatches.scratch(state_bytes)};
    const bool direct = d_.state_output.has_value() && type_ == kFloat;
    State from{context_.input_id(d_.cell.state()), type_};
    for (uint32_t s = 0; s < p_.steps; ++s) {
      const uint32_t time = d_.backward ? p_.steps - 1 - s : s;
      const bool last = s + 1 == p_.steps;
      const TensorId to = last && direct ? context_.output_id(*d_.state_output) : between[s % 2];
      NNVK_TRY(step(time, sums, from, to, sequence));
      from = {to, kFloat};
    }
    if (!d_.state_output || direct) return {};
    return emit_join(context_, *d_.state_output, {from.tensor, d_.units}, {});
  }

 private:
  // Contributions to the argument of the activation, for all steps.
  struct Sums {
    TensorId input = kNoTensor;      // [time * batches rows][vectors_] with the bias
    TensorId auxiliary = kNoTensor;  // the same without the bias; may be missing
    TensorId recurrent_weights = kNoTensor;
  };
  struct State {
    TensorId tensor = kNoTensor;
    OperandType type = kFloat;
  };

  std::string name(const char* what) const { return (d_.backward ? "backward " : "") + std::string(what); }
  // Adds the products of all rows of a sequence, in float32 rows of whole vectors.
  Result<TensorId> contribution(size_t input, size_t weights, uint32_t depth, bool with_bias, const std::string& what) {
    ProductRows rows{.tensor = context_.input_id(input), .type = type_, .rows = p_.steps * p_.batch};
    rows.depth = rows.row_stride = depth;
    ProductResult result{.wide = type_ != kFloat, .columns = 4 * vectors_};
    if (with_bias) result.bias = read_quads(context_.input_id(d_.cell.bias()), type_);
    const uint64_t bytes = uint64_t{rows.rows} * vectors_ * 16;
    const std::string sums = "a sum for " + std::to_string(rows.rows) + " rows of " + std::to_string(d_.units) + " units";
    NNVK_TRY(check_storage(sums, bytes, context_.traits));
    result.target = context_.dispatches.scratch(bytes);
    const ProductWeights matrix{weight_source(context_, weights), dense_filter(1, d_.units, 1, depth), what};
    NNVK_TRY(emit_product(context_, rows, matrix, result));
    return result.target;
  }

  Status step(uint32_t time, const Sums& sums, const State& from, TensorId to, const Sequence& sequence) {
    const bool scalar = d_.units % 4 != 0;
    const auto first = static_cast<uint32_t>(p_.row(time, 0));
    RnnStepParams params{};
    params.columns = vectors_;
    params.rows = p_.batch;
    params.units = d_.units;
    // One dispatch can add up all units (bounded_work.h): the recurrent matrix of more units would not fit a storage buffer.
    params.steps = scalar ? d_.units : d_.units / 4;
    params.sums_first = first * vectors_;
    params.sums_batch = p_.batch_stride() * vectors_;
    params.sequence_first = first * sequence.width;
    params.sequence_batch = p_.batch_stride() * sequence.width;
    const bool auxiliary = sums.auxiliary != kNoTensor;
    const LstmProductChoice choice = choose_lstm_product(p_.batch, vectors_, d_.units, context_.traits);
    auto dispatch = make_dispatch(context_, kernels::kRnnStep,
                                  {.x_type = element_type(from.type),
                                   .scalar_x = scalar,
                                   .tile_rows = choice.tile_rows,
                                   .slices = choice.slices,
                                   .activation = static_cast<uint32_t>(p_.activation),
                                   .auxiliary = auxiliary,
                                   .round_to_half = type_ != kFloat},
                                  {.in_x = read_elements(from.tensor, from.type, !scalar),
                                   .in_weights = read_quads(sums.recurrent_weights, kFloat),
                                   .in_sums = read_quads(sums.input, kFloat),
                                   .in_auxiliary = read_quads(auxiliary ? sums.auxiliary : sums.input, kFloat),
                                   .out_h = write_words(to),
                                   .out_sequence = write_words(sequence.tensor)},
                                  params);
    dispatch.label = operation_name(context_.node.code) + " " + name("step ") + std::to_string(time);
    dispatch.multiply_adds = uint64_t{p_.batch} * d_.units * d_.units;
    return add_flat(context_, std::move(dispatch), choice.invocations(p_.batch, vectors_));
  }

  const EmitContext& context_;
  const RnnParameters& p_;
  const RnnDirection& d_;
  OperandType type_;
  uint32_t vectors_;  // of four units
};

Status emit_rnn(const EmitContext& context) {
  NNVK_ASSIGN(const RnnParameters p, context.decode(rnn_parameters));
  std::vector<DirectionOutput> outputs;
  for (const RnnDirection& d : p.directions) outputs.push_back({d.output, d.units});
  const auto emit = [&](size_t i, const Sequence& sequence) {
    return DirectionEmitter(context, p, p.directions[i]).emit(sequence);
  };
  return emit_directions(context, outputs, uint64_t{p.steps} * p.batch, emit);
}

// Checks that packed weights fit one buffer binding.
Status support_rnn(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  const auto check = [&](const RnnCell& cell) {
    return check_matrices_fit(plan, node, traits, cell.weights(), cell.recurrent_weights());
  };
  if (node.code == OperationCode::kRnn) return check(rnn::kCell);
  if (node.code == OperationCode::kUnidirectionalSequenceRnn) return check(unidirectional_sequence_rnn::kCell);
  using namespace bidirectional_sequence_rnn;
  NNVK_TRY(check(kForwardCell));
  NNVK_TRY(check(kBackwardCell));
  return check_matrices_fit(plan, node, traits, kForwardAuxiliaryWeights, kBackwardAuxiliaryWeights);
}

}  // namespace

constinit const EmitterRows rnn_emitters = {
    {OperationCode::kRnn, support_rnn, emit_rnn},
    {OperationCode::kUnidirectionalSequenceRnn, support_rnn, emit_rnn},
    {OperationCode::kBidirectionalSequenceRnn, support_rnn, emit_rnn},
};

}  // namespace nnvk::vulkan
