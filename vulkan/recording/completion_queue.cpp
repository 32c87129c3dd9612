// Submission and the completion thread.
#include "vulkan/recording/completion_queue.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/library_pin.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "vulkan/context/vulkan_error.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/standstill.h"

namespace nnvk::vulkan {
namespace {

// How long the completion thread waits before it checks deadlines and the standstill.
constexpr std::chrono::milliseconds kTick{100};
// How long submissions may take to end when the device is lost. Drivers end them at once, but a device that was only reported as
// lost may still be working.
constexpr std::chrono::milliseconds kPatienceWithLost{2000};

// The semaphores of one submission in Vulkan's form. Up to a dozen need no heap memory: every execution comes through here.
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

  // Valid as long as this object and `commands`, and until wait() or signal().
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
    values_.waitSemaphoreValueCount = info.waitSemaphoreCount;  // Vulkan ignores those of binary semaphores
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

// Shared with the completion thread. If the queue is destroyed on that thread, the thread briefly outlives the queue object.
struct CompletionQueue::State {
  struct Pending {
    uint64_t value = 0;  // of the timeline semaphore
    VkFence fence = VK_NULL_HANDLE;
    Clock::time_point submitted;
    std::chrono::nanoseconds expected{0};
    uint64_t number = 0;  // in the order of submission
    std::shared_ptr<KernelFence> kernel_fence;
    std::vector<VkSemaphore> waits;  // made from sync_files
    bool has_more = false;
    int32_t priority = 0;
    bool waits_for_others = false;  // waits for semaphores: its duration does not depend on the device
    Describe describe;
    RetireWork retire;
  };

  std::shared_ptr<Context> context;
  VkSemaphore timeline = VK_NULL_HANDLE;

  std::unique_ptr<KernelFences> kernel_fences;  // null if the driver has none
  DeadlineWatch deadlines;

  std::mutex mutex;
  std::condition_variable changed;
  std::list<Pending> pending;                            // in submission order
  size_t submitted = 0;                                  // pending, being handed to the driver, or waited for by the thread
  std::multimap<int32_t, Work, std::greater<>> waiting;  // equal priorities stay in order
  std::map<int32_t, size_t> unfinished;  // by priority: how many of `submitted` are not the last of their execution
  std::deque<Work> refused;              // enqueued after `stop`
  std::vector<VkFence> free_fences;      // has capacity for all that were made, so that returning one needs no memory
  std::vector<VkFence> unusable_fences;  // waiting or resetting failed: never used again
  size_t made_fences = 0;
  uint64_t last_value = 0;
  uint64_t last_number = 0;
  std::chrono::nanoseconds ahead{0};  // expected time of all pending work
  QueueHazards hazards;
  bool stop = false;
  std::optional<std::chrono::milliseconds> patience;  // with the device, after `stop`
  bool holds_library = false;                         // until nothing is pending
  std::unique_ptr<CommandPool> pool;
  VkCommandBuffer barrier = VK_NULL_HANDLE;  // orders all commands before it and after it

  ~State() {
    pool.reset();
    const VolkDeviceTable& vk = context->vk();
    vk.vkDestroySemaphore(context->device(), timeline, context->allocator());
    for (const auto* fences : {&free_fences, &unusable_fences}) {
      for (const VkFence fence : *fences) vk.vkDestroyFence(context->device(), fence, context->allocator());
    }
  }

