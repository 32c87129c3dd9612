// Memory that is aligned for loads of whole vectors. Not cleared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

// Returns the size of a part of scratch memory, rounded up so that the next part is aligned for vectors.
inline size_t padded_to_vectors(size_t bytes) { return (bytes + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment; }

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count)
      : size_(count),
        data_(static_cast<T*>(::operator new (std::max<size_t>(count * sizeof(T), 1), std::align_val_t{kVectorAlignment}))) {}
  AlignedBuffer(AlignedBuffer&& other) noexcept : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~AlignedBuffer() { ::operator delete (data_, std::align_val_t{kVectorAlignment}); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  size_t size_ = 0;
  T* data_ = nullptr;
};

}  // namespace nnvk::cpu
