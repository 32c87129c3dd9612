// Densifies, unpacks and widens constants.
#include "importers/tflite/constants.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "tools/nnapi/half.h"

namespace nnvk::importers::tflite {
namespace {

template <class T>
T element(std::span<const uint8_t> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

// Unpacks two elements from each byte, the first from its low half, with signs.
std::vector<uint8_t> unpacked(std::span<const uint8_t> packed, uint64_t elements) {
  std::vector<uint8_t> bytes(elements);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint8_t half = i % 2 == 0 ? packed[i / 2] & 0xfU : packed[i / 2] >> 4;
    bytes[i] = half < 8 ? half : half | 0xf0U;
  }
  return bytes;
}

// Walks through the stored elements of a sparse constant, and writes each at its place among all elements.
class Densifier {
 public:
  Densifier(const Tensor& tensor, std::vector<uint8_t>& dense)
      : tensor_(tensor), sparsity_(*tensor.sparsity), size_(element_size(tensor.type)), dense_(dense) {}

  Status run() {
    TOOLS_TRY(check());
    position_.resize(sparsity_.dimensions.size());
    TOOLS_TRY(walk(0, 0));
    if (read_ * size_ != tensor_.data.size())
      return fail(fmt::format("it may store only the {} elements that it names, but stores more", read_));
    return {};
  }

 private:
  static constexpr size_t kMostLevels = 16;

  Status check() {
    const size_t rank = tensor_.dimensions.size();
    const size_t levels = sparsity_.dimensions.size();
    if (levels > kMostLevels) return fail(fmt::format("it may have at most {} dimensions, but has {}", kMostLevels, levels));
    if (sparsity_.traversal_order.size() != levels || levels != rank + sparsity_.block_map.size()) {
      return fail(fmt::format("{} dimensions in the order of traversal and {} in blocks do not fit {} dimensions of {}",
                              sparsity_.traversal_order.size(), sparsity_.block_map.size(), levels, rank));
    }
    std::vector<bool> seen(levels);
    for (const int32_t d : sparsity_.traversal_order) {
      if (d < 0 || static_cast<size_t>(d) >= levels || seen[static_cast<size_t>(d)]) {
        return fail(fmt::format("its order of traversal must name each dimension once, but names {}", d));
      }
      seen[static_cast<size_t>(d)] = true;
    }
    block_.assign(rank, 1);
    for (size_t i = 0; i < sparsity_.block_map.size(); ++i) {
      const int32_t d = sparsity_.block_map[i];
      const auto& block = sparsity_.dimensions[rank + i];
      if (d < 0 || static_cast<size_t>(d) >= rank || block.compressed || block.size < 1 || block_[static_cast<size_t>(d)] != 1) {
        return fail(fmt::format("its block dimension {} has a size or a place that is not possible", i));
      }
      block_[static_cast<size_t>(d)] = static_cast<uint32_t>(block.size);
    }
    return {};
  }

  // Walks through the dimensions from `level` on: the number of dimensions that are fixed. `parent`: the element of the last of
  // them, counted over all.
  Status walk(size_t level, size_t parent) {
    if (level == sparsity_.dimensions.size()) return store();
    const auto d = static_cast<size_t>(sparsity_.traversal_order[level]);
    const auto& dimension = sparsity_.dimensions[level];
    if (!dimension.compressed) {
      if (dimension.size < 1)
        return fail(fmt::format("its dimension {} must have at least one element, but has {}", d, dimension.size));
      for (int32_t i = 0; i < dimension.size; ++i) {
        position_[d] = static_cast<uint32_t>(i);
        TOOLS_TRY(walk(level + 1, parent * static_cast<size_t>(dimension.size) + static_cast<size_t>(i)));
      }
      return {};
    }
    if (parent + 1 >= dimension.segments.size()) return fail(fmt::format("its dimension {} has too few segments", d));
    const int32_t first = dimension.segments[parent];
    const int32_t last = dimension.segments[parent + 1];
    if (first < 0 || last < first || static_cast<size_t>(last) > dimension.indices.size()) {
      return fail(
          fmt::format("segment {} of its dimension {} must be a range of indices, but is {} to {}", parent, d, first, last));
    }
    for (int32_t i = first; i < last; ++i) {
      const int32_t index = dimension.indices[static_cast<size_t>(i)];
      if (index < 0) return fail(fmt::format("an index in its dimension {} may not be negative, but is {}", d, index));
      position_[d] = static_cast<uint32_t>(index);
      TOOLS_TRY(walk(level + 1, static_cast<size_t>(i)));
    }
    return {};
  }

