// The table of families.
#include "tools/conformance/families.h"

#include <algorithm>
#include <array>

namespace nnvk::tools::conformance {
namespace {

using Names = std::string_view;

constexpr Names kBinary[] = {"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "POW", "PRELU"};
constexpr Names kCast[] = {"CAST", "DEQUANTIZE", "QUANTIZE"};
constexpr Names kComparison[] = {"EQUAL",         "NOT_EQUAL",   "LESS",       "LESS_EQUAL", "GREATER",
                                 "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"};
constexpr Names kControl[] = {"IF", "WHILE"};
constexpr Names kConvolution[] = {"CONV_2D", "GROUPED_CONV_2D"};
constexpr Names kMovement[] = {"CONCATENATION", "EXPAND_DIMS", "FILL",    "PACK", "RANK",     "RESHAPE",
                               "REVERSE",       "SPLIT",       "SQUEEZE", "TILE", "TRANSPOSE"};
constexpr Names kDepthwise[] = {"DEPTHWISE_CONV_2D"};
constexpr Names kDetection[] = {"AXIS_ALIGNED_BBOX_TRANSFORM",
                                "BOX_WITH_NMS_LIMIT",
                                "DETECTION_POSTPROCESSING",
                                "GENERATE_PROPOSALS",
                                "HEATMAP_MAX_KEYPOINT",
                                "LSH_PROJECTION",
                                "ROI_ALIGN",
                                "ROI_POOLING"};
constexpr Names kGather[] = {"EMBEDDING_LOOKUP", "GATHER", "HASHTABLE_LOOKUP", "SELECT"};
constexpr Names kMatmul[] = {"BATCH_MATMUL", "FULLY_CONNECTED"};
constexpr Names kNormalization[] = {"INSTANCE_NORMALIZATION", "L2_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION"};
constexpr Names kPooling[] = {"AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"};
constexpr Names kRandom[] = {"ARGMAX", "ARGMIN", "RANDOM_MULTINOMIAL", "TOPK_V2"};
constexpr Names kRecurrent[] = {"LSTM", "QUANTIZED_16BIT_LSTM", "QUANTIZED_LSTM", "RNN", "SVDF"};
constexpr Names kReduce[] = {"MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_SUM"};
constexpr Names kResize[] = {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"};
constexpr Names kSequence[] = {"BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM",
                               "UNIDIRECTIONAL_SEQUENCE_RNN"};
constexpr Names kSlicing[] = {"MIRROR_PAD", "PAD", "PAD_V2", "SLICE", "STRIDED_SLICE"};
constexpr Names kSoftmax[] = {"LOG_SOFTMAX", "SOFTMAX"};
constexpr Names kSpace[] = {"BATCH_TO_SPACE_ND", "CHANNEL_SHUFFLE", "DEPTH_TO_SPACE", "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH"};
constexpr Names kTransposed[] = {"TRANSPOSE_CONV_2D"};
constexpr Names kUnary[] = {"ABS",  "ELU",   "EXP",   "FLOOR", "HARD_SWISH", "LOG",  "LOGISTIC", "NEG",
                            "RELU", "RELU1", "RELU6", "RSQRT", "SIN",        "SQRT", "TANH"};

constexpr FamilyRow kFamilies[] = {
    {"elementwise_binary", kBinary},
    {"cast_quantize", kCast},
    {"comparison_logical", kComparison},
    {"control_flow", kControl},
    {"convolution", kConvolution},
    {"data_movement", kMovement},
    {"depthwise", kDepthwise},
    {"detection", kDetection},
    {"gather_select", kGather},
    {"matmul", kMatmul},
    {"normalization", kNormalization},
    {"pooling", kPooling},
    {"random_topk_arg", kRandom},
    {"recurrent", kRecurrent},
    {"reduce", kReduce},
    {"resize", kResize},
    {"sequence_recurrent", kSequence},
    {"slicing_padding", kSlicing},
    {"softmax", kSoftmax},
    {"space_depth", kSpace},
    {"transpose_convolution", kTransposed},
    {"unary", kUnary},
};

}  // namespace

std::span<const FamilyRow> families() { return kFamilies; }

std::string_view family_of(std::string_view operation) {
  for (const auto& row : kFamilies) {
    if (std::ranges::find(row.operations, operation) != row.operations.end()) return row.name;
  }
  return "";
}

std::string_view family_of(std::span<const std::string> operations) {
  for (const auto& operation : operations) {
    if (operation != "ADD") return family_of(operation);
  }
  return operations.empty() ? "" : family_of(operations.front());
}

}  // namespace nnvk::tools::conformance
