#include "vulkan/queue/driver_queue.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <span>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

// The semaphores of one submission in Vulkan's form. Up to a dozen need no heap memory, because every execution uses this class.
class SubmittedSync {
 public:
  explicit SubmittedSync(const QueueSync& sync) {
    waits_.reserve(sync.waits.size());
    wait_values_.reserve(sync.waits.size());
    wait_stages_.reserve(sync.waits.size());
    signals_.reserve(sync.signals.size() + 1);  // one more for the queue's own
    signal_values_.reserve(sync.signals.size() + 1);
    for (const SemaphorePoint& point : sync.waits) wait(point);
    for (const SemaphorePoint& point : sync.signals) signal(point);
  }

  void wait(const SemaphorePoint& point) {
    waits_.push_back(point.semaphore);
    wait_values_.push_back(point.value);
    wait_stages_.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    has_timeline_ = has_timeline_ || point.is_timeline();
  }

  void signal(const SemaphorePoint& point) {
    signals_.push_back(point.semaphore);
    signal_values_.push_back(point.value);
    has_timeline_ = has_timeline_ || point.is_timeline();
  }

  // Returns the submission, which is valid until wait() or signal(), as long as this object and `commands` live.
  VkSubmitInfo info(std::span<const VkCommandBuffer> commands) {
    auto info = vulkan_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = static_cast<uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    info.waitSemaphoreCount = static_cast<uint32_t>(waits_.size());
    info.pWaitSemaphores = waits_.data();
    info.pWaitDstStageMask = wait_stages_.data();
    info.signalSemaphoreCount = static_cast<uint32_t>(signals_.size());
    info.pSignalSemaphores = signals_.data();
    if (!has_timeline_) return info;
    values_.waitSemaphoreValueCount = info.waitSemaphoreCount;  // Vulkan ignores the values of binary semaphores
    values_.pWaitSemaphoreValues = wait_values_.data();
    values_.signalSemaphoreValueCount = info.signalSemaphoreCount;
    values_.pSignalSemaphoreValues = signal_values_.data();
    info.pNext = &values_;
    return info;
  }

 private:
  std::array<std::byte, 1024> storage_;
  std::pmr::monotonic_buffer_resource memory_{storage_.data(), storage_.size()};
  std::pmr::vector<VkSemaphore> waits_{&memory_};
  std::pmr::vector<uint64_t> wait_values_{&memory_};
  std::pmr::vector<VkPipelineStageFlags> wait_stages_{&memory_};
  std::pmr::vector<VkSemaphore> signals_{&memory_};
  std::pmr::vector<uint64_t> signal_values_{&memory_};
  bool has_timeline_ = false;
  VkTimelineSemaphoreSubmitInfo values_ =
      vulkan_struct<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
};

}  // namespace

Result<std::unique_ptr<DriverQueue>> DriverQueue::create(std::shared_ptr<Context> context) {
  std::unique_ptr<DriverQueue> queue(new DriverQueue(std::move(context)));
  if (queue->context_->plan().timeline_semaphore) NNVK_TRY(queue->make_timeline());
  if (!queue->context_->has_queue()) return queue;
  if (queue->context_->plan().sync_files) queue->kernel_fences_ = std::make_unique<KernelFences>(queue->context_);
  NNVK_TRY(queue->record_barrier_commands());
  return queue;
}

DriverQueue::~DriverQueue() {
  pool_.reset();
  const VolkDeviceTable& vk = context_->vk();
  vk.vkDestroySemaphore(context_->device(), timeline_, context_->allocator());
  for (const auto* fences : {&free_fences_, &unusable_fences_}) {
    for (const VkFence fence : *fences) vk.vkDestroyFence(context_->device(), fence, context_->allocator());
  }
}

Status DriverQueue::make_timeline() {
  auto type = vulkan_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  return NNVK_CREATE(*context_, vkCreateSemaphore, info, timeline_);
}