  Status record_barrier_commands() {
    NNVK_ASSIGN(pool, CommandPool::create(context));
    NNVK_ASSIGN(barrier, pool->begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
    record_barrier(*context, barrier, kAfterEarlierSubmissions);
    Activity uncounted;
    return pool->end(barrier, uncounted);
  }

  Result<VkFence> take_fence() {
    if (!free_fences.empty()) {
      const VkFence fence = free_fences.back();
      free_fences.pop_back();
      return fence;
    }
    free_fences.reserve(made_fences + 1);
    unusable_fences.reserve(made_fences + 1);
    auto info = vulkan_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    VkFence fence = VK_NULL_HANDLE;
    NNVK_TRY(
        context->status(context->vk().vkCreateFence(context->device(), &info, context->allocator(), &fence), "vkCreateFence"));
    ++made_fences;
    return fence;
  }

  VkResult wait_once(const Pending& item) const {
    constexpr uint64_t kNanoseconds = std::chrono::nanoseconds(kTick).count();
    const VolkDeviceTable& vk = context->vk();
    if (item.fence != VK_NULL_HANDLE) return vk.vkWaitForFences(context->device(), 1, &item.fence, VK_TRUE, kNanoseconds);
    auto info = vulkan_struct<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline;
    info.pValues = &item.value;
    return vk.vkWaitSemaphoresKHR(context->device(), &info, kNanoseconds);
  }

  // Waits until the oldest submission has completed, or the device is lost and has released it. `since`: when the device could
  // begin it. If it does not end in time, this marks the device as hanging.
  Status wait(const Pending& item, Clock::time_point since) {
    const std::chrono::milliseconds longest = context->plan().longest_standstill;
    std::optional<Clock::time_point> lost_since;
    Standstill standstill(since);
    std::optional<Standstill> standstill_at_end;
    while (!context->is_hung()) {
      const VkResult result = context->noted(wait_once(item));
      if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) break;
      if (result != VK_TIMEOUT) std::this_thread::sleep_for(kTick);  // no memory to wait with: try again soon
      const auto now = Clock::now();
      const auto standing = standstill.look(now);
      deadlines.look(now);
      if (context->is_lost() && !lost_since) lost_since = now;
      const bool is_kept_by_lost = lost_since && now - *lost_since >= kPatienceWithLost;
      const bool stands_still = !lost_since && longest.count() > 0 && !item.waits_for_others && standing >= longest;
      const auto patience_at_end = this->patience_at_end();
      if (patience_at_end && !standstill_at_end) standstill_at_end.emplace(now);
      const bool is_given_up = patience_at_end && standstill_at_end->look(now) >= *patience_at_end;
      // If there is no memory for the message, try again at the next tick. Do not report the end while the device still works.
      static_cast<void>(catch_out_of_memory([&]() -> Status {
        if (is_kept_by_lost) context->mark_hung(hang_text(item, "was lost, but its work does not end"));
        if (stands_still)
          context->mark_hung(hang_text(item, "has completed nothing for " + std::to_string(longest.count()) + " ms"));
        if (is_given_up) context->mark_hung(hang_text(item, "is closed before its work has come to an end"));
        return {};
      }));
    }
    return context->check_lost();
  }

  // How long the device may stand still before nnvk gives it up during shut-down; nothing: no extra limit.
  std::optional<std::chrono::milliseconds> patience_at_end() {
    const std::lock_guard lock(mutex);
    return stop ? patience : std::nullopt;
  }

  // Undoes leave_to_device() when nothing is pending. Not during shut-down: shut_down() waits in the library's code.
  void let_library_go() {
    {
      const std::lock_guard lock(mutex);
      if (!holds_library || stop || submitted > 0 || !waiting.empty()) return;
      holds_library = false;
    }
    const OnLibraryThread here;
    unpin_library();
  }

  std::string hang_text(const Pending& item, const std::string& what) const {
    return context->snapshot().name + " " + what + ". nnvk treats the device as lost. It was running " +
           (item.describe ? item.describe() : "semaphores") + ". nnvk keeps the memory that the device may still use";
  }

  // Keeps memory that a hanging device may still use: client memory under imports. Never freed, but still reachable.
  static void keep_for_ever(std::list<Pending>& entry) {
    alignas(std::list<Pending>) static std::byte room[sizeof(std::list<Pending>)];
    static std::mutex mutex;
    static auto* const kept = new (room) std::list<Pending>;
    const std::lock_guard lock(mutex);
    kept->splice(kept->end(), entry);
  }

  Error stopped() const { return {Code::kUnavailableDevice, context->snapshot().name + " is being shut down"}; }

