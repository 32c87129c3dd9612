// An application's image as memory for inputs and outputs, or several as memory for inputs. The device copies their pixels and
// converts them to a tensor before a run, or from a tensor afterwards.
#pragma once

#include <volk.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/image_parts.h"
#include "vulkan/recording/image_transfer.h"

namespace nnvk::vulkan {

class ImageMemory final : public DeviceMemory {
 public:
  // Makes a memory of the image. BAD_DATA if nnvk cannot use the image as its description says.
  static Result<std::unique_ptr<ImageMemory>> create(std::shared_ptr<Gpu> gpu, const ImageDescription& image);
  // Makes a memory of images that fill the channels of one input. BAD_DATA if nnvk cannot use them as described.
  static Result<std::unique_ptr<ImageMemory>> create(std::shared_ptr<Gpu> gpu, std::vector<ImagePart> parts);

  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

  // Makes the images usable as an input or output of this kind. Compiles the conversion on the first use with a kind of tensor.
  // BAD_DATA if the tensor does not have their size and channels. Thread-safe.
  Result<std::shared_ptr<const BoundImage>> bind(const OperandInfo& tensor, bool is_output);

  // Returns the size of the packed pixels. The host cannot access them.
  uint64_t size() const override { return placed_size(images_); }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

 private:
  struct Known {
    OperandInfo tensor;
    std::shared_ptr<const BoundImage> bound;
  };
  ImageMemory(std::shared_ptr<Gpu> gpu, std::vector<ImagePart> parts, bool is_whole);
  Result<PixelsPlan> make_conversion(const OperandInfo& tensor, bool is_output) const;
  Result<PixelsPlan> make_gathering(const OperandInfo& tensor) const;
  Result<std::shared_ptr<const SlotBlueprint>> build(const Plan& plan) const;

  const std::shared_ptr<Gpu> gpu_;
  const std::vector<ImagePart> parts_;
  const bool is_whole_;  // one image, whose format and size are those of the tensor; its part has no channels and no filter
  const std::vector<PlacedImage> images_;
  const uint64_t id_;
  std::mutex mutex_;
  std::vector<Known> known_;  // one per kind of tensor and direction: few
};

}  // namespace nnvk::vulkan
