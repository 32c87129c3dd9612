// The way between an image of the application and a tensor in a buffer, written into command buffers: layouts, a copy, and the
// conversion between the pixels and the tensor's elements.
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

// Where the tensor of an image lies.
struct TensorPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t size = 0;
};

class ImageTransfer {
 public:
  // With memory of its own for the pixels: commands of one transfer do not run twice at once. `image` may be destroyed after its
  // last run.
  static Result<std::unique_ptr<ImageTransfer>> create(const BoundImage& image, const TensorPlace& tensor, Activity& activity);
  ~ImageTransfer();
  ImageTransfer(const ImageTransfer&) = delete;
  ImageTransfer& operator=(const ImageTransfer&) = delete;

  // From the image into the tensor, or back. Comes after a barrier that makes all of the image, of earlier runs and, for an
  // output, of the tensor available to copies and dispatches; before one from copies and dispatches to whatever is next. Leaves
  // the image in its layout. Neither allocates nor locks.
  void record(VkCommandBuffer commands) const;

 private:
  ImageTransfer(const BoundImage& image, const TensorPlace& tensor);
  Status make_conversion(const BoundImage& image, Activity& activity);
  void change_layout(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to, bool before_copy) const;

  const std::shared_ptr<Context> context_;
  const ImageDescription image_;
  const bool is_output_;
  TensorPlace pixels_;                                // what is copied from or to the image
  std::shared_ptr<const IoBuffer> staging_;           // has them, unless the tensor does
  std::shared_ptr<const IoBuffer> tensor_;            // with a conversion
  std::unique_ptr<ApplicationRecording> conversion_;  // null: the pixels are the tensor
};

}  // namespace nnvk::vulkan
