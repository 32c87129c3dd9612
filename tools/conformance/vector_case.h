// A conformance vector: a model with inputs and expected outputs, parsed from a line of a .jsonl file.
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
  // For an output with generated expectations: its value if denormal float32 inputs count as zero. Empty: it equals `data`.
  std::vector<uint8_t> flushed_data;
  // For an output of a random graph: the allowed difference of each floating-point element. Infinite: the element may be
  // anything. Empty list: the case's tolerance applies.
  std::vector<double> allowed_differences;
  size_t subgraph = 0;                                       // kSubgraph only: index into VectorCase::referenced
  std::optional<std::vector<uint32_t>> expected_dimensions;  // if `dimensions` leaves something open; here 0 means empty
  std::optional<std::vector<uint32_t>> actual_dimensions;    // of an input whose declared dimensions are open

  // Returns whether the operand is a tensor of unknown rank, or with an unknown dimension.
  bool is_open() const;
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

// Allows |actual - expected| <= absolute + relative * |expected| for each element.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct VectorCase {
  std::string name;  // as in the file; unique over all files
  std::string spec;
  int feature_level = 1;
  bool relaxed = false;
  bool expect_failure = false;
  int expected_code = 0;  // with expect_failure: the result code; 0: any
  double multinomial_tolerance = 0;
  bool golden = false;                         // expectations come from the reference device: integers must be identical
  bool exact = false;                          // integers must be identical although the expectations are the file's own
  std::optional<Tolerance> float_tolerance{};  // instead of the format's, for floating-point outputs
  VectorGraph main;
  std::vector<VectorGraph> referenced;

  bool uses_type(int32_t operand_type) const;
  bool uses_operation(int32_t code) const;
};

// Parses a line; checks every index and size. Errors describe the fault in the line.
Result<VectorCase> parse_case(const std::string& line);

// Returns the case's name at the start of a line without parsing all of it; "" when the line does not begin as usual.
std::string_view peek_name(std::string_view line);

// Returns the names of the operations of all graphs of a line, in the line's order, without parsing all of it.
std::vector<std::string> peek_operations(std::string_view line);

// Returns the type of the first tensor in a line, as in "TENSOR_FLOAT32", without parsing all of it; "" if there is none.
std::string_view peek_tensor_type(std::string_view line);

// Returns the dotted name of a spec's case, such as "nnvk.vectors.V1_0.add.add".
std::string dotted_name(std::string_view spec, std::string_view name);

// Returns all .jsonl files below a folder (or the file itself), sorted.
Result<std::vector<std::filesystem::path>> vector_files(const std::filesystem::path& path);

// Decodes Base64 with padding; returns nothing if the text is malformed.
std::optional<std::vector<uint8_t>> decode_base64(std::string_view text);

}  // namespace nnvk::tools::conformance
