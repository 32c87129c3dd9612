// The upscaler: imported from a .tflite file, compiled for the game's device, and recorded into its command buffers. Also runs
// the same network on the CPU, for comparison.
#pragma once

#include <nnvk/vulkan_interop.h>

#include <memory>
#include <string>
#include <vector>

#include "importers/tflite/importer.h"
#include "tools/game/device.h"
#include "tools/game/network_frame.h"
#include "tools/nnapi/session.h"

namespace nnvk::game {

class Network {
 public:
  // Compiles for the game's device a network from pictures [1, height, width, 3] to larger ones, FLOAT32 from -1 to 1.
  static Result<std::unique_ptr<Network>> load(const Device& device, const std::string& file, VkExtent2D size);

  VkExtent2D input_size() const;
  VkExtent2D output_size() const;
  const NnvkVkRecordInfo& info() const { return info_; }

  // Makes a recording for two 8-bit RGBA images; the network reads and writes values from -1 to 1. Layouts and usages: see
  // NetworkFrame::bind().
  Result<NetworkFrame> make_frame(const Image& input, const Image& output, VkImageLayout layout) const;

  // Returns the result of the same network for the same RGBA pixels on nnvk-cpu: RGB from -1 to 1.
  Result<std::vector<float>> on_cpu(const uint8_t* input) const;

 private:
  Network(const Device& device, importers::ImportedModel model) : device_(device), model_(std::move(model)) {}
  Status compile();

  const Device& device_;
  importers::ImportedModel model_;
  tools::CompilationHandle compilation_;
  NnvkVkRecordInfo info_{};
};

}  // namespace nnvk::game
