// Slot creation and its command buffers.
#include "vulkan/recording/slot.h"

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

Result<VkCommandBuffer> Slot::commands(const SlotBlueprint& blueprint, Measure measure) {
  VkCommandBuffer& commands = commands_[static_cast<size_t>(measure)];
  if (commands != VK_NULL_HANDLE) return commands;
  NNVK_TRY(ensure_queries(blueprint, measure));
  NNVK_ASSIGN(const VkCommandBuffer recording, pool_->begin());
  NNVK_TRY(record(blueprint, recording, measure));
  commands = recording;
  return commands;
}

Status Slot::record(const SlotBlueprint& blueprint, VkCommandBuffer commands, Measure measure) {
  const DispatchProgram& program = blueprint.program;
  const VolkDeviceTable& vk = context_->vk();
  if (staging_ && program.input_end > 0) {
    const VkBufferCopy region{0, 0, program.input_end};
    vk.vkCmdCopyBuffer(commands, staging_.handle(), io_.handle(), 1, &region);
    record_barrier(*context_, commands,
                   {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_ACCESS_SHADER_READ_BIT});
  }
  record_dispatches(*context_, commands, program, blueprint.pipelines, *descriptors_, measure,
                    queries_[static_cast<size_t>(measure)]);
  if (staging_ && program.io_size > program.output_begin) {
    record_barrier(*context_, commands,
                   {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_ACCESS_TRANSFER_READ_BIT});
    const VkBufferCopy region{program.output_begin, program.output_begin, program.io_size - program.output_begin};
    vk.vkCmdCopyBuffer(commands, io_.handle(), staging_.handle(), 1, &region);
    record_barrier(
        *context_, commands,
        {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
  } else {
    record_barrier(
        *context_, commands,
        {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT});
  }
  return pool_->end(commands, *blueprint.activity);
}

std::vector<uint64_t> Slot::timestamps(const SlotBlueprint& blueprint, Measure measure) const {
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
  return ticks;
}

}  // namespace nnvk::vulkan
