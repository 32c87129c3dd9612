// An image of the application as memory for inputs and outputs: its pixels are copied and converted on the device, into the
// tensor before a run reads it and out of it afterwards.
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

namespace nnvk::vulkan {

class Recording;

// An image as one tensor of a kind, ready to be copied from or to (image_transfer.h). Immutable.
struct BoundImage {
  ImageDescription description;
  uint64_t id = 0;  // never given to another image memory
  bool is_output = false;
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<Recording> conversion;  // between packed pixels and tensor; null: they are the same bytes
};

class ImageMemory final : public DeviceMemory {
 public:
  // BAD_DATA for an image that cannot be used as it says.
  static Result<std::unique_ptr<ImageMemory>> create(std::shared_ptr<Gpu> gpu, const ImageDescription& image);

  bool belongs_to(const Gpu& gpu) const { return gpu_.get() == &gpu; }

  // The image as this tensor, for an output or an input. The first time for a kind of tensor compiles. BAD_DATA when the tensor
  // is not of the image's size. Thread-safe.
  Result<std::shared_ptr<const BoundImage>> bind(const OperandInfo& tensor, bool is_output);

  // Of the packed pixels. The host does not reach them.
  uint64_t size() const override { return packed_size(image_); }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

 private:
  struct Known {
    OperandInfo tensor;
    std::shared_ptr<const BoundImage> bound;
  };
  ImageMemory(std::shared_ptr<Gpu> gpu, const ImageDescription& image);
  Result<std::shared_ptr<Recording>> make_conversion(const ImageConversion& conversion) const;

  const std::shared_ptr<Gpu> gpu_;
  const ImageDescription image_;
  const uint64_t id_;
  std::mutex mutex_;
  std::vector<Known> known_;  // one per kind of tensor and direction: few
};

}  // namespace nnvk::vulkan
