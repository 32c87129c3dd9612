// Images of the application as inputs and outputs of work that nnvk submits: computations, and executions between semaphores.
// Also the calls that nnvk refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "tests/api/recording/image_frames.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
constexpr TensorKind kKind{ANEURALNETWORKS_TENSOR_FLOAT32, 4};

// A timeline semaphore of the application.
class Timeline {
 public:
  explicit Timeline(VkDevice device) : device_(device) {
    auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto info = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    info.pNext = &type;
    EXPECT_EQ(vkCreateSemaphore(device, &info, nullptr, &semaphore_), VK_SUCCESS);
  }
  // Mesa's drivers may touch a timeline a moment after it has its last value, so wait for the device.
  ~Timeline() {
    EXPECT_EQ(vkDeviceWaitIdle(device_), VK_SUCCESS);
    vkDestroySemaphore(device_, semaphore_, nullptr);
  }
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  NnvkVkSemaphore at(uint64_t value) const { return {semaphore_, value}; }
  bool wait(uint64_t value) const {
    auto info = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore_;
    info.pValues = &value;
    constexpr uint64_t kTenSeconds = 10'000'000'000;
    return vkWaitSemaphores(device_, &info, kTenSeconds) == VK_SUCCESS;
  }

 private:
  VkDevice device_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

// Source and target of a frame's pixels.
struct Pixels {
  Pixels(const Application& application, ANeuralNetworksDevice* device, VkFormat format, VkExtent2D size = {kSide, kSide})
      : from(application, format, size),
        to(application, format, size),
        x(memory_of(device, from.info(kLayout), NNVK_VK_ACCESS_READ)),
        y(memory_of(device, to.info(kLayout), NNVK_VK_ACCESS_WRITE)),
        uploaded(application, from.bytes()),
        downloaded(application, to.bytes()),
        commands(application) {}
  void upload(uint32_t seed) {
    uploaded.fill(random_pixels(from.info(kLayout), seed));
    commands.run([&](VkCommandBuffer buffer) { from.record_upload(buffer, uploaded.buffer.get(), kLayout); });
  }
  // The pixels of the output image.
  std::vector<std::byte> result() {
    commands.run([&](VkCommandBuffer buffer) { to.record_download(buffer, downloaded.buffer.get(), kLayout); });
    return downloaded.bytes();
  }
  ExecutionPointer execution(const CompilationPointer& compilation) const {
    return make_execution(compilation, {{x, 0, 0}}, {{y, 0, 0}});
  }

  Image from;
  Image to;
  MemoryPointer x;
  MemoryPointer y;
  Staging uploaded;
  Staging downloaded;
  Commands commands;
};

class ImageExecutionTest : public RecordingTest {
 protected:
  // The network's result for the pixels, computed on buffers of the host.
  std::vector<std::byte> wanted(const CompilationPointer& compilation, const Pixels& pixels) {
    const NnvkVkImageInfo info = pixels.from.info(kLayout);
    const std::vector<std::byte> x = as_tensor(info, kKind, pixels.uploaded.bytes());
    std::vector<std::byte> y(x.size());
    EXPECT_EQ(compute(make_execution(compilation, {x}, {y})), kOk);
    return as_pixels(info, kKind, y);
  }
};

TEST_F(ImageExecutionTest, ComputationsReadAndWriteImages) {
  const Compiled network(make_network(), device_);
  for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SFLOAT}) {
    Pixels pixels(*application_, device_, format);
    for (uint32_t frame = 0; frame < 6; ++frame) {
      pixels.upload(frame);
      const ExecutionPointer execution = pixels.execution(network.compilation);
      ANeuralNetworksEvent* event = nullptr;
      if (frame % 2 == 0) {
        ASSERT_EQ(compute(execution), kOk) << nnvk_lastError();
      } else {
        ASSERT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), &event), kOk) << nnvk_lastError();
        const EventPointer owner(event);
        ASSERT_EQ(ANeuralNetworksEvent_wait(event), kOk);
      }
      EXPECT_EQ(pixels.result(), wanted(network.compilation, pixels));
    }
  }
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
}

// The input is an image and the output is in host memory, or the reverse.
TEST_F(ImageExecutionTest, ImagesAndMemoryOfTheHostMix) {
  const Compiled network(make_network(), device_);
  Pixels pixels(*application_, device_, VK_FORMAT_R8G8B8A8_UNORM);
  pixels.upload(1);
  const NnvkVkImageInfo info = pixels.from.info(kLayout);
  std::vector<std::byte> y(kBytes);
  ASSERT_EQ(compute(make_execution(network.compilation, {{pixels.x, 0, 0}}, {y})), kOk) << nnvk_lastError();
  EXPECT_EQ(as_pixels(info, kKind, y), wanted(network.compilation, pixels));
  const std::vector<std::byte> x = as_tensor(info, kKind, pixels.uploaded.bytes());
  ASSERT_EQ(compute(make_execution(network.compilation, {x}, {{pixels.y, 0, 0}})), kOk) << nnvk_lastError();
  EXPECT_EQ(pixels.result(), wanted(network.compilation, pixels));
}

