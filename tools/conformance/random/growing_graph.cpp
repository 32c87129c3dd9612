#include "tools/conformance/random/growing_graph.h"

#include <algorithm>
#include <cstring>

#include "tools/conformance/generators/copies.h"
#include "tools/conformance/random/operation_traits.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

// The most dimensions of tensors that operations move, convert or clamp.
constexpr size_t kMostDimensions = 4;

// Returns whether operations can reshape, cut and repeat tensors of this type.
bool is_movable(int32_t type) { return is_float_tensor(type) || is_quant8(type); }

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

VectorOperand operand_of(const Tensor& tensor) {
  VectorOperand operand;
  operand.type = tensor.type;
  operand.dimensions = tensor.dims;
  operand.scale = tensor.scale;
  operand.zero_point = tensor.zero_point;
  return operand;
}

// Reorders elements so that TRANSPOSE by the inverse permutation restores their order: `shape` has its dimensions reversed.
std::vector<uint8_t> reversed_order(const std::vector<uint8_t>& data, const Dims& shape, size_t size) {
  std::vector<uint8_t> result(data.size());
  Dims at(shape.size());
  for (size_t i = 0; i < data.size() / size; ++i) {
    size_t from = 0;  // `at` counts in the reversed dimensions
    for (size_t d = 0; d < shape.size(); ++d) from = from * shape[d] + at[shape.size() - 1 - d];
    std::memcpy(result.data() + i * size, data.data() + from * size, size);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[shape.size() - 1 - d]) break;
      at[d] = 0;
    }
  }
  return result;
}

}  // namespace

Tolerance float_error(int32_t type, bool relaxed) {
  if (!is_float_tensor(type)) return {};
  constexpr Tolerance kHalves{5.0 / 1024, 5.0 / 1024};
  constexpr Tolerance kSingles{1e-5, 5.0 / 8388608};
  return relaxed || type == kFloat16 ? kHalves : kSingles;
}

void ensure_an_input(VectorGraph& graph) {
  if (!graph.inputs.empty()) return;
  const auto found = std::ranges::find(graph.operands, Lifetime::kConstantCopy, &VectorOperand::lifetime);
  if (found == graph.operands.end()) return;
  found->lifetime = Lifetime::kModelInput;
  graph.inputs.push_back(static_cast<uint32_t>(found - graph.operands.begin()));
}

uint32_t GrowingGraph::add(VectorOperand operand, Dims shape, Tolerance error) {
  main().operands.push_back(std::move(operand));
  graph_.shapes.push_back(std::move(shape));
  graph_.errors.push_back(error);
  return static_cast<uint32_t>(main().operands.size() - 1);
}

void GrowingGraph::add_operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  main().operations.push_back({code, std::move(inputs), std::move(outputs)});
}

Dims GrowingGraph::declared(int32_t type, const Dims& shape) {
  const bool may_be_condition = type == kBool8 && shape == Dims{1};  // of IF, whose shape must be known
  if (!open_ || may_be_condition || decisions_.one_in(2)) return shape;
  if (decisions_.one_in(2)) return {};
  Dims some = shape;
  for (uint32_t& d : some) d = decisions_.one_in(2) ? 0 : d;
  return some;
}

uint32_t GrowingGraph::temporary(const Tensor& tensor, Tolerance error) {
  VectorOperand operand = operand_of(tensor);
  operand.dimensions = declared(tensor.type, tensor.dims);
  return add(std::move(operand), tensor.dims, error);
}

Tensor GrowingGraph::tensor_of(uint32_t index) const {
  const VectorOperand& o = operand(index);
  return {o.type, shape(index), o.scale, o.zero_point};
}

uint32_t GrowingGraph::input(VectorOperand source) {
  const Dims shape = source.dimensions;
  source.lifetime = Lifetime::kModelInput;
  if (is_tensor(source.type) && source.channel_scales.empty()) {
    source.dimensions = declared(source.type, shape);
    if (source.dimensions != shape) source.actual_dimensions = shape;
  }
  const uint32_t index = add(std::move(source), shape);
  main().inputs.push_back(index);
  return index;
}

