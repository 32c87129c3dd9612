// Slot creation and its command buffers.
#include "vulkan/recording/slot.h"

#include <algorithm>
#include <cstring>

#include "vulkan/context/vulkan_error.h"

namespace nnvk::vulkan {

Result<std::unique_ptr<Slot>> Slot::create(const SlotBlueprint& blueprint) {
  const DispatchProgram& program = blueprint.program;
  const std::shared_ptr<Context>& context = blueprint.context;
  Activity& activity = *blueprint.activity;
  std::unique_ptr<Slot> slot(new Slot(context));
  RegionBuffers buffers;
  if (program.arena_size > 0) {
    NNVK_ASSIGN(slot->arena_, Buffer::create(context, program.arena_size, MemoryUse::kDevice, activity, "temporary tensors"));
    buffers.arena = slot->arena_.handle();
  }
  if (program.io_size > 0) {
    const bool direct = context->plan().direct_io;
    NNVK_ASSIGN(slot->io_, Buffer::create(context, program.io_size, direct ? MemoryUse::kIo : MemoryUse::kDevice, activity,
                                          "inputs and outputs"));
    if (!direct) {
      NNVK_ASSIGN(slot->staging_,
                  Buffer::create(context, program.io_size, MemoryUse::kStaging, activity, "staged inputs and outputs"));
    }
    buffers.io = slot->io_.handle();
    std::memset(slot->io_bytes().data(), 0, slot->io_bytes().size());  // padding is read and must be the same in every run
  }
  buffers.local = blueprint.local.handle();
  NNVK_ASSIGN(slot->descriptors_,
              Descriptors::create(context, program, blueprint.pipelines, buffers, blueprint.constants, activity));
  NNVK_ASSIGN(slot->pool_, CommandPool::create(context));
  return slot;
}

Slot::~Slot() {
  for (const VkQueryPool queries : queries_) {
    if (queries != VK_NULL_HANDLE) context_->vk().vkDestroyQueryPool(context_->device(), queries, nullptr);
  }
}

Status Slot::ensure_queries(const SlotBlueprint& blueprint, Measure measure) {
  VkQueryPool& pool = queries_[static_cast<size_t>(measure)];
  if (measure == Measure::kNothing || pool != VK_NULL_HANDLE) return {};
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = query_count(blueprint.program, measure);
  return vulkan_status(context_->vk().vkCreateQueryPool(context_->device(), &info, nullptr, &pool), "vkCreateQueryPool");
}

Status Slot::make_ready(const SlotBlueprint& blueprint, Measure measure, std::span<const IoCopy> copies,
                        std::span<const size_t> cuts) {
  const RecordedDispatches& dispatches = dispatches_[static_cast<size_t>(measure)];
  if (dispatches.parts.empty() || !std::ranges::equal(dispatches.cuts, cuts)) NNVK_TRY(record(blueprint, measure, cuts));
  std::array<VkCommandBuffer, 2> transfers{};
  if (!copies.empty()) {
    if (copy_pool_ == nullptr) {
      NNVK_ASSIGN(copy_pool_, CommandPool::create(context_));
    }
    NNVK_TRY(copy_pool_->reset());
    for (const bool to_io : {true, false}) {
      NNVK_ASSIGN(transfers[to_io ? 0 : 1], record_transfer(*copy_pool_, blueprint, to_io, copies));
    }
  } else if (staging_) {
    for (const bool to_io : {true, false}) {
      VkCommandBuffer& known = staging_commands_[to_io ? 0 : 1];
      if (known == VK_NULL_HANDLE) {
        NNVK_ASSIGN(known, record_transfer(*pool_, blueprint, to_io, {}));
      }
    }
    transfers = staging_commands_;
  }
  ready_.clear();
  if (transfers[0] != VK_NULL_HANDLE) ready_.push_back(transfers[0]);
  ready_before_ = ready_.size();
  ready_.insert(ready_.end(), dispatches.parts.begin(), dispatches.parts.end());
  dispatch_parts_ = dispatches.parts.size();
  if (transfers[1] != VK_NULL_HANDLE) ready_.push_back(transfers[1]);
  return {};
}

std::span<const VkCommandBuffer> Slot::submission(size_t index) const {
  const size_t begin = index == 0 ? 0 : ready_before_ + index;
  const size_t end = index + 1 == dispatch_parts_ ? ready_.size() : ready_before_ + index + 1;
  return std::span(ready_).subspan(begin, end - begin);
}

Status Slot::record(const SlotBlueprint& blueprint, Measure measure, std::span<const size_t> cuts) {
  NNVK_TRY(ensure_queries(blueprint, measure));
  const size_t count = blueprint.program.dispatches.size();
  RecordedDispatches made{{cuts.begin(), cuts.end()}, {}};
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const DispatchRange range{i == 0 ? 0 : cuts[i - 1], i == cuts.size() ? count : cuts[i]};
    NNVK_ASSIGN(const VkCommandBuffer part, pool_->begin());
    record_dispatches(*context_, part, blueprint.program, range, blueprint.pipelines, *descriptors_, measure,
                      queries_[static_cast<size_t>(measure)]);
    if (range.end == count) {
      record_barrier(
          *context_, part,
          {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
           VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT});
    }
    NNVK_TRY(pool_->end(part, *blueprint.activity));
    made.parts.push_back(part);
  }
  dispatches_[static_cast<size_t>(measure)] = std::move(made);
  return {};
}

