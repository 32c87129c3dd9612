// The evidence of a failure, for people who look for its cause: operands, the first wrong elements, a picture of the differences.
// Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/conformance/compiled_case.h"
#include "tools/conformance/page/error_map.h"

namespace nnvk::tools::conformance {

// An input or a constant of the model.
struct OperandEvidence {
  uint32_t index = 0;      // in the main graph
  std::string role{};      // "input 0", "constant", "omitted"
  std::string type{};      // "TENSOR_FLOAT32"
  std::string shape{};     // "[1,2,2,3]"; "" for scalars
  std::string quantity{};  // "scale 0.5, zero point 3"; "" without a scale
  std::string values{};    // the first ones, as they are stored
  std::string file{};      // its dump; "" if it was not dumped

  bool operator==(const OperandEvidence&) const = default;
};

// An element that does not agree. The numbers are texts, because JSON has no infinities.
struct WrongElement {
  size_t index = 0;
  std::string at{};          // its coordinates: "[0,1,2]"
  std::string expected{};    // as stored
  std::string got{};         // likewise
  std::string difference{};  // got - expected
  std::string distance{};    // "12 ulp", "3 steps"; "" for plain integers and where a number is no finite one

  bool operator==(const WrongElement&) const = default;
};

struct OutputEvidence {
  std::string type{};
  std::string expected_shape{};
  std::string got_shape{};  // "" if the computation gave none
  std::string quantity{};   // as in OperandEvidence
  size_t elements = 0;      // compared ones; 0 if shapes or sizes differ, and for random samples
  size_t wrong = 0;
  size_t not_finite = 0;    // of the wrong ones: NaN or infinity, expected or got
  std::string worst{};      // the largest difference of the others, with its distance; "" without any
  std::string tolerance{};  // "0.001 + 0.002 |expected|"
  std::vector<WrongElement> first{};
  ErrorMap map{};
  std::string expected_file{};  // dumps
  std::string got_file{};
};

struct Evidence {
  std::vector<std::string> operations{};  // names, in the order of the model
  std::string model{};                    // describe(), if the model has several operations or graphs
  bool relaxed = false;
  std::vector<OperandEvidence> operands{};
  std::vector<OutputEvidence> outputs{};
  std::string left_out{};  // why dumps are missing; "" if none are
};

// At most so many wrong elements of an output, and operands of a model.
inline constexpr size_t kMostElements = 10;
inline constexpr size_t kMostOperands = 40;

// Collects the evidence of a failure. `outputs`: those of the computation that failed; null if it gave none. `may_flush` as in
// compare_values().
Evidence examine(const VectorCase& c, const CaseOutputs* outputs, bool may_flush);

// Returns the number of representable values between two floats (FLOAT16: halves), or of steps between two quantized values.
// Returns nothing for other types, and if a number is not finite.
std::optional<std::string> distance_text(int32_t operand_type, double expected, double got);

nlohmann::ordered_json to_json(const Evidence& evidence);
// Reads evidence. Throws an exception of the JSON library if a member has another type than it should.
Evidence evidence_from(const nlohmann::json& object);

}  // namespace nnvk::tools::conformance
