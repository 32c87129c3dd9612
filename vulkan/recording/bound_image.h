// Recordings use an application's image as an input or output through this interface. image_transfer.h implements it.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

// The location of the tensor for an image.
struct TensorPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Copies between an image and a tensor in a buffer.
class ImageTransfer {
 public:
  virtual ~ImageTransfer() = default;
  // Records the copy from the image to the tensor, or back. Call it after a barrier that makes the image, earlier runs and, for
  // an output, the tensor available to copies and dispatches. The caller then needs a barrier from copies and dispatches to the
  // next work. Leaves the image in the layout of its description. Neither allocates nor locks.
  virtual void record(VkCommandBuffer commands) const = 0;
};

// An image together with a tensor description, ready for copies in one direction. Immutable.
class BoundImage {
 public:
  explicit BoundImage(uint64_t unique_id) : id(unique_id) {}
  virtual ~BoundImage() = default;
  // Makes a transfer. It has its own memory for the pixels, so its commands must not run twice at once. The image may be
  // destroyed after the last run.
  virtual Result<std::unique_ptr<ImageTransfer>> make_transfer(const TensorPlace& tensor, Activity& activity) const = 0;

  const uint64_t id;  // never reused for another image memory
};

}  // namespace nnvk::vulkan
