#include "importers/onnx/strided_constant.h"

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace nnvk::importers::onnx {
namespace {

// Copies rows of elements of this size. Weights have millions of elements, so the innermost loop knows its step.
template <size_t kSize>
void copy_rows(const std::byte* from, std::byte* to, const Dimensions& dimensions, const Dimensions& strides) {
  const size_t last = dimensions.size() - 1;
  const auto step = static_cast<ptrdiff_t>(strides[last]) * static_cast<ptrdiff_t>(kSize);
  Dimensions at(last, 0);
  for (size_t rows = element_count({dimensions.begin(), dimensions.begin() + static_cast<ptrdiff_t>(last)}); rows > 0; --rows) {
    int64_t source = 0;
    for (size_t d = 0; d < last; ++d) source += at[d] * strides[d];
    const std::byte* element = from + source * static_cast<int64_t>(kSize);
    for (int64_t i = 0; i < dimensions[last]; ++i, element += step, to += kSize) std::memcpy(to, element, kSize);
    for (size_t d = last; d-- > 0;) {
      if (++at[d] < dimensions[d]) break;
      at[d] = 0;
    }
  }
}

}  // namespace

ConstantPointer strided(const Constant& constant, Dimensions dimensions, const Dimensions& strides) {
  const size_t size = constant.element_bytes();
  std::vector<std::byte> bytes(element_count(dimensions) * size);
  if (dimensions.empty()) {
    std::memcpy(bytes.data(), constant.bytes.data(), size);
  } else if (!bytes.empty()) {
    const auto copy = size == 1 ? copy_rows<1> : size == 2 ? copy_rows<2> : size == 4 ? copy_rows<4> : copy_rows<8>;
    copy(constant.bytes.data(), bytes.data(), dimensions, strides);
  }
  return raw_constant(constant.type, std::move(dimensions), std::move(bytes));
}

}  // namespace nnvk::importers::onnx
