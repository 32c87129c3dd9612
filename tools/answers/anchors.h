// Anchors: the boxes to which detectors relate their results. Files do not hold them where a model leaves the decoding to its
// caller, so that they are computed as the authors of the networks did. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/image/picture_shape.h"

namespace nnvk::tools::answers {

// A box by its centre and size, in fractions of the picture.
struct Anchor {
  float x = 0;
  float y = 0;
  float width = 1;
  float height = 1;
};

// SSD with six square layers, as TensorFlow's detectors with 300 x 300 and 320 x 320 pixels have it.
std::vector<Anchor> ssd_anchors(const PictureShape& picture);
bool has_ssd_anchors(const PictureShape& picture, size_t count);

// MediaPipe's detectors of faces, palms and people, whose anchors differ in their centres only. Empty if none of them has so
// many.
std::vector<Anchor> mediapipe_anchors(const PictureShape& picture, size_t count);
bool has_mediapipe_anchors(const PictureShape& picture, size_t count);

}  // namespace nnvk::tools::answers
