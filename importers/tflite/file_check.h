// Whether the bytes of a file are a sound .tflite file.
#pragma once

#include <cstdint>
#include <vector>

#include "importers/client_names.h"
#include "tflite_subset_generated.h"

namespace nnvk::importers::tflite {

// Returns the byte offset of a table of the file.
inline size_t offset_of(const std::vector<uint8_t>& file, const void* table) {
  return static_cast<size_t>(static_cast<const uint8_t*>(table) - file.data());
}

// Returns the root table of a file whose tables all lie inside it. Its numbers are still unchecked. Errors name the byte offset.
Result<const format::Model*> verified_model(const std::vector<uint8_t>& file);

}  // namespace nnvk::importers::tflite
