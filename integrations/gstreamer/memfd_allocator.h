// Memory for frames in memfds: elements map it, devices import it by its descriptor.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

namespace nnvk::gstreamer {

// Returns a new reference to the allocator. Its memories are fd memories over memfds, which cannot shrink any more. It is freed
// when nothing uses it.
GstAllocator* memfd_allocator();

// Returns a pool of frames in memfds, configured and not yet active. `least`: how many frames it makes at once.
GstBufferPool* make_frame_pool(GstCaps* caps, const GstVideoInfo& info, guint least);

}  // namespace nnvk::gstreamer
