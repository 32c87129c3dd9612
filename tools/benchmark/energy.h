// The energy that the processor has used, from the kernel's power capping interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nnvk::tools::benchmark {

// Returns the microjoules that a counter has counted between two readings. It starts again at 0 behind `range`; it must not do so
// twice.
uint64_t counted_microjoules(uint64_t before, uint64_t after, uint64_t range);

// The counters of all processor packages (RAPL). They count everything that the packages do, other programs as well.
class EnergyCounters {
 public:
  // Finds the counters. `folder`: /sys/class/powercap but in tests.
  static EnergyCounters find(const std::filesystem::path& folder = "/sys/class/powercap");

  // Returns the reason why energy is unknown; "" if it is known.
  const std::string& why_not() const { return why_not_; }
  // Returns the present values, one per package; empty if one cannot be read.
  std::vector<uint64_t> read() const;
  // Returns the joules between two results of read(), negative if they are unknown.
  double joules(const std::vector<uint64_t>& before, const std::vector<uint64_t>& after) const;

 private:
  struct Package {
    std::filesystem::path counter;
    uint64_t range = 0;
  };
  std::vector<Package> packages_;
  std::string why_not_;
};

}  // namespace nnvk::tools::benchmark
