// Memory in a memfd, mapped here. Devices and other processes share it by its descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tools/nnapi/handles.h"

namespace nnvk::tools::video {

using SharedMemory = std::shared_ptr<ANeuralNetworksMemory>;

// A part of a memory, into which a network writes a frame.
struct WritableFrame {
  SharedMemory memory;
  size_t offset = 0;
  size_t size = 0;
};

class Memfd {
 public:
  // Makes zeros that can neither shrink nor grow. `name` is for people who look at /proc. `purpose`: "the results of a network".
  static Result<Memfd> make(const char* name, size_t size, const char* purpose);
  Memfd(Memfd&& other) noexcept;
  Memfd& operator=(Memfd&& other) noexcept;
  ~Memfd();

  int descriptor() const { return descriptor_; }
  std::span<uint8_t> bytes() const { return bytes_; }
  // Imports all of it, for reading and writing.
  Result<SharedMemory> import() const;

 private:
  Memfd() = default;

  int descriptor_ = -1;
  std::span<uint8_t> bytes_;
};

}  // namespace nnvk::tools::video
