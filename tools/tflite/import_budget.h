// What importing a file may cost: proportional to the size of the file, so that a small one cannot take all memory or hours.
// Asked before the work.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "tools/nnapi/result.h"

namespace nnvk::tools::tflite {

class ImportBudget {
 public:
  explicit ImportBudget(uint64_t file_bytes)
      : bytes_(kBytes + kBytesPerByte * file_bytes), operations_(kOperations + file_bytes / kBytesPerOperation) {}

  // Bytes of values that the file does not hold in that form: zeros, dequantized weights.
  Status take_bytes(uint64_t bytes) {
    if (bytes > bytes_) return fail(fmt::format("{} more bytes of values are out of proportion to the file", bytes));
    bytes_ -= bytes;
    return {};
  }
  Status take_operation() {
    if (operations_ == 0) return fail("the operators become more operations than is in proportion to the file");
    --operations_;
    return {};
  }

 private:
  // An operator takes some 60 bytes of a file and becomes one to three operations, or one for each of up to a thousand pieces.
  static constexpr uint64_t kBytes = uint64_t{64} << 20;
  static constexpr uint64_t kBytesPerByte = 16;
  static constexpr uint64_t kOperations = 4096;
  static constexpr uint64_t kBytesPerOperation = 8;

  uint64_t bytes_;
  uint64_t operations_;
};

}  // namespace nnvk::tools::tflite
