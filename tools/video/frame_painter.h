// Turns a network's picture tensor into a frame's bytes, on the network's devices, behind its run.
#pragma once

#include <memory>
#include <vector>

#include "tools/video/frame_view.h"
#include "tools/video/network.h"

namespace nnvk::tools::video {

// Where a frame's memory begins, for results that a network writes into the frame itself.
struct WritableFrame {
  SharedMemory memory;
  size_t offset = 0;
  size_t size = 0;
};

// A plane of a frame, of samples with one or more components: luma, or Cb and Cr, or red, green, blue and alpha.
struct PaintedPlane {
  std::vector<Mixture> components;  // in the order of their bytes
  uint32_t sample_width = 1;        // pixels that become one sample
  uint32_t sample_height = 1;
  size_t offset = 0;       // of its bytes in the frame
  uint32_t row_bytes = 0;  // of a row with its padding
};

class FramePainter : public std::enable_shared_from_this<FramePainter> {
 public:
  // Makes a painter from tensors like `from`, [1, height, width, 3], to these planes.
  static Result<std::shared_ptr<FramePainter>> make(const OperandInfo& from, std::span<const PaintedPlane> planes,
                                                    std::span<const DeviceEntry> devices);

  // Starts painting output 0 of a network that still runs.
  Result<std::shared_ptr<Run>> start(const Network& network, const NetworkRun& source, const WritableFrame& frame) const;

 private:
  struct Part {
    size_t offset = 0;
    size_t bytes = 0;
  };

  explicit FramePainter(ModelBuilder builder) : builder_(std::move(builder)) {}

  ModelBuilder builder_;
  CompilationHandle compilation_;
  size_t in_bytes_ = 0;
  std::vector<Part> parts_;  // the planes
};

}  // namespace nnvk::tools::video
