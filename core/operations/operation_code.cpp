// Names of the operations.
#include "core/operations/operation_code.h"

#include <array>
#include <cstdio>

#include "core/operations/parameters/picture_conversion.h"

namespace nnvk {
namespace {

constexpr std::array<const char*, kOperationCount> kNames = {"ADD",
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
                                                             "REVERSE"};

}  // namespace

std::string operation_name(OperationCode code) {
  const auto value = static_cast<int32_t>(code);
  if (value >= 0 && value < kOperationCount) return kNames[static_cast<size_t>(value)];
  if (code == OperationCode::kOemOperation) return "OEM_OPERATION";
  if (code == kPictureToTensor) return "PICTURE_TO_TENSOR";
  if (is_extension_operation(code)) {
    char text[40];
    std::snprintf(text, sizeof text, "extension operation 0x%08x", static_cast<uint32_t>(value));
    return text;
  }
  return "operation " + std::to_string(value);
}

}  // namespace nnvk
