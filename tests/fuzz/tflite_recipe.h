// Makes .tflite files from fuzzed decisions. The files are well-formed, but the networks in them may be nonsense.
#pragma once

#include "tests/fuzz/byte_source.h"

namespace nnvk::fuzz {

// The file that the decisions describe.
Input tflite_file(ByteSource& source);

// Decisions for a network of one operator each, for every operator that the importer knows.
std::vector<Input> tflite_recipes();

}  // namespace nnvk::fuzz
