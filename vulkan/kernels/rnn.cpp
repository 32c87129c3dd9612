// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN. What the inputs add to all time steps is one product; each
// step is then one dispatch. The two directions of a bidirectional operation touch different tensors and so run side by side.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/operations/parameters/rnn_parameters.h"
#include "rnn_kernels.h"
#include "shaders/lstm_params.h"
#include "shaders/rnn_params.h"
#include "vulkan/kernels/convolution_weights.h"
#include "vulkan/kernels/dense_convolution.h"
#include "vulkan/kernels/families.h"
#include "vulkan/kernels/lstm_choice.h"
#include "vulkan/kernels/sequence_join.h"

namespace nnvk::vulkan {
namespace {

constexpr OperandType kFloat = OperandType::kTensorFloat32;

class DirectionEmitter {
 public:
  DirectionEmitter(const EmitContext& context, DispatchList& dispatches, const RnnParameters& p, const RnnDirection& d)
      : context_(context),
        dispatches_(dispatches),
        p_(p),
        d_(d),
        type_(context.input(0).type),
        vectors_(static_cast<uint32_t>(divide_up(d.units, 4))) {}

  Status emit(const Sequence& sequence);

 private:
  // What the activation is applied to.
  struct Sums {
    TensorId input = kNoTensor;      // [time * batches rows][vectors_] with the bias
    TensorId auxiliary = kNoTensor;  // the same without it; may be missing
    TensorId recurrent_weights = kNoTensor;
  };
  struct State {
    TensorId tensor = kNoTensor;
    OperandType type = kFloat;
  };

  std::string name(const char* what) const { return (d_.backward ? "backward " : "") + std::string(what); }
  Result<TensorId> contribution(size_t input, size_t weights, uint32_t depth, bool with_bias, const std::string& what);
  Status step(uint32_t time, const Sums& sums, const State& from, TensorId to, const Sequence& sequence);

