// A driver's statistics of a compiled pipeline (VK_KHR_pipeline_executable_properties).
#pragma once

#include <volk.h>

#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/context.h"

namespace nnvk::vulkan {

// A number about a pipeline, in the driver's own words: "VGPRs", "Subgroups per SIMD", ...
struct PipelineStatistic {
  std::string name;
  std::variant<bool, int64_t, uint64_t, double> value;
};

// Queries the driver's statistics and keeps their order. Needs a device with VK_KHR_pipeline_executable_properties and a pipeline
// made with CAPTURE_STATISTICS. If a pipeline has several executables, names from the second one on begin with the executable's
// name.
Result<std::vector<PipelineStatistic>> pipeline_statistics(const Context& context, VkPipeline pipeline);

}  // namespace nnvk::vulkan
