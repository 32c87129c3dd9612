// Answers of models, as people understand them. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/image/picture.h"

namespace nnvk::tools::answers {

// A place in the picture that the model saw, in fractions of its width and height, from the upper left corner.
struct Point {
  float x = 0;
  float y = 0;
};

struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

struct KeyPoint {
  Point at;
  std::optional<float> score;  // if the model gives one for each point
};

// The meaning of key points. Its constants are in key_points.cpp.
struct Figure {
  struct Line {
    uint16_t from = 0;
    uint16_t to = 0;
  };
  std::string name;                 // "person"
  std::vector<std::string> points;  // "left knee"; empty where there are too many to name them
  std::vector<Line> lines;          // from point to point
};

// One class with its score.
struct Prediction {
  size_t number = 0;
  float score = 0;
  std::string label;  // "" without labels
};

struct ClassScores {
  bool are_probabilities = true;  // else any numbers; the largest one is the best
  std::vector<Prediction> best;   // best first
};

struct Detection {
  Box box;
  Prediction best;
  std::vector<KeyPoint> points;
};

struct Detections {
  std::string name;                // of each: "object", "face"
  float least_score = 0;           // of those found
  const Figure* figure = nullptr;  // of their points, if they have any
  std::vector<Detection> found;    // best first
};

struct KeyPoints {
  const Figure* figure = nullptr;
  std::vector<KeyPoint> points;
  std::optional<float> score;  // that the figure is in the picture
  float least_score = 0;       // points and figures with a lower one are doubtful, and are not drawn
};

// A class for every pixel.
struct Mask {
  static constexpr double kLeastShare = 0.0005;  // smaller areas are not worth a line

  struct Share {
    size_t number = 0;
    std::string label;
    double share = 0;  // of all pixels
  };
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint16_t> classes;  // by row
  std::vector<Share> shares;      // largest first
};

struct PictureAnswer {
  Picture picture;
};

// Values of which nothing more is known.
struct Tensor {
  std::string summary;
};

struct Answer {
  std::vector<size_t> outputs;  // the outputs of the model from which it is made
  std::variant<Tensor, ClassScores, Detections, KeyPoints, Mask, PictureAnswer> value;
};

}  // namespace nnvk::tools::answers
