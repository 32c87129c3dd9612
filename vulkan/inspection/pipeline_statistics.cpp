#include "vulkan/inspection/pipeline_statistics.h"

#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

// Does the same as enumerate() of vulkan_forms.h, for structs whose type must be set before they are filled.
template <class T, class Query>
Result<std::vector<T>> enumerate_structs(VkStructureType type, const char* function, const Query& query) {
  uint32_t count = 0;
  NNVK_TRY(vulkan_status(query(&count, nullptr), function));
  std::vector<T> items(count, vulkan_struct<T>(type));
  NNVK_TRY(vulkan_status(query(&count, items.data()), function));
  items.resize(count);
  return items;
}

std::variant<bool, int64_t, uint64_t, double> value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return statistic.value.b32 == VK_TRUE;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return int64_t{statistic.value.i64};
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      return statistic.value.f64;
    default:
      return uint64_t{statistic.value.u64};
  }
}

}  // namespace

Result<std::vector<PipelineStatistic>> pipeline_statistics(const Context& context, VkPipeline pipeline) {
  const VolkDeviceTable& vk = context.vk();
  auto of_pipeline = vulkan_struct<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  of_pipeline.pipeline = pipeline;
  NNVK_ASSIGN(const auto executables,
              enumerate_structs<VkPipelineExecutablePropertiesKHR>(
                  VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR, "vkGetPipelineExecutablePropertiesKHR",
                  [&](uint32_t* count, VkPipelineExecutablePropertiesKHR* items) {
                    return vk.vkGetPipelineExecutablePropertiesKHR(context.device(), &of_pipeline, count, items);
                  }));
  std::vector<PipelineStatistic> all;
  for (uint32_t e = 0; e < executables.size(); ++e) {
    auto of_executable = vulkan_struct<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
    of_executable.pipeline = pipeline;
    of_executable.executableIndex = e;
    NNVK_ASSIGN(const auto statistics,
                enumerate_structs<VkPipelineExecutableStatisticKHR>(
                    VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, "vkGetPipelineExecutableStatisticsKHR",
                    [&](uint32_t* count, VkPipelineExecutableStatisticKHR* items) {
                      return vk.vkGetPipelineExecutableStatisticsKHR(context.device(), &of_executable, count, items);
                    }));
    const std::string prefix = e == 0 ? "" : std::string(executables[e].name) + ": ";
    for (const auto& statistic : statistics) all.push_back({prefix + statistic.name, value_of(statistic)});
  }
  return all;
}

}  // namespace nnvk::vulkan
