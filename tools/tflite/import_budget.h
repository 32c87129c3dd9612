// Limits for a file: a budget of memory for everything that running it takes, and a number of operations in proportion to its
// size. A small file can describe a model of any size, so the importer takes from the budget before the work.
#pragma once

#include <cstdint>
#include <string>

#include "tools/tflite/graph.h"

namespace nnvk::tools::tflite {

inline constexpr uint64_t kDefaultMemory = uint64_t{2} << 30;
inline constexpr uint64_t kAnyMemory = UINT64_MAX;  // no limit, for callers that chose the sizes

// "2 GiB", "1.4 MiB", "12 bytes".
std::string size_text(uint64_t bytes);

class ImportBudget {
 public:
  // `memory`: in bytes, of tensors as NNAPI and these tools hold them. `file_bytes`: size of the file.
  ImportBudget(uint64_t memory, uint64_t file_bytes)
      : memory_(memory), left_(memory), operations_(kOperations + file_bytes / kBytesPerOperation) {}

  // Takes all tensors of operators, and the model's inputs and outputs again, as floats. The error names the largest tensor.
  Status take_tensors(const Graph& graph);
  // Takes bytes without a tensor in the file: intermediate results, dequantized weights, zeros. The error names them by `what`.
  Status take_bytes(uint64_t bytes, const std::string& what);
  Status take_operation();

 private:
  // An operator takes about 60 bytes of a file and becomes one to three operations, or one for each of up to a thousand pieces.
  static constexpr uint64_t kOperations = 4096;
  static constexpr uint64_t kBytesPerOperation = 8;

  uint64_t memory_;
  uint64_t left_;
  uint64_t operations_;
};

}  // namespace nnvk::tools::tflite
