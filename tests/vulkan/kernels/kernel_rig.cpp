// Plans of one node, run on two devices and compared.
#include "tests/vulkan/kernels/kernel_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/base/half.h"
#include "cpu_fallback/reference_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan::rig {
namespace {

constexpr size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};
constexpr size_t kUnknownOutputBytes = 4U << 20;

// Devices live until the test program ends its tests, not until static destruction.
struct Devices : ::testing::Environment {
  std::map<KernelVariant, std::unique_ptr<Device>> vulkan;  // null: the machine has none
  std::unique_ptr<Device> reference;
  void TearDown() override {
    vulkan.clear();
    reference.reset();
  }
};
Devices* const g_devices = static_cast<Devices*>(::testing::AddGlobalTestEnvironment(new Devices));

}  // namespace

OperandInfo tensor(OperandType type, Shape shape, float scale, int32_t zero_point) {
  OperandInfo info;
  info.type = type;
  info.shape = std::move(shape);
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

std::vector<std::byte> float_values(OperandType type, std::span<const float> values) {
  if (type == OperandType::kTensorFloat32) return raw_values(std::vector<float>(values.begin(), values.end()));
  std::vector<uint16_t> halves;
  for (const float value : values) halves.push_back(float_to_half(value));
  return raw_values(halves);
}

namespace {

// Values in [-range, range] for every element of a float tensor, repeatable by seed.
std::vector<std::byte> random_values(const OperandInfo& info, uint32_t seed, float range) {
  std::mt19937 random(seed * 2654435761U + 12345U);
  const size_t count = info.shape.element_count();
  std::uniform_real_distribution<float> real(-range, range);
  std::vector<float> values(count);
  for (float& value : values) value = real(random);
  return float_values(info.type, values);
}

}  // namespace

OneNode::OneNode(OperationCode code) {
  plan_.nodes.emplace_back();
  plan_.nodes[0].code = code;
}

OneNode& OneNode::add(const OperandInfo& info, TensorRole role, std::vector<std::byte> bytes) {
  PlanTensor tensor;
  tensor.info = info;
  tensor.role = role;
  const auto id = static_cast<TensorId>(plan_.tensors.size());
  if (role == TensorRole::kConstant) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    tensor.value = *owner;
    tensor.owner = owner;
  } else if (role == TensorRole::kInput) {
    tensor.io_index = static_cast<uint32_t>(plan_.inputs.size());
    plan_.inputs.push_back(id);
    inputs_.push_back(std::move(bytes));
  } else if (role == TensorRole::kOutput) {
    tensor.io_index = static_cast<uint32_t>(plan_.outputs.size());
    plan_.outputs.push_back(id);
  }
  (role == TensorRole::kOutput ? plan_.nodes[0].outputs : plan_.nodes[0].inputs).push_back(id);
  plan_.tensors.push_back(std::move(tensor));
  return *this;
}

OneNode& OneNode::input(const OperandInfo& info, std::vector<std::byte> bytes) {
  return add(info, TensorRole::kInput, std::move(bytes));
}
OneNode& OneNode::constant(const OperandInfo& info, std::vector<std::byte> bytes) {
  return add(info, TensorRole::kConstant, std::move(bytes));
}
OneNode& OneNode::random_input(const OperandInfo& info, uint32_t seed, float range) {
  return input(info, random_values(info, seed, range));
}
OneNode& OneNode::random_constant(const OperandInfo& info, uint32_t seed, float range) {
  return constant(info, random_values(info, seed, range));
}
OneNode& OneNode::scalar(int32_t value) {
  return constant(tensor(OperandType::kInt32, {}), raw_values(std::vector<int32_t>{value}));
}
OneNode& OneNode::scalar(bool value) {
  return constant(tensor(OperandType::kBool, {}), raw_values(std::vector<uint8_t>{static_cast<uint8_t>(value)}));
}
OneNode& OneNode::omitted(OperandType type) { return add(tensor(type, Shape::unknown_rank()), TensorRole::kOmitted, {}); }
OneNode& OneNode::output(const OperandInfo& info) { return add(info, TensorRole::kOutput, {}); }
std::shared_ptr<const Plan> OneNode::plan() const { return std::make_shared<const Plan>(plan_); }

