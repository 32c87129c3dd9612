// The list of all operations and of the families that they are implemented in: the one place that names them. Data alone, in C's
// preprocessor, so that every table of operations or families is made from it: NNVK_OPERATIONS(X) calls X once per operation.
//
// A family has the same name in every folder: core/operations/families/<family>.cpp, cpu_fallback/reference/<family>.cpp,
// vulkan/kernels/<family>.cpp, shaders/<family>.json, tools/conformance/generators/<family>.cpp.
#pragma once

// Families whose operations devices compute.
#define NNVK_KERNEL_FAMILIES(X) \
  X(argmax)                     \
  X(cast_quantize)              \
  X(comparison_logical)         \
  X(concatenation)              \
  X(convolution)                \
  X(data_movement)              \
  X(depthwise)                  \
  X(detection)                  \
  X(elementwise_binary)         \
  X(lookup)                     \
  X(lsh_projection)             \
  X(lstm)                       \
  X(matmul)                     \
  X(normalization)              \
  X(pooling)                    \
  X(quantized_lstm)             \
  X(random_multinomial)         \
  X(reduce)                     \
  X(region)                     \
  X(resize)                     \
  X(rnn)                        \
  X(select)                     \
  X(slicing_padding)            \
  X(softmax)                    \
  X(space_depth)                \
  X(suppression)                \
  X(svdf)                       \
  X(topk)                       \
  X(transpose_convolution)      \
  X(unary)

// All families; the runtime itself executes control flow.
#define NNVK_FAMILIES(X)  \
  NNVK_KERNEL_FAMILIES(X) \
  X(control_flow)

