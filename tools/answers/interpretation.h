// Decides which outputs of a model form which answer. Pure.
#pragma once

#include <vector>

#include "tools/answers/answer.h"
#include "tools/answers/model_facts.h"

namespace nnvk::tools::answers {

enum class Family : uint8_t {
  kTensor,
  kOneRow,          // class scores, if the values are; one output
  kDetections,      // boxes, classes, scores and their number; four outputs
  kBoxEncodings,    // of SSD: encodings [N, 4] relative to anchors, and scores [N, classes]; two outputs
  kPointEncodings,  // of MediaPipe: encodings [N, 4 + 2 * points] relative to anchors, and scores [N, 1]; two outputs
  kPose,            // of MoveNet: y, x and score of each point
  kPoses,           // of MoveNet for several people: such points, a box and a score for each of them
  kLandmarks,       // of MediaPipe: x, y and z of each point, and perhaps a score; one or two outputs
  kClassPerPixel,
  kScoresPerPixel,
  kForeground,  // a fraction per pixel, if the values are
  kPicture,
};

struct Reading {
  Family family = Family::kTensor;
  std::vector<size_t> outputs;     // in the order above
  const Figure* figure = nullptr;  // of points
};

// Returns the readings in the order of their first outputs; every output belongs to one reading at most. Outputs that only
// explain others, such as the second coordinates of hands, belong to none. `labels`: how many there are; 0: none are given.
std::vector<Reading> interpret(const ModelFacts& facts, size_t labels);

// Returns how an output holds values for each pixel of one picture, with any number of channels; empty if it does not.
std::optional<PictureShape> plane_of(const OperandInfo& info, bool channels_first);

// Returns the conversion of a picture's pixels to input values: that of the metadata, else that which the family of the model or
// its file format expects. Empty: 8-bit inputs, which get the pixels.
std::vector<Normalisation> expected_normalisation(const ModelFacts& facts);

}  // namespace nnvk::tools::answers
