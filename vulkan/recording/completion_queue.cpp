// Submission and the completion thread.
#include "vulkan/recording/completion_queue.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kWaitNanoseconds = 1'000'000'000;

// The semaphores of one submission as Vulkan wants them. Up to a dozen take no memory from the heap: this is on the way of every
// execution.
class SubmittedSync {
 public:
  explicit SubmittedSync(const QueueSync& sync) {
    waits_.reserve(sync.waits.size());
    wait_values_.reserve(sync.waits.size());
    signals_.reserve(sync.signals.size() + 1);  // and the queue's own
    signal_values_.reserve(sync.signals.size() + 1);
    for (const SemaphorePoint& point : sync.waits) {
      waits_.push_back(point.semaphore);
      wait_values_.push_back(point.value);
      has_timeline_ = has_timeline_ || point.is_timeline();
    }
    wait_stages_.resize(waits_.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    for (const SemaphorePoint& point : sync.signals) signal(point);
  }

  void signal(const SemaphorePoint& point) {
    signals_.push_back(point.semaphore);
    signal_values_.push_back(point.value);
    has_timeline_ = has_timeline_ || point.is_timeline();
  }

  // Valid as long as this object and `commands`, and until signal().
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
    values_.waitSemaphoreValueCount = info.waitSemaphoreCount;  // those of binary semaphores are ignored
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

Status check_deadline(const CompletionQueue::Work& work) {
  if (!has_passed(work.deadline)) return {};
  if (work.is_continuation) return fail(Code::kMissedDeadlineTransient, "the deadline passed while the execution was running");
  return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution could start");
}

}  // namespace

// Shared with the thread, which may outlive the queue object for a moment when the queue is destroyed on the thread itself.
struct CompletionQueue::State {
  struct Pending {
    uint64_t value = 0;  // of the timeline semaphore
    VkFence fence = VK_NULL_HANDLE;
    Clock::time_point submitted;
    RetireWork retire;
  };

  std::shared_ptr<Context> context;
  VkSemaphore timeline = VK_NULL_HANDLE;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Pending> pending;                           // in submission order
  size_t submitted = 0;                                  // pending, being handed to the driver or being waited for
  std::multimap<int32_t, Work, std::greater<>> waiting;  // equal priorities stay in order
  std::deque<Work> refused;                              // came after `stop`
  std::vector<VkFence> free_fences;
  uint64_t last_value = 0;
  bool stop = false;

  ~State() {
    const VolkDeviceTable& vk = context->vk();
    vk.vkDestroySemaphore(context->device(), timeline, context->allocator());
    for (const VkFence fence : free_fences) vk.vkDestroyFence(context->device(), fence, context->allocator());
  }

  Result<VkFence> take_fence() {
    if (!free_fences.empty()) {
      const VkFence fence = free_fences.back();
      free_fences.pop_back();
      return fence;
    }
    auto info = vulkan_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    VkFence fence = VK_NULL_HANDLE;
    NNVK_TRY(vulkan_status(context->vk().vkCreateFence(context->device(), &info, context->allocator(), &fence), "vkCreateFence"));
    return fence;
  }

  VkResult wait_once(const Pending& item) const {
    const VolkDeviceTable& vk = context->vk();
    if (item.fence != VK_NULL_HANDLE) return vk.vkWaitForFences(context->device(), 1, &item.fence, VK_TRUE, kWaitNanoseconds);
    auto info = vulkan_struct<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline;
    info.pValues = &item.value;
    return vk.vkWaitSemaphoresKHR(context->device(), &info, kWaitNanoseconds);
  }

  Status wait(const Pending& item) const {
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT && !context->is_lost()) result = wait_once(item);
    if (result == VK_SUCCESS) return {};
    context->mark_lost();
    return context->check_lost();
  }

  Error stopped() const { return {Code::kUnavailableDevice, context->snapshot().name + " is being shut down"}; }

  // As far as the driver's queue has room. Work that fails makes other work start: that is the loop's, however much of it there
  // is.
  void submit_waiting() {
    static thread_local const State* submitting = nullptr;
    if (submitting == this) return;
    const State* const outer = std::exchange(submitting, this);
    while (true) {
      Work work;
      Status result;
      {
        const std::lock_guard lock(mutex);
        if (!refused.empty()) {
          work = std::move(refused.front());
          refused.pop_front();
          result = fail(stopped());
        } else if (!waiting.empty() && submitted < kSubmittedAhead) {
          work = std::move(waiting.extract(waiting.begin()).mapped());
          ++submitted;
        } else {
          break;
        }
      }
      if (result) result = start(work);
      if (!result) work.retire(result, {});
    }
    submitting = outer;
  }

  // Something that was counted in `submitted` has gone.
  void leave() {
    const std::lock_guard lock(mutex);
    --submitted;
    changed.notify_one();
  }

  // As submit_now(), unless it is too late.
  Status start(Work& work) {
    if (Status late = check_deadline(work); !late) {
      leave();
      return late;
    }
    return submit_now(work.commands, {}, work.retire);
  }

