// Decodes the operands of the recurrent layers without gates. Rules: specification, "numerics" and "shape_rule".
#include "core/operations/parameters/rnn_parameters.h"

namespace nnvk {
namespace {

constexpr size_t kBackwardWeights = 5;
constexpr size_t kAuxiliary = 9;  // of BIDIRECTIONAL_SEQUENCE_RNN; forward and backward weights follow

tl::unexpected<Error> unknown(const char* what) {
  return fail(Code::kOpFailed, std::string(what) + " must be known before the layer can run");
}

RnnDirection direction(const OperationView& operation, size_t input, size_t weights) {
  RnnDirection d;
  d.input = input;
  d.weights = weights;
  d.units = operation.shape(weights)[0];
  d.input_size = operation.shape(weights)[1];
  return d;
}

Status decode_sequence(const OperationView& operation, std::optional<bool> time_major, RnnParameters& p) {
  if (!time_major) return unknown("time_major");
  const Shape& input = operation.shape(0);
  p.time_major = *time_major;
  p.time = input[p.time_major ? 0 : 1];
  p.batches = input[p.time_major ? 1 : 0];
  return {};
}

Status decode_bidirectional(const OperationView& operation, RnnParameters& p) {
  const auto time_major = operation.scalar<uint8_t>(13);
  NNVK_TRY(decode_sequence(operation, time_major ? std::optional(*time_major != 0) : std::nullopt, p));
  const size_t outputs = operation.outputs.size();
  const bool merged = outputs == 1 || outputs == 3;
  const bool linked = operation.has(kAuxiliary);
  const bool crossed = linked && operation.has(kAuxiliary + 1);
  RnnDirection forward = direction(operation, 0, 1);
  RnnDirection backward = direction(operation, linked && !crossed ? kAuxiliary : 0, kBackwardWeights);
  backward.backward = true;
  if (crossed) {
    size_t weights = kAuxiliary + 1;
    for (RnnDirection* d : {&forward, &backward}) {
      d->auxiliary = kAuxiliary;
      d->auxiliary_weights = weights++;
      d->auxiliary_size = operation.shape(kAuxiliary)[2];
    }
  }
  backward.output = merged ? 0 : 1;
  backward.output_first = merged ? forward.units : 0;
  if (outputs > 2) {
    forward.state_output = outputs - 2;
    backward.state_output = outputs - 1;
  }
  p.directions = {forward, backward};
  return {};
}

}  // namespace

Result<RnnParameters> rnn_parameters(const OperationView& operation) {
  RnnParameters p;
  const bool bidirectional = operation.code == OperationCode::kBidirectionalSequenceRnn;
  const auto activation = operation.scalar<int32_t>(bidirectional ? 12 : 5);
  if (!activation) return unknown("the activation");
  p.activation = static_cast<RecurrentActivation>(*activation);
  if (bidirectional) {
    NNVK_TRY(decode_bidirectional(operation, p));
    return p;
  }
  RnnDirection forward = direction(operation, 0, 1);
  if (operation.code == OperationCode::kRnn) {
    p.batches = operation.shape(0)[0];
    forward.output = 1;
    forward.state_output = 0;
  } else {
    const auto time_major = operation.scalar<int32_t>(6);
    NNVK_TRY(decode_sequence(operation, time_major ? std::optional(*time_major != 0) : std::nullopt, p));
    if (operation.outputs.size() > 1) forward.state_output = 1;
  }
  p.directions = {forward};
  return p;
}

}  // namespace nnvk
