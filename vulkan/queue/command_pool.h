// Command buffers, and the barriers between the commands in them.
#pragma once

#include <volk.h>

#include <memory>
#include <utility>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"

namespace nnvk::vulkan {

// Owns a pool and the command buffers made from it.
class CommandPool {
 public:
  static Result<std::unique_ptr<CommandPool>> create(std::shared_ptr<Context> context);
  ~CommandPool();
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  // Makes a command buffer, in the recording state. It may run any number of times, but only once at a time unless `usage` allows
  // more.
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
// Orders copies and conversions of images before dispatches that read the converted tensors.
inline constexpr Barrier kFromImagesToDispatches{kCopyOrDispatch, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kDispatchAccess};
inline constexpr Barrier kFromCopiesToHost{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                           VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};
// Orders dispatches before the host's reads and later copies of their results.
inline constexpr Barrier kFromDispatchesToResults{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                                  VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                  VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT};
// Commands begin with this barrier if they use memory that earlier submissions may have written or read.
inline constexpr Barrier kAfterEarlierSubmissions{kCopyOrDispatch, VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                                  kCopyOrDispatch, kCopyAccess | kDispatchAccess};

// Commands begin with this barrier if they use memory that clients or other queues use too. The queue already runs the commands
// after all work that they depend on; the barrier lets them see the values that this work wrote.
inline constexpr Barrier kSeesFinishedWork{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, kCopyOrDispatch, kCopyAccess | kDispatchAccess};

}  // namespace nnvk::vulkan
