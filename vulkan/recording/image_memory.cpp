// A conversion of pixels is a plan of one operation. ImageMemory caches one conversion per kind of tensor.
#include "vulkan/recording/image_memory.h"

#include <utility>

#include "core/plan/added_tensors.h"
#include "core/plan/resolve.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {
namespace {

Error unreachable_by_host() {
  return {Code::kBadData,
          "an image is an input or output of executions that run wholly on its device; copy it to or from a buffer to have its "
          "pixels elsewhere"};
}

bool is_same_tensor(const OperandInfo& a, const OperandInfo& b) {
  return a.type == b.type && a.shape == b.shape && a.scale == b.scale && a.zero_point == b.zero_point;
}

}  // namespace

ImageMemory::ImageMemory(std::shared_ptr<Gpu> gpu, const ImageDescription& image)
    : gpu_(std::move(gpu)), image_(image), id_(IoBuffer::new_id()) {}

Result<std::unique_ptr<ImageMemory>> ImageMemory::create(std::shared_ptr<Gpu> gpu, const ImageDescription& image) {
  NNVK_TRY(check_image(image));
  return std::unique_ptr<ImageMemory>(new ImageMemory(std::move(gpu), image));
}

Result<std::shared_ptr<const BoundImage>> ImageMemory::bind(const OperandInfo& tensor, bool is_output) {
  NNVK_TRY(check_tensor(image_, tensor));
  const std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    if (known.bound->is_output() == is_output && is_same_tensor(known.tensor, tensor)) return known.bound;
  }
  const ImageConversion conversion = is_output ? conversion_to_image(image_, tensor) : conversion_to_tensor(image_, tensor);
  BoundImage::Direction direction{is_output, nullptr};
  if (!conversion.is_copy()) {
    NNVK_ASSIGN(direction.conversion, make_conversion(conversion));
  }
  known_.push_back({tensor, std::make_shared<const BoundImage>(id_, gpu_->context, image_, std::move(direction))});
  return known_.back().bound;
}

Result<std::shared_ptr<const SlotBlueprint>> ImageMemory::make_conversion(const ImageConversion& conversion) const {
  const std::shared_ptr<const Plan> plan = conversion_plan(kConvertPixels, conversion.from, pixel_integers(conversion.pixels),
                                                           pixel_reals(conversion.pixels), conversion.to);
  const BoundTensor input{conversion.from.shape, {}, false};
  const BoundTensor output{conversion.to.shape, {}, false};
  NNVK_ASSIGN(const Resolution resolution, resolve(*plan, std::span(&input, 1), std::span(&output, 1), nullptr));
  const auto activity = std::make_shared<Activity>();
  ConstantStore none(gpu_->context, activity);  // the parameters are push constants
  NNVK_ASSIGN(auto recording, Recording::build(gpu_, activity, {*plan, resolution}, {none, nullptr}, std::nullopt));
  return blueprint_of(std::move(recording));
}

Result<Fence> ImageMemory::read_from(uint64_t, std::span<std::byte>) const { return fail(unreachable_by_host()); }
Result<Fence> ImageMemory::write_to(uint64_t, std::span<const std::byte>) { return fail(unreachable_by_host()); }

}  // namespace nnvk::vulkan
