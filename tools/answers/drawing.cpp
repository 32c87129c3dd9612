#include "tools/answers/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/answers/canvas.h"
#include "tools/answers/labels.h"
#include "tools/image/picture_shape.h"

namespace nnvk::tools::answers {
namespace {

constexpr Colour kBlack{0, 0, 0};

// Returns the pixel at a fraction of a side. Values far outside of the picture come nearer, so that lines to them stay short.
int pixel_at(float fraction, int side) {
  constexpr float kFar = 4;
  const float near = std::isfinite(fraction) ? std::clamp(fraction, -kFar, kFar) : -kFar;
  return static_cast<int>(std::lround(near * static_cast<float>(side)));
}

// Returns what is written about a class: its label up to the first comma, or its number; without bytes beyond ASCII.
std::string short_name(size_t number, const std::string& label) {
  constexpr size_t kMost = 24;
  const std::string whole = class_name(number, label);
  const std::string name = whole.substr(0, whole.find(','));
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else if (byte >= 0xC0) {
      text += '?';  // one for each character of UTF-8
    }
  }
  return text.substr(0, kMost);
}

// Returns a picture that a model made, with the proportions of the one that it saw: that was stretched to the model's input.
Picture with_proportions(const Picture& made, const Picture& seen) {
  const double longer = std::max(made.width, made.height);
  const double scale = longer / std::max(seen.width, seen.height);
  const auto side = [&](uint32_t of_seen) { return static_cast<uint32_t>(std::max(1L, std::lround(of_seen * scale))); };
  return resized(made, side(seen.width), side(seen.height));
}

class Drawer {
 public:
  explicit Drawer(const Picture& picture) : canvas_(picture) {}

  void operator()(const Tensor& /*tensor*/) {}
  void operator()(const PictureAnswer& /*answer*/) {}

  void operator()(const ClassScores& scores) {
    constexpr size_t kMost = 3;
    constexpr float kLeast = 0.02F;  // less probable classes are not worth a line
    for (size_t i = 0; i < std::min(kMost, scores.best.size()); ++i) {
      const Prediction& best = scores.best[i];
      if (i > 0 && scores.are_probabilities && best.score < kLeast) break;
      legend_line(fmt::format("{:.2f} {}", best.score, short_name(best.number, best.label)), kBlack);
    }
  }

  void operator()(const Detections& detections) {
    const bool is_one_class = detections.figure != nullptr;  // then each one gets its own colour
    for (size_t i = detections.found.size(); i-- > 0;) {     // the best ones stand in front
      const Detection& detection = detections.found[i];
      const Colour colour = colour_of(is_one_class ? i : detection.best.number);
      const int left = pixel_at(detection.box.left, canvas_.width());
      const int top = pixel_at(detection.box.top, canvas_.height());
      // Boxes that reach beyond the picture show their sides at its edge.
      canvas_.frame(std::max(0, left), std::max(0, top),
                    std::min(canvas_.width(), pixel_at(detection.box.right, canvas_.width())),
                    std::min(canvas_.height(), pixel_at(detection.box.bottom, canvas_.height())), colour);
      if (is_one_class) draw_points(detection.points, *detections.figure, 0, colour);
      const auto text = fmt::format("{} {:.2f}", short_name(detection.best.number, detection.best.label), detection.best.score);
      canvas_.label(left, top - canvas_.text_height(), text, colour);
    }
  }

  void operator()(const KeyPoints& points) {
    if (points.score && *points.score < points.least_score) {
      legend_line(fmt::format("no {} ({:.2f})", points.figure->name, *points.score), kBlack);
      return;
    }
    draw_points(points.points, *points.figure, points.least_score, colour_of(1));
  }

  void operator()(const Mask& mask) {
    for (int y = 0; y < canvas_.height(); ++y) {
      for (int x = 0; x < canvas_.width(); ++x) {
        const size_t row = nearest_place(static_cast<size_t>(y), static_cast<size_t>(canvas_.height()), mask.height);
        const size_t column = nearest_place(static_cast<size_t>(x), static_cast<size_t>(canvas_.width()), mask.width);
        const uint16_t number = mask.classes[row * mask.width + column];
        if (number != 0) canvas_.tint(x, y, colour_of(number));  // 0 is the background
      }
    }
    constexpr size_t kMost = 8;
    size_t lines = 0;
    for (const auto& share : mask.shares) {
      if (share.number == 0 || share.share < Mask::kLeastShare || lines++ >= kMost) continue;
      legend_line(fmt::format("{} {:.1f}%", short_name(share.number, share.label), share.share * 100), colour_of(share.number));
    }
  }

  Picture picture() const { return canvas_.picture(); }

 private:
  // Writes a line of the legend in the upper left corner.
  void legend_line(const std::string& text, const Colour& colour) {
    canvas_.label(0, legend_at_, text, colour);
    legend_at_ += canvas_.text_height();
  }

  void draw_points(std::span<const KeyPoint> points, const Figure& figure, float least_score, const Colour& colour) {
    const auto is_seen = [&](const KeyPoint& point) { return !point.score || *point.score >= least_score; };
    const auto x = [&](const KeyPoint& point) { return pixel_at(point.at.x, canvas_.width()); };
    const auto y = [&](const KeyPoint& point) { return pixel_at(point.at.y, canvas_.height()); };
    for (const auto& [from, to] : figure.lines) {
      if (from >= points.size() || to >= points.size() || !is_seen(points[from]) || !is_seen(points[to])) continue;
      canvas_.line(x(points[from]), y(points[from]), x(points[to]), y(points[to]), colour);
    }
    const bool is_dense = figure.lines.empty() && figure.points.empty();
    const int radius = is_dense ? 1 : canvas_.stroke() * 2;
    constexpr Colour kCentre{255, 255, 255};
    for (const auto& point : points) {
      if (!is_seen(point)) continue;
      canvas_.disc(x(point), y(point), radius, is_dense ? colour : kCentre);
      if (!is_dense) canvas_.disc(x(point), y(point), radius - 1, colour);
    }
  }

  Canvas canvas_;
  int legend_at_ = 0;
};

}  // namespace

bool is_drawable(const Answer& answer) { return !std::holds_alternative<Tensor>(answer.value); }

Picture drawn(const Picture& picture, std::span<const Answer> answers) {
  for (const auto& answer : answers) {
    if (const auto* made = std::get_if<PictureAnswer>(&answer.value)) return with_proportions(made->picture, picture);
  }
  Drawer drawer(picture);
  for (const auto& answer : answers) std::visit(drawer, answer.value);
  return drawer.picture();
}

}  // namespace nnvk::tools::answers
