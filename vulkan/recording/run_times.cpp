#include "vulkan/recording/run_times.h"

namespace nnvk::vulkan {

size_t timestamp_count(Measure measure, size_t dispatches, size_t submissions) {
  return measure == Measure::kNothing ? 0 : first_timestamp(measure, dispatches, submissions);
}

size_t first_timestamp(Measure measure, size_t dispatch, size_t submission) {
  return measure == Measure::kEachDispatch ? dispatch + submission : 2 * submission;
}

RunTimes run_times(Measure measure, std::span<const uint64_t> timestamps, size_t dispatches, std::span<const size_t> cuts) {
  RunTimes times;
  const size_t submissions = cuts.size() + 1;
  if (measure == Measure::kNothing || timestamps.size() != timestamp_count(measure, dispatches, submissions)) return times;
  times.hardware_nanoseconds = 0;
  for (size_t s = 0; s < submissions; ++s) {
    const size_t first = first_timestamp(measure, s == 0 ? 0 : cuts[s - 1], s);
    const size_t end = first_timestamp(measure, s == cuts.size() ? dispatches : cuts[s], s + 1);
    times.hardware_nanoseconds += timestamps[end - 1] - timestamps[first];
    if (measure != Measure::kEachDispatch) continue;
    for (size_t i = first + 1; i < end; ++i) times.dispatches.push_back({timestamps[i - 1], timestamps[i]});
  }
  return times;
}

}  // namespace nnvk::vulkan
