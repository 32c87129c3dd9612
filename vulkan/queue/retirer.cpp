#include "vulkan/queue/retirer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "core/base/exit_handler.h"
#include "core/base/library_pin.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"

namespace nnvk::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// How long the completion thread waits before it checks deadlines and the standstill.
constexpr std::chrono::milliseconds kTick{100};

// Keeps forever the client memory that runs have imported, as a hanging device may still use it. It stays reachable.
void keep_for_ever(std::list<SubmittedWork>& entry) {
  alignas(std::list<SubmittedWork>) static std::byte room[sizeof(std::list<SubmittedWork>)];
  static std::mutex mutex;
  static auto* const kept = new (room) std::list<SubmittedWork>;
  const std::lock_guard lock(mutex);
  kept->splice(kept->end(), entry);
}

// Exit handlers of drivers and layers destroy objects that their waits use. A handler of ours, registered after a device was
// opened, runs before those. It waits until all waits have ended, unless a driver ignores its time limit. A thread whose wait
// timed out then gives up its device.
std::atomic<bool> process_is_ending = false;
std::shared_timed_mutex waits;  // shared while a thread waits for its device

Status end_waits_at_exit() {
  static const pid_t process = ::getpid();
  const bool is_registered = call_at_exit([] {
    if (::getpid() != process) return;             // a child of fork has none of these threads
    if (process_is_ending.exchange(true)) return;  // registered for several devices
    if (waits.try_lock_for(3 * kTick)) waits.unlock();
  });
  if (!is_registered) return fail(Code::kOutOfMemory, "no memory for another exit handler");
  return {};
}

}  // namespace

Status Retirer::start(std::shared_ptr<void> owner, std::function<void()> submit_waiting) {
  NNVK_TRY(end_waits_at_exit());
  NNVK_ASSIGN(thread_, Thread::start("nnvk completion",
                                     [this, shared = std::move(owner), submit_waiting = std::move(submit_waiting)]() mutable {
                                       run(submit_waiting);
                                       shared.reset();
                                     }));
  return {};
}

void Retirer::add(std::list<SubmittedWork>& submission) {
  const std::lock_guard lock(mutex_);
  pending_.splice(pending_.end(), submission);
  changed_.notify_one();
}

void Retirer::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_one();
}

// Keeps the library loaded while the device works. pin_library() and unpin_library() take the C library's loader lock, so
// `mutex_` is not held around them.
void Retirer::leave_to_device() {
  pin_library();
  {
    const std::lock_guard lock(mutex_);
    if (!holds_library_ && turns_.is_busy()) {
      holds_library_ = true;
      return;
    }
  }
  const OnLibraryThread here;  // this may be a library thread
  unpin_library();
}

void Retirer::shut_down(std::optional<std::chrono::milliseconds> patience) {
  turns_.stop();
  {
    const std::lock_guard lock(mutex_);
    patience_at_end_ = patience;
  }
  changed_.notify_all();
  if (thread_.joinable() && !thread_.is_calling()) thread_.join();
}

void Retirer::detach() {
  if (thread_.joinable()) thread_.detach();
}

// Returns the oldest submission; empty at the end. When nothing is left, undoes leave_to_device(), except during a shut-down,
// which waits in the library's code.
std::list<SubmittedWork> Retirer::next() {
  std::list<SubmittedWork> entry;
  std::unique_lock lock(mutex_);
  if (holds_library_ && turns_.is_idle()) {
    holds_library_ = false;
    lock.unlock();
    {
      const OnLibraryThread here;
      unpin_library();
    }
    lock.lock();
  }
  changed_.wait(lock, [&] { return !pending_.empty() || turns_.is_over(); });
  if (!pending_.empty()) entry.splice(entry.end(), pending_, pending_.begin());
  return entry;
}

void Retirer::run(const std::function<void()>& submit_waiting) noexcept {
  Clock::time_point last_retired;
  while (true) {
    std::list<SubmittedWork> entry = next();
    if (entry.empty()) return;
    auto& [turn, ticket, work] = entry.front();
    const Clock::time_point since = std::max(ticket.submitted, last_retired);
    const Status result = catch_out_of_memory([&]() -> Status {
      Status waited = wait(entry.front(), since);
      if (!waited) log_line(LogLevel::kError, "Vulkan", waited.error().text());
      return waited;
    });
    last_retired = Clock::now();
    driver_.end(ticket, result.has_value());
    turns_.complete(turn);
    if (!turn.has_more) submit_waiting();  // before anybody learns of the end, so that the device does not idle
    driver_.release(ticket, result.has_value());
    work->retire(result, last_retired - since);
    if (turn.has_more) {  // its next part, if any, is waiting or submitted already
      turns_.let_others_pass(turn);
      submit_waiting();
    }
    if (context_->is_hung()) keep_for_ever(entry);
  }
}

VkResult Retirer::wait_once(const Ticket& ticket) {
  const std::shared_lock wait(waits);
  return context_->noted(driver_.wait_briefly(ticket, kTick));
}

// Waits until the oldest submission has completed, or the device is lost and has released it. `since`: when the device could
// begin it. If the submission does not end in time, the function marks the device as hanging.
Status Retirer::wait(const SubmittedWork& item, Clock::time_point since) {
  HangWatch watch(since);
  while (!context_->is_hung()) {
    const VkResult result = wait_once(item.ticket);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) break;
    if (result != VK_TIMEOUT) std::this_thread::sleep_for(kTick);  // no memory to wait with: try again soon
    const auto now = Clock::now();
    deadlines_.look(now);
    // If there is no memory for the message, try again at the next tick. Do not report the end while the device still works.
    static_cast<void>(catch_out_of_memory([&] {
      auto why = watch.look(now, context_->is_lost(), limits_for(item));
      if (!why && process_is_ending) why = "is still working while the process ends";
      if (why) {
        context_->mark_hung(context_->snapshot().name + " " + *why + ". nnvk treats the device as lost. It was running " +
                            item.work->describe() + ". nnvk keeps the memory that the device may still use");
      }
    }));
  }
  return context_->check_lost();
}

HangLimits Retirer::limits_for(const SubmittedWork& item) {
  const std::lock_guard lock(mutex_);
  const bool depends_on_device_alone = !item.ticket.waits_for_others;
  return {depends_on_device_alone ? context_->plan().longest_standstill : std::chrono::milliseconds(0), patience_at_end_};
}

}  // namespace nnvk::vulkan
