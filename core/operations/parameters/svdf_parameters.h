// SVDF decoded for all devices. Pure.
#pragma once

#include "core/operations/operation_definition.h"
#include "core/operations/parameters/activation.h"
#include "core/operations/parameters/scalar_parameters.h"

namespace nnvk {

namespace svdf {
enum Input : size_t { kInput, kFeatureWeights, kTimeFilter, kBias, kState, kRank, kActivation };
enum Output : size_t { kNewState, kOutput };
}  // namespace svdf

// Per step, every filter computes one feature from each batch row. The state holds each filter's last `memory` features.
struct SvdfParameters {
  uint32_t batch = 0, input_size = 0;
  uint32_t filters = 0;
  uint32_t memory = 0;
  uint32_t rank = 1;   // filters per unit
  uint32_t units = 0;  // filters / rank
  bool has_bias = false;
  FusedActivation activation = FusedActivation::kNone;
};

// Decodes an operation whose shapes are known and which infer() has accepted. OP_FAILED if a scalar is unknown.
inline Result<SvdfParameters> svdf_parameters(const OperationView& operation) {
  using namespace svdf;
  SvdfParameters p;
  NNVK_ASSIGN(const int32_t rank, int_parameter(operation, kRank));
  NNVK_ASSIGN(p.activation, activation_parameter(operation, kActivation));
  p.rank = static_cast<uint32_t>(rank);
  p.batch = operation.shape(kInput)[0];
  p.input_size = operation.shape(kInput)[1];
  p.filters = operation.shape(kFeatureWeights)[0];
  p.memory = operation.shape(kTimeFilter)[1];
  p.units = p.filters / p.rank;
  p.has_bias = operation.has(kBias);
  return p;
}

}  // namespace nnvk
