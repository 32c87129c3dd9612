// Writes copies between an application's image and a tensor in a buffer into command buffers: layout changes, a copy, and the
// conversion between pixels and the tensor's elements. Recordings use an application's image as an input or output in this way.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/result.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/recording/application_image.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class ApplicationRecording;

// The location of the tensor for an image.
struct TensorPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Copies between an image and a tensor in a buffer.
class ImageTransfer {
 public:
  ImageTransfer(std::shared_ptr<Context> context, const ImageDescription& image, bool is_output, const TensorPlace& tensor)
      : context_(std::move(context)), image_(image), is_output_(is_output), pixels_(tensor) {}

  // Inserts `conversion` between the pixels and the tensor.
  Status convert(std::shared_ptr<const SlotBlueprint> conversion, Activity& activity);
  // Records the copy from the image to the tensor, or back. Call it after a barrier that makes the image, earlier runs and, for
  // an output, the tensor available to copies and dispatches. The caller then needs a barrier from copies and dispatches to the
  // next work. Leaves the image in the layout of its description. Neither allocates nor locks.
  void record(VkCommandBuffer commands) const;

 private:
  void change_layout(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to, bool before_copy) const;

  const std::shared_ptr<Context> context_;
  const ImageDescription image_;
  const bool is_output_;
  TensorPlace pixels_;                                      // the bytes copied from or to the image
  std::shared_ptr<const IoBuffer> staging_;                 // holds the pixels if there is a conversion
  std::shared_ptr<const IoBuffer> tensor_;                  // only with a conversion
  std::shared_ptr<const ApplicationRecording> conversion_;  // null: the pixels are the tensor
};

// An image together with a tensor description, ready for copies in one direction. Immutable.
class BoundImage {
 public:
  struct Direction {
    bool is_output = false;
    std::shared_ptr<const SlotBlueprint> conversion;  // between packed pixels and tensor; null: both have the same bytes
  };
  BoundImage(uint64_t unique_id, std::shared_ptr<Context> context, const ImageDescription& image, Direction direction)
      : id(unique_id), context_(std::move(context)), image_(image), direction_(std::move(direction)) {}

  bool is_output() const { return direction_.is_output; }
  // Makes a transfer. It has its own memory for the pixels, so its commands must not run twice at once. The image may be
  // destroyed after the last run.
  Result<std::unique_ptr<ImageTransfer>> make_transfer(const TensorPlace& tensor, Activity& activity) const;

  const uint64_t id;  // never reused for another image memory

 private:
  const std::shared_ptr<Context> context_;
  const ImageDescription image_;
  const Direction direction_;
};

}  // namespace nnvk::vulkan
