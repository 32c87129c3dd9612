// A conversion of pixels is a plan of one operation. ImageMemory caches one conversion per kind of tensor. The table of a plan
// that gathers pixels is an input in memory of the host, so that devices without a queue need no upload for it.
#include "vulkan/recording/image_memory.h"

#include <algorithm>
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

ImageMemory::ImageMemory(std::shared_ptr<Gpu> gpu, std::vector<ImagePart> parts, bool is_whole)
    : gpu_(std::move(gpu)), parts_(std::move(parts)), is_whole_(is_whole), images_(placed(parts_)), id_(IoBuffer::new_id()) {}

Result<std::unique_ptr<ImageMemory>> ImageMemory::create(std::shared_ptr<Gpu> gpu, const ImageDescription& image) {
  NNVK_TRY(check_image(image));
  return std::unique_ptr<ImageMemory>(new ImageMemory(std::move(gpu), {{image, 0, std::nullopt}}, true));
}

Result<std::unique_ptr<ImageMemory>> ImageMemory::create(std::shared_ptr<Gpu> gpu, std::vector<ImagePart> parts) {
  NNVK_TRY(check_parts(parts));
  return std::unique_ptr<ImageMemory>(new ImageMemory(std::move(gpu), std::move(parts), false));
}

Result<std::shared_ptr<const BoundImage>> ImageMemory::bind(const OperandInfo& tensor, bool is_output) {
  NNVK_TRY(is_whole_ ? check_tensor(parts_.front().image, tensor) : check_tensor(parts_, tensor));
  const std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    if (known.bound->is_output() == is_output && is_same_tensor(known.tensor, tensor)) return known.bound;
  }
  BoundImage::Direction direction{is_output, {}};
  NNVK_ASSIGN(direction.conversion, is_whole_ ? make_conversion(tensor, is_output) : make_gathering(tensor));
  known_.push_back({tensor, std::make_shared<const BoundImage>(id_, gpu_->context, images_, std::move(direction))});
  return known_.back().bound;
}

Result<PixelsPlan> ImageMemory::make_conversion(const OperandInfo& tensor, bool is_output) const {
  const ImageDescription& image = parts_.front().image;
  const ImageConversion conversion = is_output ? conversion_to_image(image, tensor) : conversion_to_tensor(image, tensor);
  PixelsPlan made;
  if (conversion.is_copy()) return made;
  NNVK_ASSIGN(made.blueprint,
              build(*conversion_plan(kConvertPixels, conversion.from,
                                     {pixel_integers(conversion.pixels), pixel_reals(conversion.pixels)}, conversion.to)));
  return made;
}

Result<PixelsPlan> ImageMemory::make_gathering(const OperandInfo& tensor) const {
  const std::vector<uint32_t> table = table_of(parts_, tensor);
  const auto bytes = std::as_bytes(std::span(table));
  PixelsPlan made;
  made.table_size = bytes.size();
  // The host writes the table, as it writes the io memory of a recording.
  const MemoryUse use = gpu_->context->plan().direct_io ? MemoryUse::kIo : MemoryUse::kStaging;
  Activity activity;
  NNVK_ASSIGN(Buffer buffer, Buffer::create(gpu_->context, padded_size(bytes.size()), use, activity, "places of pixels"));
  std::ranges::copy(bytes, buffer.bytes().begin());
  made.table = std::make_shared<const IoBuffer>(std::move(buffer));

  Plan plan;
  const OperandInfo pixels = operand_info(OperandType::kTensorQuant8Asymm, {static_cast<uint32_t>(size())}, 1.0F);
  const OperandInfo words = operand_info(OperandType::kTensorInt32, {static_cast<uint32_t>(table.size())});
  const TensorId pixels_id = add_tensor(plan, pixels, TensorRole::kInput);
  const TensorId table_id = add_tensor(plan, words, TensorRole::kInput);
  const TensorId is_planar = add_constant(plan, operand_info(OperandType::kBool, {}), {std::byte{parts_.front().image.nchw}});
  OperandInfo elements = tensor;
  if (is_quant8_asymm(tensor.type)) elements = operand_info(tensor.type, tensor.shape, 1.0F);  // the stored numbers count
  add_node(plan, kGatherPixels, {pixels_id, table_id, is_planar}, {add_tensor(plan, elements, TensorRole::kOutput)});
  NNVK_ASSIGN(made.blueprint, build(plan));
  return made;
}

Result<std::shared_ptr<const SlotBlueprint>> ImageMemory::build(const Plan& plan) const {
  const auto bound = [&](const std::vector<TensorId>& tensors) {
    std::vector<BoundTensor> all;
    for (const TensorId id : tensors) all.push_back({plan.tensors[id].info.shape, {}, false});
    return all;
  };
  NNVK_ASSIGN(const Resolution resolution, resolve(plan, bound(plan.inputs), bound(plan.outputs), nullptr));
  const auto activity = std::make_shared<Activity>();
  ConstantStore none(gpu_->context, activity);  // the parameters are push constants
  NNVK_ASSIGN(auto recording, Recording::build(gpu_, activity, {plan, resolution}, {none, nullptr}, std::nullopt));
  return blueprint_of(std::move(recording));
}

Result<Fence> ImageMemory::read_from(uint64_t, std::span<std::byte>) const { return fail(unreachable_by_host()); }
Result<Fence> ImageMemory::write_to(uint64_t, std::span<const std::byte>) { return fail(unreachable_by_host()); }

}  // namespace nnvk::vulkan
