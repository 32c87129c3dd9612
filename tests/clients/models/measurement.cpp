#include "tests/clients/models/measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

namespace nnvk::test {
namespace {

using Clock = std::chrono::steady_clock;

// ONNX Runtime's threads look for work for some time after a run. They would take the other contestant's processors.
constexpr std::chrono::milliseconds kUntilThreadsSleep{60};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The processor time of this process, which other programs on the machine hardly change.
double processor_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Times {
  std::vector<double> wall;
  std::vector<double> processor;
};

// The times of single runs, for `seconds` and at least three of them.
Times run_for(double seconds, const std::function<void()>& run) {
  std::this_thread::sleep_for(kUntilThreadsSleep);
  run();  // brings its data back into the caches
  Times times;
  for (const auto begin = Clock::now(); times.wall.size() < 3 || Clock::now() - begin < std::chrono::duration<double>(seconds);) {
    const auto start = Clock::now();
    const double processor = processor_milliseconds();
    run();
    times.processor.push_back(processor_milliseconds() - processor);
    times.wall.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return times;
}

// The step of values that are all multiples of one number away from each other; nothing if they are not, or are too few to say.
std::optional<double> step_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  if (sorted.size() < 3 || sorted.size() > 256) return std::nullopt;
  double step = sorted.back() - sorted.front();
  for (size_t i = 1; i < sorted.size(); ++i) step = std::min(step, sorted[i] - sorted[i - 1]);
  if (!(step > 0) || (sorted.back() - sorted.front()) / step > 255.5) return std::nullopt;
  for (const double value : sorted) {
    const double steps = (value - sorted.front()) / step;
    if (std::fabs(steps - std::round(steps)) > 0.02) return std::nullopt;
  }
  return step;
}

void fill_with_noise(std::span<std::byte> bytes, bool floats, uint32_t seed) {
  std::mt19937 random(seed);
  if (!floats) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
    return;
  }
  std::uniform_real_distribution<float> noise(-1, 1);
  for (size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    const float value = noise(random);
    std::memcpy(bytes.data() + i, &value, sizeof value);
  }
}

void fill_from_file(std::span<std::byte> bytes, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (content.size() != bytes.size()) {
    throw std::runtime_error("'" + path + "' has " + std::to_string(content.size()) + " bytes, the input " +
                             std::to_string(bytes.size()));
  }
  std::memcpy(bytes.data(), content.data(), content.size());
}

}  // namespace

Settings settings_from(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (!name.starts_with("--")) {
      settings.others.push_back(name);
    } else if (name == "--explain") {
      settings.explains = true;
    } else if (++i == count) {
      std::fprintf(stderr, "%s needs a value\n", name.c_str());
      std::exit(2);
    } else if (name == "--device") {
      settings.device = arguments[i];
    } else if (name == "--threads") {
      settings.threads = std::atoi(arguments[i]);
    } else if (name == "--rounds") {
      settings.rounds = std::atoi(arguments[i]);
    } else if (name == "--seconds") {
      settings.seconds = std::atof(arguments[i]);
    } else if (name == "--input") {
      settings.input = arguments[i];
    } else if (name == "--min-nodes") {
      settings.min_nodes = arguments[i];
    } else if (name == "--choice") {
      settings.choice = arguments[i];
    } else if (name == "--only") {
      settings.only = arguments[i];
    } else {
      std::fprintf(
          stderr,
          "%s is unknown; there are: --device --threads --rounds --seconds --input --min-nodes --choice --only --explain\n",
          name.c_str());
      std::exit(2);
    }
  }
  // Before the library reads it.
  ::setenv("NNVK_CPU_THREADS", std::to_string(settings.threads).c_str(), 1);
  return settings;
}

nlohmann::json times_by_turns(const Settings& settings, const std::function<void()>& stock, const std::function<void()>& own) {
  std::vector<double> stock_medians;
  std::vector<double> own_medians;
  std::vector<double> ratios;
  std::vector<double> processor_ratios;
  for (int round = 0; round < settings.rounds; ++round) {
    const Times stock_times = run_for(settings.seconds, stock);
    const Times own_times = run_for(settings.seconds, own);
    stock_medians.push_back(median(stock_times.wall));
    own_medians.push_back(median(own_times.wall));
    ratios.push_back(own_medians.back() / stock_medians.back());
    processor_ratios.push_back(median(own_times.processor) / median(stock_times.processor));
  }
  if (ratios.empty()) return nullptr;
  return {{"stock_ms", stock_medians},
          {"nnvk_ms", own_medians},
          {"stock_best_ms", std::ranges::min(stock_medians)},
          {"nnvk_best_ms", std::ranges::min(own_medians)},
          {"ratio", median(ratios)},
          {"processor_ratio", median(processor_ratios)}};
}

uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

nlohmann::json difference(std::span<const double> own, std::span<const double> expected, bool integers) {
  if (own.size() != expected.size()) throw std::runtime_error("an output has another size");
  double largest = 0;
  double worst = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    const double distance = std::fabs(own[i] - expected[i]);
    worst = std::isnan(distance) ? INFINITY : std::max(worst, distance);
    if (std::isfinite(expected[i])) largest = std::max(largest, std::fabs(expected[i]));
  }
  nlohmann::json result{{"elements", own.size()}, {"relative", largest > 0 ? worst / largest : worst}};
  const auto step = integers ? std::optional(1.0) : step_of(expected);
  if (!step) return result;
  size_t beyond = 0;
  size_t different = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    const double steps = std::fabs(own[i] - expected[i]) / *step;
    if (steps > 0.5) ++different;
    if (!(steps <= 1.5)) ++beyond;
  }
  result["steps"] = std::round(worst / *step);
  result["different"] = different;
  result["beyond_one"] = beyond;
  return result;
}

void fill_input(std::span<std::byte> bytes, bool floats, size_t index, const Settings& settings) {
  if (index == 0 && !settings.input.empty()) return fill_from_file(bytes, settings.input);
  fill_with_noise(bytes, floats, static_cast<uint32_t>(index + 1));
}

}  // namespace nnvk::test
