// Buffers and memory of an application as inputs and outputs.
#include <nnvk/diagnostics.h>

#include <nlohmann/json.hpp>

#include "tests/api/vulkan_interop/application.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kBoth = NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE;
constexpr size_t kBytes = kConvolutionFloats * sizeof(float);

class VulkanMemory : public WithApplication {
 protected:
  void SetUp() override {
    WithApplication::SetUp();
    if (application_ != nullptr) device_ = application_->import();
    for (size_t i = 0; i < kConvolutionFloats; ++i) values_.push_back(static_cast<float>(i % 11) - 5.0F);
  }

  MemoryPointer over(VkBuffer buffer, size_t offset, size_t size, VkBufferUsageFlags usage = Application::kAllUsage,
                     uint32_t access = kBoth) {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(nnvk_vkMemoryFromBuffer(device_, buffer, offset, size, usage, access, &memory), kOk) << nnvk_lastError();
    return MemoryPointer(memory);
  }

  void expect_convolution(const float* output) {
    const std::vector<float> expected = convolution_of(values_);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-4F) << i;
  }

  static uint64_t counter(const Compiled& compiled, const char* name) {
    char* json = nullptr;
    EXPECT_EQ(nnvk_describeCompilation(compiled.compilation.get(), &json), kOk);
    const auto described = nlohmann::json::parse(json);
    nnvk_freeString(json);
    return described["counters"][name].get<uint64_t>();
  }

  std::vector<float> values_;
};

TEST_F(VulkanMemory, BuffersAreUsedInPlace) {
  const auto input = application_->make_buffer(kConvolutionFloats);
  const auto output = application_->make_buffer(kConvolutionFloats);
  std::copy(values_.begin(), values_.end(), input.floats);
  const MemoryPointer in = over(input.buffer, 0, kBytes, Application::kAllUsage, NNVK_VK_ACCESS_READ);
  const MemoryPointer out = over(output.buffer, 0, kBytes, Application::kAllUsage, NNVK_VK_ACCESS_WRITE);
  const Compiled compiled(make_convolution(), device_);
  const uint64_t copied_before = counter(compiled, "bytes_copied_internal");
  ASSERT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {{out, 0, kBytes}})), kOk) << nnvk_lastError();
  expect_convolution(output.floats);
  EXPECT_EQ(counter(compiled, "bytes_copied_internal"), copied_before);
  EXPECT_EQ(counter(compiled, "bytes_copied_in"), 0U);
  EXPECT_EQ(counter(compiled, "bytes_copied_out"), 0U);
}

TEST_F(VulkanMemory, PartsOfABufferAtAnyOffsetStayApart) {
  // The input at an offset that kernels cannot use, the output in the middle, guards around both.
  const auto buffer = application_->make_buffer(4 * kConvolutionFloats);
  std::fill_n(buffer.floats, 4 * kConvolutionFloats, 77.0F);
  std::copy(values_.begin(), values_.end(), buffer.floats + 1);
  const size_t begin = 2 * kBytes;
  const MemoryPointer in = over(buffer.buffer, 4, kBytes);
  const MemoryPointer out = over(buffer.buffer, begin - 64, kBytes + 128);
  const Compiled compiled(make_convolution(), device_);
  ASSERT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {{out, 64, kBytes}})), kOk) << nnvk_lastError();
  expect_convolution(buffer.floats + 2 * kConvolutionFloats);
  EXPECT_EQ(buffer.floats[0], 77.0F);
  EXPECT_EQ(buffer.floats[1 + kConvolutionFloats], 77.0F);
  EXPECT_EQ(buffer.floats[2 * kConvolutionFloats - 1], 77.0F);
  EXPECT_EQ(buffer.floats[3 * kConvolutionFloats], 77.0F);
}

TEST_F(VulkanMemory, ABufferForCopiesAloneIsCopied) {
  constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const auto input = application_->make_buffer(kConvolutionFloats, kCopies);
  const auto output = application_->make_buffer(kConvolutionFloats, kCopies);
  std::copy(values_.begin(), values_.end(), input.floats);
  const MemoryPointer in = over(input.buffer, 0, kBytes, kCopies);
  const MemoryPointer out = over(output.buffer, 0, kBytes, kCopies);
  const Compiled compiled(make_convolution(), device_);
  ASSERT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {{out, 0, kBytes}})), kOk) << nnvk_lastError();
  expect_convolution(output.floats);
}

