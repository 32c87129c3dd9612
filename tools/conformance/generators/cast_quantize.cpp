// CAST, DEQUANTIZE, QUANTIZE.
#include <cmath>

#include "tools/conformance/generators/rows.h"

namespace nnvk::tools::conformance {
namespace {

void add_conversion(Rows& rows, int32_t operation, int32_t from, int32_t to, const Values& values) {
  for (const auto& shape : edge_shapes(operation == ANEURALNETWORKS_DEQUANTIZE ? 4 : 8)) {
    const auto type = type_label(from) + "_to_" + type_label(to);
    rows.add(operation, type, "shape", dims_label(shape), [=](Draft& c) {
      c.input(tensor(from, shape), values);
      c.output(tensor(to, {}));
    });
  }
}

// Returns halves, the ends of the types, NaN and infinities.
std::vector<double> awkward_values() {
  return {0,    -0.0, 0.5,  -0.5, 0.49999997, 1.5,          -1.5,      2.5,        126.5, 127.5, 254.5, 255.4, 255.5, 300, -128.5,
          -300, 1e9,  -1e9, 3e9,  -3e9,       2147483520.0, kInfinity, -kInfinity, kNan,  0.99,  -0.99, 65504, 1e-8,  3e38};
}

struct Conversion {
  int32_t operation;
  std::string name;
  Tensor from;
  Tensor to;
  Values values{};
};

void add_edge(Rows& rows, const Conversion& p) {
  rows.edge(p.operation, type_label(p.from.type) + "_to_" + type_label(p.to.type), p.name, [=](Draft& c) {
    c.input(p.from, p.values);
    if (p.operation != ANEURALNETWORKS_QUANTIZE) c.tolerance(0, 0);
    c.output(p.to);
  });
}

void add_edges(Rows& rows) {
  const Values awkward = listed(awkward_values());
  for (const int32_t from : kFloats) {
    for (const int32_t to : kBytes) {
      for (const float scale : {1.0f, 0.25f, 0.1f}) {
        for (const int32_t zero_point : {0, 17, 100}) {
          const auto name = std::to_string(static_cast<int>(scale * 100)) + "_" + std::to_string(zero_point);
          const Tensor out = tensor(to, {}).quantized(scale, zero_point);
          add_edge(rows, {ANEURALNETWORKS_QUANTIZE, "awkward_" + name, tensor(from, {29}), out, awkward});
          add_edge(rows, {ANEURALNETWORKS_QUANTIZE, "many_" + name, tensor(from, {3, 1001}), out, reals(-40, 40)});
        }
      }
    }
    for (const int32_t to : {kInt32, kQuant8, kFloat32, kFloat16}) {
      add_edge(rows, {ANEURALNETWORKS_CAST, "awkward", tensor(from, {29}), tensor(to, {}), awkward});
    }
  }
  // Values at the middle between two steps, and next to it: a division that is one unit off gives another integer.
  for (const float scale : {0.1f, 0.0235f, 0.3f, 0.0078125f, 0.7f, 1.0f / 3, 0.0171f, 2.37f}) {
    const Values ties = each([=](uint64_t i) {
      const uint64_t middle = i / 9;
      float value = (static_cast<float>(middle) - 127.5f) * scale;
      for (uint64_t step = 0; step < 4; ++step) value = std::nextafter(value, -1e9f);
      for (uint64_t step = 0; step < i % 9; ++step) value = std::nextafter(value, 1e9f);
      return value;
    });
    add_edge(rows, {ANEURALNETWORKS_QUANTIZE, "near_ties_" + std::to_string(static_cast<int>(scale * 10000)),
                    tensor(kFloat32, {9 * 256}), tensor(kQuant8Signed, {}).quantized(scale, 0), ties});
  }
  for (const int32_t to : kFloats) {
    for (const int32_t from : {kQuant8, kQuant8Signed, kQuant8Symm}) {
      add_edge(rows, {ANEURALNETWORKS_DEQUANTIZE, "exact", tensor(from, {2, 131}).quantized(0.37f, from == kQuant8Symm ? 0 : 5),
                      tensor(to, {}), every_byte()});
    }
    for (const uint32_t axis : {0, 1, 2, 3}) {
      add_edge(rows, {ANEURALNETWORKS_DEQUANTIZE,
                      "exact_axis_" + std::to_string(axis),
                      tensor(kQuant8Channel, {3, 5, 2, 7}).per_channel(axis, 0.3f),
                      tensor(to, {}),
                      {}});
    }
  }
  for (const int32_t to : {kFloat32, kFloat16, kQuant8}) {
    add_edge(
        rows,
        {ANEURALNETWORKS_CAST, "awkward", tensor(kInt32, {14}), tensor(to, {}),
         listed({-2147483648.0, -1, 0, 1, 255, 256, 16777217, -16777219, 33554435, 65519, 65520, 2049, 2051, 2147483647.0})});
  }
  // Values between two halves, denormal ones included: shaders narrow floats themselves and must round to nearest even.
  add_edge(rows, {ANEURALNETWORKS_CAST, "between_halves", tensor(kFloat32, {60000}), tensor(kFloat16, {}), each([](uint64_t i) {
                    const double magnitude = std::ldexp(1 + static_cast<double>(i % 4099) / 4096, static_cast<int>(i % 44) - 27);
                    return i % 3 == 0 ? -magnitude : magnitude;
                  })});
}

}  // namespace

void add_cast_quantize_rows(Rows& rows) {
  constexpr int32_t kNumbers[] = {kFloat16, kFloat32, kInt32, kQuant8};
  for (const int32_t from : kNumbers) {
    for (const int32_t to : kNumbers) {
      // Values beyond the range of 8 bits on both sides, with fractions.
      const Values values = from == kInt32 ? stored(-300, 600) : from == kQuant8 ? Values{} : reals(-300, 600);
      add_conversion(rows, ANEURALNETWORKS_CAST, from, to, values);
    }
  }
  for (const int32_t type : {kBool8, kQuant16Asymm, kQuant16, kQuant8Signed, kQuant8Symm}) {
    add_conversion(rows, ANEURALNETWORKS_CAST, type, type, {});
  }
  for (const int32_t to : kFloats) {
    for (const int32_t from : {kQuant8, kQuant8Signed, kQuant8Symm}) {
      add_conversion(rows, ANEURALNETWORKS_DEQUANTIZE, from, to, {});
    }
    for (const uint32_t axis : {0, 1, 2, 3}) {
      const auto type = type_label(kQuant8Channel) + "_to_" + type_label(to);
      rows.add(ANEURALNETWORKS_DEQUANTIZE, type, "channel_axis", std::to_string(axis), [=](Draft& c) {
        c.input(tensor(kQuant8Channel, {2, 3, 4, 5}).per_channel(axis, 1.0f / 64));
        c.output(tensor(to, {}));
      });
    }
  }
  for (const int32_t from : kFloats) {
    for (const int32_t to : {kQuant8, kQuant8Signed}) {
      add_conversion(rows, ANEURALNETWORKS_QUANTIZE, from, to, reals(-12, 12));
    }
  }
  add_edges(rows);
}

}  // namespace nnvk::tools::conformance
