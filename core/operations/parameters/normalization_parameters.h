// Which elements the normalisations treat together, decided in one place for reference kernels and GPU emitters.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/operations/operation_definition.h"

namespace nnvk {

// A tensor seen as outer x size x inner: the elements of a slice are `inner` apart, and outer * inner slices are normalised each
// by itself.
struct NormalizationSlices {
  uint64_t outer = 1;
  uint64_t size = 1;
  uint64_t inner = 1;
  bool operator==(const NormalizationSlices&) const = default;
};

// Slices of L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION (along their axis, by default the last one) and of
// INSTANCE_NORMALIZATION (the pixels of one channel of one image, in either layout). Shape and parameters are known.
// OP_FAILED for an axis outside the rank.
Result<NormalizationSlices> normalization_slices(const OperationView& operation);

}  // namespace nnvk
