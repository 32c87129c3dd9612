#include "integrations/gstreamer/segment.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <utility>

#include "integrations/gstreamer/network_element.h"
#include "tools/video/background.h"
#include "tools/video/mask.h"

namespace nnvk::gstreamer {
namespace {

using tools::fail;

constexpr const char* kCaps = GST_VIDEO_CAPS_MAKE("{ NV12, NV21, I420, YV12, YUY2, RGBA, RGBx, BGRA, BGRx, RGB }");
constexpr guint kUsualRadius = 12;
constexpr guint kMostRadius = 200;
constexpr guint kUsualColour = 0xff00b140;  // the green of studios

enum Background : gint { kBlur, kColour, kPicture };

GType background_type() {
  static const GEnumValue values[] = {{kBlur, "Blurs the background", "blur"},
                                      {kColour, "Replaces the background by the property \"colour\"", "colour"},
                                      {kPicture, "Replaces the background by the property \"picture\"", "picture"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("NnvkSegmentBackground", values);
  return type;
}

struct Settings {
  gint background = kBlur;
  guint radius = kUsualRadius;
  guint colour = kUsualColour;
  std::string picture;
};

// A run whose mask is not applied to the frame yet.
class Segmentation : public NetworkWork {
 public:
  struct Target {
    GstVideoInfo info;
    video::MaskOutput output;
    guint radius = 0;                                     // of the blur
    std::shared_ptr<const video::StillFrame> background;  // null: blurred
  };

  Segmentation(NetworkRun run, std::shared_ptr<Network> network, Target target)
      : NetworkWork(std::move(run)), network_(std::move(network)), target_(std::move(target)) {}

  Status complete(GstBuffer* buffer) override {
    TOOLS_TRY(run().run->wait());
    const video::AlphaMask mask = video::alpha_of(target_.output, *network_, *run().results);
    GstVideoFrame frame;
    if (!gst_video_frame_map(&frame, &target_.info, buffer, GST_MAP_READWRITE))
      return fail("a frame cannot be mapped for writing");
    if (target_.background) {
      video::replace_background(view_of(frame), mask, *target_.background);
    } else {
      video::blur_background(view_of(frame), mask, target_.radius);
    }
    gst_video_frame_unmap(&frame);
    return {};
  }

 private:
  std::shared_ptr<Network> network_;
  Target target_;
};

class Segment : public NetworkElement {
 public:
  using NetworkElement::NetworkElement;

  static void describe(GstBaseTransformClass* klass);

  void set_property(guint id, const GValue* value) override {
    if (id < kFirstOwn) return NetworkElement::set_property(id, value);
    const std::lock_guard lock(mutex_);
    has_changed_ = true;
    if (id == kBackgroundKind) settings_.background = g_value_get_enum(value);
    if (id == kRadius) settings_.radius = g_value_get_uint(value);
    if (id == kColourOf) settings_.colour = g_value_get_uint(value);
    if (id == kPictureOf) settings_.picture = text_of(value);
  }

  void get_property(guint id, GValue* value) override {
    if (id < kFirstOwn) return NetworkElement::get_property(id, value);
    const std::lock_guard lock(mutex_);
    if (id == kBackgroundKind) g_value_set_enum(value, settings_.background);
    if (id == kRadius) g_value_set_uint(value, settings_.radius);
    if (id == kColourOf) g_value_set_uint(value, settings_.colour);
    if (id == kPictureOf) g_value_set_string(value, settings_.picture.c_str());
  }

 protected:
  Status open(const std::string& model, const std::string& device) override {
    TOOLS_ASSIGN(network_, Network::load(model, device));
    const auto output = video::mask_output_of(network_->facts());
    if (!output) {
      return fail(fmt::format(
          "{} makes no mask: its first output is {}; nnvksegment needs a network for segmentation, and nnvkinfer runs others",
          model, to_string(network_->output(0).info)));
    }
    output_ = *output;
    TOOLS_TRY(try_out());
    return {};
  }

  Status configure() override { return prepare(settings()); }
  bool may_travel() const override { return false; }  // the next element reads the pixels that are written here

  std::shared_ptr<NetworkWork> work_on(NetworkRun run) override {
    if (take_change()) {
      // A wrong picture stops the pipeline, as it does at the start.
      if (const Status prepared = prepare(settings()); !prepared) post_settings_error(prepared.error());
    }
    return std::make_shared<Segmentation>(std::move(run), network_,
                                          Segmentation::Target{in_info(), output_, radius_, background_});
  }

 private:
  enum : guint { kBackgroundKind = kFirstOwn, kRadius, kColourOf, kPictureOf };

  Settings settings() {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  bool take_change() {
    const std::lock_guard lock(mutex_);
    return std::exchange(has_changed_, false);
  }

  Status prepare(const Settings& chosen) {
    radius_ = chosen.radius;
    background_.reset();
    if (chosen.background == kColour) {
      background_ = video::StillFrame::of_colour(chosen.colour, view_of(in_info()));
    } else if (chosen.background == kPicture) {
      if (chosen.picture.empty())
        return fail("background=picture needs the property \"picture\": the path of a PNG, JPEG or BMP file");
      TOOLS_ASSIGN(background_, video::StillFrame::of_picture(chosen.picture, view_of(in_info())));
    }
    return {};
  }

  std::mutex mutex_;
  Settings settings_;         // guarded
  bool has_changed_ = false;  // guarded
  // Used by the streaming thread alone.
  video::MaskOutput output_;
  guint radius_ = kUsualRadius;
  std::shared_ptr<const video::StillFrame> background_;
};

void Segment::describe(GstBaseTransformClass* klass) {
  auto* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element_class, "nnvk segmentation", "Filter/Effect/Video",
      "Blurs or replaces the background of each frame, behind the people or things that a network finds", "the nnvk project");
  add_pad_templates(element_class, kCaps, kCaps);
  auto* object_class = G_OBJECT_CLASS(klass);
  g_object_class_install_property(
      object_class, kBackgroundKind,
      g_param_spec_enum("background", "Background", "What becomes of the background", background_type(), kBlur, kAnyTime));
  g_object_class_install_property(
      object_class, kRadius,
      g_param_spec_uint("radius", "Radius", "The radius of the blur in pixels", 1, kMostRadius, kUsualRadius, kAnyTime));
  g_object_class_install_property(object_class, kColourOf,
                                  g_param_spec_uint("colour", "Colour", "The colour of background=colour, as 0xAARRGGBB", 0,
                                                    G_MAXUINT32, kUsualColour, kAnyTime));
  g_object_class_install_property(
      object_class, kPictureOf,
      g_param_spec_string(
          "picture", "Picture",
          "The picture of background=picture: the path of a PNG, JPEG or BMP file, which is stretched to the frame", "",
          kAnyTime));
  klass->transform_ip = [](GstBaseTransform* transform, GstBuffer* buffer) {
    return element_of(transform).finish_in_place(buffer);
  };
}

}  // namespace

gboolean register_segment(GstPlugin* plugin) {
  background_type();  // for gst-inspect, which reads it before an element exists
  return register_network_element<Segment>(plugin, "nnvksegment", "NnvkSegment");
}

}  // namespace nnvk::gstreamer
