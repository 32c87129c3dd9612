#include "vulkan/recording/command_recorder.h"

#include <algorithm>

#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {

size_t timestamp_capacity(const DispatchProgram& program, Measure measure) {
  const size_t dispatches = program.dispatches.size();
  return timestamp_count(measure, dispatches, std::max<size_t>(dispatches, 1));
}

void record_dispatches(const Context& context, VkCommandBuffer commands, const RunnableProgram& runnable,
                       std::span<const VkDescriptorSet> sets, const DispatchRange& range) {
  const auto& [program, pipelines] = runnable;
  const auto [measure, queries] = range.queries;
  const VolkDeviceTable& vk = context.vk();
  auto query = static_cast<uint32_t>(first_timestamp(measure, range.begin, range.submission));
  if (measure != Measure::kNothing) {
    if (range.submission == 0) {
      vk.vkCmdResetQueryPool(commands, queries, 0, static_cast<uint32_t>(timestamp_capacity(program, measure)));
    }
    // The device writes it after all earlier work has ended, so that waiting in the queue does not count.
    vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, query++);
  }
  uint32_t level = range.begin == 0 ? 0 : program.dispatches[range.begin - 1].level;
  VkPipeline bound = VK_NULL_HANDLE;
  for (size_t d = range.begin; d < range.end; ++d) {
    const ProgramDispatch& dispatch = program.dispatches[d];
    const Pipeline& pipeline = *pipelines[d];
    if (dispatch.level != level) {
      level = dispatch.level;
      if (measure != Measure::kEachDispatch) record_barrier(context, commands, kBetweenDispatches);
    }
    if (context.debug_labels()) {
      auto label = vulkan_struct<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
      label.pLabelName = dispatch.dispatch.label.c_str();
      vkCmdBeginDebugUtilsLabelEXT(commands, &label);
    }
    if (pipeline.pipeline != bound) {
      bound = pipeline.pipeline;
      vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
    }
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &sets[d], 0, nullptr);
    const std::vector<std::byte>& params = dispatch.dispatch.params;
    if (!params.empty()) {
      vk.vkCmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(params.size()),
                            params.data());
    }
    const auto& groups = dispatch.dispatch.groups;
    vk.vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
    if (context.debug_labels()) vkCmdEndDebugUtilsLabelEXT(commands);
    if (measure == Measure::kEachDispatch) {
      record_barrier(context, commands, kBetweenDispatches);
      vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries, query++);
    }
  }
  if (measure == Measure::kWhole) vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, query);
}

}  // namespace nnvk::vulkan