// Between staging memory, device memory and the io region. What comes from device memory overwrites what staging brings.
Result<VkCommandBuffer> Slot::record_transfer(CommandPool& pool, const SlotBlueprint& blueprint, bool to_io,
                                              std::span<const IoCopy> copies) {
  const DispatchProgram& program = blueprint.program;
  const VolkDeviceTable& vk = context_->vk();
  NNVK_ASSIGN(const VkCommandBuffer commands, pool.begin());
  if (staging_) {
    const uint64_t begin = to_io ? 0 : program.output_begin;
    const uint64_t end = to_io ? program.input_end : program.io_size;
    const VkBufferCopy region{begin, begin, end - begin};
    const VkBuffer from = to_io ? staging_.handle() : io_.handle();
    const VkBuffer to = to_io ? io_.handle() : staging_.handle();
    if (end > begin) vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
  }
  // Earlier submissions wrote the device memory, and the copy above writes the same bytes of the io region.
  constexpr Barrier kBetweenCopies{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                   VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  if (!copies.empty()) record_barrier(*context_, commands, kBetweenCopies);
  for (const IoCopy& copy : copies) {
    if (copy.to_io != to_io) continue;
    const VkBufferCopy region{to_io ? copy.memory_offset : copy.io_offset, to_io ? copy.io_offset : copy.memory_offset, copy.size};
    vk.vkCmdCopyBuffer(commands, to_io ? copy.memory : io_.handle(), to_io ? io_.handle() : copy.memory, 1, &region);
  }
  if (to_io) {
    record_barrier(*context_, commands,
                   {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
  } else {
    record_barrier(
        *context_, commands,
        {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
  }
  NNVK_TRY(pool.end(commands, *blueprint.activity));
  return commands;
}

Slot::Timestamps Slot::timestamps(const SlotBlueprint& blueprint, Measure measure) const {
  const VkQueryPool pool = queries_[static_cast<size_t>(measure)];
  if (pool == VK_NULL_HANDLE) return {};
  std::vector<uint64_t> ticks(query_count(blueprint.program, measure));
  const VkResult result = context_->vk().vkGetQueryPoolResults(context_->device(), pool, 0, static_cast<uint32_t>(ticks.size()),
                                                               ticks.size() * 8, ticks.data(), 8, VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS) return {};
  const uint32_t bits = context_->plan().timestamp_valid_bits;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const double period = context_->snapshot().timestamp_period;
  const uint64_t first = ticks[0];
  for (uint64_t& tick : ticks) tick = static_cast<uint64_t>(static_cast<double>((tick - first) & mask) * period);
  return {first, std::move(ticks)};
}

}  // namespace nnvk::vulkan
