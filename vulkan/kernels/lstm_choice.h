// How the LSTM kernels are dispatched: sums per invocation, invocations per sum, time steps per product and per dispatch. Also
// checks whether an operation fits the device at all. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "vulkan/traits/device_traits.h"

namespace nnvk::vulkan {

// The most loads of a row that one dispatch adds up. On software Vulkan, an invocation silently leaves all loops after 65535
// iterations.
inline constexpr uint32_t kMostLstmLoads = 32768;
// The most units that 64 invocations can normalize within this limit; each invocation loops over its units five times.
inline constexpr uint32_t kMostNormalizedLstmUnits = 512 * 1024;

struct LstmProductChoice {
  uint32_t tile_rows = 1;    // rows per invocation: 1, 2 or 4; 8 with shared_rows
  uint32_t slices = 1;       // invocations that share one sum: a power of two up to 16
  bool shared_rows = false;  // invocations of a subgroup read rows for each other: LstmProductShared
  uint64_t invocations(uint64_t rows, uint64_t columns) const { return (rows + tile_rows - 1) / tile_rows * columns * slices; }
  bool operator==(const LstmProductChoice&) const = default;
};

// Chooses the kernel for products of `rows` rows of `depth` elements with `columns` columns of four lanes.
LstmProductChoice choose_lstm_product(uint64_t rows, uint64_t columns, uint64_t depth, const DeviceTraits& traits);
// Makes the same choice for LstmProduct, whose invocations may read rows for each other (LstmProductShared).
LstmProductChoice choose_lstm_contribution(uint64_t rows, uint64_t columns, uint64_t depth, const DeviceTraits& traits);

// Returns for how many time steps one product computes the gates, at most `steps` and at least 1. Long sequences of large cells
// are cut, so that the gates need bounded memory.
uint32_t lstm_chunk_steps(uint32_t steps, uint64_t batch, uint64_t units, const DeviceTraits& traits);

// How lstm_sequence.comp is dispatched.
struct LstmSequenceChoice {
  uint32_t tile_columns = 1;  // units per invocation: 1, 2 or 4
  uint32_t slices = 1;        // invocations that share a sum: a power of two up to 16
  uint32_t most_steps = 1;    // per dispatch
  bool one_subgroup = false;  // the work group is one subgroup: LstmSequenceSubgroup
};

// Chooses one dispatch for many steps of a cell without a projection, if one work group per row finishes a step in less time than
// another dispatch would cost. Returns nullopt if each step needs its own dispatch.
std::optional<LstmSequenceChoice> choose_lstm_sequence(uint32_t steps, uint64_t batch, uint64_t units,
                                                       const DeviceTraits& traits);
// Returns a text for Dispatch::choice: "a work group runs all steps ...".
std::string reason_of(const LstmSequenceChoice& choice, uint64_t units);

// Returns RESOURCE_EXHAUSTED_PERSISTENT if packed weights or the gates of one step exceed the device's storage buffer range, or
// if there are too many units for layer normalization. Unknown sizes pass.
Status check_lstm_fits(const OperationView& operation, const DeviceTraits& traits);

}  // namespace nnvk::vulkan