TEST_F(VulkanMemory, WhatCannotBeUsedInPlaceNorCopiedIsRefused) {
  VkBufferUsageFlags usage = 0;
  VkDeviceSize alignment = 0;
  ASSERT_EQ(nnvk_vkBufferNeeds(device_, &usage, &alignment), kOk);
  EXPECT_EQ(usage & ~Application::kAllUsage, 0U);
  EXPECT_GE(alignment, 4U);
  constexpr VkBufferUsageFlags kKernels = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  const auto buffer = application_->make_buffer(2 * kConvolutionFloats, kKernels);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(nnvk_vkMemoryFromBuffer(device_, buffer.buffer, 0, 64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, kBoth, &memory), kBadData);
  // Kernels may use it, but not at this offset; and copies may not.
  const MemoryPointer in = over(buffer.buffer, 4, kBytes, kKernels, NNVK_VK_ACCESS_READ);
  const Compiled compiled(make_convolution(), device_);
  std::vector<float> output(kConvolutionFloats);
  EXPECT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {output})), kBadData);
  EXPECT_NE(nnvk_last_error().find("input 0"), std::string::npos) << nnvk_last_error();
  EXPECT_NE(nnvk_last_error().find("TRANSFER_SRC"), std::string::npos) << nnvk_last_error();
}

TEST_F(VulkanMemory, RangesThatNoMemoryHasAreRefused) {
  const auto buffer = application_->make_buffer(64);
  constexpr VkDeviceSize kHalf = VkDeviceSize{1} << 63;
  const std::pair<VkDeviceSize, VkDeviceSize> ranges[] = {
      {0, 0}, {0, VK_WHOLE_SIZE}, {0 - VkDeviceSize{16}, 16}, {0 - VkDeviceSize{256}, 255}, {kHalf, 16}, {16, kHalf}};
  for (const auto& [offset, size] : ranges) {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(nnvk_vkMemoryFromBuffer(device_, buffer.buffer, offset, size, Application::kAllUsage, NNVK_VK_ACCESS_READ, &memory),
              kBadData)
        << size << " bytes at " << offset;
    EXPECT_EQ(
        nnvk_vkMemoryFromDeviceMemory(device_, buffer.memory, buffer.memory_type, offset, size, NNVK_VK_ACCESS_READ, &memory),
        kBadData)
        << size << " bytes at " << offset;
    EXPECT_EQ(memory, nullptr);
  }
}

TEST_F(VulkanMemory, RulesOfBindingHold) {
  const auto buffer = application_->make_buffer(2 * kConvolutionFloats);
  const MemoryPointer readable = over(buffer.buffer, 0, kBytes, Application::kAllUsage, NNVK_VK_ACCESS_READ);
  const Compiled compiled(make_convolution(), device_);
  const ExecutionPointer execution = make_execution(compiled.compilation.get());
  EXPECT_EQ(set_output(execution, 0, {readable, 0, kBytes}), kBadData);  // not made for it
  EXPECT_EQ(set_input(execution, 0, {readable, 16, kBytes}), kBadData);  // beyond its end
  EXPECT_EQ(set_input(execution, 0, {readable, 0, 0}), kBadData);
  EXPECT_EQ(set_input(execution, 0, {readable, 0, kBytes}), kOk);
  ModelBuilder model;
  const uint32_t constant = model.operand(kFloat, {4});
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(constant), readable.get(), 0, 16),
            kBadData);
  ANeuralNetworksMemory* memory = nullptr;
  const auto make = [&](VkBuffer from, VkDeviceSize offset, VkDeviceSize size, uint32_t access) {
    return nnvk_vkMemoryFromBuffer(device_, from, offset, size, Application::kAllUsage, access, &memory);
  };
  EXPECT_EQ(make(VK_NULL_HANDLE, 0, 64, kBoth), kBadData);
  EXPECT_EQ(make(buffer.buffer, 0, 0, kBoth), kBadData);
  EXPECT_EQ(make(buffer.buffer, 64, VK_WHOLE_SIZE, kBoth), kBadData);
  EXPECT_EQ(make(buffer.buffer, 0, 64, 0), kBadData);
  EXPECT_EQ(make(buffer.buffer, 0, 64, 8), kBadData);
  EXPECT_EQ(memory, nullptr);
}

