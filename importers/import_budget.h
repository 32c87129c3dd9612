// Limits for a model: a budget of memory for everything that running it takes, and a number of operations in proportion to the
// size of its source. A small file can describe a model of any size, so importers take from the budget before the work.
#pragma once

#include <cstdint>
#include <string>

#include "importers/client_names.h"

namespace nnvk::importers {

// The memory that a model's tensors take, as NNAPI and these tools hold them.
struct TensorMemory {
  uint64_t bytes = 0;          // of all tensors
  uint64_t largest_bytes = 0;  // of the largest one
  std::string largest;         // which one that is, for messages: "tensor 3 'scores' (FLOAT32) [1,1001]"
};

// Writes a size as text: "2 GiB", "1.4 MiB", "12 bytes".
std::string size_text(uint64_t bytes);

class ImportBudget {
 public:
  // `memory`: in bytes (ImportOptions::memory). `source_bytes`: the size of the file, or of the description of the live graph.
  ImportBudget(uint64_t memory, uint64_t source_bytes)
      : memory_(memory), left_(memory), operations_(kOperations + source_bytes / kBytesPerOperation) {}

  // Takes the memory of all tensors of operators, and of the model's inputs and outputs again, as floats. The error names the
  // largest tensor.
  Status take_tensors(const TensorMemory& tensors);
  // Takes bytes without a tensor in the source: intermediate results, dequantized weights, zeros. The error names them by `what`.
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

}  // namespace nnvk::importers
