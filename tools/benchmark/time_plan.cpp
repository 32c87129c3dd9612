#include "tools/benchmark/time_plan.h"

#include <algorithm>

namespace nnvk::tools::benchmark {

std::optional<double> TimePlan::left(double elapsed) const {
  if (!limit_) return std::nullopt;
  return std::max(0.0, *limit_ - elapsed);
}

bool TimePlan::allows(size_t model, double elapsed) const {
  const auto rest = left(elapsed);
  if (!rest) return true;
  const auto known = fastest_.find(model);
  return *rest > 0 && (known == fastest_.end() || known->second <= *rest);
}

void TimePlan::took(size_t model, double seconds) {
  const auto [known, is_new] = fastest_.try_emplace(model, seconds);
  if (!is_new) known->second = std::min(known->second, seconds);
}

double TimePlan::seconds_for_executions(double elapsed, size_t planned, double most) const {
  const auto rest = left(elapsed);
  if (!rest) return most;
  return std::min(most, *rest / (2 * static_cast<double>(std::max<size_t>(planned, 1))));
}

}  // namespace nnvk::tools::benchmark
