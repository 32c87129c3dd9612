// Declares operands and draws their values.
#include "tools/conformance/generators/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

// A counter-based generator: draw i of a stream depends only on the stream's key and on i.
class Draws {
 public:
  Draws(std::string_view name, uint64_t operand, uint64_t seed) {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    key_ = mix(hash ^ mix(operand + 1) ^ mix(mix(seed)));
  }

  // Returns a number that is uniform in [0, count); count is below 2^32.
  uint64_t below(uint64_t count, uint64_t index) const { return (mix(key_ + index * 0x9e3779b97f4a7c15u) >> 32) * count >> 32; }

 private:
  static uint64_t mix(uint64_t x) {  // the finalizer of splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  uint64_t key_ = 0;
};

struct Range {
  double low;
  double high;
};

// The defaults for tensors of a type; a case can set others.
struct TypeDefaults {
  int32_t type;
  const char* label;
  Range stored{-127, 127};  // integer types
  float scale = 0;
  int32_t zero_point = 0;
};

const TypeDefaults kTypes[] = {
    {kFloat32, "float32"},
    {kFloat16, "float16"},
    {kInt32, "int32", {-100, 100}},
    {kBool8, "bool8", {0, 1}},
    {kQuant8, "quant8", {0, 255}, 0.0625f, 125},
    {kQuant8Signed, "quant8_signed", {-128, 127}, 0.0625f, -3},
    {kQuant8Symm, "quant8_symm", {-127, 127}, 1.0f / 64},
    {kQuant8Channel, "quant8_channel"},
    {kQuant16, "quant16", {-32768, 32767}, 1.0f / 1024},
    {kQuant16Asymm, "quant16_asymm", {0, 65535}, 1.0f / 1024, 32000},
};

TypeDefaults defaults_of(int32_t type) {
  const auto* const found = std::ranges::find(kTypes, type, &TypeDefaults::type);
  return found == std::end(kTypes) ? TypeDefaults{type, ""} : *found;
}

bool floating(int32_t type) { return type == kFloat32 || type == kFloat16; }

template <class T>
void put(std::vector<uint8_t>& bytes, uint64_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void put_stored(std::vector<uint8_t>& bytes, int32_t type, uint64_t index, double value) {
  switch (element_size(type)) {
    case 1:
      return put(bytes, index, static_cast<uint8_t>(static_cast<int64_t>(value)));
    case 2:
      return put(bytes, index, static_cast<uint16_t>(static_cast<int64_t>(value)));
    default:
      return put(bytes, index, static_cast<int32_t>(static_cast<int64_t>(value)));
  }
}

// Stores a real number as an element of the tensor's type.
void put_real(std::vector<uint8_t>& bytes, const Tensor& tensor, uint64_t index, double real) {
  if (tensor.type == kFloat32) return put(bytes, index, static_cast<float>(real));
  if (tensor.type == kFloat16) return put(bytes, index, float_to_half(static_cast<float>(real)));
  if (tensor.type == kBool8) return put_stored(bytes, tensor.type, index, real != 0 ? 1 : 0);
  const double scale = tensor.channel_scales.empty() ? tensor.scale : tensor.channel_scales[0];
  const bool plain = tensor.type == kInt32;
  const Range range = plain ? Range{-2147483648.0, 2147483647.0} : defaults_of(tensor.type).stored;
  const double value = plain || scale == 0 ? std::round(real) : std::round(real / scale) + tensor.zero_point;
  put_stored(bytes, tensor.type, index, std::clamp(value, range.low, range.high));
}

template <class T>
std::vector<uint8_t> raw_bytes(T value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace

std::string type_label(int32_t type) { return defaults_of(type).label; }

std::string dims_label(const Dims& dims) { return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x")); }

uint64_t element_count(const Dims& dims) { return std::accumulate(dims.begin(), dims.end(), uint64_t{1}, std::multiplies<>()); }

Tensor Tensor::quantized(float new_scale, int32_t new_zero_point) const {
  Tensor result = *this;
  result.scale = new_scale;
  result.zero_point = new_zero_point;
  return result;
}

Tensor Tensor::per_channel(uint32_t axis, float around) const {
  Tensor result = *this;
  result.channel_axis = axis;
  result.channel_scales.clear();
  for (uint32_t i = 0; i < dims[axis]; ++i) {
    result.channel_scales.push_back(around * (1.0f + 0.125f * static_cast<float>(i % 5)));
  }
  return result;
}

Tensor tensor(int32_t type, Dims dims) {
  const Tensor result{type, std::move(dims)};
  if (type == kQuant8Channel) return result.per_channel(0, 1.0f / 64);
  const TypeDefaults defaults = defaults_of(type);
  return result.quantized(defaults.scale, defaults.zero_point);
}

Values reals(double low, double high) { return {Values::Kind::kReals, low, high}; }
Values stored(int64_t low, int64_t high) { return {Values::Kind::kStored, static_cast<double>(low), static_cast<double>(high)}; }
Values each(std::function<double(uint64_t)> value) { return {Values::Kind::kEach, 0, 0, std::move(value)}; }
Values each_stored(std::function<double(uint64_t)> value) { return {Values::Kind::kEachStored, 0, 0, std::move(value)}; }
Values listed(std::vector<double> values) {
  return each([values = std::move(values)](uint64_t i) { return values[i % values.size()]; });
}
Values every_byte() {
  return each_stored([](uint64_t i) { return static_cast<double>(i % 256); });
}

double scattered(uint64_t element) {
  static const Draws draws("scattered", 0, 0);
  return static_cast<double>(draws.below(1U << 24, element)) / (1U << 24);
}

std::vector<uint8_t> Draft::bytes_of(const Tensor& tensor, const Values& values) const {
  const uint64_t count = element_count(tensor.dims);
  std::vector<uint8_t> bytes(count * element_size(tensor.type));
  const Draws draws(name_, case_.main.operands.size(), seed_);
  for (uint64_t i = 0; i < count; ++i) {
    if (values.kind == Values::Kind::kEach) {
      put_real(bytes, tensor, i, values.each(i));
    } else if (values.kind == Values::Kind::kEachStored) {
      put_stored(bytes, tensor.type, i, values.each(i));
    } else if (values.kind == Values::Kind::kReals || (values.kind == Values::Kind::kDefault && floating(tensor.type))) {
      const Range range = values.kind == Values::Kind::kReals ? Range{values.low, values.high} : Range{-2, 2};
      const uint64_t steps = values.kind == Values::Kind::kReals ? 1024 : 256;
      const auto step = static_cast<double>(draws.below(steps + 1, i));
      put_real(bytes, tensor, i, range.low + (range.high - range.low) * step / static_cast<double>(steps));
    } else {
      const Range range = values.kind == Values::Kind::kStored ? Range{values.low, values.high} : defaults_of(tensor.type).stored;
      const double offset = static_cast<double>(draws.below(static_cast<uint64_t>(range.high - range.low) + 1, i));
      if (floating(tensor.type)) {
        put_real(bytes, tensor, i, range.low + offset);
      } else {
        put_stored(bytes, tensor.type, i, range.low + offset);
      }
    }
  }
  return bytes;
}

uint32_t Draft::add(const Tensor& tensor, Lifetime lifetime) {
  VectorOperand operand;
  operand.type = tensor.type;
  operand.dimensions = tensor.dims;
  operand.scale = tensor.scale;
  operand.zero_point = tensor.zero_point;
  operand.lifetime = lifetime;
  operand.channel_axis = tensor.channel_axis;
  operand.channel_scales = tensor.channel_scales;
  case_.main.operands.push_back(std::move(operand));
  const auto index = static_cast<uint32_t>(case_.main.operands.size() - 1);
  if (lifetime != Lifetime::kModelOutput && lifetime != Lifetime::kTemporary) arguments_.push_back(index);
  return index;
}

uint32_t Draft::input(const Tensor& tensor, const Values& values) {
  auto bytes = bytes_of(tensor, values);
  const uint32_t index = add(tensor, Lifetime::kModelInput);
  auto& operand = case_.main.operands[index];
  operand.data = std::move(bytes);
  case_.main.inputs.push_back(index);
  return index;
}

uint32_t Draft::constant(const Tensor& tensor, const Values& values) {
  auto bytes = bytes_of(tensor, values);
  const uint32_t index = add(tensor, Lifetime::kConstantCopy);
  case_.main.operands[index].data = std::move(bytes);
  return index;
}

uint32_t Draft::weight(const Tensor& tensor, const Values& values, bool given) {
  return given ? input(tensor, values) : constant(tensor, values);
}

uint32_t Draft::int32s(const std::vector<int32_t>& values) {
  const uint32_t index = add({kInt32, {static_cast<uint32_t>(values.size())}}, Lifetime::kConstantCopy);
  auto& data = case_.main.operands[index].data;
  data.resize(values.size() * sizeof(int32_t));
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return index;
}

uint32_t Draft::scalar(int32_t type, std::vector<uint8_t> bytes) {
  const uint32_t index = add({type, {}}, Lifetime::kConstantCopy);
  case_.main.operands[index].data = std::move(bytes);
  return index;
}

uint32_t Draft::int32(int32_t value) { return scalar(ANEURALNETWORKS_INT32, raw_bytes(value)); }
uint32_t Draft::boolean(bool value) { return scalar(ANEURALNETWORKS_BOOL, {static_cast<uint8_t>(value)}); }

uint32_t Draft::real(double value, int32_t type) {
  const auto number = static_cast<float>(value);
  if (type == kFloat16) return scalar(ANEURALNETWORKS_FLOAT16, raw_bytes(float_to_half(number)));
  return scalar(ANEURALNETWORKS_FLOAT32, raw_bytes(number));
}

uint32_t Draft::number(double value, int32_t type) {
  return floating(type) ? real(value, type) : int32(static_cast<int32_t>(value));
}

uint32_t Draft::omitted(const Tensor& tensor) { return add(tensor, Lifetime::kNoValue); }

uint32_t Draft::output(const Tensor& tensor) {
  Tensor open = tensor;
  open.dims.clear();  // of unknown rank until the reference has computed it
  return output_of(open);
}

uint32_t Draft::ignored_output(const Tensor& tensor) {
  const uint32_t index = output(tensor);
  case_.main.operands[index].ignored = true;
  return index;
}

uint32_t Draft::output_of(const Tensor& tensor) {
  const uint32_t index = add(tensor, Lifetime::kModelOutput);
  case_.main.outputs.push_back(index);
  return index;
}

uint32_t Draft::empty(const Tensor& tensor) {
  const auto before = arguments_;
  std::vector<int32_t> sizes;
  Tensor source = tensor;
  for (auto& d : source.dims) {
    sizes.push_back(static_cast<int32_t>(d));
    d = std::max(d, 1U);
  }
  const uint32_t from = input(source);
  const uint32_t begin = int32s(std::vector<int32_t>(sizes.size()));
  const uint32_t size = int32s(sizes);
  arguments_ = before;  // drops the operands of SLICE
  const uint32_t index = temporary(tensor);
  arguments_.push_back(index);
  case_.main.operations.push_back({ANEURALNETWORKS_SLICE, {from, begin, size}, {index}});
  return index;
}

uint32_t Draft::temporary(const Tensor& tensor) { return add(tensor, Lifetime::kTemporary); }

void Draft::operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  case_.main.operations.push_back({code, std::move(inputs), std::move(outputs)});
  explicit_operations_ = true;
}

uint32_t Draft::subgraph(Draft&& body) {
  for (auto& graph : body.case_.referenced) {
    for (auto& operand : graph.operands) {
      if (operand.lifetime == Lifetime::kSubgraph) operand.subgraph += case_.referenced.size();
    }
  }
  for (auto& operand : body.case_.main.operands) {
    if (operand.lifetime == Lifetime::kSubgraph) operand.subgraph += case_.referenced.size();
  }
  for (auto& graph : body.case_.referenced) case_.referenced.push_back(std::move(graph));
  for (const uint32_t index : body.case_.main.inputs) body.case_.main.operands[index].data.clear();
  case_.referenced.push_back(std::move(body.case_.main));
  const uint32_t index = add({ANEURALNETWORKS_MODEL, {}}, Lifetime::kSubgraph);
  case_.main.operands[index].subgraph = case_.referenced.size() - 1;
  return index;
}

VectorCase Draft::finish(int32_t code) {
  auto& graph = case_.main;
  if (!explicit_operations_) graph.operations.push_back({code, arguments_, graph.outputs});
  case_.name = name_;
  case_.golden = true;
  return std::move(case_);
}

}  // namespace nnvk::tools::conformance