// Frames in flight, each computed twice over the same images. Only a timeline orders one execution after the other.
TEST_F(ImageExecutionTest, ExecutionsBetweenSemaphoresFollowEachOther) {
  const Compiled network(make_network(), device_);
  const Timeline timeline(application_->device());
  constexpr size_t kFrames = 3;
  std::deque<Pixels> frames;
  for (size_t i = 0; i < kFrames; ++i) frames.emplace_back(*application_, device_, VK_FORMAT_R8G8B8A8_UNORM);
  for (uint32_t round = 0; round < 5; ++round) {
    const uint64_t begin = uint64_t{round} * 2 * kFrames;
    for (size_t i = 0; i < kFrames; ++i) frames[i].upload(10 * round + static_cast<uint32_t>(i));
    std::vector<EventPointer> events;
    for (size_t i = 0; i < kFrames; ++i) {
      const ExecutionPointer there = frames[i].execution(network.compilation);
      const std::vector<NnvkVkSemaphore> waits =
          i == 0 && round == 0 ? std::vector<NnvkVkSemaphore>() : std::vector{timeline.at(begin + 2 * i)};
      const NnvkVkSemaphore done = timeline.at(begin + 2 * i + 1);
      ANeuralNetworksEvent* event = nullptr;
      ASSERT_EQ(nnvk_vkStartCompute(there.get(), static_cast<uint32_t>(waits.size()), waits.data(), 1, &done, 0, nullptr, &event),
                kOk)
          << nnvk_lastError();
      events.emplace_back(event);
      const ExecutionPointer again = frames[i].execution(network.compilation);
      const NnvkVkSemaphore last = timeline.at(begin + 2 * i + 2);
      ASSERT_EQ(nnvk_vkStartCompute(again.get(), 1, &done, 1, &last, 0, nullptr, i == 1 ? &event : nullptr), kOk)
          << nnvk_lastError();
      if (i == 1) events.emplace_back(event);
      if (i == 1) {  // four executions of a compilation may be in flight
        ASSERT_TRUE(timeline.wait(last.value));
      }
    }
    ASSERT_TRUE(timeline.wait(begin + 2 * kFrames));
    for (const EventPointer& event : events) EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
    for (Pixels& frame : frames) EXPECT_EQ(frame.result(), wanted(network.compilation, frame));
  }
}

// Fenced executions that depend on each other, over an image in the middle: nnvk submits them at once.
TEST_F(ImageExecutionTest, FencedExecutionsHandAnImageOn) {
  const Compiled network(make_network(), device_);
  Pixels pixels(*application_, device_, VK_FORMAT_R32G32B32A32_SFLOAT);
  const MemoryPointer back = memory_of(device_, pixels.from.info(kLayout), NNVK_VK_ACCESS_WRITE);
  const MemoryPointer forth = memory_of(device_, pixels.to.info(kLayout), NNVK_VK_ACCESS_READ);
  for (uint32_t round = 0; round < 5; ++round) {
    pixels.upload(round);
    std::vector<std::byte> expected = pixels.uploaded.bytes();
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
    const ANeuralNetworksEvent* before = nullptr;
    for (int link = 0; link < 5; ++link) {
      std::vector<std::byte> y(expected.size());
      EXPECT_EQ(compute(make_execution(network.compilation, {expected}, {y})), kOk);
      expected = y;
      executions.push_back(link % 2 == 0 ? pixels.execution(network.compilation)
                                         : make_execution(network.compilation, {{forth, 0, 0}}, {{back, 0, 0}}));
    }
    for (const ExecutionPointer& execution : executions) {
      events.push_back(start_fenced(execution, before));
      before = events.back().get();
    }
    for (const EventPointer& event : events) EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
    EXPECT_EQ(pixels.result(), expected);
  }
}

// The test frees memories and images while compilations keep commands for them.
TEST_F(ImageExecutionTest, ImagesThatAreGoneAreForgotten) {
  const Compiled network(make_network(), device_);
  for (uint32_t i = 0; i < 40; ++i) {
    Pixels pixels(*application_, device_, i % 3 == 0 ? VK_FORMAT_B8G8R8A8_UNORM : VK_FORMAT_R16G16B16A16_SFLOAT);
    pixels.upload(i);
    ASSERT_EQ(compute(pixels.execution(network.compilation)), kOk) << nnvk_lastError();
    EXPECT_EQ(pixels.result(), wanted(network.compilation, pixels));
  }
}

