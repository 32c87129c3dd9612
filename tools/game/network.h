// The upscaler: imported from a .tflite file for the game's device, recorded into its command buffers; and the same network on
// the CPU, to compare with.
#pragma once

#include <nnvk/vulkan_interop.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/game/device.h"
#include "tools/nnapi/session.h"
#include "tools/tflite/importer.h"

namespace nnvk::game {

// A recording with its input and output buffers of the game.
class NetworkFrame {
 public:
  NetworkFrame() = default;
  // Writes the network into `commands`; between the barriers that Network::info() names. Once, until reset().
  Status record(VkCommandBuffer commands);
  // When the commands have run.
  Status reset();

 private:
  friend class Network;
  struct FreeRecording {
    void operator()(NnvkVkRecording* recording) const { nnvk_vkFreeRecording(recording); }
  };
  tools::MemoryHandle input_;
  tools::MemoryHandle output_;
  std::unique_ptr<NnvkVkRecording, FreeRecording> recording_;
};

class Network {
 public:
  // From pictures [1, height, width, 3] to larger ones, FLOAT32 from -1 to 1, compiled for the game's device.
  static Result<std::unique_ptr<Network>> load(const Device& device, const std::string& file, VkExtent2D size);

  VkExtent2D output_size() const;
  VkDeviceSize input_bytes() const { return model_.inputs[0].info.bytes(); }
  VkDeviceSize output_bytes() const { return model_.outputs[0].info.bytes(); }
  // What buffers for inputs and outputs must be usable for.
  VkBufferUsageFlags usage() const { return usage_; }
  const NnvkVkRecordInfo& info() const { return info_; }

  Result<NetworkFrame> make_frame(const Buffer& input, const Buffer& output) const;

  // The same network for the same input on nnvk-cpu.
  Result<std::vector<float>> on_cpu(const float* input) const;

 private:
  Network(const Device& device, tools::tflite::ImportedModel model) : device_(device), model_(std::move(model)) {}
  Status compile();

  const Device& device_;
  tools::tflite::ImportedModel model_;
  tools::CompilationHandle compilation_;
  VkBufferUsageFlags usage_ = 0;
  NnvkVkRecordInfo info_{};
};

}  // namespace nnvk::game
