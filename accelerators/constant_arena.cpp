#include "accelerators/constant_arena.h"

#include <algorithm>

namespace nnvk::accelerators {
namespace {

constexpr uint64_t kAlignment = 64;

bool is_long_constant(const PlanTensor& tensor) {
  return tensor.role == TensorRole::kConstant && tensor.value.size() > kLongestInlineConstant;
}

uint64_t long_constant_bytes(const Plan& plan) {
  uint64_t bytes = 0;
  for (const PlanTensor& tensor : plan.tensors) bytes += is_long_constant(tensor) ? tensor.value.size() : 0;
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const ConstantArena>> ConstantArena::create(const std::shared_ptr<Driver>& driver, const Plan& plan) {
  auto arena = std::make_shared<ConstantArena>();
  for (const PlanTensor& tensor : plan.tensors) {
    if (!is_long_constant(tensor)) continue;
    if (!arena->offsets_.try_emplace({tensor.value.data(), tensor.value.size()}, arena->size_).second) continue;
    arena->size_ += (tensor.value.size() + kAlignment - 1) / kAlignment * kAlignment;
    if (tensor.owner != nullptr) arena->owners_.push_back(tensor.owner);
  }
  if (arena->size_ == 0) return arena;
  NNVK_ASSIGN(arena->buffer_, SharedBuffer::create(driver, arena->size_));
  for (const auto& [key, offset] : arena->offsets_) {
    std::copy_n(key.first, key.second, arena->buffer_->bytes().data() + offset);
  }
  return arena;
}

bool ConstantArena::suits(const Plan& plan) const {
  for (const PlanTensor& tensor : plan.tensors) {
    if (is_long_constant(tensor) && !offsets_.contains({tensor.value.data(), tensor.value.size()})) return false;
  }
  return size_ <= 2 * long_constant_bytes(plan) + offsets_.size() * kAlignment;
}

Result<SharedRange> ConstantArena::place(const PlanTensor& constant) const {
  const auto found = offsets_.find({constant.value.data(), constant.value.size()});
  if (found == offsets_.end()) return fail(Code::kOpFailed, "a constant was not shared with the plugin");
  return buffer_->range(found->second, constant.value.size());
}

Result<std::shared_ptr<const ConstantArena>> ConstantArenas::of(const std::shared_ptr<Driver>& driver, const Plan& plan) {
  const auto known = std::ranges::find_if(arenas_, [&](const auto& arena) { return arena->suits(plan); });
  if (known != arenas_.end()) return *known;
  NNVK_ASSIGN(auto arena, ConstantArena::create(driver, plan));
  arenas_.push_back(arena);
  return arena;
}

Result<std::shared_ptr<const ConstantArena>> arena_for(const std::shared_ptr<Driver>& driver, const Plan& plan,
                                                       Groundwork* groundwork) {
  auto* const arenas = dynamic_cast<ConstantArenas*>(groundwork);
  return arenas != nullptr ? arenas->of(driver, plan) : ConstantArena::create(driver, plan);
}

Result<ModelDescription> describe_plan(const Plan& plan, const ConstantArena& constants) {
  return describe_plan(plan, [&](const PlanTensor& constant) { return constants.place(constant); });
}

}  // namespace nnvk::accelerators
