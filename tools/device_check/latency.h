// The time that single executions of a tiny model take in every way of executing, with their spread.
#pragma once

#include "tools/device_check/result.h"
#include "tools/nnapi/devices.h"

namespace nnvk::tools::device_check {

// Returns the median, the 99th percentile and the maximum of times in seconds, in microseconds: {"samples", "median_us",
// "p99_us", "largest_us"}.
Json spread_of(const std::vector<double>& seconds);

// Measures for about `seconds`: bursts, fenced executions, and chains of fenced executions that each wait for the one before.
// Returns
// {"latencies": [{"name", "samples", "median_us", "p99_us", "largest_us"}]}.
Result<Json> measure_latency(const DeviceEntry& device, double seconds);

}  // namespace nnvk::tools::device_check
