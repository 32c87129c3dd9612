// Writes a program's dispatches, barriers and timestamps into a command buffer.
#pragma once

#include <volk.h>

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/recording/run_times.h"

namespace nnvk::vulkan {

// Owns a pool and the command buffers made from it.
class CommandPool {
 public:
  static Result<std::unique_ptr<CommandPool>> create(std::shared_ptr<Context> context);
  ~CommandPool();
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  // A command buffer in the recording state; replayable any number of times, one at a time unless `usage` says more.
  Result<VkCommandBuffer> begin(VkCommandBufferUsageFlags usage = 0);
  Status end(VkCommandBuffer commands, Activity& activity);

 private:
  explicit CommandPool(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  std::shared_ptr<Context> context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

struct Barrier {
  VkPipelineStageFlags from_stage;
  VkAccessFlags from_access;
  VkPipelineStageFlags to_stage;
  VkAccessFlags to_access;
};
void record_barrier(const Context& context, VkCommandBuffer commands, const Barrier& barrier);

inline constexpr VkAccessFlags kDispatchAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
inline constexpr VkAccessFlags kCopyAccess = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
inline constexpr VkPipelineStageFlags kCopyOrDispatch = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

inline constexpr Barrier kBetweenDispatches{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kDispatchAccess};
inline constexpr Barrier kFromCopiesToDispatches{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kDispatchAccess};
// From copies of images, which dispatches convert.
inline constexpr Barrier kFromImagesToDispatches{kCopyOrDispatch, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kDispatchAccess};
inline constexpr Barrier kFromCopiesToHost{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                           VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};
// At the end of dispatches whose results are copied or read by the host.
inline constexpr Barrier kFromDispatchesToResults{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                                  VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                  VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT};
// At the start of commands that use memory which earlier submissions may have written or read.
inline constexpr Barrier kAfterEarlierSubmissions{kCopyOrDispatch, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                                  kCopyOrDispatch, kCopyAccess | kDispatchAccess};

// At the start of commands that use memory which others use as well: the queue orders them, and what is finished is seen.
inline constexpr Barrier kSeesFinishedWork{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, kCopyOrDispatch, kCopyAccess | kDispatchAccess};

// What a run measures, and where the timestamps go.
struct Queries {
  Measure measure = Measure::kNothing;
  VkQueryPool pool = VK_NULL_HANDLE;  // null for kNothing
};

// The dispatches of a program that one submission holds, which submission of the run it is, and what the run measures.
struct DispatchRange {
  size_t begin = 0;
  size_t end = 0;
  size_t submission = 0;
  Queries queries{};
};

// Timestamps that runs with `measure` write at most, however they are cut.
size_t timestamp_capacity(const DispatchProgram& program, Measure measure);

// Dispatches of the range, a barrier between levels. Ranges follow each other on one queue. `sets`: one per dispatch of the
// program. The query pool has room for timestamp_capacity(), is reset by the first submission and written as run_times.h says.
void record_dispatches(const Context& context, VkCommandBuffer commands, const RunnableProgram& runnable,
                       std::span<const VkDescriptorSet> sets, const DispatchRange& range);

}  // namespace nnvk::vulkan
