#include "tools/benchmark/statistics.h"

#include <algorithm>
#include <cmath>

namespace nnvk::tools::benchmark {

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double at = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(std::floor(at));
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

Latency latency_of(const std::vector<double>& seconds) {
  return {.median = percentile(seconds, 50),
          .p90 = percentile(seconds, 90),
          .p99 = percentile(seconds, 99),
          .fastest = percentile(seconds, 0),
          .executions = seconds.size()};
}

}  // namespace nnvk::tools::benchmark
