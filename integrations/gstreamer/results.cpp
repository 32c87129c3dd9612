#include "integrations/gstreamer/results.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "integrations/gstreamer/meta.h"
#include "tools/answers/labels.h"
#include "tools/nnapi/names.h"

namespace nnvk::gstreamer {
namespace {

constexpr const char* kTensorMeta = "NnvkTensorMeta";

// The answers of one network after the other.
struct Answers {
  static constexpr const char* kApiName = "NnvkAnswerMetaAPI";
  static constexpr const char* kName = "NnvkAnswerMeta";
  static constexpr const char* kTags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, nullptr};
  // Places are fractions of the frame, which stay true when all of it is copied or scaled.
  static bool follows(GQuark type, gpointer data) {
    if (GST_VIDEO_META_TRANSFORM_IS_SCALE(type)) return true;
    return GST_META_TRANSFORM_IS_COPY(type) && !static_cast<GstMetaTransformCopy*>(data)->region;
  }

  std::vector<SharedAnswers> list;
};

using AnswerMeta = ValueMeta<Answers>;

// Pixels of a fraction of a side, inside the frame.
guint pixels(float fraction, guint side) {
  if (!std::isfinite(fraction)) return 0;
  return static_cast<guint>(std::lround(std::clamp(fraction, 0.0F, 1.0F) * static_cast<float>(side)));
}

GstStructure* structure_of(const char* name, const answers::Prediction& prediction, const std::string& label) {
  return gst_structure_new(name, "label", G_TYPE_STRING, label.c_str(), "label-id", G_TYPE_UINT64,
                           static_cast<guint64>(prediction.number), "confidence", G_TYPE_DOUBLE,
                           static_cast<double>(prediction.score), nullptr);
}

// Adds the points of a figure, in pixels: a structure with a structure of x, y and perhaps "confidence" for each point.
void add_points(GstVideoRegionOfInterestMeta* region, std::span<const answers::KeyPoint> points, const answers::Figure& figure,
                const FrameSize& size) {
  GstStructure* all = gst_structure_new("key-points", "figure", G_TYPE_STRING, figure.name.c_str(), nullptr);
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, static_cast<guint>(points.size()));
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string name = i < figure.points.size() ? figure.points[i] : std::to_string(i);
    GstStructure* point = gst_structure_new("point", "name", G_TYPE_STRING, name.c_str(), "x", G_TYPE_DOUBLE,
                                            static_cast<double>(points[i].at.x) * size.width, "y", G_TYPE_DOUBLE,
                                            static_cast<double>(points[i].at.y) * size.height, nullptr);
    if (points[i].score) gst_structure_set(point, "confidence", G_TYPE_DOUBLE, static_cast<double>(*points[i].score), nullptr);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, point);
    gst_value_array_append_and_take_value(&list, &value);
  }
  gst_structure_take_value(all, "points", &list);
  gst_video_region_of_interest_meta_add_param(region, all);
}

GstVideoRegionOfInterestMeta* add_region(GstBuffer* buffer, const std::string& label, const answers::Box& box,
                                         const FrameSize& size) {
  const guint left = pixels(box.left, size.width);
  const guint top = pixels(box.top, size.height);
  const guint right = std::max(left, pixels(box.right, size.width));
  const guint bottom = std::max(top, pixels(box.bottom, size.height));
  return gst_buffer_add_video_region_of_interest_meta(buffer, label.c_str(), left, top, right - left, bottom - top);
}

constexpr answers::Box kWhole{.left = 0, .top = 0, .right = 1, .bottom = 1};

struct RegionAdder {
  GstBuffer* buffer;
  const FrameSize& size;
  float least_score;

  void operator()(const answers::ClassScores& scores) const {
    if (scores.best.empty() || (scores.are_probabilities && scores.best[0].score < least_score)) return;
    const auto name = [](const answers::Prediction& one) { return answers::class_name(one.number, one.label); };
    auto* region = add_region(buffer, name(scores.best[0]), kWhole, size);
    for (const auto& one : scores.best) {
      gst_video_region_of_interest_meta_add_param(region, structure_of("classification", one, name(one)));
    }
  }

