// Costs measured on a Zen 5 (AVX-512 with VNNI, one thread; perf/results/2026-11-22-cpu.md), scaled by lanes and threads.
#include "cpu_fallback/assumed_costs.h"

#include <algorithm>

namespace nnvk::cpu {
namespace {

// The times of one lane of one thread.
constexpr double kSecondsPerMultiplyAdd = 1.0 / 5.6e9;
constexpr double kSecondsPerElement = 0.7e-9;
constexpr double kSecondsPerFunction = 2e-9;
constexpr double kSecondsPerNode = 0.1e-6;

// The speed of each further thread relative to the first: threads share memory bandwidth, and small operations are not split.
constexpr double kGainPerThread = 0.8;

// The costs on one core of ordinary speed.
constexpr AssumedCosts kReference{.seconds_per_node = 0.5e-6,
                                  .seconds_per_multiply_add = 0.15e-9,
                                  .seconds_per_element = 1e-9,
                                  .seconds_per_function = 4e-9,
                                  .product_factor_8bit = 2.0,
                                  .factor_channels_first = 1.5};

AssumedCosts fast_costs(const ProcessorTraits& processor) {
  const double threads = 1 + kGainPerThread * (std::max(processor.threads, 1U) - 1);
  const double at_once = static_cast<double>(std::max<size_t>(processor.float_lanes, 1)) * threads;
  return {.seconds_per_node = kSecondsPerNode,
          .seconds_per_multiply_add = kSecondsPerMultiplyAdd / at_once,
          .seconds_per_element = kSecondsPerElement / at_once,
          .seconds_per_function = kSecondsPerFunction / at_once,
          .product_factor_8bit = processor.has_byte_products ? 0.5 : 0.9};
}

}  // namespace

CostModel assumed_costs(const ProcessorTraits& processor) {
  return CostModel(fast_costs(processor), kReference, kTransfersInPlace);
}

CostModel assumed_reference_costs() { return CostModel(kReference, kReference, kTransfersInPlace); }

}  // namespace nnvk::cpu
