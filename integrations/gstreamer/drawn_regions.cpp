#include "integrations/gstreamer/drawn_regions.h"

#include <gst/video/video.h>

#include <functional>
#include <optional>
#include <string>

namespace nnvk::gstreamer {
namespace {

using answers::Detections;
using answers::KeyPoints;

bool has_param(GstVideoRegionOfInterestMeta* region, const char* name) {
  return gst_video_region_of_interest_meta_get_param(region, name) != nullptr;
}

// Returns the box of a region. Other elements' regions have no score: then their text has none, and their colour is that of their
// name.
answers::Detection detection_of(GstVideoRegionOfInterestMeta* region, const FrameSize& size) {
  const auto fraction = [](guint pixels, guint side) { return static_cast<float>(pixels) / static_cast<float>(side); };
  answers::Detection detection;
  detection.box = {.left = fraction(region->x, size.width),
                   .top = fraction(region->y, size.height),
                   .right = fraction(region->x + region->w, size.width),
                   .bottom = fraction(region->y + region->h, size.height)};
  const gchar* name = g_quark_to_string(region->roi_type);
  detection.best.label = name != nullptr ? name : "region";
  detection.best.number = std::hash<std::string>()(detection.best.label) % 1000;
  const GstStructure* found = gst_video_region_of_interest_meta_get_param(region, "detection");
  if (found == nullptr) return detection;
  double confidence = 0;
  guint64 number = 0;
  if (gst_structure_get_double(found, "confidence", &confidence)) detection.best.score = static_cast<float>(confidence);
  if (gst_structure_get_uint64(found, "label-id", &number)) detection.best.number = number;
  return detection;
}

}  // namespace

AnswerList drawable_answers(GstBuffer* buffer, const FrameSize& size) {
  AnswerList all;
  Detections boxes{.name = "region", .least_score = 0, .figure = nullptr, .found = {}};
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    // Classes of the whole frame are a legend, and points of one figure stand for themselves.
    const bool is_box =
        has_param(region, "detection") || !(has_param(region, "classification") || has_param(region, "key-points"));
    if (is_box) boxes.found.push_back(detection_of(region, size));
  }
  if (!boxes.found.empty()) all.emplace_back().value = std::move(boxes);  // first, so that legends lie over them
  for (const auto& list : answers_on(buffer)) {
    for (const auto& answer : *list) {
      if (const auto* detections = std::get_if<Detections>(&answer.value)) {
        // The boxes are regions: a program between the elements may have removed some. The points are drawn from here.
        for (const auto& detection : detections->found) {
          if (detections->figure == nullptr) continue;
          all.emplace_back().value =
              KeyPoints{.figure = detections->figure, .points = detection.points, .score = std::nullopt, .least_score = 0};
        }
      } else if (!std::holds_alternative<answers::PictureAnswer>(answer.value)) {
        all.push_back(answer);
      }
    }
  }
  return all;
}

}  // namespace nnvk::gstreamer
