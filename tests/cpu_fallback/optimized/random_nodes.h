// Compares nodes of random shapes on nnvk-cpu with nnapi-reference: integers must be equal, floats nearly equal. All client
// memory lies between guard pages: kernels touch no byte outside their tensors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/half.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/cpu_fallback/optimized/every_instruction_set.h"
#include "tests/cpu_fallback/optimized/guarded_bytes.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {

using enum OperandType;

// The types of one layer's operands.
struct LayerTypes {
  const char* name;
  OperandType image;
  OperandType filter;
};
inline constexpr LayerTypes kLayerTypes[] = {
    {"Float", kTensorFloat32, kTensorFloat32},
    {"Unsigned", kTensorQuant8Asymm, kTensorQuant8Asymm},
    {"UnsignedPerChannel", kTensorQuant8Asymm, kTensorQuant8SymmPerChannel},
    {"Signed", kTensorQuant8AsymmSigned, kTensorQuant8AsymmSigned},
    {"SignedPerChannel", kTensorQuant8AsymmSigned, kTensorQuant8SymmPerChannel},
};

class RandomNodes : public ::testing::TestWithParam<LayerTypes> {
 protected:
  uint32_t pick(uint32_t lo, uint32_t hi) { return std::uniform_int_distribution<uint32_t>(lo, hi)(random_); }
  int32_t pick_int(uint32_t lo, uint32_t hi) { return static_cast<int32_t>(pick(lo, hi)); }
  bool is_float() const { return GetParam().image == kTensorFloat32; }
  int32_t zero_point(OperandType type) {
    if (type == kTensorQuant8Asymm) return pick_int(0, 255);
    return type == kTensorQuant8AsymmSigned ? pick_int(0, 255) - 128 : 0;
  }

  std::vector<std::byte> random_bytes(OperandType type, size_t count) {
    std::vector<std::byte> bytes(count * element_size(type));
    if (type == kTensorFloat32) {
      for (size_t i = 0; i < count; ++i) {
        const float value = std::uniform_real_distribution<float>(-1, 1)(random_);
        std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
      }
    } else if (type == kTensorFloat16) {
      for (size_t i = 0; i < count; ++i) {
        const uint16_t half = float_to_half(std::uniform_real_distribution<float>(-1, 1)(random_));
        std::memcpy(bytes.data() + i * sizeof half, &half, sizeof half);
      }
    } else {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(pick(0, 255));
    }
    return bytes;
  }

  TensorId input(PlanFixture& m, const Shape& shape) {
    const OperandType type = GetParam().image;
    const bool is_real = is_float_tensor(type);
    const TensorId id = m.input(shape, type, is_real ? 0.0F : 0.5F, zero_point(type));
    inputs_.push_back(random_bytes(type, shape.element_count()));
    return id;
  }
  // Added to the result of the last node.
  void residual(PlanFixture& m, const Shape& shape) { m.raw().nodes.back().residual = input(m, shape); }
  TensorId output(PlanFixture& m, const Shape& shape, float scale) {
    return m.output(shape, GetParam().image, is_float() ? 0.0F : scale, zero_point(GetParam().image));
  }
  // If the scales are per channel, they follow dimension `channel_dim`.
  TensorId filter(PlanFixture& m, const Shape& shape, uint32_t channel_dim) {
    const OperandType type = GetParam().filter;
    const bool per_channel = type == kTensorQuant8SymmPerChannel;
    const TensorId id = m.constant(shape, type, random_bytes(type, shape.element_count()),
                                   is_float() || per_channel ? 0.0F : 0.25F, zero_point(type));
    if (per_channel) {
      auto scales = std::make_shared<ChannelQuant>();
      scales->channel_dim = channel_dim;
      for (uint32_t c = 0; c < shape[channel_dim]; ++c) scales->scales.push_back(0.03125F * static_cast<float>(pick(1, 40)));
      m.raw().tensors[id].info.channel_quant = std::move(scales);
    }
    return id;
  }
  TensorId bias(PlanFixture& m, uint32_t count) {
    if (is_float()) return m.constant({count}, kTensorFloat32, random_bytes(kTensorFloat32, count));
    std::vector<int32_t> values(count);
    for (int32_t& value : values) value = pick_int(0, 20000) - 10000;
    return m.constant({count}, kTensorInt32, values, 0.125F);
  }