uint32_t GrowingGraph::transposed_input(VectorOperand source) {
  const Tensor tensor{source.type, source.dimensions, source.scale, source.zero_point};
  const auto rank = static_cast<int32_t>(source.dimensions.size());
  source.data = reversed_order(source.data, source.dimensions, element_size(source.type));
  std::ranges::reverse(source.dimensions);
  const uint32_t from = input(std::move(source));
  std::vector<int32_t> permutation;
  for (int32_t d = rank; d-- > 0;) permutation.push_back(d);
  const uint32_t order = int32s(permutation);
  const uint32_t result = temporary(tensor);
  add_operation(ANEURALNETWORKS_TRANSPOSE, {from, order}, {result});
  return result;
}

uint32_t GrowingGraph::source(VectorOperand source) {
  const bool is_scalar = !is_tensor(source.type);
  const uint32_t form = decisions_.below(is_scalar ? 10 : 8);
  // Scalars are constants or, now and then, inputs; no operation computes them.
  if (is_scalar ? form > 0 : form < 3) {
    source.lifetime = Lifetime::kConstantCopy;
    const Dims shape = source.dimensions;
    return add(std::move(source), shape);
  }
  if (is_scalar || form < 5 || !can_be_copied(source)) return input(std::move(source));
  const size_t rank = source.dimensions.size();
  if (form == 5 && is_movable(source.type) && rank > 1 && rank <= 4) return transposed_input(std::move(source));
  const Dims shape = source.dimensions;
  const uint32_t from = input(std::move(source));
  const uint32_t copy = add_copy(main(), from);
  graph_.shapes.push_back(shape);
  graph_.errors.emplace_back();
  VectorOperand& result = main().operands[copy];
  if (main().operations.back().code != ANEURALNETWORKS_CAST) result.dimensions = declared(result.type, shape);
  return copy;
}

uint32_t GrowingGraph::int32s(const std::vector<int32_t>& values) {
  VectorOperand operand = operand_of(tensor(kInt32, {static_cast<uint32_t>(values.size())}));
  operand.data = bytes_of(values);
  if (decisions_.one_in(6)) return source(std::move(operand));
  operand.lifetime = Lifetime::kConstantCopy;
  const Dims shape = operand.dimensions;
  return add(std::move(operand), shape);
}

uint32_t GrowingGraph::int32(int32_t value) {
  VectorOperand operand;
  operand.type = ANEURALNETWORKS_INT32;
  operand.lifetime = Lifetime::kConstantCopy;
  operand.data = bytes_of(std::vector{value});
  return add(std::move(operand), {});
}

Strand GrowingGraph::apply(int32_t code, Strand strand, std::vector<uint32_t> parameters, const Tensor& result) {
  const bool is_exact = !is_float_tensor(result.type) || (strand.exact && moves_values(code));
  const uint32_t output =
      temporary(result, is_exact || moves_values(code) ? Tolerance{} : float_error(result.type, graph_.c.relaxed));
  // CAST requires equal dimensions in the declarations of input and output.
  if (code == ANEURALNETWORKS_CAST) main().operands[output].dimensions = operand(strand.operand).dimensions;
  parameters.insert(parameters.begin(), strand.operand);
  add_operation(code, std::move(parameters), {output});
  return {output, is_exact, strand.bounded || bounds_values(code) || !is_float_tensor(result.type)};
}

