#include "integrations/gstreamer/upscale.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "integrations/gstreamer/network_element.h"

namespace nnvk::gstreamer {
namespace {

using tools::fail;

constexpr const char* kSinkCaps = GST_VIDEO_CAPS_MAKE(NNVK_PICTURE_FORMATS);
constexpr const char* kSourceCaps = GST_VIDEO_CAPS_MAKE(NNVK_PAINTED_FORMATS);
constexpr uint32_t kTrialSide = 16;  // pixels of the pictures that tell the factor

// The frame is written when this run has ended.
class Painted : public PendingWork {
 public:
  explicit Painted(std::shared_ptr<Run> run) : run_(std::move(run)) {}
  std::shared_ptr<Run> writer() const override { return run_; }
  Status complete(GstBuffer* /*buffer*/) override { return run_->wait(); }

 private:
  std::shared_ptr<Run> run_;
};

// Multiplies or divides a number of pixels, a range or a list of them. Returns false if no number is left.
bool scale_sides(const GValue* from, gint factor, bool is_up, GValue& to) {
  const auto scaled = [&](gint side) { return is_up ? (side > G_MAXINT / factor ? G_MAXINT : side * factor) : side / factor; };
  if (G_VALUE_HOLDS_INT(from)) {
    const gint side = g_value_get_int(from);
    if (!is_up && side % factor != 0) return false;
    g_value_init(&to, G_TYPE_INT);
    g_value_set_int(&to, scaled(side));
    return true;
  }
  if (GST_VALUE_HOLDS_INT_RANGE(from)) {
    const gint least = gst_value_get_int_range_min(from);
    const gint least_scaled = is_up ? scaled(least) : (least + factor - 1) / factor;
    const gint most = scaled(gst_value_get_int_range_max(from));
    if (least_scaled > most) return false;
    g_value_init(&to, least_scaled < most ? GST_TYPE_INT_RANGE : G_TYPE_INT);
    if (least_scaled < most) {
      gst_value_set_int_range(&to, least_scaled, most);
    } else {
      g_value_set_int(&to, most);
    }
    return true;
  }
  if (!GST_VALUE_HOLDS_LIST(from)) return false;
  g_value_init(&to, GST_TYPE_LIST);
  for (guint i = 0; i < gst_value_list_get_size(from); ++i) {
    GValue one = G_VALUE_INIT;
    if (scale_sides(gst_value_list_get_value(from, i), factor, is_up, one)) gst_value_list_append_and_take_value(&to, &one);
  }
  return gst_value_list_get_size(&to) > 0;
}

class Upscale : public NetworkElement {
 public:
  using NetworkElement::NetworkElement;

  static void describe(GstBaseTransformClass* klass);

  // Returns the caps of the other pad.
  GstCaps* other_caps(GstPadDirection direction, GstCaps* caps, GstCaps* filter);

 protected:
  Status open(const std::string& model, const std::string& device) override {
    TOOLS_ASSIGN(network_, Network::load_for_size(model, device, kTrialSide, kTrialSide));
    const auto& to = network_->output(0).info;
    const auto& from = network_->input();
    if (to.dimensions.size() != 4 || from.dimensions[3] != 3 || to.dimensions[3] != 3 ||
        to.dimensions[1] * from.dimensions[2] != to.dimensions[2] * from.dimensions[1]) {
      return fail(fmt::format("{}: nnvkupscale needs a network that makes a larger picture, but this one makes {} of {}", model,
                              to_string(to), to_string(from)));
    }
    model_ = model;
    device_ = device;
    factor_ = static_cast<gint>(to.dimensions[1] / from.dimensions[1]);
    gst_base_transform_reconfigure_sink(transform());  // the sizes were unknown before
    return {};
  }

  Status configure() override {
    painter_.reset();
    TOOLS_ASSIGN(network_, Network::load_for_size(model_, device_, static_cast<uint32_t>(in_info().width),
                                                  static_cast<uint32_t>(in_info().height)));
    TOOLS_ASSIGN(painter_,
                 video::FramePainter::make(network_->output(0).info, std::array{painted_plane(out_info())}, network_->devices()));
    TOOLS_TRY(try_out());
    return {};
  }

