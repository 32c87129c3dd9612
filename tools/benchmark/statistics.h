// Figures of many times.
#pragma once

#include <cstddef>
#include <vector>

namespace nnvk::tools::benchmark {

// Returns the value below which `percent` of the values lie, by linear interpolation between the two neighbours (NumPy's
// default). 50 is the median. 0 if there are no values.
double percentile(std::vector<double> values, double percent);

// Times of executions in seconds.
struct Latency {
  double median = 0;
  double p90 = 0;
  double p99 = 0;
  double fastest = 0;
  size_t executions = 0;

  bool operator==(const Latency&) const = default;
};
Latency latency_of(const std::vector<double>& seconds);

}  // namespace nnvk::tools::benchmark
