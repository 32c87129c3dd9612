// The results of a benchmark: one measurement per model and engine, and what they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/benchmark/accuracy.h"
#include "tools/benchmark/statistics.h"

namespace nnvk::tools::benchmark {

// The result of several executions at the same time, one per thread.
struct AtOnce {
  size_t executions = 0;
  double per_second = 0;  // of all threads together
  double median = 0;      // seconds of one

  bool operator==(const AtOnce&) const = default;
};

// One model on one engine: a device of the library, or a framework's own code.
struct Measurement {
  std::string model{};
  std::string engine{};
  std::string problem{};  // why there are no figures; "" if there are
  bool left_out = false;  // the problem is the time limit
  double compile_seconds = 0;
  double first_seconds = 0;  // of the first execution
  Latency latency{};
  uint64_t peak_bytes = 0;         // the most memory that the process had until the last timed execution
  std::optional<double> joules{};  // of one execution
  std::optional<AtOnce> at_once{};
  Accuracy accuracy{};
  std::optional<double> largest_share{};  // of a ceiling, of all operations
  std::string warning{};                  // figures that cannot be right

  bool operator==(const Measurement&) const = default;
};

nlohmann::ordered_json to_json(const Measurement& measurement);
// Reads a measurement. Members that are missing stay empty.
Measurement measurement_from(const nlohmann::ordered_json& object);

struct Benchmark {
  std::vector<std::pair<std::string, std::string>> facts{};  // what ran where, for readers: name and value
  std::string no_energy{};                                   // why energy is unknown
  std::vector<std::string> notes{};                          // what else a reader must know
  std::vector<Measurement> measurements{};                   // those of a model stand together
};

}  // namespace nnvk::tools::benchmark