  // The most important waiting work that may be submitted, if the driver's queue has room for it.
  std::multimap<int32_t, Work, std::greater<>>::iterator next_waiting() {
    const auto lets_follow = [](const auto& other) { return other->lets_others_follow(); };
    const auto next =
        std::ranges::find_if(waiting, [&](const auto& entry) { return std::ranges::all_of(entry.second.behind, lets_follow); });
    if (next == waiting.end()) return next;
    // A more important execution has not been submitted completely: its next submission comes first.
    const auto has_some = [](const auto& entry) { return entry.second > 0; };
    if (std::any_of(unfinished.upper_bound(next->first), unfinished.end(), has_some)) return waiting.end();
    if (submitted < kSubmittedAhead) return next;
    const Work& work = next->second;
    const bool follows = std::ranges::any_of(work.behind, [](const auto& other) { return !other->has_ended(); });
    return follows && ahead + work.expected <= kLongestAhead ? next : waiting.end();
  }

  // Submits work while the driver's queue has room. The `retire` of failed work may call this again; the outermost call then
  // submits the new work, so that recursion stays bounded. If memory runs out, the work fails.
  void submit_waiting() noexcept {
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
          result = catch_out_of_memory([this]() -> Status { return fail(stopped()); });
        } else if (const auto next = next_waiting(); next != waiting.end()) {
          work = std::move(waiting.extract(next).mapped());
          ++submitted;
          if (work.has_more) ++unfinished.find(work.priority)->second;
        } else {
          break;
        }
      }
      if (result) result = start(work);
      if (!result) work.retire(result, {});
    }
    submitting = outer;
  }

  // Removes the work from the count in `submitted`.
  void leave(const Work& work) {
    const std::lock_guard lock(mutex);
    --submitted;
    if (work.has_more) --unfinished.find(work.priority)->second;
    changed.notify_one();
  }

  // Like submit_now(), but fails if the deadline has passed or earlier work has failed.
  Status start(Work& work) noexcept {
    Status ready = catch_out_of_memory([&] { return check_deadline(work); });
    for (const auto& other : work.behind) {
      if (const auto end = other->end(); end && ready) ready = end->result;
    }
    if (!ready) {
      leave(work);
      return ready;
    }
    return submit_now(work, {}, false);
  }

  // The caller has counted the work in `submitted`. Takes `retire`; on failure it uncounts the work and leaves `retire`.
  // `touches_anything`: the work's memory accesses are unknown.
  Status submit_now(Work& work, const QueueSync& sync, bool touches_anything) {
    return catch_out_of_memory([&]() -> Status {
      Status result = catch_out_of_memory([&] { return hand_to_driver(work, sync, touches_anything); });
      if (!result) leave(work);
      if (Status alive = context->check_lost(); !alive && !result) return alive;
      return result;
    });
  }

  Result<std::vector<VkSemaphore>> import_sync_files(const Work& work) {
    std::vector<VkSemaphore> semaphores;
    semaphores.reserve(work.sync_files.size());
    for (const auto& place : work.sync_files) {
      auto semaphore = catch_out_of_memory([&] { return kernel_fences->import_file(place->file().get()); });
      if (!semaphore) {
        kernel_fences->destroy(semaphores);
        return fail(semaphore.error());
      }
      semaphores.push_back(*semaphore);
    }
    return semaphores;
  }

  // Releases the kernel fence and imported semaphores of a submission.
  void release(Pending& item, bool has_completed) const {
    if (item.kernel_fence != nullptr) item.kernel_fence->retire(has_completed);
    if (!item.waits.empty()) has_completed ? kernel_fences->give_back(item.waits) : kernel_fences->destroy(item.waits);
    item.waits.clear();
  }

  // Whether the work needs a barrier after the driver's work. Call it under `mutex`, with the queue leased.
  bool needs_barrier(const Work& work, bool touches_anything, uint64_t number) {
    if (touches_anything) {
      hazards.add_unknown();
      return true;
    }
    uint64_t behind = 0;
    for (const auto& other : work.behind) behind = std::max(behind, other->submission());
    return hazards.add(number, work.accesses, behind);
  }

  Status hand_to_driver(Work& work, const QueueSync& sync, bool touches_anything) {
    const trace::Section section("[NN_LD_PCO]vkQueueSubmit");
    NNVK_TRY(context->check_lost());
    if (!context->has_queue()) {
      return fail(Code::kBadState,
                  context->snapshot().name +
                      " was imported without a queue: only recordings in command buffers of the application run on it");
    }
    std::list<Pending> entry(1);  // moves into `pending` unchanged: once the driver has the work, nothing allocates
    Pending& item = entry.front();
    if (work.position != nullptr) item.kernel_fence = work.position->kernel_fence_;
    Unsubmitted unsubmitted{*this, item};
    NNVK_ASSIGN(item.waits, import_sync_files(work));
    item.waits_for_others = !item.waits.empty() || !sync.waits.empty();
    // Under this lease, so that values, submissions and pending entries have the same order.
    NNVK_ASSIGN(const QueueLease lease, context->lease_queue());
    bool with_barrier = false;
    {
      const std::lock_guard lock(mutex);
      item.number = ++last_number;
      item.expected = work.expected;
      if (context->plan().timeline_semaphore) {
        item.value = last_value + 1;
      } else {
        NNVK_ASSIGN(item.fence, take_fence());
      }
      // Semaphores alone need no barrier: they wait for all earlier work.
      with_barrier = !work.commands.empty() && needs_barrier(work, touches_anything, item.number);
    }
    std::vector<VkCommandBuffer> commands(work.commands.begin(), work.commands.end());
    if (with_barrier) commands.insert(commands.begin(), barrier);
    SubmittedSync semaphores(sync);
    for (const VkSemaphore semaphore : item.waits) semaphores.wait({semaphore});
    if (item.fence == VK_NULL_HANDLE) semaphores.signal({timeline, item.value});
    const VkSubmitInfo info = semaphores.info(commands);
    item.submitted = Clock::now();
    const VkFence kernel_fence = item.kernel_fence != nullptr ? item.kernel_fence->handle() : VK_NULL_HANDLE;
    const VkResult result = context->noted(
        context->vk().vkQueueSubmit(lease.queue(), 1, &info, kernel_fence != VK_NULL_HANDLE ? kernel_fence : item.fence));
    if (result != VK_SUCCESS) {
      return fail(vulkan_error(result, "vkQueueSubmit on " + context->snapshot().name));
    }
    unsubmitted.is_submitted = true;
    const std::lock_guard lock(mutex);
    last_value = std::max(last_value, item.value);
    ahead += item.expected;
    if (item.kernel_fence != nullptr) item.kernel_fence->submitted();
    if (work.position != nullptr) work.position->set_submission(item.number);
    item.has_more = work.has_more;
    item.priority = work.priority;
    item.describe = std::move(work.describe);
    item.retire = std::move(work.retire);
    pending.splice(pending.end(), entry);
    changed.notify_one();
    return {};
  }

  // Frees the resources of a submission that did not reach the driver.
  struct Unsubmitted {
    State& state;
    Pending& item;
    bool is_submitted = false;

    ~Unsubmitted() {
      if (is_submitted) return;
      const std::lock_guard lock(state.mutex);
      if (item.fence != VK_NULL_HANDLE) state.free_fences.push_back(item.fence);
      state.hazards.add_unknown();  // the expected barrier was not submitted
      state.release(item, false);
    }
  };
};

