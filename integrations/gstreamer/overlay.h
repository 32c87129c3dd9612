// nnvkoverlay: draws what nnvkinfer and other elements found.
#pragma once

#include <gst/gst.h>

namespace nnvk::gstreamer {

gboolean register_overlay(GstPlugin* plugin);

}  // namespace nnvk::gstreamer
