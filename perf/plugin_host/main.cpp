// The cost of a plugin in a host process. The same plugin adds four numbers in this process and in a host, in turns, over the
// interface that devices use (accelerators/driver.h).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "accelerators/host/hosted_driver.h"
#include "accelerators/table_driver.h"
#include "tests/accelerators/host/hosted_driver_fixture.h"

namespace nnvk::test {
namespace {

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double microseconds_of(Adder& adder, bool caller_waits) {
  const auto start = std::chrono::steady_clock::now();
  const ExecutionAnswer answer = adder.run(1, caller_waits);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  if (answer.code != Code::kNoError) {
    std::fprintf(stderr, "an execution failed: %s\n", answer.message.c_str());
    std::exit(1);
  }
  return time.count();
}

void round_trip(benchmark::State& state, bool caller_waits) {
  const auto in_process = load_table_driver(NNVK_TEST_PLUGIN);
  const auto hosted = make_hosted_driver(test_host());
  if (!in_process) return state.SkipWithError(in_process.error().text().c_str());
  Adder near(**in_process);
  Adder far(*hosted);
  std::vector<double> near_times;
  std::vector<double> far_times;
  for (auto _ : state) {
    near_times.push_back(microseconds_of(near, caller_waits));
    far_times.push_back(microseconds_of(far, caller_waits));
    state.SetIterationTime(far_times.back() * 1e-6);
  }
  state.counters["in_process_us"] = median_of(near_times);
  state.counters["hosted_us"] = median_of(far_times);
  state.counters["added_us"] = median_of(far_times) - median_of(near_times);
}

BENCHMARK_CAPTURE(round_trip, caller_waits, true)->UseManualTime();
BENCHMARK_CAPTURE(round_trip, caller_goes_on, false)->UseManualTime();

}  // namespace
}  // namespace nnvk::test

BENCHMARK_MAIN();
