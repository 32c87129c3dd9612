// Writes a program's dispatches, barriers and timestamps into a command buffer.
#pragma once

#include <volk.h>

#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/pipelines.h"

namespace nnvk::vulkan {

// What a command buffer measures.
enum class Measure : uint8_t {
  kNothing,
  kWhole,         // timestamps 0 and 1 around everything
  kEachDispatch,  // timestamp 0 at the start, i + 1 after dispatch i; dispatches do not overlap
};

// Owns a pool and the command buffers made from it.
class CommandPool {
 public:
  static Result<std::unique_ptr<CommandPool>> create(std::shared_ptr<Context> context);
  ~CommandPool();
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  // A command buffer in the recording state; replayable any number of times, one at a time.
  Result<VkCommandBuffer> begin();
  Status end(VkCommandBuffer commands, Activity& activity);
  // Makes all command buffers of the pool invalid and their memory free for reuse. None may be running.
  Status reset();

 private:
  explicit CommandPool(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  std::shared_ptr<Context> context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> used_;
  std::vector<VkCommandBuffer> free_;  // after reset()
};

struct Barrier {
  VkPipelineStageFlags from_stage;
  VkAccessFlags from_access;
  VkPipelineStageFlags to_stage;
  VkAccessFlags to_access;
};
void record_barrier(const Context& context, VkCommandBuffer commands, const Barrier& barrier);

inline constexpr Barrier kBetweenDispatches{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

// Queries that a command buffer with `measure` needs.
uint32_t query_count(const DispatchProgram& program, Measure measure);

// Which dispatches a command buffer holds.
struct DispatchRange {
  size_t begin = 0;
  size_t end = 0;
};

// Dispatches of the range, a barrier between levels. Ranges follow each other on one queue. `sets`: one per
// dispatch of the program. `queries` is reset by the first range
// and written as `measure` says; null for kNothing.
void record_dispatches(const Context& context, VkCommandBuffer commands, const DispatchProgram& program, DispatchRange range,
                       std::span<const Pipeline* const> pipelines, std::span<const VkDescriptorSet> sets, Measure measure,
                       VkQueryPool queries);

}  // namespace nnvk::vulkan
