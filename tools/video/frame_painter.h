// Turns a network's picture tensor into a frame's bytes, on the network's devices, behind its run.
#pragma once

#include <memory>
#include <vector>

#include "tools/video/frame_view.h"
#include "tools/video/network.h"

namespace nnvk::tools::video {

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
