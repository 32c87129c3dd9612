// The deadline of a run, for long loops in the kernels of its thread. Kernels have no argument for it: their loops check it
// through a DeadlineWatch and throw DeadlinePassed, as they throw when memory runs out. The caller of the kernel turns the
// exception into an error (catch_passed_deadline).
#pragma once

#include <cstdint>

#include "core/base/deadline.h"
#include "core/base/result.h"

namespace nnvk {

struct DeadlinePassed {};

inline void throw_if_passed(const Deadline& deadline) {
  if (has_passed(deadline)) throw DeadlinePassed();
}

// Sets the deadline of the calling thread while the object lives; a nested object replaces it. `deadline` must live as long.
class RunDeadline {
 public:
  explicit RunDeadline(const Deadline& deadline);
  ~RunDeadline();
  RunDeadline(const RunDeadline&) = delete;
  RunDeadline& operator=(const RunDeadline&) = delete;

 private:
  const Deadline* const outer_;
};

// Returns the deadline of the calling thread's innermost RunDeadline; no limit without one.
const Deadline& run_deadline();

// Checks the deadline for one loop, which calls look() in every iteration. Reading the clock takes about 25 ns, so look() reads
// it once in `turns_per_look` iterations. Pass 1 if an iteration takes milliseconds.
class DeadlineWatch {
 public:
  explicit DeadlineWatch(uint32_t turns_per_look = 16) : deadline_(run_deadline()), turns_per_look_(turns_per_look) {}
  // Throws DeadlinePassed if it finds that the deadline has passed.
  void look() {
    if (deadline_ && ++turns_ % turns_per_look_ == 0) throw_if_passed(deadline_);
  }

 private:
  const Deadline deadline_;
  const uint32_t turns_per_look_;
  uint32_t turns_ = 0;
};

// Calls `compute` and returns its Status or Result. Returns MISSED_DEADLINE_TRANSIENT if `compute` throws DeadlinePassed.
template <class Compute>
auto catch_passed_deadline(Compute&& compute) -> decltype(compute()) {
  try {
    return compute();
  } catch (const DeadlinePassed&) {
    return fail(Code::kMissedDeadlineTransient, "the deadline passed while this was computed");
  }
}

}  // namespace nnvk