Result<std::unique_ptr<CompletionQueue>> CompletionQueue::create(std::shared_ptr<Context> context) {
  auto state = std::make_shared<State>();
  state->context = std::move(context);
  if (state->context->plan().timeline_semaphore) {
    auto type = vulkan_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    info.pNext = &type;
    NNVK_TRY(state->context->status(
        state->context->vk().vkCreateSemaphore(state->context->device(), &info, state->context->allocator(), &state->timeline),
        "vkCreateSemaphore"));
  }
  if (state->context->has_queue()) {
    if (state->context->plan().sync_files) state->kernel_fences = std::make_unique<KernelFences>(state->context);
    NNVK_TRY(state->record_barrier_commands());
  }
  std::unique_ptr<CompletionQueue> queue(new CompletionQueue(state));
  if (!state->context->has_queue()) return queue;  // nothing will ever complete
  NNVK_ASSIGN(queue->thread_, Thread::start("nnvk completion", [shared = std::move(state)]() mutable {
                run(shared);
                shared.reset();
              }));
  return queue;
}

CompletionQueue::~CompletionQueue() {
  shut_down();
  if (thread_.joinable()) thread_.detach();  // this is the thread: it continues with `shared` and ends once nothing is pending
}

// pin_library() and unpin_library() take the C library's loader lock, so `mutex` is not held around them.
void CompletionQueue::leave_to_device() {
  pin_library();
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->holds_library && !state_->stop && state_->submitted > 0) {
      state_->holds_library = true;
      return;
    }
  }
  const OnLibraryThread here;  // this may be a library thread
  unpin_library();
}

