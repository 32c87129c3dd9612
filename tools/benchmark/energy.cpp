#include "tools/benchmark/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace nnvk::tools::benchmark {
namespace {

std::optional<uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  uint64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

}  // namespace

uint64_t counted_microjoules(uint64_t before, uint64_t after, uint64_t range) {
  return after >= before ? after - before : range - before + after;
}

EnergyCounters EnergyCounters::find(const std::filesystem::path& folder) {
  EnergyCounters counters;
  std::error_code error;
  std::vector<std::filesystem::path> zones;
  for (const auto& zone : std::filesystem::directory_iterator(folder, error)) zones.push_back(zone.path());
  std::ranges::sort(zones);
  for (const auto& zone : zones) {
    // "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. The same counters appear again as "intel-rapl-mmio:0".
    const std::string name = zone.filename();
    const bool is_package = std::ranges::count(name, ':') == 1 && !name.starts_with("intel-rapl-mmio");
    std::string kind;
    std::getline(std::ifstream(zone / "name") >> std::ws, kind);
    if (!is_package || !kind.starts_with("package")) continue;
    const auto range = number_in(zone / "max_energy_range_uj");
    if (!range || !number_in(zone / "energy_uj")) {
      counters.why_not_ =
          fmt::format("{} cannot be read; only root may, or a user whom `chmod` lets", (zone / "energy_uj").string());
      counters.packages_.clear();
      return counters;
    }
    counters.packages_.push_back({zone / "energy_uj", *range});
  }
  if (counters.packages_.empty()) {
    counters.why_not_ = fmt::format("the kernel has no energy counter of a processor package in {}", folder.string());
  }
  return counters;
}

std::vector<uint64_t> EnergyCounters::read() const {
  std::vector<uint64_t> values;
  for (const Package& package : packages_) {
    const auto value = number_in(package.counter);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

double EnergyCounters::joules(const std::vector<uint64_t>& before, const std::vector<uint64_t>& after) const {
  if (packages_.empty() || before.size() != packages_.size() || after.size() != packages_.size()) return -1;
  uint64_t sum = 0;
  for (size_t i = 0; i < packages_.size(); ++i) sum += counted_microjoules(before[i], after[i], packages_[i].range);
  return static_cast<double>(sum) * 1e-6;
}

}  // namespace nnvk::tools::benchmark
