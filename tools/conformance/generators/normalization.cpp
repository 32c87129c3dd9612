// INSTANCE_NORMALIZATION, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION.
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/generators/windows.h"

namespace nnvk::tools::conformance {
namespace {

Tensor l2_output(int32_t type) {
  const Tensor plain = tensor(type, {});
  return plain.scale == 0 ? plain : plain.quantized(1.0f / 128, type == kQuant8 ? 128 : 0);
}

void l2(Draft& c, const Tensor& in, int32_t axis, const Values& values = {}) {
  c.input(in, values);
  c.int32(axis);
  c.output(l2_output(in.type));
}

struct LocalResponse {
  int32_t radius = 1;
  std::vector<double> reals{1, 0.5, 0.75};  // bias, alpha, beta
  int32_t axis = -1;
  Values values{};
};

void declare(Draft& c, const Tensor& in, const LocalResponse& p) {
  c.input(in, p.values);
  c.int32(p.radius);
  for (const double value : p.reals) c.real(value, in.type);
  c.int32(p.axis);
  c.output(tensor(in.type, {}));
}

// Declares INSTANCE_NORMALIZATION; `reals` are gamma, beta and epsilon.
void instance(Draft& c, const Tensor& in, const std::vector<double>& reals, bool nchw, const Values& values = {}) {
  c.input(in, values);
  for (const double value : reals) c.real(value, in.type);
  c.boolean(nchw);
  c.output(tensor(in.type, {}));
}

void add_edges(Rows& rows) {
  const auto add = [&](int32_t type, const std::string& name, const Tensor& in, int32_t axis, const Values& values) {
    rows.edge(ANEURALNETWORKS_L2_NORMALIZATION, type, name, [=](Draft& c) { l2(c, in, axis, values); });
  };
  // Slices of zeros must stay zero; for slices of tiny values, the norm has a lower limit.
  add(kFloat32, "zeros", tensor(kFloat32, {5, 3}), 1, listed({0, 0, 0, 1e-7, 0, 0, 3e-7, 4e-7, 0, 1e30, 1, 1, -0.0, 5, 12}));
  // Slices that a work group shares: one or several slices per group, with groups that reach beyond the last slice.
  for (const int32_t type : kFour) {
    for (const auto& shape : std::vector<Dims>{{2, 300}, {67, 131}}) {
      for (const int32_t axis : {0, 1}) {
        add(type, dims_label(shape) + (axis == 0 ? "_axis_0" : ""), tensor(type, shape), axis, {});
      }
    }
  }
  for (const int32_t type : kBytes) {
    const int32_t lowest = type == kQuant8 ? 0 : -128;
    for (const int32_t axis : {0, 1}) {
      add(type, "zeros_" + std::to_string(axis), tensor(type, {2, 4}).quantized(0.1f, 20), axis,
          each_stored([](uint64_t i) { return i == 5 ? 21.0 : 20.0; }));
    }
    // Slices that repeat one value: sums of squares of every magnitude; those of the longest slices exceed 32 bits.
    for (const uint32_t size : {1, 2, 3, 17, 500, 20000, 70000}) {
      for (const int32_t byte : {0, 1, 2, 3, 100, 127, 128, 255}) {
        add(type, std::to_string(size) + "_times_" + std::to_string(byte), tensor(type, {size}).quantized(0.1f, lowest), 0,
            stored(lowest + byte, lowest + byte));
      }
    }
  }
  // Slices that are too long for one invocation to reduce in one dispatch.
  for (const auto& shape : std::vector<Dims>{{2, 40001}, {40001, 2}}) {
    const int32_t axis = shape[0] == 2 ? 1 : 0;
    add(kFloat32, dims_label(shape), tensor(kFloat32, shape), axis, reals(-100, 100));
    add(kQuant8Signed, dims_label(shape), tensor(kQuant8Signed, shape).quantized(1, -3), axis,
        each_stored([](uint64_t i) { return i == 1 || i == 17 || i == 40000 || i == 40005 || i == 79999 ? 90.0 : -3.0; }));
  }
  for (const bool nchw : {false, true}) {
    const auto add_instance = [&](const std::string& name, const Dims& image, double epsilon) {
      return &rows.edge(ANEURALNETWORKS_INSTANCE_NORMALIZATION, kFloat32, name + (nchw ? "_nchw" : ""), [=](Draft& c) {
        if (element_count(image) > 1000) c.tolerance(1e-4, 1e-4);
        instance(c, tensor(kFloat32, image_dims(image, nchw)), {1.5, -0.5, epsilon}, nchw, reals(-0.5, 0.5));
      });
    };
    add_instance("long", {1, 200, 201, 2}, 0.01);
    for (const uint32_t channels : {1, 3, 8}) add_instance("plane_" + std::to_string(channels), {2, 28, 30, channels}, 0.01);
    add_instance("one_pixel", {3, 1, 1, 5}, 0.01)->same_for_all_seeds("one pixel is its own mean");
    add_instance("negative_variance", {1, 2, 2, 2}, -5)->same_for_all_seeds("its root is not a number");
  }
  rows.refused_edge(ANEURALNETWORKS_INSTANCE_NORMALIZATION, kFloat32, "refused_rank", [](Draft& c) {
    instance(c, tensor(kFloat32, {2, 2, 2}), {1, 0, 0.1}, false);
  });
  const auto add_response = [&](const std::string& name, const Tensor& in, const LocalResponse& p) {
    rows.edge(ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, in.type, name, [=](Draft& c) { declare(c, in, p); });
  };
  for (const int32_t type : kFloats) {
    for (const int32_t radius : {100, 2147483647})
      add_response("radius_" + std::to_string(radius), tensor(type, {2, 3, 4, 5}), {radius, {2, 0.5, 0.75}});
  }
  add_response("wide", tensor(kFloat32, {9001}), {8000, {1, 0.001, 0.5}});
  // Zero and negative bases, to compare how devices' power functions treat them.
  for (const double bias : {0.0, -0.5, -20.0, 1.0}) {
    for (const double beta : {1.0, 0.5, -1.0, 2.0, 0.0, 0.3}) {
      add_response("bias_" + std::to_string(static_cast<int>(bias * 10)) + "_beta_" + std::to_string(static_cast<int>(beta * 10)),
                   tensor(kFloat32, {2, 4}), {.reals = {bias, 1, beta}, .values = listed({0, 1, -2, 0, 0, 3, 0.5, 0})});
    }
  }
}

}  // namespace

void add_normalization_rows(Rows& rows) {
  for (const int32_t type : kFour) {
    constexpr int32_t kOperation = ANEURALNETWORKS_L2_NORMALIZATION;
    for (const auto& shape : std::vector<Dims>{{7}, {5, 17}, {3, 64}, {2, 3, 5}, {2, 3, 4, 7}}) {
      for (int32_t axis = -static_cast<int32_t>(shape.size()); axis < static_cast<int32_t>(shape.size()); ++axis) {
        rows.add(kOperation, type, "axis", dims_label(shape) + "_axis_" + std::to_string(axis),
                 [=](Draft& c) { l2(c, tensor(type, shape), axis); });
      }
    }
    rows.add(kOperation, type, "axis", "left_out", [=](Draft& c) {
      c.input(tensor(type, {2, 3, 4, 5}));
      c.output(l2_output(type));
    });
    for (const int32_t axis : {2, -3}) {
      rows.refused(kOperation, type, "axis_" + std::to_string(axis), [=](Draft& c) { l2(c, tensor(type, {3, 4}), axis); });
    }
  }
  for (const int32_t type : kFloats) {
    for (const auto& shape : std::vector<Dims>{{17}, {5, 8}, {2, 3, 7}, {2, 3, 4, 5}}) {
      for (const int32_t axis : {-1, 0}) {
        for (const int32_t radius : {0, 1, 2, 20}) {
          rows.add(ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, type, axis == 0 ? "first_axis" : "last_axis",
                   dims_label(shape) + "_radius_" + std::to_string(radius),
                   [=](Draft& c) { declare(c, tensor(type, shape), {.radius = radius, .axis = axis}); });
        }
      }
    }
    rows.refused(ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, type, "radius_negative",
                 [=](Draft& c) { declare(c, tensor(type, {5}), {.radius = -1, .axis = 0}); });
    for (const auto& image : image_shapes()) {
      for (const bool nchw : {false, true}) {
        rows.add(ANEURALNETWORKS_INSTANCE_NORMALIZATION, type, nchw ? "nchw" : "nhwc", dims_label(image), [=](Draft& c) {
          instance(c, tensor(type, image_dims(image, nchw)), {1.25, 0.5, 0.0078125}, nchw);
        });
      }
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
