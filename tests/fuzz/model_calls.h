// Fuzzed calls of a client: operands, values, operations, referenced models, compilations, executions. This header declares the
// format and its writer; model_calls.cpp reads it with a ByteSource.
#pragma once

#include "tests/fuzz/byte_source.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::fuzz {

// A call that builds a model.
enum class Call : uint8_t {
  kOperand,        // type, dimensions, quantization
  kValue,          // index, kind of value, bytes
  kMemoryValue,    // index, offset, length
  kChannelScales,  // index, dimension, scales
  kReference,      // index, earlier model
  kExtensionData,  // index, length
  kOperation,      // code, inputs, outputs
  kFinish,         // inputs, outputs; the next calls build another model
  kCount,
};

enum class ValueKind : uint8_t { kOmitted, kFitting, kOfLength, kCount };

inline constexpr size_t kMostOperands = 64;  // of a model

// The calls that build the case's models. Nothing when it is too large.
Input calls_of(const tools::conformance::VectorCase& c);

}  // namespace nnvk::fuzz
