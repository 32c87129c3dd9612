// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

enum class Corners { kLeftOut, kPlain, kAligned, kHalfPixels };

struct Resize {
  Dims image;  // NHWC
  int32_t width = 1;
  int32_t height = 1;
  bool by_scale = false;
  bool nchw = false;
  Corners corners = Corners::kPlain;
};

void declare(Draft& c, int32_t type, const Resize& p) {
  c.input(tensor(type, image_dims(p.image, p.nchw)));
  if (p.by_scale) {
    c.real(static_cast<double>(p.width) / p.image[2], type);
    c.real(static_cast<double>(p.height) / p.image[1], type);
  } else {
    c.int32(p.width);
    c.int32(p.height);
  }
  c.boolean(p.nchw);
  if (p.corners != Corners::kLeftOut) {
    c.boolean(p.corners == Corners::kAligned);
    c.boolean(p.corners == Corners::kHalfPixels);
  }
  c.output(tensor(type, {}));
}

std::string name_of(const Resize& p) {
  const char* const corners[] = {"short", "plain", "aligned", "half_pixels"};
  return dims_label(p.image) + "_to_" + std::to_string(p.height) + "x" + std::to_string(p.width) + "_" +
         corners[static_cast<size_t>(p.corners)];
}

}  // namespace

void add_resize_rows(Rows& rows) {
  for (const int32_t operation : {ANEURALNETWORKS_RESIZE_BILINEAR, ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR}) {
    for (const int32_t type : kFour) {
      for (const auto& image : std::vector<Dims>{{1, 2, 2, 1}, {2, 3, 5, 3}, {1, 4, 4, 8}, {1, 7, 3, 17}, {1, 1, 1, 2}}) {
        for (const auto& [width, height] : std::vector<std::pair<int32_t, int32_t>>{{1, 1}, {3, 3}, {4, 8}, {7, 5}, {16, 3}}) {
          for (const auto corners : {Corners::kPlain, Corners::kAligned, Corners::kHalfPixels}) {
            for (const bool nchw : {false, true}) {
              const Resize p{.image = image, .width = width, .height = height, .nchw = nchw, .corners = corners};
              rows.add(operation, type, nchw ? "nchw" : "nhwc", name_of(p), [=](Draft& c) { declare(c, type, p); });
            }
          }
        }
      }
      // Sizes and scales are powers of two, so that both give exactly the same output size.
      for (const auto& [width, height] : std::vector<std::pair<int32_t, int32_t>>{{2, 4}, {8, 2}, {16, 16}}) {
        const Resize p{.image = {1, 4, 4, 3}, .width = width, .height = height, .by_scale = true, .corners = Corners::kLeftOut};
        rows.add(operation, type, "by_scale", name_of(p), [=](Draft& c) { declare(c, type, p); });
      }
      const Resize left_out{.image = {1, 3, 4, 5}, .width = 6, .height = 5, .corners = Corners::kLeftOut};
      rows.add(operation, type, "nhwc", name_of(left_out), [=](Draft& c) { declare(c, type, left_out); });
      rows.add(operation, type, "empty", "no_batches", [=](Draft& c) {
        c.empty(tensor(type, {0, 3, 3, 2}));
        c.int32(5);
        c.int32(4);
        c.boolean(false);
        c.output(tensor(type, {}));
      });
      for (const int32_t size : {0, -1}) {
        const Resize wrong{.image = {1, 3, 4, 5}, .width = size, .height = 5};
        rows.refused(operation, type, "width_" + std::to_string(size), [=](Draft& c) { declare(c, type, wrong); });
      }
    }
  }
}

}  // namespace nnvk::tools::conformance
