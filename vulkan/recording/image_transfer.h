// Copies between an application's image and a tensor in a buffer, written into command buffers: layout changes, a copy, and the
// conversion between pixels and the tensor's elements.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/recording/image_memory.h"

namespace nnvk::vulkan {

class ApplicationRecording;

// The location of the tensor for an image.
struct TensorPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
};

class ImageTransfer {
 public:
  // Has its own memory for the pixels, so the commands of one transfer must not run twice at once. `image` may be destroyed after
  // the last run.
  static Result<std::unique_ptr<ImageTransfer>> create(const BoundImage& image, const TensorPlace& tensor, Activity& activity);
  ~ImageTransfer();
  ImageTransfer(const ImageTransfer&) = delete;
  ImageTransfer& operator=(const ImageTransfer&) = delete;

  // Records the copy from the image to the tensor, or back. Call it after a barrier that makes the image, earlier runs and, for
  // an output, the tensor available to copies and dispatches. The caller then needs a barrier from copies and dispatches to the
  // next work. Leaves the image in the layout of its description. Neither allocates nor locks.
  void record(VkCommandBuffer commands) const;

 private:
  ImageTransfer(const BoundImage& image, const TensorPlace& tensor);
  Status make_conversion(const BoundImage& image, Activity& activity);
  void change_layout(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to, bool before_copy) const;

  const std::shared_ptr<Context> context_;
  const ImageDescription image_;
  const bool is_output_;
  TensorPlace pixels_;                                // the bytes copied from or to the image
  std::shared_ptr<const IoBuffer> staging_;           // holds the pixels if there is a conversion
  std::shared_ptr<const IoBuffer> tensor_;            // only with a conversion
  std::unique_ptr<ApplicationRecording> conversion_;  // null: the pixels are the tensor
};

}  // namespace nnvk::vulkan
