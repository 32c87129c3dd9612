// Tables of names; the index of a name is its number.
#include "tools/nnapi/names.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <array>

namespace nnvk::tools {
namespace {

constexpr auto kOperations = std::to_array<std::string_view>({
    "ADD",
    "AVERAGE_POOL_2D",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "EMBEDDING_LOOKUP",
    "FLOOR",
    "FULLY_CONNECTED",
    "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LOGISTIC",
    "LSH_PROJECTION",
    "LSTM",
    "MAX_POOL_2D",
    "MUL",
    "RELU",
    "RELU1",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RNN",
    "SOFTMAX",
    "SPACE_TO_DEPTH",
    "SVDF",
    "TANH",
    "BATCH_TO_SPACE_ND",
    "DIV",
    "MEAN",
    "PAD",
    "SPACE_TO_BATCH_ND",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "TRANSPOSE",
    "ABS",
    "ARGMAX",
    "ARGMIN",
    "AXIS_ALIGNED_BBOX_TRANSFORM",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "BOX_WITH_NMS_LIMIT",
    "CAST",
    "CHANNEL_SHUFFLE",
    "DETECTION_POSTPROCESSING",
    "EQUAL",
    "EXP",
    "EXPAND_DIMS",
    "GATHER",
    "GENERATE_PROPOSALS",
    "GREATER",
    "GREATER_EQUAL",
    "GROUPED_CONV_2D",
    "HEATMAP_MAX_KEYPOINT",
    "INSTANCE_NORMALIZATION",
    "LESS",
    "LESS_EQUAL",
    "LOG",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "LOGICAL_OR",
    "LOG_SOFTMAX",
    "MAXIMUM",
    "MINIMUM",
    "NEG",
    "NOT_EQUAL",
    "PAD_V2",
    "POW",
    "PRELU",
    "QUANTIZE",
    "QUANTIZED_16BIT_LSTM",
    "RANDOM_MULTINOMIAL",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "REDUCE_PROD",
    "REDUCE_SUM",
    "ROI_ALIGN",
    "ROI_POOLING",
    "RSQRT",
    "SELECT",
    "SIN",
    "SLICE",
    "SPLIT",
    "SQRT",
    "TILE",
    "TOPK_V2",
    "TRANSPOSE_CONV_2D",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "RESIZE_NEAREST_NEIGHBOR",
    "QUANTIZED_LSTM",
    "IF",
    "WHILE",
    "ELU",
    "HARD_SWISH",
    "FILL",
    "RANK",
    "BATCH_MATMUL",
    "PACK",
    "MIRROR_PAD",
    "REVERSE",
});
static_assert(kOperations.size() == ANEURALNETWORKS_REVERSE + 1);
static_assert(kOperations[ANEURALNETWORKS_TRANSPOSE_CONV_2D] == "TRANSPOSE_CONV_2D");
static_assert(kOperations[ANEURALNETWORKS_REVERSE] == "REVERSE");

struct OperandTypeRow {
  std::string_view name;
  size_t element_size;
  bool tensor;
};

constexpr auto kOperandTypes = std::to_array<OperandTypeRow>({
    {"FLOAT32", 4, false},
    {"INT32", 4, false},
    {"UINT32", 4, false},
    {"TENSOR_FLOAT32", 4, true},
    {"TENSOR_INT32", 4, true},
    {"TENSOR_QUANT8_ASYMM", 1, true},
    {"BOOL", 1, false},
    {"TENSOR_QUANT16_SYMM", 2, true},
    {"TENSOR_FLOAT16", 2, true},
    {"TENSOR_BOOL8", 1, true},
    {"FLOAT16", 2, false},
    {"TENSOR_QUANT8_SYMM_PER_CHANNEL", 1, true},
    {"TENSOR_QUANT16_ASYMM", 2, true},
    {"TENSOR_QUANT8_SYMM", 1, true},
    {"TENSOR_QUANT8_ASYMM_SIGNED", 1, true},
    {"MODEL", 0, false},
});
static_assert(kOperandTypes.size() == ANEURALNETWORKS_MODEL + 1);
static_assert(kOperandTypes[ANEURALNETWORKS_TENSOR_QUANT8_SYMM].name == "TENSOR_QUANT8_SYMM");

constexpr auto kResults = std::to_array<std::string_view>({
    "NO_ERROR",
    "OUT_OF_MEMORY",
    "INCOMPLETE",
    "UNEXPECTED_NULL",
    "BAD_DATA",
    "OP_FAILED",
    "BAD_STATE",
    "UNMAPPABLE",
    "OUTPUT_INSUFFICIENT_SIZE",
    "UNAVAILABLE_DEVICE",
    "MISSED_DEADLINE_TRANSIENT",
    "MISSED_DEADLINE_PERSISTENT",
    "RESOURCE_EXHAUSTED_TRANSIENT",
    "RESOURCE_EXHAUSTED_PERSISTENT",
    "DEAD_OBJECT",
});
static_assert(kResults.size() == ANEURALNETWORKS_DEAD_OBJECT + 1);

const OperandTypeRow* operand_type_row(int32_t code) {
  return code >= 0 && static_cast<size_t>(code) < kOperandTypes.size() ? &kOperandTypes[code] : nullptr;
}

}  // namespace

std::string operation_name(int32_t code) {
  if (code >= 0 && static_cast<size_t>(code) < kOperations.size()) return std::string(kOperations[code]);
  return "operation " + std::to_string(code);
}

std::optional<int32_t> operation_code(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name);
  if (found == kOperations.end()) return std::nullopt;
  return static_cast<int32_t>(found - kOperations.begin());
}

std::string operand_type_name(int32_t code) {
  const auto* row = operand_type_row(code);
  return row ? std::string(row->name) : "type " + std::to_string(code);
}

std::optional<int32_t> operand_type_code(std::string_view name) {
  if (name == "SUBGRAPH") return ANEURALNETWORKS_MODEL;
  const auto found = std::ranges::find(kOperandTypes, name, &OperandTypeRow::name);
  if (found == kOperandTypes.end()) return std::nullopt;
  return static_cast<int32_t>(found - kOperandTypes.begin());
}

std::string result_name(int code) {
  if (code >= 0 && static_cast<size_t>(code) < kResults.size()) return std::string(kResults[code]);
  return "result " + std::to_string(code);
}

size_t element_size(int32_t operand_type) {
  const auto* row = operand_type_row(operand_type);
  return row ? row->element_size : 0;
}

bool is_tensor(int32_t operand_type) {
  const auto* row = operand_type_row(operand_type);
  return row && row->tensor;
}

bool is_quant8(int32_t operand_type) {
  return operand_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM || operand_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
}

int feature_level_number(int64_t feature_level_code) {
  if (feature_level_code >= ANEURALNETWORKS_FEATURE_LEVEL_1 && feature_level_code <= ANEURALNETWORKS_FEATURE_LEVEL_5) {
    return static_cast<int>(feature_level_code - ANEURALNETWORKS_FEATURE_LEVEL_1) + 1;
  }
  return feature_level_code > 1000000 ? static_cast<int>(feature_level_code - 1000000) : 0;
}

}  // namespace nnvk::tools
