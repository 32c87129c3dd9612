// Writes copies between an application's image and a tensor in a buffer into command buffers: layout changes, a copy, and the
// conversion between pixels and the tensor's elements.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "vulkan/recording/application_image.h"
#include "vulkan/recording/bound_image.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class ImageBinding final : public BoundImage {
 public:
  struct Direction {
    bool is_output = false;
    std::shared_ptr<const SlotBlueprint> conversion;  // between packed pixels and tensor; null: both have the same bytes
  };
  ImageBinding(uint64_t unique_id, std::shared_ptr<Context> context, const ImageDescription& image, Direction direction)
      : BoundImage(unique_id), context_(std::move(context)), image_(image), direction_(std::move(direction)) {}

  bool is_output() const { return direction_.is_output; }
  Result<std::unique_ptr<ImageTransfer>> make_transfer(const TensorPlace& tensor, Activity& activity) const override;

 private:
  const std::shared_ptr<Context> context_;
  const ImageDescription image_;
  const Direction direction_;
};

}  // namespace nnvk::vulkan