TEST_F(VulkanMemory, IsCopiedAndUsedOnOtherDevicesThroughTheHost) {
  const auto input = application_->make_buffer(2 * kConvolutionFloats);
  const auto output = application_->make_buffer(2 * kConvolutionFloats);
  std::fill_n(output.floats, 2 * kConvolutionFloats, 77.0F);
  std::copy(values_.begin(), values_.end(), input.floats + 3);
  const MemoryPointer in = over(input.buffer, 8, kBytes + 4);
  const MemoryPointer out = over(output.buffer, 0, 2 * kBytes);
  const Compiled on_cpu(make_convolution(), cpu_device());
  ASSERT_EQ(compute(make_execution(on_cpu.compilation, {{in, 4, kBytes}}, {{out, 20, kBytes}})), kOk) << nnvk_lastError();
  expect_convolution(output.floats + 5);
  EXPECT_EQ(output.floats[4], 77.0F);
  EXPECT_EQ(output.floats[5 + kConvolutionFloats], 77.0F);
  const auto copy = application_->make_buffer(2 * kConvolutionFloats);
  const MemoryPointer target = over(copy.buffer, 0, 2 * kBytes);
  ASSERT_EQ(ANeuralNetworksMemory_copy(out.get(), target.get()), kOk) << nnvk_lastError();
  EXPECT_TRUE(std::equal(output.floats, output.floats + 2 * kConvolutionFloats, copy.floats));
  const MemoryPointer source_only = over(copy.buffer, 0, 2 * kBytes, Application::kAllUsage, NNVK_VK_ACCESS_READ);
  EXPECT_EQ(ANeuralNetworksMemory_copy(out.get(), source_only.get()), kBadData);
}

TEST_F(VulkanMemory, DeviceMemoryGetsABufferOfOurOwn) {
  const auto input = application_->make_buffer(2 * kConvolutionFloats);
  std::copy(values_.begin(), values_.end(), input.floats + 64);
  ANeuralNetworksMemory* memory = nullptr;
  const auto make = [&](uint32_t type, VkDeviceSize offset, VkDeviceSize size) {
    return nnvk_vkMemoryFromDeviceMemory(device_, input.memory, type, offset, size, NNVK_VK_ACCESS_READ, &memory);
  };
  EXPECT_EQ(make(99, 256, kBytes), kBadData);
  EXPECT_EQ(make(input.memory_type, 1, kBytes), kBadData);
  EXPECT_NE(nnvk_last_error().find("multiple"), std::string::npos) << nnvk_last_error();
  ASSERT_EQ(make(input.memory_type, 256, kBytes), kOk) << nnvk_lastError();
  {
    const MemoryPointer in(memory);
    const Compiled compiled(make_convolution(), device_);
    std::vector<float> output(kConvolutionFloats);
    ASSERT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {output})), kOk) << nnvk_lastError();
    expect_convolution(output.data());
  }
}

TEST_F(VulkanMemory, AnOutputThatOverlapsItsInputIsComputedAsIfItDidNot) {
  const auto buffer = application_->make_buffer(2 * kConvolutionFloats);
  std::copy(values_.begin(), values_.end(), buffer.floats);
  const MemoryPointer in = over(buffer.buffer, 0, kBytes);
  const MemoryPointer out = over(buffer.buffer, 256, kBytes);
  const Compiled compiled(make_convolution(), device_);
  ASSERT_EQ(compute(make_execution(compiled.compilation, {{in, 0, kBytes}}, {{out, 0, kBytes}})), kOk) << nnvk_lastError();
  expect_convolution(buffer.floats + 64);
}

}  // namespace
}  // namespace nnvk::test