  Status store() {
    const size_t rank = tensor_.dimensions.size();
    if ((read_ + 1) * size_ > tensor_.data.size())
      return fail(fmt::format("it must store all elements that it names, but stores only {}", read_));
    size_t offset = 0;
    for (size_t d = 0; d < rank; ++d) {
      uint64_t at = uint64_t{position_[d]} * block_[d];
      for (size_t i = 0; i < sparsity_.block_map.size(); ++i) {
        if (static_cast<size_t>(sparsity_.block_map[i]) == d) at += position_[rank + i];
      }
      if (at >= tensor_.dimensions[d])
        return fail(fmt::format("it names element {} of dimension {}, which has only {}", at, d, tensor_.dimensions[d]));
      offset = offset * tensor_.dimensions[d] + at;
    }
    std::memcpy(dense_.data() + offset * size_, tensor_.data.data() + read_ * size_, size_);
    ++read_;
    return {};
  }

  const Tensor& tensor_;
  const Sparsity& sparsity_;
  const size_t size_;
  std::vector<uint8_t>& dense_;
  std::vector<uint32_t> block_;     // the size of a block along each dimension of the tensor
  std::vector<uint32_t> position_;  // in each dimension of the tensor, then of a block
  size_t read_ = 0;
};

// Returns the index of the scale for element i.
size_t channel_of(const Tensor& tensor, size_t i) {
  if (tensor.scales.size() == 1) return 0;
  size_t inner = 1;
  for (size_t d = tensor.quantized_dimension + 1; d < tensor.dimensions.size(); ++d) inner *= tensor.dimensions[d];
  return (i / inner) % tensor.dimensions[tensor.quantized_dimension];
}

template <class T>
std::vector<float> dequantized(const Tensor& tensor, std::span<const uint8_t> bytes) {
  std::vector<float> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = channel_of(tensor, i);
    values[i] = tensor.scales[channel] *
                static_cast<float>(static_cast<double>(element<T>(bytes, i)) - static_cast<double>(tensor.zero_points[channel]));
  }
  return values;
}

}  // namespace

bool is_plain(const Tensor& tensor) { return !tensor.sparsity && tensor.type != format::TensorType_INT4; }

Result<std::vector<uint8_t>> plain_bytes(const Tensor& tensor) {
  if (!tensor.sparsity) return unpacked(tensor.data, tensor.elements());
  if (tensor.type == format::TensorType_INT4)
    return fail("is sparse and has two elements in a byte, which the importer does not support");
  std::vector<uint8_t> dense(tensor.elements() * element_size(tensor.type));
  if (const Status done = Densifier(tensor, dense).run(); !done) return fail("its sparsity is damaged: " + done.error().message);
  return dense;
}

Result<std::vector<float>> real_values(const Tensor& tensor, std::span<const uint8_t> bytes) {
  if (tensor.type == format::TensorType_FLOAT32) {
    std::vector<float> values(bytes.size() / sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) values[i] = element<float>(bytes, i);
    return values;
  }
  if (tensor.type == format::TensorType_FLOAT16) {
    std::vector<float> values(bytes.size() / sizeof(uint16_t));
    for (size_t i = 0; i < values.size(); ++i) values[i] = tools::half_to_float(element<uint16_t>(bytes, i));
    return values;
  }
  if (tensor.scales.empty()) return fail("must be real numbers, but holds integers without a scale");
  switch (tensor.type) {
    case format::TensorType_INT4:
    case format::TensorType_INT8:
      return dequantized<int8_t>(tensor, bytes);
    case format::TensorType_UINT8:
      return dequantized<uint8_t>(tensor, bytes);
    case format::TensorType_INT16:
      return dequantized<int16_t>(tensor, bytes);
    case format::TensorType_INT32:
      return dequantized<int32_t>(tensor, bytes);
    case format::TensorType_INT64:
      return dequantized<int64_t>(tensor, bytes);
    default:
      return fail("must be real numbers, but has a type without them");
  }
}

std::optional<std::vector<int32_t>> narrow_integers(const Tensor& tensor, std::span<const uint8_t> bytes) {
  std::vector<int32_t> values;
  if (tensor.type == format::TensorType_INT32) {
    for (size_t i = 0; i < bytes.size() / sizeof(int32_t); ++i) values.push_back(element<int32_t>(bytes, i));
    return values;
  }
  if (tensor.type != format::TensorType_INT64) return std::nullopt;
  for (size_t i = 0; i < bytes.size() / sizeof(int64_t); ++i) {
    const auto wide = element<int64_t>(bytes, i);
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) return std::nullopt;
    values.push_back(static_cast<int32_t>(wide));
  }
  return values;
}

}  // namespace nnvk::importers::tflite
