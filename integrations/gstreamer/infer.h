// nnvkinfer: runs a network on each frame, and adds what it found to the frame.
#pragma once

#include <gst/gst.h>

namespace nnvk::gstreamer {

gboolean register_infer(GstPlugin* plugin);

}  // namespace nnvk::gstreamer
