#include "vulkan/recording/slot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vulkan/context/vulkan_forms.h"
#include "vulkan/recording/device_clock.h"

namespace nnvk::vulkan {

Result<std::unique_ptr<Slot>> Slot::create(const SlotBlueprint& blueprint, bool is_shared) {
  const DispatchProgram& program = blueprint.program;
  const std::shared_ptr<Context>& context = blueprint.context;
  Activity& activity = *blueprint.activity;
  std::unique_ptr<Slot> slot(new Slot(blueprint, is_shared));
  if (program.arena_size > 0) {
    NNVK_ASSIGN(slot->arena_, Buffer::create(context, program.arena_size, MemoryUse::kDevice, activity, "temporary tensors"));
  }
  if (program.io_size > 0) {
    const bool direct = context->plan().direct_io;
    NNVK_ASSIGN(slot->io_, Buffer::create(context, program.io_size, direct ? MemoryUse::kIo : MemoryUse::kDevice, activity,
                                          "inputs and outputs"));
    if (!direct) {
      NNVK_ASSIGN(slot->staging_,
                  Buffer::create(context, program.io_size, MemoryUse::kStaging, activity, "staged inputs and outputs"));
    }
    std::memset(slot->io_bytes().data(), 0, slot->io_bytes().size());  // kernels read padding: it must be the same in every run
  }
  NNVK_ASSIGN(slot->descriptors_, Descriptors::create(context, blueprint.runnable(), dispatches_that_touch_io(program, false),
                                                      {slot->memory().regions, blueprint.constants, {}}, activity));
  slot->shared_sets_.resize(program.dispatches.size());
  slot->descriptors_->fill(slot->shared_sets_);
  return slot;
}

Slot::~Slot() {
  for (const VkQueryPool queries : queries_) {
    const Context& context = *blueprint_.context;
    if (queries != VK_NULL_HANDLE) context.vk().vkDestroyQueryPool(context.device(), queries, context.allocator());
  }
}

Status Slot::ensure_queries(Measure measure) {
  VkQueryPool& pool = queries_[static_cast<size_t>(measure)];
  if (measure == Measure::kNothing || pool != VK_NULL_HANDLE) return {};
  auto info = vulkan_struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = static_cast<uint32_t>(timestamp_capacity(blueprint_.program, measure));
  return NNVK_CREATE(*blueprint_.context, vkCreateQueryPool, info, pool);
}

SlotMemory Slot::memory() const {
  return {{arena_.handle(), io_.handle(), blueprint_.local.handle()}, staging_.handle(), reinterpret_cast<uintptr_t>(this)};
}

Result<std::shared_ptr<IoWiring>> Slot::wiring(std::span<const IoPlace> places) {
  if (const auto* const known = wirings_.find([&](const auto& wiring) { return wiring->is_for(places); })) return *known;
  NNVK_ASSIGN(std::shared_ptr<IoWiring> wiring,
              IoWiring::create(blueprint_, memory(), places, is_shared_ ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0));
  wirings_.add(wiring);
  return wiring;
}

int64_t Slot::fitness(std::span<const IoPlace> places) const {
  return is_wired_for(places) ? 1 : -static_cast<int64_t>(wirings_.values().size());
}

Status Slot::make_ready(Measure measure, std::span<const IoPlace> places, std::span<const size_t> cuts) {
  std::vector<IoPlace> own;
  if (places.empty()) {
    own.resize(blueprint_.program.inputs.size() + blueprint_.program.outputs.size());
    places = own;
  }
  NNVK_TRY(ensure_queries(measure));
  NNVK_ASSIGN(const auto used, wiring(places));
  accesses_ = used->accesses();
  NNVK_ASSIGN(ready_, used->commands(shared_sets_, places, cuts, {measure, queries_[static_cast<size_t>(measure)]}));
  blueprint_.activity->bytes_copied_internal.fetch_add(used->bytes_copied(), std::memory_order_relaxed);
  return {};
}

bool Slot::is_wired_for(std::span<const IoPlace> places) const {
  return std::ranges::any_of(wirings_.values(), [&](const auto& wiring) { return wiring->is_for(places); });
}

Result<Slot::SharedRun> Slot::share(std::span<const IoPlace> places) {
  NNVK_ASSIGN(auto used, wiring(places));
  NNVK_ASSIGN(const auto commands, used->commands(shared_sets_, places, {}, {}));
  blueprint_.activity->bytes_copied_internal.fetch_add(used->bytes_copied(), std::memory_order_relaxed);
  return SharedRun{std::move(used), commands.front()};
}

Slot::Timestamps Slot::timestamps(Measure measure) const {
  const Context& context = *blueprint_.context;
  const VkQueryPool pool = queries_[static_cast<size_t>(measure)];
  if (pool == VK_NULL_HANDLE) return {};
  std::vector<uint64_t> ticks(timestamp_count(measure, blueprint_.program.dispatches.size(), ready_.size()));
  const VkResult result = context.noted(context.vk().vkGetQueryPoolResults(
      context.device(), pool, 0, static_cast<uint32_t>(ticks.size()), ticks.size() * 8, ticks.data(), 8, VK_QUERY_RESULT_64_BIT));
  if (result != VK_SUCCESS) return {};
  const uint64_t mask = tick_mask(context.plan().timestamp_valid_bits);
  const double period = context.snapshot().timestamp_period;
  const uint64_t first = ticks[0];
  for (uint64_t& tick : ticks) tick = static_cast<uint64_t>(static_cast<double>((tick - first) & mask) * period);
  return {first, std::move(ticks)};
}

}  // namespace nnvk::vulkan