  // The caller has counted the work in `submitted`. Takes `retire`; when this fails, it counts no more and `retire` stays.
  Status submit_now(std::span<const VkCommandBuffer> commands, const QueueSync& sync, RetireWork& retire) {
    Status result = hand_to_driver(commands, sync, retire);
    if (!result) leave();
    if (Status alive = context->check_lost(); !alive && !result) return alive;
    return result;
  }

  Status hand_to_driver(std::span<const VkCommandBuffer> commands, const QueueSync& sync, RetireWork& retire) {
    const trace::Section section("[NN_LD_PCO]vkQueueSubmit");
    if (context->is_lost()) return fail(vulkan_error(VK_ERROR_DEVICE_LOST, "submission to " + context->snapshot().name));
    if (!context->has_queue()) {
      return fail(Code::kBadState,
                  context->snapshot().name +
                      " was imported without a queue: only recordings in command buffers of the application run on it");
    }
    SubmittedSync semaphores(sync);
    const QueueLease lease = context->lease_queue();  // keeps the order of values, submissions and pending entries the same
    Pending item;
    {
      const std::lock_guard lock(mutex);
      if (context->plan().timeline_semaphore) {
        item.value = last_value + 1;
      } else {
        NNVK_ASSIGN(item.fence, take_fence());
      }
    }
    if (item.fence == VK_NULL_HANDLE) semaphores.signal({timeline, item.value});
    const VkSubmitInfo info = semaphores.info(commands);
    item.submitted = Clock::now();
    const VkResult result = context->vk().vkQueueSubmit(lease.queue(), 1, &info, item.fence);
    const std::lock_guard lock(mutex);
    if (result != VK_SUCCESS) {
      if (result == VK_ERROR_DEVICE_LOST) context->mark_lost();
      if (item.fence != VK_NULL_HANDLE) free_fences.push_back(item.fence);
      return fail(vulkan_error(result, "vkQueueSubmit on " + context->snapshot().name));
    }
    last_value = std::max(last_value, item.value);
    item.retire = std::move(retire);
    pending.push_back(std::move(item));
    changed.notify_one();
    return {};
  }
};

CompletionQueue::CompletionQueue(std::shared_ptr<State> state) : state_(std::move(state)) {
  if (!state_->context->has_queue()) return;  // nothing will ever complete
  thread_ = std::thread([shared = state_]() mutable {
    trace::name_this_thread("nnvk completion");
    run(shared);
    shared.reset();
  });
}

Result<std::unique_ptr<CompletionQueue>> CompletionQueue::create(std::shared_ptr<Context> context) {
  auto state = std::make_shared<State>();
  state->context = std::move(context);
  if (state->context->plan().timeline_semaphore) {
    auto type = vulkan_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    info.pNext = &type;
    NNVK_TRY(vulkan_status(
        state->context->vk().vkCreateSemaphore(state->context->device(), &info, state->context->allocator(), &state->timeline),
        "vkCreateSemaphore"));
  }
  return std::unique_ptr<CompletionQueue>(new CompletionQueue(std::move(state)));
}

CompletionQueue::~CompletionQueue() {
  shut_down();
  if (thread_.joinable()) thread_.detach();  // this is the thread: it goes on with `shared` and ends once nothing is pending
}

void CompletionQueue::shut_down() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  if (thread_.joinable() && !is_completion_thread()) thread_.join();
}

Status CompletionQueue::submit(VkCommandBuffer commands, Retire retire) {
  return submit(std::span(&commands, 1), {},
                [retire = std::move(retire)](const Status& status, std::chrono::nanoseconds) { retire(status); });
}

Status CompletionQueue::submit(std::span<const VkCommandBuffer> commands, const QueueSync& sync, RetireWork retire) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stop) return fail(state_->stopped());
    ++state_->submitted;
  }
  Status result = state_->submit_now(commands, sync, retire);
  if (!result) state_->submit_waiting();
  return result;
}

void CompletionQueue::enqueue(Work work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stop && !work.is_continuation) {  // what has begun is finished
      state_->refused.push_back(std::move(work));
    } else {
      const int32_t priority = work.priority;
      state_->waiting.emplace(priority, std::move(work));
    }
  }
  state_->submit_waiting();
}

void CompletionQueue::run(const std::shared_ptr<State>& state) {
  Clock::time_point last_retired;
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(
        lock, [&] { return !state->pending.empty() || (state->stop && state->submitted == 0 && state->waiting.empty()); });
    if (state->pending.empty()) return;
    State::Pending item = std::move(state->pending.front());
    state->pending.pop_front();
    lock.unlock();
    const Status result = state->wait(item);
    if (!result) log_line(LogLevel::kError, "Vulkan", result.error().text());
    const auto busy = Clock::now() - std::max(item.submitted, last_retired);
    last_retired = Clock::now();
    lock.lock();
    --state->submitted;
    if (item.fence != VK_NULL_HANDLE) {
      if (result) state->context->vk().vkResetFences(state->context->device(), 1, &item.fence);
      state->free_fences.push_back(item.fence);
    }
    lock.unlock();
    state->submit_waiting();  // before anybody hears about this one: the device must not idle
    item.retire(result, busy);
    item.retire = nullptr;  // what it holds goes before the thread sleeps
    lock.lock();
  }
}

}  // namespace nnvk::vulkan
