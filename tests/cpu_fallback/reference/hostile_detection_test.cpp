// Detection kernels with hostile values and parameters: every run ends with a result or an error. Built with sanitizers, this
// finds undefined arithmetic, and reads and writes outside the tensors.
#include <array>
#include <cmath>
#include <random>

#include "core/base/half.h"
#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::cpu {
namespace {

using namespace test;
using enum OperandType;

constexpr int kRounds = 300;

class Hostile {
 public:
  explicit Hostile(uint32_t seed) : random_(seed) {}

  uint32_t pick(uint32_t lo, uint32_t hi) { return std::uniform_int_distribution<uint32_t>(lo, hi)(random_); }
  // Mostly the value that the operation expects.
  int32_t near(int32_t wanted) {
    static constexpr std::array<int32_t, 7> kNasty{INT32_MIN, -65536, -1, 0, 1, 65535, INT32_MAX};
    return pick(0, 9) == 0 ? kNasty[pick(0, 6)] : wanted;
  }
  float near(float wanted) {
    static constexpr std::array<float, 8> kNasty{NAN, INFINITY, -INFINITY, 0.0F, -1.0F, 1e-40F, 3e38F, -3e38F};
    return pick(0, 29) == 0 ? kNasty[pick(0, 7)] : wanted;
  }
  // Reals in [lo, hi], now and then a nasty one; quantized types get any bits.
  Operand reals(OperandType type, Shape shape, float lo, float hi, float scale = 0.125F, int32_t zero_point = 0) {
    const auto count = shape.element_count();
    std::vector<float> values(count);
    for (float& v : values) v = near(std::uniform_real_distribution<float>(lo, hi)(random_));
    if (type == kTensorFloat32) return floats(std::move(shape), values);
    std::vector<uint16_t> halves;
    for (const float v : values) halves.push_back(float_to_half(v));
    if (type == kTensorFloat16) return tensor(type, std::move(shape), halves);
    if (element_size(type) == 2) return tensor(type, std::move(shape), halves, scale, zero_point);
    std::vector<uint8_t> bytes(count);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random_());
    return tensor(type, std::move(shape), bytes, scale, zero_point);
  }
  // Boxes, most of them with corners in order.
  Operand boxes(OperandType type, Shape shape) {
    Operand boxes = reals(type, std::move(shape), 0, 4);
    if (type != kTensorFloat32) return boxes;
    auto* corners = reinterpret_cast<float*>(boxes.bytes.data());
    for (size_t i = 0; i + 3 < boxes.bytes.size() / sizeof(float); i += 4) {
      corners[i + 2] = corners[i] + near(1.5F);
      corners[i + 3] = corners[i + 1] + near(1.0F);
    }
    return boxes;
  }
  Operand indices(uint32_t count, int32_t images) {
    std::vector<int32_t> values(count);
    for (int32_t& v : values) v = pick(0, 40) == 0 ? near(-1) : static_cast<int32_t>(pick(0, static_cast<uint32_t>(images) - 1));
    return ints({count}, values);
  }
  Operand real_scalar(OperandType type, float wanted) {
    const float value = near(wanted);
    if (type == kTensorFloat16) return tensor<uint16_t>(kFloat16, {}, {float_to_half(value)});
    return float_scalar(value);
  }
  OperandType type() {
    return std::array{kTensorFloat32, kTensorFloat16, kTensorQuant8Asymm, kTensorQuant8AsymmSigned}[pick(0, 3)];
  }

 private:
  std::mt19937 random_;
};

OperandType box_type(OperandType type) { return element_size(type) == 1 ? kTensorQuant16Asymm : type; }
OperandInfo box_output(OperandType type) { return output_of(box_type(type), is_float_tensor(type) ? 0.0F : 0.125F); }

// Runs one operation with any result. Counts successes, so that a test can check that it reached the kernels.
void run(OperationCode code, const std::vector<Operand>& inputs, const std::vector<OperandInfo>& outputs, int& successes) {
  if (run_outputs(code, inputs, outputs).status) ++successes;
}