TEST_F(ImageExecutionTest, WhatIsNoImageForTensorsIsRefused) {
  const Image image(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize);
  struct Case {
    const char* text;  // that the error has
    std::function<void(NnvkVkImageInfo&)> change;
    uint32_t access = kBothAccesses;
  };
  const Case cases[] = {
      {"structSize", [](NnvkVkImageInfo& info) { info.structSize = 8; }},
      {"next", [](NnvkVkImageInfo& info) { info.next = &info; }},
      {"VK_NULL_HANDLE", [](NnvkVkImageInfo& info) { info.image = VK_NULL_HANDLE; }},
      {"VK_FORMAT_R8G8B8A8_UNORM", [](NnvkVkImageInfo& info) { info.format = VK_FORMAT_R8G8B8A8_SNORM; }},
      {"not a pixel", [](NnvkVkImageInfo& info) { info.extent.width = 0; }},
      {"not a pixel", [](NnvkVkImageInfo& info) { info.extent.depth = 0; }},
      {"2D", [](NnvkVkImageInfo& info) { info.extent.depth = 2; }},
      {"2^31",
       [](NnvkVkImageInfo& info) {
         info.extent = {UINT32_MAX, UINT32_MAX, 1};
       }},
      {"4 samples", [](NnvkVkImageInfo& info) { info.samples = VK_SAMPLE_COUNT_4_BIT; }},
      {"TRANSFER_SRC", [](NnvkVkImageInfo& info) { info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT; }},
      {"TRANSFER_DST", [](NnvkVkImageInfo& info) { info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT; }},
      {"layout", [](NnvkVkImageInfo& info) { info.layout = VK_IMAGE_LAYOUT_UNDEFINED; }},
      {"layout", [](NnvkVkImageInfo& info) { info.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL; }},
      {"scale[2]", [](NnvkVkImageInfo& info) { info.scale[2] = std::numeric_limits<float>::infinity(); }},
      {"scale[1]", [](NnvkVkImageInfo& info) { info.scale[1] = 1e-42F; }},
      {"bias[0]", [](NnvkVkImageInfo& info) { info.bias[0] = std::nanf(""); }},
      {"channelOrder", [](NnvkVkImageInfo& info) { info.channelOrder = 2; }},
      {"tensorLayout", [](NnvkVkImageInfo& info) { info.tensorLayout = -1; }},
      {"access", [](NnvkVkImageInfo&) {}, 0},
      {"access", [](NnvkVkImageInfo&) {}, 4},
  };
  for (const Case& c : cases) {
    NnvkVkImageInfo info = image.info(kGeneral);
    c.change(info);
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(nnvk_vkMemoryFromImage(device_, &info, c.access, &memory), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr(c.text));
    EXPECT_EQ(memory, nullptr);
  }
  const NnvkVkImageInfo info = image.info(kGeneral);
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(nnvk_vkMemoryFromImage(nullptr, &info, kBothAccesses, &memory), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImage(device_, nullptr, kBothAccesses, &memory), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImage(device_, &info, kBothAccesses, nullptr), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImage(const_cast<ANeuralNetworksDevice*>(cpu_device()), &info, kBothAccesses, &memory), kBadData);
}

TEST_F(ImageExecutionTest, WhatAnImageCannotBeIsRefusedWhenItIsBound) {
  const Image image(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize);
  const MemoryPointer readable = memory_of(device_, image.info(kGeneral), NNVK_VK_ACCESS_READ);
  const auto refused = [&](int32_t type, const std::vector<uint32_t>& dimensions, const char* text, size_t offset = 0,
                           size_t length = 0) {
    const bool is_quantized = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, type, dimensions, is_quantized ? 1.0F : 0.0F), device_);
    const ExecutionPointer execution = make_execution(compiled.compilation.get());
    EXPECT_EQ(set_input(execution, 0, {readable, offset, length}), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr(text));
    EXPECT_EQ(set_output(execution, 0, {readable, 0, 0}), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("NNVK_VK_ACCESS_WRITE"));
  };
  const std::vector<uint32_t> fits{1, kSize.height, kSize.width, 4};
  refused(kFloat, {1, kSize.height, kSize.width, 2}, "3 or 4 channels");
  refused(kFloat, {1, kSize.width, kSize.height, 4}, "11x7");
  refused(kFloat, {2, kSize.height, kSize.width, 4}, "11x7");
  refused(kFloat, {kSize.height, kSize.width}, "11x7");
  refused(kFloat, fits, "offset 0 and length 0", 0, 4);
  refused(kFloat, fits, "offset 0 and length 0", 16, 0);
  refused(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {1, kSize.height, kSize.width, 1}, "3 or 4 channels");

  // On another device, by copies, and as constants.
  const Compiled elsewhere(make_unary(ANEURALNETWORKS_RELU, kFloat, fits), cpu_device());
  std::vector<float> output(size_t{kSize.width} * kSize.height * 4);
  EXPECT_EQ(compute(make_execution(elsewhere.compilation, {{readable, 0, 0}}, {output})), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("wholly on its device"));
  const Tensor tensor(*application_, device_, kBothAccesses, image.bytes());
  EXPECT_EQ(ANeuralNetworksMemory_copy(readable.get(), tensor.memory.get()), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("wholly on its device"));
  ModelBuilder model;
  const uint32_t constant = model.operand(kFloat, {4});
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(constant), readable.get(), 0, 16),
            kBadData);
}

}  // namespace
}  // namespace nnvk::test
