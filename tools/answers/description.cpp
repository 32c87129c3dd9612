#include "tools/answers/description.h"

#include <fmt/format.h>

#include <cmath>

#include "tools/answers/labels.h"

namespace nnvk::tools::answers {
namespace {

using nlohmann::json;

// Writes "1 face", "2 faces", "3 people".
std::string counted(size_t count, const std::string& name) {
  if (count == 1) return "1 " + name;
  return fmt::format("{} {}", count, name == "person" ? "people" : name + "s");
}

// Writes answers as text.
class Writer {
 public:
  explicit Writer(const PictureSize& size) : size_(size) {}

  std::string operator()(const Tensor& tensor) const { return "  tensor: " + tensor.summary + "\n"; }

  std::string operator()(const ClassScores& scores) const {
    std::string text = scores.are_probabilities ? "" : "  logits: any numbers, of which the largest is the best\n";
    for (const auto& best : scores.best) text += fmt::format("  {:>5}  {:.5f}  {}\n", best.number, best.score, best.label);
    return text;
  }

  std::string operator()(const Detections& detections) const {
    std::string text = fmt::format("  {} with a score of at least {:.2f}\n", counted(detections.found.size(), detections.name),
                                   detections.least_score);
    for (const auto& detection : detections.found) {
      const Box& box = detection.box;
      text += fmt::format("    {:.2f}  {} from {} to {}\n", detection.best.score,
                          class_name(detection.best.number, detection.best.label), place({.x = box.left, .y = box.top}),
                          place({.x = box.right, .y = box.bottom}));
      if (detections.figure) text += point_lines(detection.points, *detections.figure, "          ");
    }
    return text;
  }

  std::string operator()(const KeyPoints& points) const {
    std::string text = fmt::format("  {} key points of a {}", points.points.size(), points.figure->name);
    if (points.score) {
      const bool is_there = *points.score >= points.least_score;
      text += fmt::format(", with a score of {:.2f}{}", *points.score,
                          is_there ? "" : fmt::format(": below {:.2f}, there probably is none", points.least_score));
    }
    return text + "\n" + point_lines(points.points, *points.figure, "    ");
  }

  std::string operator()(const Mask& mask) const {
    std::string text = fmt::format("  mask {}x{}\n", mask.width, mask.height);
    for (const auto& share : mask.shares) {
      if (share.share < Mask::kLeastShare) continue;
      text += fmt::format("    {:5.1f} %  {}\n", share.share * 100, class_name(share.number, share.label));
    }
    return text;
  }

  std::string operator()(const PictureAnswer& answer) const {
    return fmt::format("  picture {}x{} (--picture FILE.png writes it)\n", answer.picture.width, answer.picture.height);
  }

 private:
  std::string place(const Point& point) const {
    if (size_.width == 0) return fmt::format("({:.3f}, {:.3f})", point.x, point.y);
    return fmt::format("({:.0f}, {:.0f})", point.x * static_cast<float>(size_.width), point.y * static_cast<float>(size_.height));
  }

  std::string point_lines(std::span<const KeyPoint> points, const Figure& figure, const char* indent) const {
    constexpr size_t kMost = 40;  // points of faces have no names
    if (points.size() > kMost) return {};
    std::string text;
    for (size_t i = 0; i < points.size(); ++i) {
      const std::string name = i < figure.points.size() ? figure.points[i] : fmt::format("point {}", i);
      const std::string score = points[i].score ? fmt::format("{:.2f}  ", *points[i].score) : "";
      text += fmt::format("{}{}{} {}\n", indent, score, name, place(points[i].at));
    }
    return text;
  }

  PictureSize size_;
};

// Writes answers as JSON.
class JsonWriter {
 public:
  explicit JsonWriter(const PictureSize& size) : size_(size) {}

  json operator()(const Tensor& tensor) const { return {{"kind", "tensor"}, {"summary", tensor.summary}}; }

  json operator()(const ClassScores& scores) const {
    json top = json::array();
    for (const auto& best : scores.best) top.push_back(to_json(best));
    return {{"kind", "class_scores"}, {"probabilities", scores.are_probabilities}, {"top", std::move(top)}};
  }

  json operator()(const Detections& detections) const {
    json found = json::array();
    for (const auto& detection : detections.found) {
      json one = to_json(detection.best);
      const Box& box = detection.box;
      one["box"] = {{"left", box.left}, {"top", box.top}, {"right", box.right}, {"bottom", box.bottom}};
      if (size_.width != 0) {
        one["pixels"] = {{"left", x(box.left)}, {"top", y(box.top)}, {"right", x(box.right)}, {"bottom", y(box.bottom)}};
      }
      if (detections.figure) one["points"] = to_json(detection.points, *detections.figure);
      found.push_back(std::move(one));
    }
    return {{"kind", "detections"}, {"name", detections.name}, {"detections", std::move(found)}};
  }

  json operator()(const KeyPoints& points) const {
    json object{{"kind", "key_points"}, {"name", points.figure->name}, {"points", to_json(points.points, *points.figure)}};
    if (points.score) object["score"] = *points.score;
    return object;
  }

  json operator()(const Mask& mask) const {
    json shares = json::array();
    for (const auto& share : mask.shares) {
      shares.push_back({{"index", share.number}, {"label", share.label}, {"share", share.share}});
    }
    return {{"kind", "mask"}, {"width", mask.width}, {"height", mask.height}, {"shares", std::move(shares)}};
  }

  json operator()(const PictureAnswer& answer) const {
    return {{"kind", "picture"}, {"width", answer.picture.width}, {"height", answer.picture.height}};
  }

 private:
  long x(float fraction) const { return std::lround(fraction * static_cast<float>(size_.width)); }
  long y(float fraction) const { return std::lround(fraction * static_cast<float>(size_.height)); }

  static json to_json(const Prediction& best) { return {{"index", best.number}, {"score", best.score}, {"label", best.label}}; }

  json to_json(std::span<const KeyPoint> points, const Figure& figure) const {
    json list = json::array();
    for (size_t i = 0; i < points.size(); ++i) {
      json point{{"name", i < figure.points.size() ? figure.points[i] : ""}, {"x", points[i].at.x}, {"y", points[i].at.y}};
      if (size_.width != 0) point["pixel"] = {x(points[i].at.x), y(points[i].at.y)};
      if (points[i].score) point["score"] = *points[i].score;
      list.push_back(std::move(point));
    }
    return list;
  }

  PictureSize size_;
};

}  // namespace

std::string to_text(const Answer& answer, const PictureSize& size) { return std::visit(Writer(size), answer.value); }

nlohmann::json to_json(const Answer& answer, const ModelFacts& facts, const PictureSize& size) {
  json object = std::visit(JsonWriter(size), answer.value);
  object["outputs"] = json::array();
  for (const size_t output : answer.outputs) object["outputs"].push_back(facts.outputs[output].name);
  return object;
}

}  // namespace nnvk::tools::answers
