// The category of the plugin's messages: GST_DEBUG=nnvk:5 shows them.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(nnvk_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT nnvk_debug
