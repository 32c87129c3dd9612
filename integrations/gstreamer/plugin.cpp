// The plugin as GStreamer loads it.
#include <gst/gst.h>

#include "integrations/gstreamer/infer.h"
#include "integrations/gstreamer/log.h"
#include "integrations/gstreamer/overlay.h"
#include "integrations/gstreamer/results.h"
#include "integrations/gstreamer/segment.h"
#include "integrations/gstreamer/upscale.h"

GST_DEBUG_CATEGORY(nnvk_debug);

#define PACKAGE "nnvk"

static gboolean initialise(GstPlugin* plugin) {
  GST_DEBUG_CATEGORY_INIT(nnvk_debug, "nnvk", 0, "neural networks on Vulkan and CPUs");
  using namespace nnvk::gstreamer;
  register_tensor_meta();
  return register_infer(plugin) && register_overlay(plugin) && register_segment(plugin) && register_upscale(plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, nnvk, "Neural networks on Vulkan GPUs and CPUs, in frames", initialise,
                  NNVK_VERSION, "Apache 2.0", "nnvk", "the nnvk project")
