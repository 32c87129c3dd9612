// What a driver tells of a compiled pipeline (VK_KHR_pipeline_executable_properties).
#pragma once

#include <volk.h>

#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "vulkan/context/context.h"

namespace nnvk::vulkan {

// In the driver's own words: "VGPRs", "Subgroups per SIMD", ...
struct PipelineStatistic {
  std::string name;
  std::variant<bool, int64_t, uint64_t, double> value;
};

// Of a pipeline that was made with CAPTURE_STATISTICS, on a device with the extension. In the driver's order; of a pipeline with
// several executables those of the later ones have the executable's name before theirs.
Result<std::vector<PipelineStatistic>> pipeline_statistics(const Context& context, VkPipeline pipeline);

}  // namespace nnvk::vulkan
