// INSTANCE_NORMALIZATION, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

Tensor l2_output(int32_t type) {
  const Tensor plain = tensor(type, {});
  return plain.scale == 0 ? plain : plain.quantized(1.0f / 128, type == kQuant8 ? 128 : 0);
}

void l2(Draft& c, int32_t type, const Dims& shape, int32_t axis) {
  c.input(tensor(type, shape));
  c.int32(axis);
  c.output(l2_output(type));
}

void local_response(Draft& c, int32_t type, const Dims& shape, int32_t radius, int32_t axis) {
  c.input(tensor(type, shape));
  c.int32(radius);
  c.real(1, type);
  c.real(0.5, type);
  c.real(0.75, type);
  c.int32(axis);
  c.output(tensor(type, {}));
}

}  // namespace

void add_normalization_rows(Rows& rows) {
  for (const int32_t type : {kFloat32, kFloat16, kQuant8, kQuant8Signed}) {
    constexpr int32_t kOperation = ANEURALNETWORKS_L2_NORMALIZATION;
    for (const auto& shape : std::vector<Dims>{{7}, {5, 17}, {3, 64}, {2, 3, 5}, {2, 3, 4, 7}}) {
      for (int32_t axis = -static_cast<int32_t>(shape.size()); axis < static_cast<int32_t>(shape.size()); ++axis) {
        rows.add(kOperation, type, "axis", dims_label(shape) + "_axis_" + std::to_string(axis),
                 [=](Draft& c) { l2(c, type, shape, axis); });
      }
    }
    rows.add(kOperation, type, "axis", "left_out", [=](Draft& c) {
      c.input(tensor(type, {2, 3, 4, 5}));
      c.output(l2_output(type));
    });
    for (const int32_t axis : {2, -3}) {
      rows.add(kOperation, type, "refused", "axis_" + std::to_string(axis),
               [=](Draft& c) {
                 l2(c, type, {3, 4}, axis);
               })
          .refused();
    }
  }
  for (const int32_t type : {kFloat32, kFloat16}) {
    for (const auto& shape : std::vector<Dims>{{17}, {5, 8}, {2, 3, 7}, {2, 3, 4, 5}}) {
      for (const int32_t axis : {-1, 0}) {
        for (const int32_t radius : {0, 1, 2, 20}) {
          rows.add(ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, type, axis == 0 ? "first_axis" : "last_axis",
                   dims_label(shape) + "_radius_" + std::to_string(radius),
                   [=](Draft& c) { local_response(c, type, shape, radius, axis); });
        }
      }
    }
    rows.add(ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, type, "refused", "radius_negative",
             [=](Draft& c) { local_response(c, type, {5}, -1, 0); })
        .refused();
    for (const auto& image : image_shapes()) {
      for (const bool nchw : {false, true}) {
        rows.add(ANEURALNETWORKS_INSTANCE_NORMALIZATION, type, nchw ? "nchw" : "nhwc", dims_label(image), [=](Draft& c) {
          c.input(tensor(type, image_dims(image, nchw)));
          c.real(1.25, type);
          c.real(0.5, type);
          c.real(0.0078125, type);
          c.boolean(nchw);
          c.output(tensor(type, {}));
        });
      }
    }
  }
}

}  // namespace nnvk::tools::conformance
