// nnvkupscale: enlarges frames with a network.
#pragma once

#include <gst/gst.h>

namespace nnvk::gstreamer {

gboolean register_upscale(GstPlugin* plugin);

}  // namespace nnvk::gstreamer
