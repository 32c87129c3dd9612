// The decisions of a caller about an import, for every dialect.
#pragma once

#include <cstdint>

namespace nnvk::importers {

inline constexpr uint64_t kDefaultMemory = uint64_t{2} << 30;
inline constexpr uint64_t kAnyMemory = UINT64_MAX;  // no limit, for callers that chose the sizes

struct ImportOptions {
  uint64_t memory = kDefaultMemory;  // in bytes: the most that the model may take (import_budget.h)
  bool relaxed = false;              // devices may compute float32 with the range and precision of float16
  // For recurrent operators of a source with variables. If true, each variable becomes an input and an output
  // (ImportedModel::states); otherwise every execution begins with states of zeros.
  bool keep_states = false;
  // For dimensions that a .tflite file declares to be variable. If true, they stay unknown; otherwise they have the file's sizes.
  bool open_dimensions = false;
};

}  // namespace nnvk::importers
