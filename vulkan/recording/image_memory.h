// An application's image as memory for inputs and outputs. The device copies its pixels and converts them to a tensor before a
// run, or from a tensor afterwards.
#pragma once

#include <volk.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/application_image.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/image_transfer.h"

namespace nnvk::vulkan {

class ImageMemory final : public DeviceMemory {
 public:
  // Makes a memory of the image. BAD_DATA if nnvk cannot use the image as its description says.
  static Result<std::unique_ptr<ImageMemory>> create(std::shared_ptr<Gpu> gpu, const ImageDescription& image);

  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

  // Makes the image usable as an input or output of this kind. Compiles the conversion on the first use with a kind of tensor.
  // BAD_DATA if the tensor does not have the image's size. Thread-safe.
  Result<std::shared_ptr<const BoundImage>> bind(const OperandInfo& tensor, bool is_output);

  // Returns the size of the packed pixels. The host cannot access them.
  uint64_t size() const override { return packed_size(image_); }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

 private:
  struct Known {
    OperandInfo tensor;
    std::shared_ptr<const BoundImage> bound;
  };
  ImageMemory(std::shared_ptr<Gpu> gpu, const ImageDescription& image);
  Result<std::shared_ptr<const SlotBlueprint>> make_conversion(const ImageConversion& conversion) const;

  const std::shared_ptr<Gpu> gpu_;
  const ImageDescription image_;
  const uint64_t id_;
  std::mutex mutex_;
  std::vector<Known> known_;  // one per kind of tensor and direction: few
};

}  // namespace nnvk::vulkan
