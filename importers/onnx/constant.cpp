// Reads and makes tensors that are known at import.
#include "importers/onnx/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/nnapi/half.h"

namespace nnvk::importers::onnx {
namespace {

template <class T>
T load(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::vector<std::byte>& bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

// Calls `use` with a zero of the C++ type of integers of this type. Returns false for other types.
template <class Use>
bool with_integer_type(ElementType type, Use use) {
  switch (type) {
    case ElementType::kBool:
    case ElementType::kUint8:
      use(uint8_t{});
      return true;
    case ElementType::kInt8:
      use(int8_t{});
      return true;
    case ElementType::kUint16:
      use(uint16_t{});
      return true;
    case ElementType::kInt16:
      use(int16_t{});
      return true;
    case ElementType::kInt32:
      use(int32_t{});
      return true;
    case ElementType::kUint32:
      use(uint32_t{});
      return true;
    case ElementType::kInt64:
    case ElementType::kUint64:
      use(int64_t{});
      return true;
    default:
      return false;
  }
}

ConstantPointer owned(ElementType type, Dimensions dimensions, std::vector<std::byte> bytes) {
  auto storage = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return std::make_shared<const Constant>(Constant{type, std::move(dimensions), *storage, storage});
}

}  // namespace

size_t element_count(const Dimensions& dimensions) {
  size_t count = 1;
  for (const int64_t d : dimensions) count *= static_cast<size_t>(d);
  return count;
}

Dimensions strides_of(const Dimensions& dimensions) {
  Dimensions strides(dimensions.size(), 1);
  for (size_t d = dimensions.size(); d-- > 1;) {
    strides[d - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[d]) * static_cast<uint64_t>(dimensions[d]));
  }
  return strides;
}

Result<size_t> checked_count(const Dimensions& dimensions) {
  if (dimensions.size() > kMostDimensions)
    return fail(fmt::format("a constant may have at most {} dimensions, but has {}", kMostDimensions, dimensions.size()));
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  uint64_t elements = 1;
  for (const int64_t d : dimensions) {
    if (d < 0 || static_cast<uint64_t>(d) > kMost)
      return fail(fmt::format("a constant must have a known shape, but {} has a dimension of {}", shape_text(dimensions), d));
    if (d != 0 && elements > kMost / static_cast<uint64_t>(d))
      return fail("the shape " + shape_text(dimensions) + " has more than 2^32 elements");
    elements *= static_cast<uint64_t>(d);
  }
  return elements;
}

size_t Constant::elements() const { return element_count(dimensions); }

bool is_integer(ElementType type) {
  return with_integer_type(type, [](auto) {});
}

bool is_real(ElementType type) {
  return type == ElementType::kFloat || type == ElementType::kFloat16 || type == ElementType::kDouble;
}

Result<ConstantPointer> constant_of(const Value& value) {
  const unsigned bits = element_bits(value.type);
  if (bits == 0 || bits % 8 != 0) return fail(describe(value) + " is a constant of a type that the importer does not read");
  const auto counted = checked_count(value.dimensions);
  if (!counted) return fail(describe(value) + ": " + counted.error().message);
  const size_t elements = *counted;
  if (value.data.size() != elements * (bits / 8)) {
    return fail(fmt::format("{} has {} bytes of data instead of {}", describe(value), value.data.size(), elements * (bits / 8)));
  }
  return std::make_shared<const Constant>(Constant{value.type, value.dimensions, value.data, nullptr});
}

Result<std::vector<int64_t>> integers_of(const Constant& constant) {
  std::vector<int64_t> values(constant.elements());
  const bool known = with_integer_type(constant.type, [&](auto zero) {
    for (size_t i = 0; i < values.size(); ++i) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): INT8 is a number
      values[i] = static_cast<int64_t>(load<decltype(zero)>(constant.bytes, i));
    }
  });
  if (!known) return fail("the constant must have integers, but its type is " + type_name(constant.type));
  return values;
}

Result<std::vector<double>> reals_of(const Constant& constant) {
  std::vector<double> values(constant.elements());
  for (size_t i = 0; i < values.size(); ++i) {
    if (constant.type == ElementType::kFloat) {
      values[i] = static_cast<double>(load<float>(constant.bytes, i));
    } else if (constant.type == ElementType::kDouble) {
      values[i] = load<double>(constant.bytes, i);
    } else if (constant.type == ElementType::kFloat16) {
      values[i] = static_cast<double>(tools::half_to_float(load<uint16_t>(constant.bytes, i)));
    } else {
      TOOLS_ASSIGN(const auto integers, integers_of(constant));
      return std::vector<double>(integers.begin(), integers.end());
    }
  }
  return values;
}

ConstantPointer integer_constant(ElementType type, Dimensions dimensions, std::span<const int64_t> values) {
  std::vector<std::byte> bytes(values.size() * (element_bits(type) / 8));
  with_integer_type(type, [&](auto zero) {
    using T = decltype(zero);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): INT8 is a number
    constexpr auto kLowest = static_cast<int64_t>(std::numeric_limits<T>::min());
    constexpr auto kHighest = static_cast<int64_t>(std::numeric_limits<T>::max());
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t value = type == ElementType::kBool ? int64_t{values[i] != 0} : values[i];
      store(bytes, i, static_cast<T>(std::clamp(value, kLowest, kHighest)));
    }
  });
  return owned(type, std::move(dimensions), std::move(bytes));
}

ConstantPointer real_constant(ElementType type, Dimensions dimensions, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * (element_bits(type) / 8));
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == ElementType::kFloat) {
      store(bytes, i, static_cast<float>(values[i]));
    } else if (type == ElementType::kFloat16) {
      store(bytes, i, tools::float_to_half(static_cast<float>(values[i])));
    } else {
      store(bytes, i, values[i]);
    }
  }
  return owned(type, std::move(dimensions), std::move(bytes));
}

ConstantPointer raw_constant(ElementType type, Dimensions dimensions, std::vector<std::byte> bytes) {
  return owned(type, std::move(dimensions), std::move(bytes));
}

ConstantPointer with_dimensions(const ConstantPointer& constant, Dimensions dimensions) {
  Constant result = *constant;
  result.dimensions = std::move(dimensions);
  return std::make_shared<const Constant>(std::move(result));
}

ConstantPointer picked(const Constant& constant, Dimensions dimensions, std::span<const int64_t> sources) {
  const size_t size = constant.element_bytes();
  std::vector<std::byte> bytes(sources.size() * size);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] < 0) continue;
    std::memcpy(bytes.data() + i * size, constant.bytes.data() + static_cast<size_t>(sources[i]) * size, size);
  }
  return owned(constant.type, std::move(dimensions), std::move(bytes));
}

}  // namespace nnvk::importers::onnx
