// Copies of the images of one frame in memory of the host, and their comparison with the CPU's result.
#pragma once

#include <string>
#include <vector>

#include "tools/game/device.h"
#include "tools/nnapi/model_builder.h"

namespace nnvk::game {

// Images that a network read, then the one that it wrote. Formats: 8-bit RGBA (3 channels of the tensor, from 0 to 1), and half
// floats with one channel, or with four of which the tensor has three.
class CapturedFrame {
 public:
  static Result<CapturedFrame> make(const Device& device, const std::vector<const Image*>& images);
  // Records the copies. All images must be in `layout`, and their contents visible to transfers. Only call it before the images
  // are destroyed.
  void record(VkCommandBuffer commands, VkImageLayout layout) const;

  // The functions below need the commands to have run.
  // Returns by how much the written image differs at most from the network's result on nnvk-cpu, out of 255.
  Result<int> difference_to_cpu(const tools::ModelBuilder& network) const;
  // Writes the first image above the last one. Both are of 8-bit RGBA.
  Status save(const std::string& file) const;

 private:
  struct Part {
    VkImage image = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkDeviceSize offset = 0;
  };
  std::vector<float> values_of(const Part& part) const;

  VkExtent2D size_{};
  std::vector<Part> parts_;
  Buffer buffer_;
};

}  // namespace nnvk::game
