// Shared by the tests of images: memories and recordings of images, and buffers for their pixels. Header only.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tests/api/recording/image.h"
#include "tests/api/recording/recorded_frames.h"

namespace nnvk::test {

inline constexpr VkExtent2D kSize{11, 7};
inline constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
inline constexpr uint32_t kBothAccesses = NNVK_VK_ACCESS_READ | NNVK_VK_ACCESS_WRITE;

inline MemoryPointer memory_of(ANeuralNetworksDevice* device, const NnvkVkImageInfo& info, uint32_t access = kBothAccesses) {
  ANeuralNetworksMemory* made = nullptr;
  EXPECT_EQ(nnvk_vkMemoryFromImage(device, &info, access, &made), kOk) << nnvk_lastError();
  return MemoryPointer(made);
}

inline RecordingPointer recording_of(const CompilationPointer& compilation, const Input& input, const Output& output) {
  const ExecutionPointer execution = make_execution(compilation, {input}, {output});
  NnvkVkRecording* made = nullptr;
  EXPECT_EQ(nnvk_vkCreateRecording(execution.get(), VK_NULL_HANDLE, 0, &made), kOk) << nnvk_lastError();
  return RecordingPointer(made);
}

// A host-visible buffer for copies, with these bytes.
struct Staging {
  Staging(const Application& application, size_t bytes)
      : buffer(application, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT) {}
  void fill(std::span<const std::byte> with) { std::ranges::copy(with, buffer.values<std::byte>().begin()); }
  std::vector<std::byte> bytes() const {
    const auto all = buffer.values<std::byte>();
    return {all.begin(), all.end()};
  }
  HostBuffer buffer;
};

// The model's result for `tensor`, from a buffer to a buffer, of a model whose output has the size of its input.
inline std::vector<std::byte> through_buffers(const Application& application, ANeuralNetworksDevice* device,
                                              const CompilationPointer& compilation, std::span<const std::byte> tensor) {
  const Tensor x(application, device, NNVK_VK_ACCESS_READ, tensor.size());
  const Tensor y(application, device, NNVK_VK_ACCESS_WRITE, tensor.size());
  std::ranges::copy(tensor, x.buffer->values<std::byte>().begin());
  const RecordingPointer recording = recording_of(compilation, {x.memory, 0, tensor.size()}, {y.memory, 0, tensor.size()});
  Commands(application).run([&](VkCommandBuffer commands) {
    EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk);
  });
  const auto bytes = y.buffer->values<std::byte>();
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(tensor.size())};
}

}  // namespace nnvk::test
