// Which measurements a benchmark makes within a time limit. Pure: the caller reads the clock.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace nnvk::tools::benchmark {

// A measurement to make.
struct Planned {
  size_t model = 0;
  size_t engine = 0;

  bool operator==(const Planned&) const = default;
};

// Lists all measurements, the most telling first: all models on the first engine, then on the next. `can_run(model, engine)`
// tells which measurements exist.
template <class CanRun>
std::vector<Planned> most_telling_first(size_t models, size_t engines, const CanRun& can_run) {
  std::vector<Planned> planned;
  for (size_t engine = 0; engine < engines; ++engine) {
    for (size_t model = 0; model < models; ++model) {
      if (can_run(model, engine)) planned.push_back({model, engine});
    }
  }
  return planned;
}

class TimePlan {
 public:
  // Without `limit`, the plan allows everything. All times are in seconds; `elapsed` counts from the benchmark's start.
  explicit TimePlan(std::optional<double> limit) : limit_(limit) {}

  // Returns whether a measurement of this model may begin: time is left, and as much as the model's fastest measurement took.
  bool allows(size_t model, double elapsed) const;
  // Notes how long a measurement of this model took.
  void took(size_t model, double seconds);
  // Returns how long the timed executions of the next measurement may take: `most`, or less if `planned` measurements, this one
  // included, share the time that is left. Compilation, accuracy and profile of each measurement get as much time again.
  double seconds_for_executions(double elapsed, size_t planned, double most) const;
  // Returns the time after which a measurement is stopped; nothing if it is never stopped.
  std::optional<double> left(double elapsed) const;

 private:
  std::optional<double> limit_;
  std::map<size_t, double> fastest_;  // by model
};

}  // namespace nnvk::tools::benchmark
