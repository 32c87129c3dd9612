// nnvksegment: blurs or replaces the background of each frame, behind what a network has found.
#pragma once

#include <gst/gst.h>

namespace nnvk::gstreamer {

gboolean register_segment(GstPlugin* plugin);

}  // namespace nnvk::gstreamer