// X(enumerator of OperationCode, number, NNAPI name, family), by number.
#define NNVK_OPERATIONS(X)                                                        \
  X(kAdd, 0, ADD, elementwise_binary)                                             \
  X(kAveragePool2d, 1, AVERAGE_POOL_2D, pooling)                                  \
  X(kConcatenation, 2, CONCATENATION, concatenation)                              \
  X(kConv2d, 3, CONV_2D, convolution)                                             \
  X(kDepthwiseConv2d, 4, DEPTHWISE_CONV_2D, depthwise)                            \
  X(kDepthToSpace, 5, DEPTH_TO_SPACE, space_depth)                                \
  X(kDequantize, 6, DEQUANTIZE, cast_quantize)                                    \
  X(kEmbeddingLookup, 7, EMBEDDING_LOOKUP, lookup)                                \
  X(kFloor, 8, FLOOR, unary)                                                      \
  X(kFullyConnected, 9, FULLY_CONNECTED, matmul)                                  \
  X(kHashtableLookup, 10, HASHTABLE_LOOKUP, lookup)                               \
  X(kL2Normalization, 11, L2_NORMALIZATION, normalization)                        \
  X(kL2Pool2d, 12, L2_POOL_2D, pooling)                                           \
  X(kLocalResponseNormalization, 13, LOCAL_RESPONSE_NORMALIZATION, normalization) \
  X(kLogistic, 14, LOGISTIC, unary)                                               \
  X(kLshProjection, 15, LSH_PROJECTION, lsh_projection)                           \
  X(kLstm, 16, LSTM, lstm)                                                        \
  X(kMaxPool2d, 17, MAX_POOL_2D, pooling)                                         \
  X(kMul, 18, MUL, elementwise_binary)                                            \
  X(kRelu, 19, RELU, unary)                                                       \
  X(kRelu1, 20, RELU1, unary)                                                     \
  X(kRelu6, 21, RELU6, unary)                                                     \
  X(kReshape, 22, RESHAPE, data_movement)                                         \
  X(kResizeBilinear, 23, RESIZE_BILINEAR, resize)                                 \
  X(kRnn, 24, RNN, rnn)                                                           \
  X(kSoftmax, 25, SOFTMAX, softmax)                                               \
  X(kSpaceToDepth, 26, SPACE_TO_DEPTH, space_depth)                               \
  X(kSvdf, 27, SVDF, svdf)                                                        \
  X(kTanh, 28, TANH, unary)                                                       \
  X(kBatchToSpaceNd, 29, BATCH_TO_SPACE_ND, space_depth)                          \
  X(kDiv, 30, DIV, elementwise_binary)                                            \
  X(kMean, 31, MEAN, reduce)                                                      \
  X(kPad, 32, PAD, slicing_padding)                                               \
  X(kSpaceToBatchNd, 33, SPACE_TO_BATCH_ND, space_depth)                          \
  X(kSqueeze, 34, SQUEEZE, data_movement)                                         \
  X(kStridedSlice, 35, STRIDED_SLICE, slicing_padding)                            \
  X(kSub, 36, SUB, elementwise_binary)                                            \
  X(kTranspose, 37, TRANSPOSE, data_movement)                                     \
  X(kAbs, 38, ABS, unary)                                                         \
  X(kArgmax, 39, ARGMAX, argmax)                                                  \
  X(kArgmin, 40, ARGMIN, argmax)                                                  \
  X(kAxisAlignedBboxTransform, 41, AXIS_ALIGNED_BBOX_TRANSFORM, detection)        \
  X(kBidirectionalSequenceLstm, 42, BIDIRECTIONAL_SEQUENCE_LSTM, lstm)            \
  X(kBidirectionalSequenceRnn, 43, BIDIRECTIONAL_SEQUENCE_RNN, rnn)               \
  X(kBoxWithNmsLimit, 44, BOX_WITH_NMS_LIMIT, suppression)                        \
  X(kCast, 45, CAST, cast_quantize)                                               \
  X(kChannelShuffle, 46, CHANNEL_SHUFFLE, space_depth)                            \
  X(kDetectionPostprocessing, 47, DETECTION_POSTPROCESSING, suppression)          \
  X(kEqual, 48, EQUAL, comparison_logical)                                        \
  X(kExp, 49, EXP, unary)                                                         \
  X(kExpandDims, 50, EXPAND_DIMS, data_movement)                                  \
  X(kGather, 51, GATHER, lookup)                                                  \
  X(kGenerateProposals, 52, GENERATE_PROPOSALS, suppression)                      \
  X(kGreater, 53, GREATER, comparison_logical)                                    \
  X(kGreaterEqual, 54, GREATER_EQUAL, comparison_logical)                         \
  X(kGroupedConv2d, 55, GROUPED_CONV_2D, convolution)                             \
  X(kHeatmapMaxKeypoint, 56, HEATMAP_MAX_KEYPOINT, detection)                     \
  X(kInstanceNormalization, 57, INSTANCE_NORMALIZATION, normalization)            \
  X(kLess, 58, LESS, comparison_logical)                                          \
  X(kLessEqual, 59, LESS_EQUAL, comparison_logical)                               \
  X(kLog, 60, LOG, unary)                                                         \
  X(kLogicalAnd, 61, LOGICAL_AND, comparison_logical)                             \
  X(kLogicalNot, 62, LOGICAL_NOT, comparison_logical)                             \
  X(kLogicalOr, 63, LOGICAL_OR, comparison_logical)                               \
  X(kLogSoftmax, 64, LOG_SOFTMAX, softmax)                                        \
  X(kMaximum, 65, MAXIMUM, elementwise_binary)                                    \
  X(kMinimum, 66, MINIMUM, elementwise_binary)                                    \
  X(kNeg, 67, NEG, unary)                                                         \
  X(kNotEqual, 68, NOT_EQUAL, comparison_logical)                                 \
  X(kPadV2, 69, PAD_V2, slicing_padding)                                          \
  X(kPow, 70, POW, elementwise_binary)                                            \
  X(kPrelu, 71, PRELU, elementwise_binary)                                        \
  X(kQuantize, 72, QUANTIZE, cast_quantize)                                       \
  X(kQuantized16bitLstm, 73, QUANTIZED_16BIT_LSTM, quantized_lstm)                \
  X(kRandomMultinomial, 74, RANDOM_MULTINOMIAL, random_multinomial)               \
  X(kReduceAll, 75, REDUCE_ALL, reduce)                                           \
  X(kReduceAny, 76, REDUCE_ANY, reduce)                                           \
  X(kReduceMax, 77, REDUCE_MAX, reduce)                                           \
  X(kReduceMin, 78, REDUCE_MIN, reduce)                                           \
  X(kReduceProd, 79, REDUCE_PROD, reduce)                                         \
  X(kReduceSum, 80, REDUCE_SUM, reduce)                                           \
  X(kRoiAlign, 81, ROI_ALIGN, region)                                             \
  X(kRoiPooling, 82, ROI_POOLING, region)                                         \
  X(kRsqrt, 83, RSQRT, unary)                                                     \
  X(kSelect, 84, SELECT, select)                                                  \
  X(kSin, 85, SIN, unary)                                                         \
  X(kSlice, 86, SLICE, slicing_padding)                                           \
  X(kSplit, 87, SPLIT, data_movement)                                             \
  X(kSqrt, 88, SQRT, unary)                                                       \
  X(kTile, 89, TILE, data_movement)                                               \
  X(kTopkV2, 90, TOPK_V2, topk)                                                   \
  X(kTransposeConv2d, 91, TRANSPOSE_CONV_2D, transpose_convolution)               \
  X(kUnidirectionalSequenceLstm, 92, UNIDIRECTIONAL_SEQUENCE_LSTM, lstm)          \
  X(kUnidirectionalSequenceRnn, 93, UNIDIRECTIONAL_SEQUENCE_RNN, rnn)             \
  X(kResizeNearestNeighbor, 94, RESIZE_NEAREST_NEIGHBOR, resize)                  \
  X(kQuantizedLstm, 95, QUANTIZED_LSTM, quantized_lstm)                           \
  X(kIf, 96, IF, control_flow)                                                    \
  X(kWhile, 97, WHILE, control_flow)                                              \
  X(kElu, 98, ELU, unary)                                                         \
  X(kHardSwish, 99, HARD_SWISH, unary)                                            \
  X(kFill, 100, FILL, data_movement)                                              \
  X(kRank, 101, RANK, data_movement)                                              \
  X(kBatchMatmul, 102, BATCH_MATMUL, matmul)                                      \
  X(kPack, 103, PACK, concatenation)                                              \
  X(kMirrorPad, 104, MIRROR_PAD, slicing_padding)                                 \
  X(kReverse, 105, REVERSE, data_movement)