TEST(HostileDetection, NeverBreaksRegions) {
  Hostile h(1);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const OperandType type = h.type();
    const uint32_t regions = h.pick(1, 3);
    const auto in_scale = is_float_tensor(type) ? 0.0F : 0.5F;
    std::vector<Operand> inputs{h.reals(type, {2, h.pick(1, 5), h.pick(1, 5), h.pick(1, 3)}, -1, 1, in_scale),
                                h.boxes(box_type(type), {regions, 4}),
                                h.indices(regions, 2),
                                int_scalar(static_cast<int32_t>(h.pick(1, 4))),
                                int_scalar(static_cast<int32_t>(h.pick(1, 4))),
                                h.real_scalar(type, 2.0F),
                                h.real_scalar(type, 1.5F)};
    std::vector<Operand> align = inputs;
    inputs.push_back(bool_scalar(h.pick(0, 1) == 1));
    run(OperationCode::kRoiPooling, inputs, {output_of(type, in_scale)}, successes);
    align.insert(align.end(), {int_scalar(h.near(1)), int_scalar(h.near(0)), bool_scalar(h.pick(0, 1) == 1)});
    run(OperationCode::kRoiAlign, align, {output_of(type, in_scale / 2)}, successes);
  }
  EXPECT_GT(successes, kRounds / 8);
}

TEST(HostileDetection, NeverBreaksBoxesAndKeypoints) {
  Hostile h(2);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const OperandType type = h.type();
    const uint32_t boxes = h.pick(1, 3);
    run(OperationCode::kAxisAlignedBboxTransform,
        {h.boxes(box_type(type), {boxes, 4}), h.reals(type, {boxes, 8}, -2, 2, h.near(0.1F)), h.indices(boxes, 2),
         h.reals(box_type(type), {2, 2}, 5, 9)},
        {box_output(type)}, successes);
    const uint32_t side = h.pick(2, 4);
    run(OperationCode::kHeatmapMaxKeypoint,
        {h.reals(type, {boxes, side, side, 2}, -1, 1, h.near(0.1F)), h.boxes(box_type(type), {boxes, 4}), bool_scalar(false)},
        {output_of(type, 0.1F), box_output(type)}, successes);
  }
  EXPECT_GT(successes, kRounds / 8);
}

TEST(HostileDetection, NeverBreaksSuppression) {
  Hostile h(3);
  int successes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const OperandType type = h.type();
    const float scale = is_float_tensor(type) ? 0.0F : 0.004F;
    const uint32_t rows = h.pick(1, 9);
    const uint32_t classes = h.pick(2, 4);
    run(OperationCode::kBoxWithNmsLimit,
        {h.reals(type, {rows, classes}, 0, 1, scale), h.boxes(box_type(type), {rows, 4 * classes}), h.indices(rows, 2),
         h.real_scalar(type, 0.1F), int_scalar(h.near(3)), int_scalar(static_cast<int32_t>(h.pick(0, 2))),
         h.real_scalar(type, 0.4F), h.real_scalar(type, 0.5F), h.real_scalar(type, 0.1F)},
        {output_of(type, scale), box_output(type), output_of(kTensorInt32), output_of(kTensorInt32)}, successes);

    const OperandType anchor_type = is_float_tensor(type) ? type : kTensorQuant16Symm;
    run(OperationCode::kGenerateProposals,
        {h.reals(type, {2, 2, 3, 2}, 0, 1, scale), h.reals(type, {2, 2, 3, 8}, -1, 1, is_float_tensor(type) ? 0 : h.near(0.1F)),
         h.boxes(anchor_type, {2, 4}), h.reals(box_type(type), {2, 2}, 5, 20), h.real_scalar(type, 2), h.real_scalar(type, 3),
         int_scalar(h.near(8)), int_scalar(h.near(5)), h.real_scalar(type, 0.5F), h.real_scalar(type, 0.1F), bool_scalar(false)},
        {output_of(type, scale), box_output(type), output_of(kTensorInt32)}, successes);

    if (!is_float_tensor(type)) continue;
    std::vector<Operand> inputs{h.reals(type, {2, rows, classes}, 0, 1), h.reals(type, {2, rows, 5}, -1, 1),
                                h.reals(type, {rows, 4}, 0, 4)};
    for (int i = 0; i < 4; ++i) inputs.push_back(h.real_scalar(type, 5));
    inputs.insert(inputs.end(), {bool_scalar(h.pick(0, 1) == 1), int_scalar(static_cast<int32_t>(h.pick(1, 9))),
                                 int_scalar(static_cast<int32_t>(h.pick(1, 9))), int_scalar(h.near(4)), h.real_scalar(type, 0.1F),
                                 h.real_scalar(type, 0.5F), bool_scalar(false)});
    run(OperationCode::kDetectionPostprocessing, inputs,
        {output_of(type), output_of(type), output_of(kTensorInt32), output_of(kTensorInt32)}, successes);
  }
  EXPECT_GT(successes, kRounds / 2);
}

}  // namespace
}  // namespace nnvk::cpu
