// The plugin as GStreamer loads it.
#include <gst/gst.h>

#include "integrations/gstreamer/infer.h"
#include "integrations/gstreamer/log.h"
#include "integrations/gstreamer/results.h"

GST_DEBUG_CATEGORY(nnvk_debug);

#define PACKAGE "nnvk"

static gboolean initialise(GstPlugin* plugin) {
  GST_DEBUG_CATEGORY_INIT(nnvk_debug, "nnvk", 0, "neural networks on Vulkan and CPUs");
  nnvk::gstreamer::register_tensor_meta();
  return nnvk::gstreamer::register_infer(plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, nnvk, "Neural networks on Vulkan GPUs and CPUs, in frames", initialise,
                  NNVK_VERSION, "Apache 2.0", "nnvk", "the nnvk project")
