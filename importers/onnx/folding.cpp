// Arithmetic on constants.
#include "importers/onnx/folding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace nnvk::importers::onnx {
namespace {

// Returns, for each element of a tensor of this shape, the element of an operand that broadcasts to it.
std::vector<size_t> broadcast_sources(const Dimensions& from, const Dimensions& shape) {
  const auto strides = strides_of(from);
  std::vector<size_t> sources(element_count(shape));
  for (size_t i = 0; i < sources.size(); ++i) {
    size_t rest = i;
    int64_t source = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      const auto size = static_cast<size_t>(shape[d]);
      const size_t at = rest % size;
      rest /= size;
      const size_t missing = shape.size() - from.size();
      if (d >= missing && from[d - missing] != 1) source += static_cast<int64_t>(at) * strides[d - missing];
    }
    sources[i] = static_cast<size_t>(source);
  }
  return sources;
}

std::function<double(double)> real_function(int32_t code) {
  switch (code) {
    case ANEURALNETWORKS_ABS:
      return [](double x) { return std::fabs(x); };
    case ANEURALNETWORKS_NEG:
      return [](double x) { return -x; };
    case ANEURALNETWORKS_FLOOR:
      return [](double x) { return std::floor(x); };
    case ANEURALNETWORKS_SQRT:
      return [](double x) { return std::sqrt(x); };
    case ANEURALNETWORKS_RSQRT:
      return [](double x) { return 1.0 / std::sqrt(x); };
    case ANEURALNETWORKS_EXP:
      return [](double x) { return std::exp(x); };
    case ANEURALNETWORKS_LOG:
      return [](double x) { return std::log(x); };
    case ANEURALNETWORKS_SIN:
      return [](double x) { return std::sin(x); };
    case ANEURALNETWORKS_RELU:
      return [](double x) { return x > 0 ? x : 0; };
    default:
      return {};
  }
}

std::function<double(double, double)> real_operation(int32_t code) {
  switch (code) {
    case ANEURALNETWORKS_ADD:
      return [](double x, double y) { return x + y; };
    case ANEURALNETWORKS_SUB:
      return [](double x, double y) { return x - y; };
    case ANEURALNETWORKS_MUL:
      return [](double x, double y) { return x * y; };
    case ANEURALNETWORKS_DIV:
      return [](double x, double y) { return x / y; };
    case ANEURALNETWORKS_POW:
      return [](double x, double y) { return std::pow(x, y); };
    case ANEURALNETWORKS_MAXIMUM:
      return [](double x, double y) { return std::max(x, y); };
    case ANEURALNETWORKS_MINIMUM:
      return [](double x, double y) { return std::min(x, y); };
    default:
      return {};
  }
}

// Converts the result of integer arithmetic, which wraps around, as in ONNX.
int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }

int64_t floor_quotient(int64_t x, int64_t y) {
  if (y == -1) return wrapped(0 - static_cast<uint64_t>(x));
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}

std::function<int64_t(int64_t, int64_t)> integer_operation(int32_t code) {
  switch (code) {
    case ANEURALNETWORKS_ADD:
      return [](int64_t x, int64_t y) { return wrapped(static_cast<uint64_t>(x) + static_cast<uint64_t>(y)); };
    case ANEURALNETWORKS_SUB:
      return [](int64_t x, int64_t y) { return wrapped(static_cast<uint64_t>(x) - static_cast<uint64_t>(y)); };
    case ANEURALNETWORKS_MUL:
      return [](int64_t x, int64_t y) { return wrapped(static_cast<uint64_t>(x) * static_cast<uint64_t>(y)); };
    case ANEURALNETWORKS_DIV:
      return floor_quotient;
    case ANEURALNETWORKS_MAXIMUM:
      return [](int64_t x, int64_t y) { return std::max(x, y); };
    case ANEURALNETWORKS_MINIMUM:
      return [](int64_t x, int64_t y) { return std::min(x, y); };
    case ANEURALNETWORKS_LOGICAL_AND:
      return [](int64_t x, int64_t y) { return int64_t{x != 0 && y != 0}; };
    case ANEURALNETWORKS_LOGICAL_OR:
      return [](int64_t x, int64_t y) { return int64_t{x != 0 || y != 0}; };
    default:
      return {};
  }
}

