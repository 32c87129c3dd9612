// Frames in memory of this program, which networks read and write where they are.
#pragma once

#include <memory>
#include <optional>

#include "tools/video/frame_format.h"
#include "tools/video/memfd.h"

namespace nnvk::tools::video {

class Frame {
 public:
  static Result<std::shared_ptr<Frame>> make(const FrameShape& shape);

  std::span<uint8_t> bytes() const { return memfd_.bytes(); }
  FrameView view() const { return shape_.view(bytes()); }
  // Returns the picture for a network, as the bytes now are. Makes a copy of them if the format needs one, and counts it.
  const SharedMemory& picture(uint64_t& copies) const;
  // Returns the memory for results of a network.
  Result<WritableFrame> writable();

 private:
  Frame(const FrameShape& shape, Memfd memfd) : shape_(shape), memfd_(std::move(memfd)) {}

  FrameShape shape_;
  Memfd memfd_;
  std::optional<Memfd> beside_;  // the copy, or the constant chroma
  SharedMemory picture_;
  SharedMemory writable_;
};

}  // namespace nnvk::tools::video