  void operator()(const answers::Detections& detections) const {
    for (const auto& detection : detections.found) {
      const std::string label = answers::class_name(detection.best.number, detection.best.label);
      auto* region = add_region(buffer, label, detection.box, size);
      gst_video_region_of_interest_meta_add_param(region, structure_of("detection", detection.best, label));
      if (detections.figure != nullptr) add_points(region, detection.points, *detections.figure, size);
    }
  }

  void operator()(const answers::KeyPoints& points) const {
    if (points.points.empty() || (points.score && *points.score < points.least_score)) return;
    answers::Box box{.left = 1, .top = 1, .right = 0, .bottom = 0};  // around all points that are seen
    bool is_any_seen = false;
    for (const auto& point : points.points) {
      if (point.score && *point.score < points.least_score) continue;
      is_any_seen = true;
      box = {.left = std::min(box.left, point.at.x),
             .top = std::min(box.top, point.at.y),
             .right = std::max(box.right, point.at.x),
             .bottom = std::max(box.bottom, point.at.y)};
    }
    if (!is_any_seen) return;
    add_points(add_region(buffer, points.figure->name, box, size), points.points, *points.figure, size);
  }

  // These say nothing about a place.
  void operator()(const answers::Mask& /*mask*/) const {}
  void operator()(const answers::PictureAnswer& /*picture*/) const {}
  void operator()(const answers::Tensor& /*tensor*/) const {}
};

}  // namespace

void add_regions(GstBuffer* buffer, std::span<const answers::Answer> answers, const FrameSize& size, float least_score) {
  for (const auto& answer : answers) std::visit(RegionAdder{buffer, size, least_score}, answer.value);
}

void register_tensor_meta() {
  const gchar* no_tags[] = {nullptr};
  gst_meta_register_custom(kTensorMeta, no_tags, nullptr, nullptr, nullptr);
}

void add_tensors(GstBuffer* buffer, const Network& network, const std::shared_ptr<Slot>& results) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, kTensorMeta);
  if (meta == nullptr) meta = gst_buffer_add_custom_meta(buffer, kTensorMeta);
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, static_cast<guint>(network.output_count()));
  for (size_t i = 0; i < network.output_count(); ++i) {
    const auto& port = network.output(i);
    const auto bytes = network.output_bytes(*results, i);
    auto* data = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, const_cast<uint8_t*>(bytes.data()), bytes.size(), 0,
                                             bytes.size(), new std::shared_ptr<Slot>(results),
                                             [](gpointer owner) { delete static_cast<std::shared_ptr<Slot>*>(owner); });
    GstStructure* tensor = gst_structure_new("tensor", "name", G_TYPE_STRING, port.name.c_str(), "type", G_TYPE_STRING,
                                             tools::operand_type_name(port.info.type).c_str(), "scale", G_TYPE_DOUBLE,
                                             static_cast<double>(port.info.scale), "zero-point", G_TYPE_INT, port.info.zero_point,
                                             "data", GST_TYPE_BUFFER, data, nullptr);
    gst_buffer_unref(data);
    GValue shape = G_VALUE_INIT;
    gst_value_array_init(&shape, static_cast<guint>(port.info.dimensions.size()));
    for (const uint32_t dimension : port.info.dimensions) {
      GValue number = G_VALUE_INIT;
      g_value_init(&number, G_TYPE_UINT);
      g_value_set_uint(&number, dimension);
      gst_value_array_append_and_take_value(&shape, &number);
    }
    gst_structure_take_value(tensor, "dimensions", &shape);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, tensor);
    gst_value_array_append_and_take_value(&list, &value);
  }
  // A second network in the pipeline has a field of its own.
  GstStructure* all = gst_custom_meta_get_structure(meta);
  const int before = gst_structure_n_fields(all);
  const std::string field = before == 0 ? "tensors" : "tensors-" + std::to_string(before);
  gst_structure_take_value(all, field.c_str(), &list);
}

void add_answers(GstBuffer* buffer, SharedAnswers answers) {
  AnswerMeta::find_or_add(buffer)->value.list.push_back(std::move(answers));
}

std::vector<SharedAnswers> answers_on(GstBuffer* buffer) {
  const AnswerMeta* meta = AnswerMeta::find(buffer);
  return meta != nullptr ? meta->value.list : std::vector<SharedAnswers>();
}

}  // namespace nnvk::gstreamer