// Compares numbers of either kind; returns -1 if `code` is no comparison.
template <class T>
int compared(int32_t code, T x, T y) {
  switch (code) {
    case ANEURALNETWORKS_EQUAL:
      return x == y;
    case ANEURALNETWORKS_NOT_EQUAL:
      return x != y;
    case ANEURALNETWORKS_LESS:
      return x < y;
    case ANEURALNETWORKS_LESS_EQUAL:
      return x <= y;
    case ANEURALNETWORKS_GREATER:
      return x > y;
    case ANEURALNETWORKS_GREATER_EQUAL:
      return x >= y;
    default:
      return -1;
  }
}

// The elements of an operand, and which one meets each element of the result.
template <class T>
struct Spread {
  const std::vector<T>& values;
  std::vector<size_t> sources;

  T operator[](size_t i) const { return values[sources[i]]; }
};

template <class T>
ConstantPointer folded_comparison(int32_t code, const Spread<T>& x, const Spread<T>& y, Dimensions shape) {
  std::vector<int64_t> results(x.sources.size());
  for (size_t i = 0; i < results.size(); ++i) results[i] = compared(code, x[i], y[i]);
  return integer_constant(ElementType::kBool, std::move(shape), results);
}

}  // namespace

ConstantPointer folded_unary(int32_t code, const Constant& input) {
  if (input.elements() > kMostFoldedElements) return nullptr;
  if (is_real(input.type)) {
    auto values = reals_of(input);
    const auto function = real_function(code);
    if (!values || !function) return nullptr;
    for (double& value : *values) value = function(value);
    return real_constant(input.type, input.dimensions, *values);
  }
  auto values = integers_of(input);
  if (!values) return nullptr;
  for (int64_t& value : *values) {
    if (code == ANEURALNETWORKS_NEG || (code == ANEURALNETWORKS_ABS && value < 0)) {
      value = wrapped(0 - static_cast<uint64_t>(value));
    } else if (code == ANEURALNETWORKS_LOGICAL_NOT) {
      value = value == 0;
    } else if (code != ANEURALNETWORKS_ABS) {
      return nullptr;
    }
  }
  return integer_constant(input.type, input.dimensions, *values);
}

ConstantPointer folded_binary(int32_t code, const Constant& a, const Constant& b, Dimensions shape) {
  if (element_count(shape) > kMostFoldedElements || a.type != b.type) return nullptr;
  const auto at_a = broadcast_sources(a.dimensions, shape);
  const auto at_b = broadcast_sources(b.dimensions, shape);
  const bool comparison = compared(code, 0, 0) >= 0;
  if (is_real(a.type)) {
    const auto x = reals_of(a);
    const auto y = reals_of(b);
    if (!x || !y) return nullptr;
    if (comparison) return folded_comparison(code, Spread{*x, at_a}, Spread{*y, at_b}, std::move(shape));
    const auto operation = real_operation(code);
    if (!operation) return nullptr;
    std::vector<double> results(at_a.size());
    for (size_t i = 0; i < results.size(); ++i) results[i] = operation((*x)[at_a[i]], (*y)[at_b[i]]);
    return real_constant(a.type, std::move(shape), results);
  }
  const auto x = integers_of(a);
  const auto y = integers_of(b);
  if (!x || !y) return nullptr;
  if (comparison) return folded_comparison(code, Spread{*x, at_a}, Spread{*y, at_b}, std::move(shape));
  const auto operation = integer_operation(code);
  if (!operation) return nullptr;
  std::vector<int64_t> results(at_a.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (code == ANEURALNETWORKS_DIV && (*y)[at_b[i]] == 0) return nullptr;
    results[i] = operation((*x)[at_a[i]], (*y)[at_b[i]]);
  }
  return integer_constant(a.type, std::move(shape), results);
}

