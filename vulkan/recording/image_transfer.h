// Writes copies between images of an application and a tensor in a buffer into command buffers: layout changes, copies, and the
// conversion between pixels and the tensor's elements. Recordings use an application's images as an input or output in this way.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/recording/image_parts.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class ApplicationRecording;

// The location of the tensor for an image.
struct TensorPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Makes a tensor of packed pixels, or the reverse.
struct PixelsPlan {
  std::shared_ptr<const SlotBlueprint> blueprint;  // null: both have the same bytes
  std::shared_ptr<const IoBuffer> table;           // the second input of a plan that gathers pixels; else null
  uint64_t table_size = 0;
};

// Copies between images and a tensor in a buffer.
class ImageTransfer {
 public:
  ImageTransfer(std::shared_ptr<Context> context, std::vector<PlacedImage> images, bool is_output, const TensorPlace& tensor)
      : context_(std::move(context)), images_(std::move(images)), is_output_(is_output), pixels_(tensor) {}

  // Inserts `conversion` between the pixels and the tensor.
  Status convert(const PixelsPlan& conversion, Activity& activity);
  // Records the copy from the images to the tensor, or from the tensor to the only image. Call it after a barrier that makes the
  // images, earlier runs and, for an output, the tensor available to copies and dispatches. The caller then needs a barrier from
  // copies and dispatches to the next work. Leaves the images in the layouts of their descriptions. Neither allocates nor locks.
  void record(VkCommandBuffer commands) const;

 private:
  void change_layout(VkCommandBuffer commands, const ImageDescription& image, VkImageLayout from, VkImageLayout to,
                     bool before_copy) const;
  void read(VkCommandBuffer commands, const PlacedImage& from) const;
  void write(VkCommandBuffer commands, const PlacedImage& to) const;

  const std::shared_ptr<Context> context_;
  const std::vector<PlacedImage> images_;
  const bool is_output_;
  TensorPlace pixels_;                                      // the bytes copied from or to the images
  std::shared_ptr<const IoBuffer> staging_;                 // holds the pixels if there is a conversion
  std::shared_ptr<const IoBuffer> tensor_;                  // only with a conversion
  std::shared_ptr<const ApplicationRecording> conversion_;  // null: the pixels are the tensor
};

// An image, or several, together with a tensor description, ready for copies in one direction. Immutable.
class BoundImage {
 public:
  struct Direction {
    bool is_output = false;
    PixelsPlan conversion;
  };
  BoundImage(uint64_t unique_id, std::shared_ptr<Context> context, std::vector<PlacedImage> images, Direction direction)
      : id(unique_id), context_(std::move(context)), images_(std::move(images)), direction_(std::move(direction)) {}

  bool is_output() const { return direction_.is_output; }
  // Makes a transfer. It has its own memory for the pixels, so its commands must not run twice at once. The image may be
  // destroyed after the last run.
  Result<std::unique_ptr<ImageTransfer>> make_transfer(const TensorPlace& tensor, Activity& activity) const;

  const uint64_t id;  // never reused for another image memory

 private:
  const std::shared_ptr<Context> context_;
  const std::vector<PlacedImage> images_;
  const Direction direction_;
};

}  // namespace nnvk::vulkan
