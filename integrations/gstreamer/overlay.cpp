#include "integrations/gstreamer/overlay.h"

#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>

#include "integrations/gstreamer/drawn_regions.h"
#include "integrations/gstreamer/network_element.h"
#include "integrations/gstreamer/pending.h"
#include "tools/answers/drawing.h"

struct NnvkOverlay {
  GstVideoFilter parent;
};

struct NnvkOverlayClass {
  GstVideoFilterClass parent;
};

static GType nnvk_overlay_get_type();
G_DEFINE_TYPE(NnvkOverlay, nnvk_overlay, GST_TYPE_VIDEO_FILTER)

namespace nnvk::gstreamer {
namespace {

constexpr const char* kCaps = GST_VIDEO_CAPS_MAKE(NNVK_PICTURE_FORMATS);
constexpr gint kBytes = 4;  // of a pixel that lies over the frame

// Returns a buffer of B, G, R and alpha with the drawn pixels between two rows.
GstBuffer* layer_of(const tools::Picture& drawn) {
  const size_t pixels = size_t{drawn.width} * drawn.height;
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, pixels * kBytes, nullptr);
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_WRITE)) {
    gst_buffer_unref(buffer);
    return nullptr;
  }
  for (size_t i = 0; i < pixels; ++i) {
    const float* from = drawn.values.data() + i * kBytes;
    guint8* to = map.data + i * kBytes;
    for (const auto& [byte, channel] : {std::pair(0, 2), {1, 1}, {2, 0}, {3, 3}}) to[byte] = static_cast<guint8>(from[channel]);
  }
  gst_buffer_unmap(buffer, &map);
  gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, drawn.width,
                            drawn.height);
  return buffer;
}

// Draws on a frame of any format: the drawing is a layer of its own, which GStreamer blends.
GstFlowReturn draw(GstVideoFrame* frame) {
  const auto width = static_cast<guint>(GST_VIDEO_FRAME_WIDTH(frame));
  const auto height = static_cast<guint>(GST_VIDEO_FRAME_HEIGHT(frame));
  const AnswerList answers = drawable_answers(frame->buffer, {width, height});
  if (std::ranges::none_of(answers, answers::is_drawable)) return GST_FLOW_OK;
  tools::Picture transparent{.width = width, .height = height, .channels = kBytes, .values = {}};
  transparent.values.resize(size_t{width} * height * kBytes);
  GstBuffer* layer = layer_of(answers::drawn(transparent, answers));
  if (layer == nullptr) return GST_FLOW_ERROR;
  GstVideoOverlayRectangle* rectangle =
      gst_video_overlay_rectangle_new_raw(layer, 0, 0, width, height, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  GstVideoOverlayComposition* composition = gst_video_overlay_composition_new(rectangle);
  const bool is_blended = gst_video_overlay_composition_blend(composition, frame);
  gst_video_overlay_composition_unref(composition);
  gst_video_overlay_rectangle_unref(rectangle);
  gst_buffer_unref(layer);
  return is_blended ? GST_FLOW_OK : GST_FLOW_ERROR;
}

// Waits for the networks before the base class maps the frame.
GstFlowReturn complete_and_draw(GstBaseTransform* transform, GstBuffer* buffer) {
  if (const Status done = complete_pending(buffer); !done) {
    GST_ELEMENT_ERROR(transform, STREAM, FAILED, ("%s", done.error().message.c_str()), (nullptr));
    return GST_FLOW_ERROR;
  }
  return GST_BASE_TRANSFORM_CLASS(nnvk_overlay_parent_class)->transform_ip(transform, buffer);
}

}  // namespace

gboolean register_overlay(GstPlugin* plugin) {
  return gst_element_register(plugin, "nnvkoverlay", GST_RANK_NONE, nnvk_overlay_get_type());
}

}  // namespace nnvk::gstreamer

static void nnvk_overlay_class_init(NnvkOverlayClass* klass) {
  namespace own = nnvk::gstreamer;
  auto* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element_class, "nnvk overlay", "Filter/Editor/Video",
                                        "Draws regions of interest, and the classes, masks and points that nnvkinfer found",
                                        "the nnvk project");
  own::add_pad_templates(element_class, own::kCaps, own::kCaps);
  auto* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->transform_ip = own::complete_and_draw;
  GST_VIDEO_FILTER_CLASS(klass)->transform_frame_ip = [](GstVideoFilter*, GstVideoFrame* frame) { return own::draw(frame); };
}

static void nnvk_overlay_init(NnvkOverlay* overlay) { nnvk::gstreamer::mark_as_waiting(GST_ELEMENT_CAST(overlay)); }