  std::shared_ptr<NetworkWork> work_on(NetworkRun run) override { return std::make_shared<Enlargement>(std::move(run)); }
  bool is_in_place() const override { return false; }

  Status write(NetworkWork& work, GstBuffer* /*in*/, GstBuffer* out) override {
    TOOLS_ASSIGN(const WritableFrame frame, writable_frame(out));
    TOOLS_ASSIGN(auto run, painter_->start(*network_, work.run(), frame));
    TOOLS_TRY(complete_or_pass(out, std::make_shared<Painted>(std::move(run))));
    enlarge_regions(out);
    return {};
  }

 private:
  // The network's own run. Painting follows it.
  class Enlargement : public NetworkWork {
   public:
    using NetworkWork::NetworkWork;
    Status complete(GstBuffer* /*buffer*/) override { return run().run->wait(); }
  };

  // Regions of the small frame have come along.
  void enlarge_regions(GstBuffer* buffer) const {
    gpointer state = nullptr;
    const auto factor = static_cast<guint>(factor_.load());
    while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
      auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
      for (guint* side : {&region->x, &region->y, &region->w, &region->h}) *side *= factor;
    }
  }

  std::string model_;
  std::string device_;
  std::atomic<gint> factor_ = 0;  // 0: no network yet. Caps are asked for by any thread.
  std::shared_ptr<video::FramePainter> painter_;
};

GstCaps* Upscale::other_caps(GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
  const bool is_up = direction == GST_PAD_SINK;
  const gint factor = factor_;
  GstCaps* formats = gst_caps_from_string(is_up ? kSourceCaps : kSinkCaps);
  const GValue* format = gst_structure_get_value(gst_caps_get_structure(formats, 0), "format");
  GstCaps* result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    GstStructure* structure = gst_structure_copy(gst_caps_get_structure(caps, i));
    gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
    gst_structure_set_value(structure, "format", format);
    bool is_possible = true;
    for (const char* side : {"width", "height"}) {
      const GValue* from = gst_structure_get_value(structure, side);
      GValue to = G_VALUE_INIT;
      if (factor == 0 || from == nullptr) {
        gst_structure_set(structure, side, GST_TYPE_INT_RANGE, 1, G_MAXINT, nullptr);
      } else if (scale_sides(from, factor, is_up, to)) {
        gst_structure_take_value(structure, side, &to);
      } else {
        is_possible = false;
      }
      if (!is_possible && G_IS_VALUE(&to)) g_value_unset(&to);
    }
    if (is_possible) {
      gst_caps_append_structure(result, structure);
    } else {
      gst_structure_free(structure);
    }
  }
  gst_caps_unref(formats);
  if (filter == nullptr) return result;
  GstCaps* filtered = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(result);
  return filtered;
}

void Upscale::describe(GstBaseTransformClass* klass) {
  auto* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element_class, "nnvk upscaling", "Filter/Converter/Video/Scaler",
      "Enlarges frames with a network for pictures of any size, such as models/upscaler_quant.tflite", "the nnvk project");
  add_pad_templates(element_class, kSinkCaps, kSourceCaps);
  klass->transform_caps = [](GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* filter) {
    return static_cast<Upscale&>(element_of(transform)).other_caps(direction, caps, filter);
  };
  // Regions and answers come along; metas about the small frame's memory do not.
  klass->transform_meta = [](GstBaseTransform*, GstBuffer*, GstMeta* meta, GstBuffer*) -> gboolean {
    return !gst_meta_api_type_has_tag(meta->info->api, g_quark_from_static_string(GST_META_TAG_MEMORY_STR));
  };
  klass->transform = [](GstBaseTransform* transform, GstBuffer* in, GstBuffer* out) {
    return element_of(transform).finish(in, out);
  };
}

}  // namespace

gboolean register_upscale(GstPlugin* plugin) { return register_network_element<Upscale>(plugin, "nnvkupscale", "NnvkUpscale"); }

}  // namespace nnvk::gstreamer