Status DriverQueue::record_barrier_commands() {
  NNVK_ASSIGN(pool_, CommandPool::create(context_));
  NNVK_ASSIGN(barrier_, pool_->begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
  record_barrier(*context_, barrier_, kAfterEarlierSubmissions);
  Activity uncounted;
  return pool_->end(barrier_, uncounted);
}

Result<DriverQueue::Accepted> DriverQueue::submit(QueueWork& work, const QueueSync& sync) {
  const trace::Section section("[NN_LD_PCO]vkQueueSubmit");
  NNVK_TRY(context_->check_lost());
  if (!context_->has_queue()) {
    return fail(Code::kBadState,
                context_->snapshot().name +
                    " was imported without a queue: only recordings in command buffers of the application run on it");
  }
  Ticket ticket;
  Result<QueueLease> lease = catch_out_of_memory([&] { return hand_over(ticket, work, sync); });
  if (lease) return Accepted{std::move(ticket), *std::move(lease)};
  withdraw(ticket);
  return fail(std::move(lease).error());
}

// Hands the work to the driver. Even if this fails, the ticket keeps all that the function has taken. It allocates nothing once
// the driver has the work.
Result<QueueLease> DriverQueue::hand_over(Ticket& ticket, QueueWork& work, const QueueSync& sync) {
  QueuePosition* const position = work.position();
  if (position != nullptr) ticket.kernel_fence = position->kernel_fence();
  NNVK_TRY(import_sync_files(work, ticket.waits));
  ticket.waits_for_others = !ticket.waits.empty() || !sync.waits.empty();
  NNVK_ASSIGN(QueueLease lease, context_->lease_queue());  // first, so that numbers and submissions have the same order
  const auto commands_of_work = work.commands();
  std::vector<VkCommandBuffer> commands;
  commands.reserve(commands_of_work.size() + 1);
  {
    const std::lock_guard lock(mutex_);
    ticket.number = ++last_number_;
    if (timeline_ == VK_NULL_HANDLE) {
      NNVK_ASSIGN(ticket.fence, take_fence());
    }
    // A submission without commands needs no barrier: its signals wait for all earlier work anyway.
    if (!commands_of_work.empty() && needs_barrier(work, ticket.number)) commands.push_back(barrier_);
  }
  commands.insert(commands.end(), commands_of_work.begin(), commands_of_work.end());
  SubmittedSync semaphores(sync);
  for (const VkSemaphore semaphore : ticket.waits) semaphores.wait({semaphore});
  if (ticket.fence == VK_NULL_HANDLE) semaphores.signal({timeline_, ticket.number});
  const VkSubmitInfo info = semaphores.info(commands);
  const VkFence kernel_fence = ticket.kernel_fence != nullptr ? ticket.kernel_fence->handle() : VK_NULL_HANDLE;
  ticket.submitted = std::chrono::steady_clock::now();
  const VkResult result = context_->noted(
      context_->vk().vkQueueSubmit(lease.queue(), 1, &info, kernel_fence != VK_NULL_HANDLE ? kernel_fence : ticket.fence));
  if (result != VK_SUCCESS) {
    return fail(vulkan_error(result, "vkQueueSubmit on " + context_->snapshot().name));
  }
  if (ticket.kernel_fence != nullptr) ticket.kernel_fence->submitted();
  if (position != nullptr) position->set_submission(ticket.number);
  return lease;
}

// Frees the resources of a submission that did not reach the driver.
void DriverQueue::withdraw(Ticket& ticket) {
  {
    const std::lock_guard lock(mutex_);
    if (ticket.fence != VK_NULL_HANDLE) free_fences_.push_back(ticket.fence);
    hazards_.add_unknown();  // the expected barrier was not submitted
  }
  release(ticket, false);
}

Status DriverQueue::import_sync_files(const QueueWork& work, std::vector<VkSemaphore>& semaphores) {
  semaphores.reserve(work.sync_files().size());
  for (const auto& place : work.sync_files()) {
    NNVK_ASSIGN(const VkSemaphore semaphore, kernel_fences_->import_file(place->file().get()));
    semaphores.push_back(semaphore);
  }
  return {};
}

// Notes the memory that submission `number` accesses, and returns whether a barrier must precede its commands. The caller holds
// mutex_ and leases the queue.
bool DriverQueue::needs_barrier(const QueueWork& work, uint64_t number) {
  const auto accesses = work.accesses();
  if (!accesses) {
    hazards_.add_unknown();
    return true;
  }
  uint64_t behind = 0;
  for (const auto& other : work.behind()) behind = std::max(behind, other->submission());
  return hazards_.add(number, *accesses, behind);
}

// Takes a fence that is not signalled, or makes one. The caller holds mutex_.
Result<VkFence> DriverQueue::take_fence() {
  if (!free_fences_.empty()) {
    const VkFence fence = free_fences_.back();
    free_fences_.pop_back();
    return fence;
  }
  free_fences_.reserve(made_fences_ + 1);
  unusable_fences_.reserve(made_fences_ + 1);
  auto info = vulkan_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence fence = VK_NULL_HANDLE;
  NNVK_TRY(NNVK_CREATE(*context_, vkCreateFence, info, fence));
  ++made_fences_;
  return fence;
}

VkResult DriverQueue::wait_briefly(const Ticket& ticket, std::chrono::nanoseconds longest) const {
  const VolkDeviceTable& vk = context_->vk();
  const auto nanoseconds = static_cast<uint64_t>(longest.count());
  if (ticket.fence != VK_NULL_HANDLE) {
    return vk.vkWaitForFences(context_->device(), 1, &ticket.fence, VK_TRUE, nanoseconds);
  }
  auto info = vulkan_struct<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &ticket.number;
  const VkResult waited = vk.vkWaitSemaphoresKHR(context_->device(), &info, nanoseconds);
  if (waited != VK_TIMEOUT) return waited;
  // SwiftShader (seen in Chromium 110) waits until the counter equals the value. It waits forever if later submissions end first.
  uint64_t reached = 0;
  const VkResult asked = vk.vkGetSemaphoreCounterValueKHR(context_->device(), timeline_, &reached);
  if (asked != VK_SUCCESS) return asked;
  return reached >= ticket.number ? VK_SUCCESS : VK_TIMEOUT;
}

void DriverQueue::end(const Ticket& ticket, bool has_completed) {
  const std::lock_guard lock(mutex_);
  hazards_.forget(ticket.number);
  if (ticket.fence == VK_NULL_HANDLE) return;
  const bool is_reset =
      has_completed && context_->noted(context_->vk().vkResetFences(context_->device(), 1, &ticket.fence)) == VK_SUCCESS;
  (is_reset ? free_fences_ : unusable_fences_).push_back(ticket.fence);
}

void DriverQueue::release(Ticket& ticket, bool has_completed) const {
  if (ticket.kernel_fence != nullptr) ticket.kernel_fence->retire(has_completed);
  if (!ticket.waits.empty()) has_completed ? kernel_fences_->give_back(ticket.waits) : kernel_fences_->destroy(ticket.waits);
  ticket.waits.clear();
}

}  // namespace nnvk::vulkan