  const EmitContext& context_;
  DispatchList& dispatches_;
  const RnnParameters& p_;
  const RnnDirection& d_;
  OperandType type_;
  uint32_t vectors_;  // of four units
};

// Products of all rows of a sequence, in float32 rows of whole vectors.
Result<TensorId> DirectionEmitter::contribution(size_t input, size_t weights, uint32_t depth, bool with_bias,
                                                const std::string& what) {
  ProductRows rows;
  rows.tensor = context_.input_id(input);
  rows.type = type_;
  rows.rows = p_.time * p_.batches;
  rows.depth = rows.row_stride = depth;
  ProductResult result;
  result.wide = type_ != kFloat;
  result.columns = 4 * vectors_;
  result.lo = -std::numeric_limits<float>::infinity();
  result.hi = std::numeric_limits<float>::infinity();
  if (with_bias) result.bias = read_quads(context_.input_id(d_.bias()), type_);
  const uint64_t bytes = uint64_t{rows.rows} * vectors_ * 16;
  if (bytes > context_.traits.max_storage_range) {
    return fail(Code::kOpFailed, "the sums of " + std::to_string(rows.rows) + " rows of " + std::to_string(d_.units) +
                                     " units exceed the device's storage buffers (" +
                                     std::to_string(context_.traits.max_storage_range) + " bytes)");
  }
  result.target = dispatches_.scratch(bytes);
  const ProductWeights matrix{weight_source(context_, weights), dense_filter(1, d_.units, 1, depth), what};
  NNVK_TRY(emit_product(context_, rows, matrix, result, dispatches_));
  return result.target;
}

Status DirectionEmitter::step(uint32_t time, const Sums& sums, const State& from, TensorId to, const Sequence& sequence) {
  const bool scalar = d_.units % 4 != 0;
  const uint32_t batch_rows = p_.time_major ? 1 : p_.time;  // rows of a sequence between batch rows
  const auto first = static_cast<uint32_t>(p_.row(time, 0));
  RnnStepParams params{};
  params.columns = vectors_;
  params.rows = p_.batches;
  params.units = d_.units;
  // One dispatch's work for an invocation (bounded_work.h): a square matrix of more units would not fit a storage buffer.
  params.steps = scalar ? d_.units : d_.units / 4;
  params.sums_first = first * vectors_;
  params.sums_batch = batch_rows * vectors_;
  params.sequence_first = first * sequence.width;
  params.sequence_batch = batch_rows * sequence.width;
  const bool auxiliary = sums.auxiliary != kNoTensor;
  const LstmProductChoice choice = choose_lstm_product(p_.batches, vectors_, d_.units, context_.traits);
  Dispatch dispatch;
  dispatch.kernel = kernels::kRnnStep;
  dispatch.node = context_.node_index;
  dispatch.label = operation_name(context_.node.code) + " " + name("step ") + std::to_string(time);
  dispatch.specialization = {{kLstmXElementId, element_type(from.type)},
                             {kLstmScalarXId, scalar ? 1U : 0U},
                             {kLstmTileRowsId, choice.tile_rows},
                             {kLstmSlicesId, choice.slices},
                             {kRnnActivationId, static_cast<uint32_t>(p_.activation)},
                             {kRnnAuxiliaryId, auxiliary ? 1U : 0U},
                             {kRnnHalfId, type_ == kFloat ? 0U : 1U}};
  dispatch.bindings = {scalar ? read_scalars(from.tensor, from.type) : read_quads(from.tensor, from.type),
                       read_quads(sums.recurrent_weights, kFloat),
                       read_quads(sums.input, kFloat),
                       read_quads(auxiliary ? sums.auxiliary : sums.input, kFloat),
                       write_words(to),
                       write_words(sequence.tensor)};
  dispatch.set_params(params);
  dispatch.multiply_adds = uint64_t{p_.batches} * d_.units * d_.units;
  const uint64_t tiles = divide_up(p_.batches, choice.tile_rows) * vectors_;
  NNVK_ASSIGN(dispatch.groups, flat_groups(tiles * choice.slices, kLstmGroupSize, context_.traits));
  dispatches_.add(std::move(dispatch));
  return {};
}

Status DirectionEmitter::emit(const Sequence& sequence) {
  Sums sums;
  NNVK_ASSIGN(sums.input, contribution(d_.input, d_.weights, d_.input_size, true, name("input weights")));
  if (d_.auxiliary) {
    NNVK_ASSIGN(sums.auxiliary,
                contribution(*d_.auxiliary, *d_.auxiliary_weights, d_.auxiliary_size, false, name("auxiliary weights")));
  }
  FilterLayout layout = dense_filter(1, d_.units, 1, d_.units);
  layout.columns = vectors_;
  NNVK_ASSIGN(sums.recurrent_weights, packed_weights(context_, weight_source(context_, d_.recurrent_weights()), layout,
                                                     name("recurrent weights"), dispatches_));

  // Two states in turn; float32 results need no copy behind the last step.
  const uint64_t state_bytes = uint64_t{p_.batches} * d_.units * sizeof(float);
  const std::array<TensorId, 2> between = {dispatches_.scratch(state_bytes), dispatches_.scratch(state_bytes)};
  const bool direct = d_.state_output.has_value() && type_ == kFloat;
  State from{context_.input_id(d_.state()), type_};
  for (uint32_t s = 0; s < p_.time; ++s) {
    const uint32_t time = d_.backward ? p_.time - 1 - s : s;
    const bool last = s + 1 == p_.time;
    const TensorId to = last && direct ? context_.output_id(*d_.state_output) : between[s % 2];
    NNVK_TRY(step(time, sums, from, to, sequence));
    from = {to, kFloat};
  }
  if (!d_.state_output || direct) return {};
  return emit_join(context_, *d_.state_output, {from.tensor, d_.units}, {}, dispatches_);
}

Status emit_rnn(const EmitContext& context, DispatchList& dispatches) {
  const NodeView view = context.resolution.view(context.plan, context.node);
  NNVK_ASSIGN(const RnnParameters p, rnn_parameters(view.view()));
  std::vector<DirectionOutput> outputs;
  for (const RnnDirection& d : p.directions) outputs.push_back({d.output, d.units});
  const auto emit = [&](size_t i, const Sequence& sequence) {
    return DirectionEmitter(context, dispatches, p, p.directions[i]).emit(sequence);
  };
  return emit_directions(context, outputs, uint64_t{p.time} * p.batches, emit, dispatches);
}

// Packed weights must fit one buffer binding.
Status support_rnn(const Plan& plan, const PlanNode& node, const DeviceTraits& traits) {
  NNVK_TRY(check_matrices_fit(plan, node, traits, 1, 2));
  if (node.code != OperationCode::kBidirectionalSequenceRnn) return {};
  NNVK_TRY(check_matrices_fit(plan, node, traits, 5, 6));
  return check_matrices_fit(plan, node, traits, 10, 11);
}

constexpr KernelEmitter kEmitters[] = {
    {OperationCode::kRnn, support_rnn, emit_rnn},
    {OperationCode::kUnidirectionalSequenceRnn, support_rnn, emit_rnn},
    {OperationCode::kBidirectionalSequenceRnn, support_rnn, emit_rnn},
};

}  // namespace

std::span<const KernelEmitter> rnn_emitters() { return kEmitters; }

}  // namespace nnvk::vulkan