ConstantPointer folded_select(const Constant& mask, const Constant& a, const Constant& b, Dimensions shape) {
  if (element_count(shape) > kMostFoldedElements || a.type != b.type) return nullptr;
  const auto choices = integers_of(mask);
  if (!choices) return nullptr;
  const auto at_mask = broadcast_sources(mask.dimensions, shape);
  const auto at_a = broadcast_sources(a.dimensions, shape);
  const auto at_b = broadcast_sources(b.dimensions, shape);
  const size_t size = a.element_bytes();
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < at_mask.size(); ++i) {
    const bool first = (*choices)[at_mask[i]] != 0;
    const auto element = first ? a.bytes.subspan(at_a[i] * size, size) : b.bytes.subspan(at_b[i] * size, size);
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  return raw_constant(a.type, std::move(shape), std::move(bytes));
}

ConstantPointer folded_reduction(int32_t code, const Constant& input, std::span<const int64_t> axes) {
  if (input.elements() > kMostFoldedElements || input.elements() == 0) return nullptr;
  Dimensions shape = input.dimensions;
  for (const int64_t axis : axes) shape[static_cast<size_t>(axis)] = 1;
  const auto targets = broadcast_sources(shape, input.dimensions);
  const size_t count = element_count(shape);
  const bool sums = code == ANEURALNETWORKS_REDUCE_SUM || code == ANEURALNETWORKS_MEAN;
  int32_t operation_code = sums ? ANEURALNETWORKS_ADD : ANEURALNETWORKS_MUL;
  if (code == ANEURALNETWORKS_REDUCE_MAX) operation_code = ANEURALNETWORKS_MAXIMUM;
  if (code == ANEURALNETWORKS_REDUCE_MIN) operation_code = ANEURALNETWORKS_MINIMUM;
  if (code == ANEURALNETWORKS_REDUCE_ANY) operation_code = ANEURALNETWORKS_LOGICAL_OR;
  if (code == ANEURALNETWORKS_REDUCE_ALL) operation_code = ANEURALNETWORKS_LOGICAL_AND;
  const auto reduce = [&](const auto& values, const auto& operation, auto zero) {
    std::vector<decltype(zero)> results(count);
    std::vector<bool> begun(count);
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t at = targets[i];
      results[at] = begun[at] ? operation(results[at], values[i]) : values[i];
      begun[at] = true;
    }
    return results;
  };
  if (is_real(input.type)) {
    const auto values = reals_of(input);
    const auto operation = real_operation(operation_code);
    if (!values || !operation) return nullptr;
    auto results = reduce(*values, operation, 0.0);
    const double divisor = code == ANEURALNETWORKS_MEAN ? static_cast<double>(values->size()) / static_cast<double>(count) : 1;
    for (double& result : results) result /= divisor;
    return real_constant(input.type, std::move(shape), results);
  }
  const auto values = integers_of(input);
  const auto operation = integer_operation(operation_code);
  if (!values || !operation || code == ANEURALNETWORKS_MEAN) return nullptr;
  return integer_constant(input.type, std::move(shape), reduce(*values, operation, int64_t{0}));
}

Result<ConstantPointer> folded_cast(const Constant& input, ElementType type) {
  if (type == input.type) return std::make_shared<const Constant>(input);
  if (!is_real(type) && !is_integer(type)) return fail("cannot convert a constant to " + type_name(type));
  if (is_integer(input.type) && is_integer(type)) {
    TOOLS_ASSIGN(const auto values, integers_of(input));
    return integer_constant(type, input.dimensions, values);
  }
  TOOLS_ASSIGN(auto values, reals_of(input));
  if (is_real(type)) return real_constant(type, input.dimensions, values);
  std::vector<int64_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == ElementType::kBool) {
      integers[i] = values[i] != 0;
    } else if (!std::isnan(values[i])) {
      integers[i] = static_cast<int64_t>(std::clamp(std::trunc(values[i]), -9.2e18, 9.2e18));
    }
  }
  return integer_constant(type, input.dimensions, integers);
}

}  // namespace nnvk::importers::onnx