  // The bytes of all outputs, one after the other.
  std::vector<std::byte> run(Device& device, const PlanFixture& m, Guard guard) {
    const auto plan = m.plan();
    auto prepared = device.prepare(plan, {});
    if (!prepared) throw std::runtime_error(prepared.error().text());
    std::vector<GuardedBytes> memory;
    std::vector<Binding> inputs(plan->inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      memory.emplace_back(inputs_[i], guard);
      inputs[i].data = memory.back().data();
      inputs[i].size = memory.back().size();
      inputs[i].shape = plan->tensors[plan->inputs[i]].info.shape;
    }
    std::vector<GuardedBytes> results;
    std::vector<Binding> outputs(plan->outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const OperandInfo& info = plan->tensors[plan->outputs[i]].info;
      results.emplace_back(*info.byte_size(), guard);
      outputs[i].data = results.back().data();
      outputs[i].size = results.back().size();
      outputs[i].shape = info.shape;
    }
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    request.may_run_inline = true;
    request.profile = true;
    const auto submission = (*prepared)->submit(request);
    if (!submission || !submission->done.wait()) throw std::runtime_error("the layer does not run");
    kernel_.clear();
    kernels_.clear();
    for (const NodeProfile& node : submission->report->profile) {
      kernels_.push_back(node.kernel);
      if (node.operation == operation_name(plan->nodes[0].code)) kernel_ = node.kernel;
    }
    std::vector<std::byte> all;
    for (const GuardedBytes& result : results) all.insert(all.end(), result.data(), result.data() + result.size());
    return all;
  }

  void expect_equal(const PlanFixture& m, float largest_sum) {
    const std::vector<std::byte> wanted = run(*reference_, m, Guard::kBehind);
    for (const Guard guard : {Guard::kBefore, Guard::kBehind}) {
      const std::vector<std::byte> got = run(*device_, m, guard);
      EXPECT_FALSE(kernel_.empty() || kernel_ == "reference") << kernel_;
      ASSERT_EQ(got.size(), wanted.size());
      if (got == wanted) continue;
      if (!is_float()) {
        ASSERT_EQ(got, wanted);
        continue;
      }
      for (size_t i = 0; i + sizeof(float) <= got.size(); i += sizeof(float)) {
        float a = 0;
        float b = 0;
        std::memcpy(&a, got.data() + i, sizeof a);
        std::memcpy(&b, wanted.data() + i, sizeof b);
        ASSERT_NEAR(a, b, 1e-6F * largest_sum) << "element " << i / sizeof(float);
      }
    }
    inputs_.clear();
  }

  // Compares the devices with every instruction set.
  void expect_equal_everywhere(const PlanFixture& m, float largest_sum) {
    const auto inputs = inputs_;
    with_every_instruction_set([&](const std::string& name) {
      const testing::ScopedTrace trace(__FILE__, __LINE__, name);
      inputs_ = inputs;
      ASSERT_NO_FATAL_FAILURE(expect_equal(m, largest_sum));
    });
  }

  // Sizes around the edges of tiles and vectors.
  uint32_t channels() { return pick(0, 1) == 0 ? pick(1, 9) : pick(10, 70); }

  std::mt19937 random_{7};
  std::vector<std::vector<std::byte>> inputs_;
  std::string kernel_;                // of the first node's operation
  std::vector<std::string> kernels_;  // of all steps of the last run
  const std::unique_ptr<Device> device_ = cpu::make_cpu_device({2});
  const std::unique_ptr<Device> reference_ = cpu::make_reference_device();
};

}  // namespace nnvk::test
