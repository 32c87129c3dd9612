// Frames of GStreamer as pictures of NNAPI: formats, colours, and memories over the frames' own descriptors.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>
#include <nnvk/picture.h>

#include <memory>

#include "tools/image/picture.h"
#include "tools/nnapi/handles.h"

namespace nnvk::gstreamer {

using tools::Result;
using tools::Status;

// The formats that nnvk/picture.h takes, for the caps of pads.
#define NNVK_PICTURE_FORMATS "{ NV12, NV21, I420, YV12, P010_10LE, YUY2, RGBA, RGBx, BGRA, BGRx, RGB }"

using SharedMemory = std::shared_ptr<ANeuralNetworksMemory>;

// Returns the conversion of frames with these colours. Normalisations: none (then those of `tensor`), one, or one per channel.
nnvk_PictureConversion conversion_of(const GstVideoInfo& info, const tools::OperandInfo& tensor,
                                     std::span<const tools::Normalisation> normalisations, bool channels_first);

// Makes pictures of frames. Frames in memfds and dma-bufs stay in place. Frames in other memory are copied, and counted.
class FrameImporter {
 public:
  // Returns the frame's picture. A memory object of GStreamer that comes back later brings its picture with it.
  Result<SharedMemory> picture_of(GstBuffer* buffer, const GstVideoInfo& info);
  // Returns whether picture_of() copies the frame, so that its pixels must be complete before.
  static bool needs_copy(GstBuffer* buffer);

  guint64 copied_frames() const { return copied_frames_; }

 private:
  Result<SharedMemory> picture_of_copy(GstBuffer* buffer, const GstVideoInfo& info);

  guint64 copied_frames_ = 0;
};

// Where a frame's memory begins, for results that a network writes into the frame itself.
struct WritableFrame {
  SharedMemory memory;
  size_t offset = 0;
  size_t size = 0;
};

// Returns the bytes of a frame in one memfd or dma-buf. Fails for other frames.
Result<WritableFrame> writable_frame(GstBuffer* buffer);

}  // namespace nnvk::gstreamer
