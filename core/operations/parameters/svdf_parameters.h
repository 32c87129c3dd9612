// SVDF decoded for all devices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"

namespace nnvk {

namespace svdf {
enum Input : size_t { kInput, kFeatureWeights, kTimeFilter, kBias, kState, kRank, kActivation };
enum Output : size_t { kNewState, kOutput };
}  // namespace svdf

// Features: [batch, filters] from [batch, input_size]; each filter remembers `memory` of them.
struct SvdfParameters {
  uint32_t batch = 0, input_size = 0;
  uint32_t filters = 0;
  uint32_t memory = 0;
  uint32_t rank = 1;   // filters per unit
  uint32_t units = 0;  // filters / rank
  bool has_bias = false;
  FusedActivation activation = FusedActivation::kNone;
};

// Decodes an operation whose shapes are known and passed inference. OP_FAILED when a scalar is unknown.
Result<SvdfParameters> svdf_parameters(const OperationView& operation);

}  // namespace nnvk
