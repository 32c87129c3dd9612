#include "vulkan/kernels/lstm_choice.h"

#include <algorithm>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/lstm_parameters.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"
#include "shaders/lstm_params.h"
#include "vulkan/kernels/bounded_work.h"
#include "vulkan/kernels/kernel_emitter.h"

namespace nnvk::vulkan {
namespace {

constexpr uint64_t kGateBytes = 16;             // the four gates of a unit
constexpr uint64_t kChunkBytes = 16ULL << 20;   // of gates
constexpr uint64_t kWantedInvocations = 16384;  // enough to keep a large GPU busy
constexpr uint32_t kLargestTile = 4;
constexpr uint32_t kSharedRows = 8;
constexpr uint32_t kLargestSlices = 16;
constexpr uint64_t kLeastDepthPerSlice = 16;
// The most packed weights (of four gates) that one work group multiplies with in the time of a dispatch and its barrier. Measured
// on lavapipe with two cores; estimated for GPUs, at 30 GB/s from the second-level cache and 5 us per dispatch.
constexpr uint64_t kWeightsPerDispatchOnSoftware = 96ULL << 10;
constexpr uint64_t kWeightsPerDispatch = 8ULL << 10;

Status check_cell_fits(const OperationView& operation, const LstmCell& cell, const DeviceTraits& traits) {
  const auto check = [&](uint32_t columns, uint32_t depth, const char* what) -> Status {
    if (!is_known(columns) || !is_known(depth)) return {};
    // Each size has 32 bits: a double holds the product precisely enough and cannot overflow.
    const double bytes = static_cast<double>(kGateBytes) * columns * depth;
    if (bytes <= static_cast<double>(traits.max_storage_range)) return {};
    return beyond_device(std::string(what) + " of " + std::to_string(columns) + " x " + std::to_string(depth) +
                         " take more bytes than the device's storage buffers hold (" + std::to_string(traits.max_storage_range) +
                         ")");
  };
  const size_t input_weights = cell.input_weights(kLstmOutputGate);
  const uint32_t units = dimension_of(operation, input_weights, 0);
  if (operation.has(cell.layer_norm(kLstmOutputGate)) && is_known(units) && units > kMostNormalizedLstmUnits) {
    return beyond_device("layer normalization over " + std::to_string(units) + " units; the kernel adds up at most " +
                         std::to_string(kMostNormalizedLstmUnits));
  }
  const uint32_t packed = (units + kLstmBlock - 1) / kLstmBlock * kLstmBlock;  // an unknown size stays 0
  NNVK_TRY(check(packed, dimension_of(operation, input_weights, 1), "input weights"));
  NNVK_TRY(check(packed, dimension_of(operation, cell.recurrent_weights(kLstmOutputGate), 1), "recurrent weights"));
  return check(units, dimension_of(operation, cell.cell_state(), 0), "the gates");
}

// Returns whether this many invocations belong to one subgroup and can shuffle their reads.
bool shuffles_among(uint32_t invocations, const DeviceTraits& traits) {
  return traits.features.contains(KernelFeature::kSubgroupShuffle) && traits.subgroup_size >= invocations;
}

}  // namespace

LstmProductChoice choose_lstm_product(uint64_t rows, uint64_t columns, uint64_t depth, const DeviceTraits& traits) {
  LstmProductChoice choice;
  if (traits.is_software()) {  // arithmetic is the limit: reuse each load as often as registers allow
    while (choice.tile_rows < kLargestTile && choice.tile_rows < rows) choice.tile_rows *= 2;
    return choice;
  }
  const uint32_t largest = traits.has_few_registers() ? kLargestTile / 2 : kLargestTile;
  while (choice.tile_rows < largest && choice.tile_rows < rows && choice.invocations(rows, columns) >= 2 * kWantedInvocations) {
    choice.tile_rows *= 2;
  }
  while (choice.slices < kLargestSlices && depth >= uint64_t{2} * choice.slices * kLeastDepthPerSlice &&
         choice.invocations(rows, columns) < kWantedInvocations) {
    choice.slices *= 2;
  }
  return choice;
}

LstmProductChoice choose_lstm_contribution(uint64_t rows, uint64_t columns, uint64_t depth, const DeviceTraits& traits) {
  const bool worth_it = traits.is_software() && rows > kLargestTile && columns % kSharedRows == 0;
  if (worth_it && shuffles_among(kSharedRows, traits)) return {.tile_rows = kSharedRows, .slices = 1, .shared_rows = true};
  return choose_lstm_product(rows, columns, depth, traits);
}

std::optional<LstmSequenceChoice> choose_lstm_sequence(uint32_t steps, uint64_t batch, uint64_t units,
                                                       const DeviceTraits& traits) {
  if (traits.forms.contains(KernelForm::kSingleSteps) || steps < 2 || units == 0 || units > kLstmSequenceUnits)
    return std::nullopt;
  const bool software = traits.is_software();
  if (software && !shuffles_among(kLstmSequenceLanes, traits)) return std::nullopt;
  // Work groups run in parallel on a GPU, but one after the other on the few cores of software Vulkan.
  const uint64_t weights = units * units * (software ? batch : 1);
  if (weights > (software ? kWeightsPerDispatchOnSoftware : kWeightsPerDispatch)) return std::nullopt;
  LstmSequenceChoice choice;
  if (software) {
    choice.one_subgroup = true;
    while (choice.tile_columns < kLargestTile && units >= uint64_t{2} * choice.tile_columns * kLstmSequenceLanes)
      choice.tile_columns *= 2;
  } else {
    while (choice.slices < kLargestSlices && units * 2 * choice.slices <= kLstmSequenceGroup &&
           units >= choice.slices * kLeastDepthPerSlice) {
      choice.slices *= 2;
    }
  }
  const uint64_t units_at_once = uint64_t{choice.tile_columns} * (software ? kLstmSequenceLanes : kLstmSequenceGroup);
  const uint64_t passes = (units + units_at_once - 1) / units_at_once;
  // Per step and pass, counts the iterations of a loop over the state and of a loop over its remainder, and leaving both.
  choice.most_steps =
      static_cast<uint32_t>(std::max<uint64_t>(1, 2 * uint64_t{kMostElementsPerInvocation} / (passes * (units / 4 + 12))));
  return choice;
}

std::string reason_of(const LstmSequenceChoice& choice, uint64_t units) {
  return "a work group runs all steps of a row: the " + std::to_string(units * units) +
         " weights of a step take it less time than a dispatch; " + std::to_string(choice.tile_columns) +
         " units per invocation, " + std::to_string(choice.slices) + " invocations per sum";
}

uint32_t lstm_chunk_steps(uint32_t steps, uint64_t batch, uint64_t units, const DeviceTraits& traits) {
  const uint64_t budget = std::min(kChunkBytes, traits.max_storage_range);
  const uint64_t per_step = std::max<uint64_t>(batch * units * kGateBytes, 1);
  return static_cast<uint32_t>(std::clamp<uint64_t>(budget / per_step, 1, steps));
}

Status check_lstm_fits(const OperationView& operation, const DeviceTraits& traits) {
  switch (operation.code) {
    case OperationCode::kLstm:
      return check_cell_fits(operation, lstm::kCell, traits);
    case OperationCode::kUnidirectionalSequenceLstm:
      return check_cell_fits(operation, unidirectional_sequence_lstm::kCell, traits);
    default:
      NNVK_TRY(check_cell_fits(operation, bidirectional_sequence_lstm::kForwardCell, traits));
      return check_cell_fits(operation, bidirectional_sequence_lstm::kBackwardCell, traits);
  }
}

}  // namespace nnvk::vulkan