Strand GrowingGraph::resized(Strand strand, const Dims& wanted) {
  Tensor now = tensor_of(strand.operand);
  const auto reshaped = [&](const Dims& dims) {
    now.dims = dims;
    const uint32_t parameter = int32s(std::vector<int32_t>(dims.begin(), dims.end()));
    strand = apply(ANEURALNETWORKS_RESHAPE, strand, {parameter}, now);
  };
  const auto have = static_cast<uint32_t>(element_count(now.dims));
  const auto want = static_cast<uint32_t>(element_count(wanted));
  if (have != want && now.dims.size() != 1) reshaped({have});
  if (have < want) {
    const uint32_t times = (want + have - 1) / have;
    now.dims = {have * times};
    strand = apply(ANEURALNETWORKS_TILE, strand, {int32s({static_cast<int32_t>(times)})}, now);
  }
  if (now.dims.size() == 1 && now.dims[0] > want) {
    const uint32_t begin = int32s({static_cast<int32_t>(decisions_.below(now.dims[0] - want + 1))});
    now.dims = {want};
    const uint32_t size = int32s({static_cast<int32_t>(want)});
    strand = apply(ANEURALNETWORKS_SLICE, strand, {begin, size}, now);
  }
  if (now.dims != wanted) reshaped(wanted);
  return strand;
}

Strand GrowingGraph::clamped(Strand strand) {
  const Tensor now = tensor_of(strand.operand);
  if (strand.bounded || !is_float_tensor(now.type)) return strand;
  const int32_t code = decisions_.pick(
      std::vector<int32_t>{ANEURALNETWORKS_RELU1, ANEURALNETWORKS_RELU1, ANEURALNETWORKS_TANH, ANEURALNETWORKS_LOGISTIC});
  return apply(code, strand, {}, now);
}

// Converts a strand that already has the wanted shape.
std::optional<Strand> GrowingGraph::converted(Strand strand, const Tensor& wanted) {
  Tensor now = tensor_of(strand.operand);
  const auto turned = [&](int32_t code, const Tensor& into) {
    strand = apply(code, strand, {}, into);
    now = into;
  };
  const Tensor single = tensor(kFloat32, now.dims);
  const auto is_right = [&] {
    return now.type == wanted.type && now.scale == wanted.scale && now.zero_point == wanted.zero_point;
  };
  if (is_right()) return strand;
  if (wanted.type == kBool8 && now.type != kBool8) {
    if (!strand.exact) return std::nullopt;
    VectorOperand other = operand_of(now);
    other.data.resize(element_count(now.dims) * element_size(now.type));
    return apply(ANEURALNETWORKS_GREATER, strand, {source(std::move(other))}, wanted);
  }
  if (wanted.type == kInt32 && now.type == kQuant8) return apply(ANEURALNETWORKS_CAST, strand, {}, wanted);
  if ((now.type != kInt32 && !is_movable(now.type)) || !is_movable(wanted.type)) return std::nullopt;
  if (is_quant8(now.type)) turned(ANEURALNETWORKS_DEQUANTIZE, wanted.type == kFloat16 ? tensor(kFloat16, now.dims) : single);
  if (now.type == kInt32) {
    strand.bounded = false;
    turned(ANEURALNETWORKS_CAST, single);
  }
  if (is_right()) return strand;
  if (is_float_tensor(wanted.type)) {
    turned(ANEURALNETWORKS_CAST, wanted);
    return strand;
  }
  if (!strand.exact || graph_.c.relaxed) return std::nullopt;
  return apply(ANEURALNETWORKS_QUANTIZE, strand, {}, wanted);
}

std::optional<Strand> GrowingGraph::fit(Strand strand, const Tensor& wanted) {
  const Tensor now = tensor_of(strand.operand);
  if (std::max(now.dims.size(), wanted.dims.size()) > kMostDimensions) return std::nullopt;
  if (now.dims != wanted.dims) {
    if (!is_movable(now.type)) return std::nullopt;
    strand = resized(strand, wanted.dims);
  }
  const auto result = converted(strand, wanted);
  return result ? std::optional(clamped(*result)) : std::nullopt;
}

}  // namespace nnvk::tools::conformance
