// The measurement of runs by the device's timestamps, and the order of these timestamps. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/runtime/device.h"

namespace nnvk::vulkan {

// The timestamps in the command buffers of a run.
enum class Measure : uint8_t {
  kNothing,
  kWhole,         // at the start and the end of each submission
  kEachDispatch,  // at the start of each submission and after each dispatch, which then do not overlap
};

// Nanoseconds since the first timestamp of a run.
struct Period {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t nanoseconds() const { return end - begin; }
};

struct RunTimes {
  uint64_t hardware_nanoseconds = kNoDuration;  // without the time between submissions, when other work runs
  std::vector<Period> dispatches;               // with Measure::kEachDispatch
  uint64_t began = 0;                           // as trace::now() counts; only while a trace is running
};

// Returns the number of timestamps of a run with so many dispatches and submissions. They are ordered by submission.
size_t timestamp_count(Measure measure, size_t dispatches, size_t submissions);
// Returns the index of the timestamp at the start of submission `submission` (from 0), whose first dispatch is `dispatch`.
size_t first_timestamp(Measure measure, size_t dispatch, size_t submission);

// Computes the times of a run, but the caller sets `began`. `timestamps`: nanoseconds since the first timestamp. `cuts`: the
// dispatches at which submissions after the first begin.
RunTimes run_times(Measure measure, std::span<const uint64_t> timestamps, size_t dispatches, std::span<const size_t> cuts);

}  // namespace nnvk::vulkan