void CompletionQueue::shut_down(std::optional<std::chrono::milliseconds> patience) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    state_->patience = patience;
  }
  state_->changed.notify_all();
  if (thread_.joinable() && !is_completion_thread()) thread_.join();
}

Status CompletionQueue::submit(VkCommandBuffer commands, const char* what, Retire retire) {
  Work work;
  work.commands = std::span(&commands, 1);
  work.describe = [what] { return std::string(what); };
  work.retire = [retire = std::move(retire)](const Status& status, std::chrono::nanoseconds) { retire(status); };
  return submit(std::move(work), {});
}

Status CompletionQueue::submit(Work work, const QueueSync& sync) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stop) return fail(state_->stopped());
    ++state_->submitted;
  }
  Status result = state_->submit_now(work, sync, true);
  if (!result) state_->submit_waiting();
  return result;
}

DeadlineWatch& CompletionQueue::deadlines() { return state_->deadlines; }

void CompletionQueue::enqueue(Work work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stop && !work.is_continuation) {  // continuations of begun executions are still accepted
      state_->refused.push_back(std::move(work));
    } else {
      const int32_t priority = work.priority;
      state_->unfinished.try_emplace(priority);
      state_->waiting.emplace(priority, std::move(work));
    }
  }
  state_->submit_waiting();
}

std::shared_ptr<KernelFence> CompletionQueue::take_kernel_fence() {
  return state_->kernel_fences != nullptr ? state_->kernel_fences->take() : nullptr;
}

// If the run never reached the driver, this releases its kernel fence: holders of the position may outlive the queue.
void CompletionQueue::end(QueuePosition& position, const Status& result) {
  if (position.kernel_fence_ != nullptr) position.kernel_fence_->retire(false);
  position.set_end(result);
  state_->submit_waiting();
}

void CompletionQueue::run(const std::shared_ptr<State>& state) noexcept {
  Clock::time_point last_retired;
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(
        lock, [&] { return !state->pending.empty() || (state->stop && state->submitted == 0 && state->waiting.empty()); });
    if (state->pending.empty()) return;
    std::list<State::Pending> entry;
    entry.splice(entry.end(), state->pending, state->pending.begin());
    State::Pending& item = entry.front();
    lock.unlock();
    const Status result = catch_out_of_memory([&]() -> Status {
      Status waited = state->wait(item, std::max(item.submitted, last_retired));
      if (!waited) log_line(LogLevel::kError, "Vulkan", waited.error().text());
      return waited;
    });
    const auto busy = Clock::now() - std::max(item.submitted, last_retired);
    last_retired = Clock::now();
    lock.lock();
    --state->submitted;
    state->ahead -= item.expected;
    state->hazards.forget(item.number);
    if (item.fence != VK_NULL_HANDLE) {
      const Context& context = *state->context;
      const bool is_reset = result && context.noted(context.vk().vkResetFences(context.device(), 1, &item.fence)) == VK_SUCCESS;
      (is_reset ? state->free_fences : state->unusable_fences).push_back(item.fence);
    }
    lock.unlock();
    if (!item.has_more) state->submit_waiting();  // before anybody learns of this one: the device must not idle
    state->release(item, result.has_value());
    item.retire(result, busy);
    if (item.has_more) {  // its next part, if any, is waiting or submitted already
      lock.lock();
      --state->unfinished.find(item.priority)->second;
      lock.unlock();
      state->submit_waiting();
    }
    if (state->context->is_hung()) State::keep_for_ever(entry);
    entry.clear();  // releases its contents before the thread sleeps
    state->let_library_go();
    lock.lock();
  }
}

}  // namespace nnvk::vulkan
