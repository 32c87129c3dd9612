// Tensors that are known at import: initializers and everything that follows from them, on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "importers/client_names.h"
#include "importers/onnx/graph.h"

namespace nnvk::importers::onnx {

using Dimensions = std::vector<int64_t>;  // -1: unknown; empty: rank 0

struct Constant {
  ElementType type = ElementType::kFloat;
  Dimensions dimensions;              // all known
  std::span<const std::byte> bytes;   // raw elements, elements() * size of one
  std::shared_ptr<const void> owner;  // of the bytes; null: the graph's storage or the caller
  bool is_uniform = false;            // all elements are known to be equal: they need no copy when dimensions move

  size_t elements() const;
  size_t element_bytes() const { return element_bits(type) / 8; }
};
using ConstantPointer = std::shared_ptr<const Constant>;

bool is_integer(ElementType type);  // also booleans
bool is_real(ElementType type);     // FLOAT, FLOAT16, DOUBLE

// Views a value of the graph. Fails if its bytes do not fit type and shape, or its type has no whole bytes per element.
Result<ConstantPointer> constant_of(const Value& value);

// Returns the elements of an integer or boolean constant. UINT64 above INT64_MAX wraps around.
Result<std::vector<int64_t>> integers_of(const Constant& constant);
// Returns the elements of any number type.
Result<std::vector<double>> reals_of(const Constant& constant);

// Each function makes a constant that owns its bytes. It converts values to `type`: saturated for integers, rounded for reals.
ConstantPointer integer_constant(ElementType type, Dimensions dimensions, std::span<const int64_t> values);
ConstantPointer real_constant(ElementType type, Dimensions dimensions, std::span<const double> values);
ConstantPointer raw_constant(ElementType type, Dimensions dimensions, std::vector<std::byte> bytes);

// Returns the same elements in another shape of as many elements. The result shares the bytes.
ConstantPointer with_dimensions(const ConstantPointer& constant, Dimensions dimensions);
// Makes a constant whose element i is element sources[i] of `constant`; a source of -1 gives zero bits.
ConstantPointer picked(const Constant& constant, Dimensions dimensions, std::span<const int64_t> sources);

// The most dimensions of a constant: more than any operator needs. Loops over dimensions stay short.
inline constexpr size_t kMostDimensions = 32;

// Returns the number of elements; 1 for rank 0. Dimensions must be known.
size_t element_count(const Dimensions& dimensions);
// Returns the number of elements for dimensions that nobody has checked: an error above 2^32 elements, or above kMostDimensions.
Result<size_t> checked_count(const Dimensions& dimensions);
// Returns the number of elements between neighbours of each dimension, row-major.
Dimensions strides_of(const Dimensions& dimensions);

}  // namespace nnvk::importers::onnx
