// Turns a network's picture tensor into a frame's bytes, on the network's devices, behind its run.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <vector>

#include "integrations/gstreamer/frames.h"
#include "integrations/gstreamer/network.h"

namespace nnvk::gstreamer {

class FramePainter : public std::enable_shared_from_this<FramePainter> {
 public:
  // The formats of frames that it writes, for the caps of pads.
#define NNVK_PAINTED_FORMATS "{ RGBx, BGRx, RGBA, BGRA, RGB, BGR }"

  // Makes a painter from tensors like `from`, [1, height, width, 3], to frames like `to`.
  static Result<std::shared_ptr<FramePainter>> make(const tools::OperandInfo& from, const GstVideoInfo& to,
                                                    std::span<const tools::DeviceEntry> devices);

  // Starts painting output 0 of a network that still runs.
  Result<std::shared_ptr<Run>> start(const Network& network, const NetworkRun& source, const WritableFrame& frame) const;

 private:
  explicit FramePainter(tools::ModelBuilder builder) : builder_(std::move(builder)) {}

  tools::ModelBuilder builder_;
  tools::CompilationHandle compilation_;
  size_t in_bytes_ = 0;
  size_t out_bytes_ = 0;
};

}  // namespace nnvk::gstreamer
