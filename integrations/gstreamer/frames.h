// Frames of GStreamer as frames of tools/video and pictures of NNAPI: formats, colours, and memories over the frames' own
// descriptors.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "tools/video/frame_painter.h"

namespace nnvk::gstreamer {

namespace answers = tools::answers;
namespace video = tools::video;
using tools::Result;
using tools::Status;
using video::Network;
using video::NetworkRun;
using video::Owner;
using video::Run;
using video::SharedMemory;
using video::Slot;
using video::WritableFrame;

// The formats that nnvk/picture.h takes, and those that results are painted in, for the caps of pads.
#define NNVK_PAINTED_FORMATS "{ RGBx, BGRx, RGBA, BGRA, RGB, BGR }"
#define NNVK_PICTURE_FORMATS "{ NV12, NV21, I420, YV12, P010_10LE, YUY2, RGBA, RGBx, BGRA, BGRx, RGB }"

video::Colours colours_of(const GstVideoInfo& info);
// Return the components of frames of eight bits: of a mapped frame, or of frames to come, which have no pixels yet.
video::FrameView view_of(const GstVideoFrame& frame);
video::FrameView view_of(const GstVideoInfo& info);
// Returns how a network paints frames of a format in NNVK_PAINTED_FORMATS.
video::PaintedPlane painted_plane(const GstVideoInfo& info);

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

// Returns the bytes of a frame in one memfd or dma-buf. Fails for other frames.
Result<WritableFrame> writable_frame(GstBuffer* buffer);

}  // namespace nnvk::gstreamer
