#include "vulkan/queue/turns.h"

#include <algorithm>

#include "core/base/out_of_memory.h"

namespace nnvk::vulkan {
namespace {

Status check(const WaitingWork& waiting) {
  if (has_passed(waiting.deadline)) {
    if (!waiting.is_continuation) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution could start");
    }
    return fail(Code::kMissedDeadlineTransient, "the deadline passed while the execution was running");
  }
  for (const auto& other : waiting.work->behind()) {
    if (auto end = other->end()) NNVK_TRY(std::move(end->result));
  }
  return {};
}

}  // namespace

void Turns::add(WaitingWork waiting) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_ && !waiting.is_continuation) {
    refused_.push_back(std::move(waiting));
    return;
  }
  const int32_t priority = waiting.turn.priority;
  unfinished_.try_emplace(priority);  // so that take() allocates nothing
  waiting_.emplace(priority, std::move(waiting));
}

// Returns the most important waiting work that may be submitted, if the driver's queue has room for it. Call it with mutex_ held.
Turns::Waiting::iterator Turns::next() {
  const auto lets_follow = [](const auto& other) { return other->lets_others_follow(); };
  const auto next = std::ranges::find_if(
      waiting_, [&](const auto& entry) { return std::ranges::all_of(entry.second.work->behind(), lets_follow); });
  if (next == waiting_.end()) return next;
  // If the driver does not have all of a more important execution yet, the next submission of that execution comes first.
  const auto has_some = [](const auto& entry) { return entry.second > 0; };
  if (std::any_of(unfinished_.upper_bound(next->first), unfinished_.end(), has_some)) return waiting_.end();
  if (submitted_ < kSubmittedAhead) return next;
  const auto& [turn, deadline, is_continuation, work] = next->second;
  const bool follows = std::ranges::any_of(work->behind(), [](const auto& other) { return !other->has_ended(); });
  return follows && ahead_ + turn.expected <= kLongestAhead ? next : waiting_.end();
}

std::optional<Turns::Taken> Turns::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (!refused_.empty()) {
    Taken refused{std::move(refused_.front()), catch_out_of_memory([this]() -> Status { return fail(stopped()); })};
    refused_.pop_front();
    return refused;
  }
  const auto next = this->next();
  if (next == waiting_.end()) return std::nullopt;
  Taken taken{std::move(waiting_.extract(next).mapped()), {}};
  taken.may_run = catch_out_of_memory([&] { return check(taken.waited); });
  if (!taken.may_run) return taken;
  const Turn& turn = taken.waited.turn;
  ++submitted_;
  ahead_ += turn.expected;
  if (turn.has_more) ++unfinished_.find(turn.priority)->second;
  return taken;
}

Status Turns::take_at_once() {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return fail(stopped());
  ++submitted_;
  return {};
}

void Turns::drop(const Turn& turn) {
  complete(turn);
  if (turn.has_more) let_others_pass(turn);
}

void Turns::complete(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  --submitted_;
  ahead_ -= turn.expected;
}

void Turns::let_others_pass(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  --unfinished_.find(turn.priority)->second;
}

void Turns::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
}

bool Turns::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_stopped_ && is_empty();
}

bool Turns::is_idle() const {
  const std::lock_guard lock(mutex_);
  return !is_stopped_ && is_empty();
}

bool Turns::is_busy() const {
  const std::lock_guard lock(mutex_);
  return !is_stopped_ && submitted_ > 0;
}

Error Turns::stopped() const { return {Code::kUnavailableDevice, device_ + " is being shut down"}; }

}  // namespace nnvk::vulkan
