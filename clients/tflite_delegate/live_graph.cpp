#include "clients/tflite_delegate/live_graph.h"

#include <fmt/format.h>
#include <tensorflow/lite/builtin_ops.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "clients/tflite_delegate/live_options.h"
#include "importers/tflite/operator_names.h"

namespace nnvk::clients::tflite {
namespace {

namespace format = importers::tflite::format;

Result<format::TensorType> type_of(TfLiteType type) {
  constexpr std::array<std::pair<TfLiteType, format::TensorType>, 10> kTypes{{{kTfLiteFloat32, format::TensorType_FLOAT32},
                                                                              {kTfLiteFloat16, format::TensorType_FLOAT16},
                                                                              {kTfLiteInt32, format::TensorType_INT32},
                                                                              {kTfLiteUInt8, format::TensorType_UINT8},
                                                                              {kTfLiteInt64, format::TensorType_INT64},
                                                                              {kTfLiteBool, format::TensorType_BOOL},
                                                                              {kTfLiteInt16, format::TensorType_INT16},
                                                                              {kTfLiteInt8, format::TensorType_INT8},
                                                                              {kTfLiteUInt32, format::TensorType_UINT32},
                                                                              {kTfLiteInt4, format::TensorType_INT4}}};
  for (const auto& [live, plain] : kTypes) {
    if (live == type) return plain;
  }
  return fail(fmt::format("its type, number {}, is none that NNAPI has", static_cast<int>(type)));
}

Status read_shape(const TfLiteTensor& live, Tensor& tensor) {
  if (live.dims == nullptr) return fail("it has no shape");
  uint64_t elements = 1;
  for (const int size : indexes(live.dims)) {
    if (size < 0) return fail(fmt::format("it has a dimension of {}", size));
    elements *= static_cast<uint64_t>(size);
    if (elements > std::numeric_limits<uint32_t>::max()) return fail("it has more than 2^32 elements");
    tensor.dimensions.push_back(static_cast<uint32_t>(size));
  }
  return {};
}

Status read_quantization(const TfLiteTensor& live, Tensor& tensor) {
  const auto* affine = live.quantization.type == kTfLiteAffineQuantization
                           ? static_cast<const TfLiteAffineQuantization*>(live.quantization.params)
                           : nullptr;
  if (affine == nullptr || affine->scale == nullptr || affine->scale->size == 0) {
    if (live.params.scale == 0) return {};
    tensor.scales = {live.params.scale};
    tensor.zero_points = {live.params.zero_point};
  } else {
    const auto zero_points = indexes(affine->zero_point);
    if (zero_points.size() > 1 && zero_points.size() != static_cast<size_t>(affine->scale->size)) {
      return fail(fmt::format("it has {} scales but {} zero points", affine->scale->size, zero_points.size()));
    }
    for (int i = 0; i < affine->scale->size; ++i) {
      tensor.scales.push_back(affine->scale->data[i]);
      const size_t at = std::min(static_cast<size_t>(i), zero_points.size() - 1);
      tensor.zero_points.push_back(zero_points.empty() ? 0 : zero_points[at]);
    }
    const int32_t axis = affine->quantized_dimension;
    if (tensor.scales.size() > 1 && (axis < 0 || static_cast<size_t>(axis) >= tensor.dimensions.size() ||
                                     tensor.dimensions[static_cast<size_t>(axis)] != tensor.scales.size())) {
      return fail(fmt::format("{} scales do not fit its dimension {}", tensor.scales.size(), axis));
    }
    tensor.quantized_dimension = static_cast<uint32_t>(std::max(0, axis));
  }
  for (const float scale : tensor.scales) {
    if (!std::isfinite(scale) || scale < 0) return fail(fmt::format("it has the scale {}", scale));
  }
  return {};
}

std::shared_ptr<const importers::tflite::Sparsity> sparsity_of(const TfLiteSparsity& live) {
  auto sparsity = std::make_shared<importers::tflite::Sparsity>();
  const auto copied = [](const TfLiteIntArray* array) {
    return std::vector<int32_t>(indexes(array).begin(), indexes(array).end());
  };
  sparsity->traversal_order = copied(live.traversal_order);
  sparsity->block_map = copied(live.block_map);
  for (int i = 0; i < live.dim_metadata_size; ++i) {
    const TfLiteDimensionMetadata& dimension = live.dim_metadata[i];
    const bool compressed = dimension.format == kTfLiteDimSparseCSR;
    sparsity->dimensions.push_back({.compressed = compressed,
                                    .size = compressed ? 0 : dimension.dense_size,
                                    .segments = compressed ? copied(dimension.array_segments) : std::vector<int32_t>(),
                                    .indices = compressed ? copied(dimension.array_indices) : std::vector<int32_t>()});
  }
  return sparsity;
}

Status read_constant(const TfLiteTensor& live, Tensor& tensor) {
  if (live.allocation_type != kTfLiteMmapRo || live.data.raw_const == nullptr) return {};
  if (live.sparsity != nullptr) {
    tensor.sparsity = sparsity_of(*live.sparsity);
  } else if (const uint64_t expected = importers::tflite::stored_size(tensor.type, tensor.elements()); live.bytes != expected) {
    return fail(fmt::format("it is a constant of {} bytes instead of {}", live.bytes, expected));
  }
  tensor.data = {reinterpret_cast<const uint8_t*>(live.data.raw_const), live.bytes};
  return {};
}

// Inputs whose values decide the shape of the output. If one is not constant, the shape is known only after an execution.
struct ShapeInput {
  int code;
  std::array<size_t, 2> positions;  // equal if there is one
};
constexpr std::array kShapeInputs = std::to_array<ShapeInput>({{kTfLiteBuiltinReshape, {1, 1}},
                                                               {kTfLiteBuiltinTransposeConv, {0, 0}},
                                                               {kTfLiteBuiltinTranspose, {1, 1}},
                                                               {kTfLiteBuiltinSlice, {1, 2}},
                                                               {kTfLiteBuiltinStridedSlice, {1, 2}},
                                                               {kTfLiteBuiltinPad, {1, 1}},
                                                               {kTfLiteBuiltinPadv2, {1, 1}},
                                                               {kTfLiteBuiltinMirrorPad, {1, 1}},
                                                               {kTfLiteBuiltinResizeBilinear, {1, 1}},
                                                               {kTfLiteBuiltinTile, {1, 1}},
                                                               {kTfLiteBuiltinFill, {0, 0}},
                                                               {kTfLiteBuiltinExpandDims, {1, 1}},
                                                               {kTfLiteBuiltinMean, {1, 1}},
                                                               {kTfLiteBuiltinSum, {1, 1}},
                                                               {kTfLiteBuiltinReduceProd, {1, 1}},
                                                               {kTfLiteBuiltinReduceMax, {1, 1}},
                                                               {kTfLiteBuiltinReduceMin, {1, 1}},
                                                               {kTfLiteBuiltinReduceAny, {1, 1}},
                                                               {kTfLiteBuiltinReduceAll, {1, 1}},
                                                               {kTfLiteBuiltinArgMax, {1, 1}},
                                                               {kTfLiteBuiltinArgMin, {1, 1}},
                                                               {kTfLiteBuiltinTopkV2, {1, 1}},
                                                               {kTfLiteBuiltinSplit, {0, 0}},
                                                               {kTfLiteBuiltinSplitV, {1, 2}},
                                                               {kTfLiteBuiltinBroadcastTo, {1, 1}},
                                                               {kTfLiteBuiltinSpaceToBatchNd, {1, 2}},
                                                               {kTfLiteBuiltinBatchToSpaceNd, {1, 2}},
                                                               {kTfLiteBuiltinRange, {0, 1}},
                                                               {kTfLiteBuiltinResizeNearestNeighbor, {1, 1}}});

std::optional<std::string> why_left(const Graph& graph, const Operator& op) {
  if (op.code == kTfLiteBuiltinIf || op.code == kTfLiteBuiltinWhile) {
    return op.where + ": its branches are subgraphs of their own, whose operators nnvk takes one by one";
  }
  for (const ShapeInput& row : kShapeInputs) {
    if (row.code != op.code) continue;
    for (const size_t position : row.positions) {
      if (position >= op.inputs.size() || op.inputs[position] < 0) continue;
      const int index = op.inputs[position];
      if (graph.tensors[static_cast<size_t>(index)].constant()) continue;
      return fmt::format("{}: input {}, {}, decides the shape of the result and is not constant", op.where, position,
                         importers::tflite::describe(graph, index));
    }
  }
  return std::nullopt;
}

Result<Operator> read_operator(const TfLiteNode& node, const TfLiteRegistration& registration, int number) {
  Operator op;
  op.code = registration.builtin_code;
  op.name = importers::tflite::builtin_operator_name(op.code);
  if (op.code == kTfLiteBuiltinCustom) {
    op.name += ":" + std::string(registration.custom_name == nullptr ? "?" : registration.custom_name);
    op.custom_options = {static_cast<const uint8_t*>(node.custom_initial_data),
                         static_cast<size_t>(std::max(0, node.custom_initial_data_size))};
  }
  op.where = fmt::format("operator {} ({})", number, op.name);
  op.inputs.assign(indexes(node.inputs).begin(), indexes(node.inputs).end());
  op.outputs.assign(indexes(node.outputs).begin(), indexes(node.outputs).end());
  return op;
}

}  // namespace

std::span<const int> indexes(const TfLiteIntArray* array) {
  if (array == nullptr || array->size <= 0) return {};
  return {array->data, static_cast<size_t>(array->size)};
}

Result<Tensor> read_tensor(const TfLiteContext& context, int index) {
  if (index < 0 || static_cast<size_t>(index) >= context.tensors_size) {
    return fail(fmt::format("tensor {} of {} does not exist", index, context.tensors_size));
  }
  const TfLiteTensor& live = context.tensors[index];
  Tensor tensor;
  tensor.name = live.name == nullptr ? "" : live.name;
  tensor.variable = live.is_variable;
  const auto read = [&]() -> Status {
    TOOLS_ASSIGN(tensor.type, type_of(live.type));
    TOOLS_TRY(read_shape(live, tensor));
    TOOLS_TRY(read_quantization(live, tensor));
    return read_constant(live, tensor);
  };
  if (const Status status = read(); !status) {
    return fail(fmt::format("tensor {} '{}': {}", index, tensor.name, status.error().message));
  }
  return tensor;
}

Result<LiveGraph> read_nodes(TfLiteContext& context, std::span<const int> nodes) {
  LiveGraph live;
  live.graph.tensors.resize(context.tensors_size);
  std::vector<std::optional<Status>> known(context.tensors_size);  // of each tensor that was read
  const auto readable = [&](int index) -> Status {
    if (index < 0) return {};
    if (static_cast<size_t>(index) >= known.size()) return fail(fmt::format("tensor {} does not exist", index));
    std::optional<Status>& status = known[static_cast<size_t>(index)];
    if (status) return *status;
    Result<Tensor> tensor = read_tensor(context, index);
    status = tensor ? Status() : Status(tl::unexpected(tensor.error()));
    if (tensor) live.graph.tensors[static_cast<size_t>(index)] = *std::move(tensor);
    return *status;
  };
  for (const int number : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (context.GetNodeAndRegistration(&context, number, &node, &registration) != kTfLiteOk) {
      return fail(fmt::format("TensorFlow Lite gives no node {}", number));
    }
    TOOLS_ASSIGN(Operator op, read_operator(*node, *registration, number));
    const auto judge = [&]() -> Status {
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const int index : *list) TOOLS_TRY(readable(index));
      }
      TOOLS_ASSIGN(op.options, live_options(*node, *registration));
      return {};
    };
    const Status status = judge();
    live.refusals.push_back(status ? why_left(live.graph, op) : op.where + ": " + status.error().message);
    live.nodes.push_back(number);
    // The runtime stands such an operator in for custom ones that nobody registered.
    live.unknown.push_back(op.code == kTfLiteBuiltinCustom && registration->prepare == nullptr);
    live.graph.operators.push_back(std::move(op));
  }
  return live;
}

}  // namespace nnvk::clients::tflite
