// One conformance vector: a model with inputs and expected outputs, as parsed from a line of a .jsonl file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::conformance {

enum class Lifetime {
  kModelInput,
  kModelOutput,
  kTemporary,
  kConstantCopy,
  kConstantReference,
  kNoValue,
  kSubgraph,
};

struct VectorOperand {
  int32_t type = 0;
  std::vector<uint32_t> dimensions;  // 0: not specified; empty with a tensor type: rank not specified
  float scale = 0;
  int32_t zero_point = 0;
  Lifetime lifetime = Lifetime::kTemporary;
  uint32_t channel_axis = 0;
  std::vector<float> channel_scales;  // TENSOR_QUANT8_SYMM_PER_CHANNEL only
  bool ignored = false;
  std::vector<uint8_t> data;
  size_t subgraph = 0;                                       // kSubgraph only: index into VectorCase::referenced
  std::optional<std::vector<uint32_t>> expected_dimensions;  // where `dimensions` leaves something open; 0 is truly empty
  std::optional<std::vector<uint32_t>> actual_dimensions;    // of an input whose declared dimensions are open
};

struct VectorOperation {
  int32_t code = 0;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
};

struct VectorGraph {
  std::vector<VectorOperand> operands;
  std::vector<VectorOperation> operations;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
};

struct VectorCase {
  std::string name;  // as in the file; unique over all files
  std::string spec;
  int feature_level = 1;
  bool relaxed = false;
  bool expect_failure = false;
  double multinomial_tolerance = 0;
  VectorGraph main;
  std::vector<VectorGraph> referenced;

  bool uses_type(int32_t operand_type) const;
  bool uses_operation(int32_t code) const;
};

// Checks every index and size. Errors say what is wrong in the line.
Result<VectorCase> parse_case(const std::string& line);

// The case's name at the start of a line without parsing all of it; "" when the line does not begin as usual.
std::string_view peek_name(std::string_view line);

// "nnvk.vectors.V1_0.add.add": the dotted name of a case of a spec.
std::string dotted_name(std::string_view spec, std::string_view name);

// Whether a dotted case name is chosen by a pattern: with * or ? it is a glob over the whole dotted name or the plain name after
// the spec; without, any name that contains it. An empty pattern chooses all.
bool matches(std::string_view pattern, std::string_view dotted, std::string_view plain);

// All .jsonl files below a folder (or the file itself), sorted.
Result<std::vector<std::filesystem::path>> vector_files(const std::filesystem::path& path);

// Base64 with padding; nothing for malformed text.
std::optional<std::vector<uint8_t>> decode_base64(std::string_view text);

}  // namespace nnvk::tools::conformance