Result<std::vector<OutputValue>> run_on(Device& device, const OneNode& node, std::span<const Shape> output_shapes) {
  const std::shared_ptr<const Plan> plan = node.plan();
  std::vector<std::vector<std::byte>> inputs = node.input_bytes();
  const std::vector<Placement> placements = device.place(*plan);
  if (placements.size() != plan->nodes.size()) return fail(Code::kUnavailableDevice, device.info().name + " does not place it");
  for (const Placement& placement : placements) {
    if (!placement.supported) {
      return fail(Code::kUnavailableDevice, device.info().name + " does not support it: " + placement.reason);
    }
  }
  NNVK_ASSIGN(const std::unique_ptr<PreparedPlan> prepared, device.prepare(plan, PrepareOptions{}));
  std::vector<Binding> input_bindings;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Binding binding;
    binding.data = inputs[i].data();
    binding.size = inputs[i].size();
    binding.shape = plan->tensors[plan->inputs[i]].info.shape;
    input_bindings.push_back(std::move(binding));
  }
  std::vector<OutputValue> outputs;
  std::vector<Binding> output_bindings;
  for (size_t i = 0; i < plan->outputs.size(); ++i) {
    OperandInfo info = plan->tensors[plan->outputs[i]].info;
    const Shape declared = info.shape;
    if (i < output_shapes.size()) info.shape = output_shapes[i];
    const size_t bytes = info.byte_size().value_or(kUnknownOutputBytes);
    outputs.push_back({info, std::vector<std::byte>(bytes + kGuardBytes, kGuard)});
    Binding binding;
    binding.size = bytes;
    binding.shape = declared;
    output_bindings.push_back(std::move(binding));
  }
  for (size_t i = 0; i < outputs.size(); ++i) output_bindings[i].data = outputs[i].bytes.data();
  Request request;
  request.inputs = input_bindings;
  request.outputs = output_bindings;
  NNVK_ASSIGN(const Submission submission, prepared->submit(request));
  NNVK_TRY(submission.done.wait());
  NNVK_TRY(submission.report->result);
  for (size_t i = 0; i < outputs.size(); ++i) {
    OutputValue& output = outputs[i];
    const size_t capacity = output.bytes.size() - kGuardBytes;
    const auto guard = std::span(output.bytes).subspan(capacity);
    EXPECT_TRUE(std::all_of(guard.begin(), guard.end(), [](std::byte b) { return b == kGuard; })) << "written past output " << i;
    output.info.shape = submission.report->outputs.at(i).shape;
    output.bytes.resize(std::min<size_t>(capacity, output.info.byte_size().value_or(0)));
  }
  return outputs;
}

Device& reference_device() {
  if (!g_devices->reference) g_devices->reference = cpu::make_reference_device();
  return *g_devices->reference;
}

Device* vulkan_device(KernelVariant variant, std::string* reason) {
  const auto [entry, is_new] = g_devices->vulkan.try_emplace(variant);
  if (is_new) {
    auto devices = discover_devices(cpu::reference_evaluator(), {.variant = variant});
    if (!devices.empty()) entry->second = std::move(devices.front());
  }
  Device* device = entry->second.get();
  if (device == nullptr && reason != nullptr) *reason = "no Vulkan device with Vulkan 1.1 and a compute queue on this machine";
  return device;
}

void expect_same_bytes(const OneNode& node) {
  const auto expected = run_on(reference_device(), node);
  ASSERT_TRUE(expected) << "the reference: " << expected.error().message;
  std::vector<Shape> shapes;
  for (const OutputValue& output : *expected) shapes.push_back(output.info.shape);
  for (const KernelVariant variant : kKernelVariants) {
    const auto actual = run_on(*vulkan_device(variant), node, shapes);
    ASSERT_TRUE(actual) << actual.error().message;
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_EQ((*actual)[i].info.shape, (*expected)[i].info.shape);
      EXPECT_EQ((*actual)[i].bytes, (*expected)[i].bytes) << name_of(variant) << ", output " << i;
    }
  }
}

}  // namespace nnvk::vulkan::rig
