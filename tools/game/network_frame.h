// A recording of a network whose inputs and outputs are images of the game.
#pragma once

#include <nnvk/vulkan_interop.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tools/game/device.h"
#include "tools/nnapi/handles.h"

namespace nnvk::game {

// Compiles a network for the game's device. `sizes` (perhaps none): the shapes of all inputs that the compilation prepares.
Result<tools::CompilationHandle> compile_for_game(const Device& device, ANeuralNetworksModel* model,
                                                  std::span<const std::vector<std::vector<uint32_t>>> shapes = {});

// An image as an input or output of a network: a tensor of FLOAT32 [1, height, width, channels].
struct ImageTensor {
  const Image& image;
  uint32_t channels = 3;
  float scale = 1;  // value = component * scale + bias
  float bias = 0;
};

class NetworkFrame {
 public:
  static constexpr VkImageUsageFlags kInputUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  static constexpr VkImageUsageFlags kOutputUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;

  NetworkFrame() = default;
  NetworkFrame(NetworkFrame&&) = default;
  NetworkFrame& operator=(NetworkFrame other) noexcept {  // frees the old recording before its memories
    std::swap(memories_, other.memories_);
    std::swap(execution_, other.execution_);
    std::swap(recording_, other.recording_);
    return *this;
  }
  ~NetworkFrame() = default;
  // Binds images with these usages. Inputs must be in `layout` when the network runs, and all images are in it when it is done.
  static Result<NetworkFrame> bind(const Device& device, ANeuralNetworksCompilation* compilation,
                                   std::span<const ImageTensor> inputs, std::span<const ImageTensor> outputs,
                                   VkImageLayout layout);

  // Has nnvk's threads compile what these sizes need.
  Result<tools::EventHandle> prepare();
  // Makes the recording, and compiles if it must.
  Status make_recording();
  // Makes the recording and returns true, or returns false if that would compile or wait.
  Result<bool> make_recording_if_prepared();

  // Records the network into `commands`. `flags`: NnvkVkRecordFlags. Call reset() before you record it again.
  Status record(VkCommandBuffer commands, uint32_t flags) const;
  // Records the next part that takes about so long; returns whether it was the last one.
  Result<bool> record_slice(VkCommandBuffer commands, uint32_t flags, uint32_t microseconds) const;
  // Prepares for the next record(). The commands must have run.
  Status reset() const;

 private:
  struct FreeRecording {
    void operator()(NnvkVkRecording* recording) const { nnvk_vkFreeRecording(recording); }
  };
  std::vector<tools::MemoryHandle> memories_;
  tools::ExecutionHandle execution_;
  std::unique_ptr<NnvkVkRecording, FreeRecording> recording_;
};

}  // namespace nnvk::game
