// Facts about a model from which its outputs are understood: shapes, the operations that compute them, metadata.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "importers/imported_model.h"
#include "importers/tflite/metadata.h"
#include "tools/answers/labels.h"
#include "tools/image/picture_shape.h"

namespace nnvk::tools::answers {

// The results of a detection: N boxes (top, left, bottom, right), their classes and scores, and how many of them count.
enum class DetectionPart : uint8_t { kNone, kBoxes, kClasses, kScores, kNumber };

struct OutputFacts {
  std::string name;
  OperandInfo info;  // for one picture: the first dimension is 1 where the model takes several pictures
  DetectionPart part = DetectionPart::kNone;
  std::optional<Labels> labels{};     // of the file, if it has some
  std::vector<uint32_t> box_order{};  // of boxes: the places of left, top, right and bottom; empty: 1, 0, 3, 2
};

struct ModelFacts {
  std::optional<PictureShape> picture;        // of the input, if the model has one input and that holds pictures
  std::vector<Normalisation> normalisations;  // of the input's pixels, by metadata: none, one, or one per channel
  bool is_pixels = false;                     // the input has 8-bit values
  bool is_onnx = false;                       // the file is no .tflite file
  std::vector<OutputFacts> outputs;
  size_t detection_classes = 0;  // of a detection, without the background; 0 if unknown
};

ModelFacts facts_of(const importers::ImportedModel& model);

}  // namespace nnvk::tools::answers
