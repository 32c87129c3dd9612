#include "integrations/gstreamer/infer.h"

#include <memory>
#include <optional>
#include <utility>

#include "integrations/gstreamer/network_element.h"
#include "integrations/gstreamer/results.h"

namespace nnvk::gstreamer {
namespace {

constexpr double kUsualThreshold = -1;  // each kind of answer has its own
constexpr const char* kCaps = GST_VIDEO_CAPS_MAKE(NNVK_PICTURE_FORMATS);

// A run whose answers are not on the frame yet.
class Inference : public NetworkWork {
 public:
  Inference(NetworkRun run, std::shared_ptr<Network> network, std::shared_ptr<const answers::DecodingOptions> options,
            const FrameSize& size)
      : NetworkWork(std::move(run)), network_(std::move(network)), options_(std::move(options)), size_(size) {}

  Status complete(GstBuffer* buffer) override {
    TOOLS_TRY(run().run->wait());
    TOOLS_ASSIGN(auto answers, network_->decoded(*run().results, *options_));
    add_regions(buffer, answers, size_, options_->least_score.value_or(0));
    add_tensors(buffer, *network_, run().results);
    add_answers(buffer, std::make_shared<const AnswerList>(std::move(answers)));
    return {};
  }

 private:
  std::shared_ptr<Network> network_;
  std::shared_ptr<const answers::DecodingOptions> options_;
  FrameSize size_;
};

class Infer : public NetworkElement {
 public:
  using NetworkElement::NetworkElement;

  static void describe(GstBaseTransformClass* klass);

  void set_property(guint id, const GValue* value) override {
    if (id != kLabels && id != kThreshold) return NetworkElement::set_property(id, value);
    const ObjectLock lock(element());
    if (id == kLabels) labels_ = text_of(value);
    if (id == kThreshold) threshold_ = g_value_get_double(value);
  }

  void get_property(guint id, GValue* value) override {
    if (id != kLabels && id != kThreshold) return NetworkElement::get_property(id, value);
    const ObjectLock lock(element());
    if (id == kLabels) g_value_set_string(value, labels_.c_str());
    if (id == kThreshold) g_value_set_double(value, threshold_);
  }

 protected:
  Status open(const std::string& model, const std::string& device) override {
    TOOLS_ASSIGN(network_, Network::load(model, device));
    names_.reset();
    const std::string labels = locked(labels_);
    if (!labels.empty()) {
      TOOLS_ASSIGN(names_, answers::read_labels(labels));
    }
    options_.reset();
    TOOLS_ASSIGN(const NetworkRun run, try_out());
    TOOLS_TRY(network_->decoded(*run.results, *current_options()));  // whether the labels fit
    return {};
  }

  std::shared_ptr<NetworkWork> work_on(NetworkRun run) override {
    const FrameSize size{static_cast<guint>(in_info().width), static_cast<guint>(in_info().height)};
    return std::make_shared<Inference>(std::move(run), network_, current_options(), size);
  }

 private:
  enum : guint { kLabels = kFirstOwn, kThreshold };

  // Returns a copy of a property, which other threads may change.
  template <class T>
  T locked(const T& property) {
    const ObjectLock lock(element());
    return property;
  }

  // Returns the options for the next frame: the threshold may change at any time.
  std::shared_ptr<const answers::DecodingOptions> current_options() {
    const double threshold = locked(threshold_);
    const auto least = threshold < 0 ? std::nullopt : std::optional(static_cast<float>(threshold));
    if (!options_ || options_->least_score != least) {
      auto options = network_->decoding_options();
      options.labels = names_;
      options.least_score = least;
      options_ = std::make_shared<const answers::DecodingOptions>(std::move(options));
    }
    return options_;
  }

  std::string labels_;
  double threshold_ = kUsualThreshold;
  std::optional<answers::Labels> names_;
  std::shared_ptr<const answers::DecodingOptions> options_;
};

void Infer::describe(GstBaseTransformClass* klass) {
  auto* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element_class, "nnvk inference", "Filter/Analyzer/Video",
      "Runs a network on each frame and adds regions of interest, classes and tensors to it; the picture stays as it is",
      "the nnvk project");
  add_pad_templates(element_class, kCaps, kCaps);
  auto* object_class = G_OBJECT_CLASS(klass);
  g_object_class_install_property(
      object_class, kLabels,
      g_param_spec_string(
          "labels", "Labels",
          "The names of the classes: the path of a file with a name in each line; empty: those in the model's file", "",
          kWhileStopped));
  g_object_class_install_property(
      object_class, kThreshold,
      g_param_spec_double("threshold", "Threshold",
                          "The least score of boxes, points and classes; -1: 0.5 for boxes, 0.3 for points, none for classes", -1,
                          1, kUsualThreshold, kAnyTime));
  klass->transform_ip = [](GstBaseTransform* transform, GstBuffer* buffer) {
    return element_of(transform).finish_in_place(buffer);
  };
}

}  // namespace

gboolean register_infer(GstPlugin* plugin) { return register_network_element<Infer>(plugin, "nnvkinfer", "NnvkInfer"); }

}  // namespace nnvk::gstreamer
