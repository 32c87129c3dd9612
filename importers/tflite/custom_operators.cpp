// Operators that files identify by name: TFLite_Detection_PostProcess and Convolution2DTransposeBias.
#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "importers/tflite/operator_parts.h"

namespace nnvk::importers::tflite {
namespace {

// Parses options stored as named numbers, the format of most custom operators.
Result<flexbuffers::Map> named_options(const Operator& op) {
  const std::span<const uint8_t> bytes = op.custom_options;
  if (bytes.size() < 3 || !flexbuffers::VerifyBuffer(bytes.data(), bytes.size(), nullptr)) {
    return fail(op.where + ": its options are missing or damaged");
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(bytes.data(), bytes.size());
  if (!root.IsMap()) return fail(op.where + ": its options must be a table of names");
  return root.AsMap();
}

Status cast_to_output(Emitter& emitter, const Operator& op, uint32_t operand, uint32_t output) {
  return emitter.emit(op, ANEURALNETWORKS_CAST, std::span(&operand, 1), std::span(&output, 1));
}

// Emits a detection. Inputs: boxes, scores and anchors. Outputs: boxes, classes, scores and their number, all as real numbers in
// the file.
Status emit_detection(Emitter& emitter, const Operator& op) {
  TOOLS_ASSIGN(const flexbuffers::Map table, named_options(op));
  if (op.outputs.size() != 4) return fail(fmt::format("{}: it must have 4 outputs, but has {}", op.where, op.outputs.size()));
  const auto number = [&](const char* name, float missing) {
    const flexbuffers::Reference value = table[name];
    return value.IsNumeric() ? value.AsFloat() : missing;
  };
  const auto integer = [&](const char* name, int32_t missing) {
    const flexbuffers::Reference value = table[name];
    return value.IsNumeric() ? value.AsInt32() : missing;
  };
  TOOLS_ASSIGN(const uint32_t deltas, emitter.real_input(op, 0));
  TOOLS_ASSIGN(const uint32_t scores, emitter.real_input(op, 1));
  TOOLS_ASSIGN(const uint32_t anchors, emitter.real_input(op, 2));
  const std::vector<uint32_t> score_shape = emitter.builder().operand(scores).dimensions;
  const int32_t classes = integer("num_classes", 0);
  if (score_shape.size() != 3 || classes < 1 || score_shape[2] != static_cast<uint32_t>(classes) + 1) {
    return fail(op.where + ": NNAPI needs the scores of a background class before the others");
  }
  const int32_t most = integer("max_detections", 0);
  const int32_t per_detection = integer("max_classes_per_detection", 1);
  const bool regular = table["use_regular_nms"].AsBool();
  if (most < 1 || per_detection < 1 || most > 65536 || per_detection > 65536) {
    return fail(fmt::format("{}: its max_detections and max_classes_per_detection must be from 1 to 65536, but are {} and {}",
                            op.where, most, per_detection));
  }
  const uint32_t batches = score_shape[0];
  const auto count = static_cast<uint32_t>(regular ? most : most * int64_t{per_detection});

  std::vector<uint32_t> inputs{scores, deltas, anchors};
  for (const char* scale : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_float32(number(scale, 1.0F)));
    inputs.push_back(operand);
  }
  TOOLS_TRY(append_bools(emitter, inputs, {regular}));
  TOOLS_TRY(append(emitter, inputs, {most, per_detection, integer("detections_per_class", 100)}));
  for (const char* threshold : {"nms_score_threshold", "nms_iou_threshold"}) {
    TOOLS_ASSIGN(const uint32_t operand, emitter.builder().add_float32(number(threshold, 0.0F)));
    inputs.push_back(operand);
  }
  TOOLS_TRY(append_bools(emitter, inputs, {false}));  // classes are numbered without the background

  TOOLS_ASSIGN(const uint32_t out_boxes, emitter.output(op, 0, {batches, count, 4}));
  TOOLS_ASSIGN(const uint32_t out_classes, emitter.output(op, 1, {batches, count}));
  TOOLS_ASSIGN(const uint32_t out_scores, emitter.output(op, 2, {batches, count}));
  TOOLS_ASSIGN(const uint32_t out_number, emitter.output(op, 3, {batches}));
  const auto integers = [&](const std::vector<uint32_t>& dimensions) {
    return emitter.temporary({.type = ANEURALNETWORKS_TENSOR_INT32, .dimensions = dimensions});
  };
  TOOLS_ASSIGN(const uint32_t whole_classes, integers({batches, count}));
  TOOLS_ASSIGN(const uint32_t whole_number, integers({batches}));
  TOOLS_TRY(emitter.emit(op, ANEURALNETWORKS_DETECTION_POSTPROCESSING, inputs,
                         std::vector<uint32_t>{out_scores, out_boxes, whole_classes, whole_number}));
  TOOLS_TRY(cast_to_output(emitter, op, whole_classes, out_classes));
  return cast_to_output(emitter, op, whole_number, out_number);
}

// Translates TRANSPOSE_CONV with a bias. Its options are integers: padding (1 SAME, 2 VALID), horizontal and vertical stride.
Status emit_transpose_convolution_bias(Emitter& emitter, const Operator& op) {
  const std::span<const uint8_t> bytes = op.custom_options;
  int32_t values[3];
  if (bytes.size() != sizeof values) return fail(op.where + ": its options are missing or damaged");
  std::memcpy(values, bytes.data(), sizeof values);
  if (values[0] != 1 && values[0] != 2) return fail(fmt::format("{}: padding {} is unknown", op.where, values[0]));
  if (op.outputs.size() != 1) return fail(fmt::format("{}: it must have 1 output, but has {}", op.where, op.outputs.size()));
  TOOLS_ASSIGN(const uint32_t data, emitter.real_input(op, 0));
  TOOLS_ASSIGN(const uint32_t filter, emitter.real_input(op, 1));
  TOOLS_ASSIGN(const uint32_t bias, emitter.real_input(op, 2));
  TOOLS_ASSIGN(const uint32_t output, emitter.output(op));
  const std::vector<uint32_t> dimensions = emitter.builder().operand(output).dimensions;
  TOOLS_ASSIGN(const uint32_t shape,
               emitter.builder().add_int32_tensor(std::vector<int32_t>(dimensions.begin(), dimensions.end())));
  std::vector<uint32_t> inputs{data, filter, bias, shape};
  TOOLS_TRY(append(emitter, inputs,
                   {values[0] == 1 ? ANEURALNETWORKS_PADDING_SAME : ANEURALNETWORKS_PADDING_VALID, values[1], values[2],
                    ANEURALNETWORKS_FUSED_NONE}));
  TOOLS_TRY(append_bools(emitter, inputs, {false}));
  return emitter.emit(op, ANEURALNETWORKS_TRANSPOSE_CONV_2D, inputs, std::span(&output, 1));
}

Status emit_custom(Emitter& emitter, const Operator& op) {
  if (op.name == "CUSTOM:TFLite_Detection_PostProcess") return emit_detection(emitter, op);
  if (op.name == "CUSTOM:Convolution2DTransposeBias") return emit_transpose_convolution_bias(emitter, op);
  return fail(op.where + ": the importer does not know this custom operator");
}

constexpr auto kRows = std::to_array<Row>({
    {format::BuiltinOperator_CUSTOM, emit_custom, 0, false},
});

}  // namespace

std::span<const Row> custom_operators() { return kRows; }

}  // namespace nnvk::importers::tflite
