// Describing operands and comparing outputs element by element.
#include "tools/conformance/page/evidence.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/conformance/random/description.h"
#include "tools/nnapi/half.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

std::string shape_text(std::span<const uint32_t> shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

// Returns the shape of an operand's data.
const std::vector<uint32_t>& shape_of(const VectorOperand& operand) {
  if (operand.actual_dimensions) return *operand.actual_dimensions;
  return operand.expected_dimensions ? *operand.expected_dimensions : operand.dimensions;
}

std::string quantity_of(const VectorOperand& operand) {
  if (!operand.channel_scales.empty()) {
    return fmt::format("{} scales along dimension {}", operand.channel_scales.size(), operand.channel_axis);
  }
  if (operand.scale == 0) return "";
  return fmt::format("scale {:g}, zero point {}", operand.scale, operand.zero_point);
}

std::string first_values(const VectorOperand& operand) {
  constexpr size_t kMost = 8;
  const size_t size = element_size(operand.type);
  const size_t count = size == 0 ? 0 : operand.data.size() / size;
  std::string text;
  for (size_t i = 0; i < std::min(count, kMost); ++i) {
    text += fmt::format("{}{:g}", i == 0 ? "" : " ", stored_number(operand.type, operand.data, i));
  }
  return text + (count > kMost ? " ..." : "");
}

// Returns the role of an operand that the device reads; "" for other operands.
std::string role_of(const VectorGraph& graph, uint32_t index) {
  const VectorOperand& operand = graph.operands[index];
  switch (operand.lifetime) {
    case Lifetime::kModelInput: {
      const auto place = std::ranges::find(graph.inputs, index) - graph.inputs.begin();
      return fmt::format("input {}{}", place, operand.data.empty() ? ", omitted" : "");
    }
    case Lifetime::kConstantCopy:
    case Lifetime::kConstantReference:
      return "constant";
    case Lifetime::kNoValue:
      return "omitted";
    default:
      return "";
  }
}

std::vector<OperandEvidence> operands_of(const VectorGraph& graph) {
  std::vector<OperandEvidence> operands;
  for (uint32_t i = 0; i < graph.operands.size() && operands.size() < kMostOperands; ++i) {
    const VectorOperand& operand = graph.operands[i];
    auto role = role_of(graph, i);
    if (role.empty()) continue;
    operands.push_back({.index = i,
                        .role = std::move(role),
                        .type = operand_type_name(operand.type),
                        .shape = is_tensor(operand.type) ? shape_text(shape_of(operand)) : "",
                        .quantity = quantity_of(operand),
                        .values = first_values(operand),
                        .file = {}});
  }
  return operands;
}

std::string coordinates(std::span<const uint32_t> shape, size_t index) {
  std::vector<size_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

bool is_float(int32_t type) {
  return type == ANEURALNETWORKS_FLOAT32 || type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_FLOAT16 ||
         type == ANEURALNETWORKS_TENSOR_FLOAT16;
}

// Returns the shortest text that names a stored number.
std::string number_text(int32_t type, double number) {
  return is_float(type) ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
}

// Returns the place of a float among all floats: neighbours differ by one, and both zeros have the same place.
int64_t place_of(double value, bool is_half) {
  const uint32_t bits = is_half ? float_to_half(static_cast<float>(value)) : std::bit_cast<uint32_t>(static_cast<float>(value));
  const uint32_t sign = is_half ? 0x8000u : 0x80000000u;
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

// Compares the elements of one output.
class Comparing {
 public:
  Comparing(const VectorOperand& expected, const CaseOutput& output, Tolerance tolerance, bool may_flush)
      : expected_(expected), output_(output), tolerance_(tolerance), may_flush_(may_flush) {}

  void run(OutputEvidence& evidence) {
    evidence.elements = expected_.data.size() / element_size(expected_.type);
    evidence.map = map_errors(output_.shape, [&](size_t i) {
      const auto element = compare_element(expected_, output_.bytes, i, tolerance_, may_flush_);
      if (!element.agrees) take(element, i, evidence);
      return level_of(element);
    });
    if (evidence.wrong == 0) evidence.map = {};
  }

 private:
  void take(const ElementComparison& element, size_t index, OutputEvidence& evidence) {
    ++evidence.wrong;
    const double difference = element.got - element.expected;
    const auto distance = distance_text(expected_.type, element.expected, element.got).value_or("");
    if (!std::isfinite(difference)) {
      ++evidence.not_finite;
    } else if (std::abs(difference) > worst_) {
      worst_ = std::abs(difference);
      evidence.worst = fmt::format("{:.6g}{}", worst_, distance.empty() ? "" : ", " + distance);
    }
    if (evidence.first.size() == kMostElements) return;
    evidence.first.push_back({index, coordinates(output_.shape, index), number_text(expected_.type, element.expected),
                              number_text(expected_.type, element.got), fmt::format("{:.6g}", difference), distance});
  }

  const VectorOperand& expected_;
  const CaseOutput& output_;
  Tolerance tolerance_;
  bool may_flush_;
  double worst_ = 0;
};

OutputEvidence examine_output(const VectorCase& c, const VectorOperand& expected, const CaseOutput* output, bool may_flush) {
  const Tolerance tolerance = tolerance_for(c, expected.type);
  OutputEvidence evidence{.type = operand_type_name(expected.type),
                          .expected_shape = shape_text(shape_of(expected)),
                          .got_shape = output == nullptr ? "" : shape_text(output->shape),
                          .quantity = quantity_of(expected)};
  evidence.tolerance = !expected.allowed_differences.empty()
                           ? "one for each element"
                           : fmt::format("{:.3g} + {:.3g} |expected|", tolerance.absolute, tolerance.relative);
  const bool comparable = output != nullptr && !expected.ignored && c.multinomial_tolerance == 0 && !c.expect_failure &&
                          !expected.data.empty() && element_size(expected.type) > 0 &&
                          output->bytes.size() == expected.data.size() && !compare_shape(expected, output->shape);
  if (comparable) Comparing(expected, *output, tolerance, may_flush).run(evidence);
  return evidence;
}

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json to_json(const OutputEvidence& output) {
  ordered_json object{{"type", output.type},
                      {"expected_shape", output.expected_shape},
                      {"got_shape", output.got_shape},
                      {"quantity", output.quantity},
                      {"elements", output.elements},
                      {"wrong", output.wrong},
                      {"not_finite", output.not_finite},
                      {"worst", output.worst},
                      {"tolerance", output.tolerance},
                      {"expected_file", output.expected_file},
                      {"got_file", output.got_file},
                      {"first", ordered_json::array()}};
  for (const auto& element : output.first) {
    object["first"].push_back({{"index", element.index},
                               {"at", element.at},
                               {"expected", element.expected},
                               {"got", element.got},
                               {"difference", element.difference},
                               {"distance", element.distance}});
  }
  const ErrorMap& map = output.map;
  object["map"] = {{"rows", map.rows},
                   {"columns", map.columns},
                   {"row_label", map.row_label},
                   {"column_label", map.column_label},
                   {"levels", to_digits(map.cells)}};
  return object;
}

OutputEvidence output_from(const json& object) {
  OutputEvidence output{.type = object.value("type", ""),
                        .expected_shape = object.value("expected_shape", ""),
                        .got_shape = object.value("got_shape", ""),
                        .quantity = object.value("quantity", ""),
                        .elements = object.value("elements", size_t{0}),
                        .wrong = object.value("wrong", size_t{0}),
                        .not_finite = object.value("not_finite", size_t{0}),
                        .worst = object.value("worst", ""),
                        .tolerance = object.value("tolerance", "")};
  output.expected_file = object.value("expected_file", "");
  output.got_file = object.value("got_file", "");
  for (const auto& element : object.value("first", json::array())) {
    output.first.push_back({element.value("index", size_t{0}), element.value("at", ""), element.value("expected", ""),
                            element.value("got", ""), element.value("difference", ""), element.value("distance", "")});
  }
  const auto map = object.value("map", json::object());
  output.map = {map.value("rows", size_t{0}), map.value("columns", size_t{0}), map.value("row_label", ""),
                map.value("column_label", ""), from_digits(map.value("levels", ""))};
  // Somebody may have edited the file, and the drawing relies on it.
  if (output.map.cells.size() != output.map.rows * output.map.columns) output.map = {};
  return output;
}

}  // namespace

std::optional<std::string> distance_text(int32_t operand_type, double expected, double got) {
  if (!std::isfinite(expected) || !std::isfinite(got)) return std::nullopt;
  if (is_float(operand_type)) {
    const bool is_half = element_size(operand_type) == sizeof(uint16_t);
    return fmt::format("{} ulp", std::abs(place_of(got, is_half) - place_of(expected, is_half)));
  }
  switch (operand_type) {
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM: {
      const double steps = std::abs(got - expected);
      return fmt::format("{:g} step{}", steps, steps == 1 ? "" : "s");
    }
    default:
      return std::nullopt;
  }
}

Evidence examine(const VectorCase& c, const CaseOutputs* outputs, bool may_flush) {
  Evidence evidence;
  for (const auto& operation : c.main.operations) evidence.operations.push_back(operation_name(operation.code));
  if (c.main.operations.size() > 1 || !c.referenced.empty()) evidence.model = describe(c);
  evidence.relaxed = c.relaxed;
  evidence.operands = operands_of(c.main);
  for (size_t i = 0; i < c.main.outputs.size(); ++i) {
    const CaseOutput* const output = outputs != nullptr && i < outputs->size() ? &(*outputs)[i] : nullptr;
    evidence.outputs.push_back(examine_output(c, c.main.operands[c.main.outputs[i]], output, may_flush));
  }
  return evidence;
}

ordered_json to_json(const Evidence& evidence) {
  ordered_json object{{"operations", evidence.operations}, {"model", evidence.model},
                      {"relaxed", evidence.relaxed},       {"left_out", evidence.left_out},
                      {"operands", ordered_json::array()}, {"outputs", ordered_json::array()}};
  for (const auto& operand : evidence.operands) {
    object["operands"].push_back({{"index", operand.index},
                                  {"role", operand.role},
                                  {"type", operand.type},
                                  {"shape", operand.shape},
                                  {"quantity", operand.quantity},
                                  {"values", operand.values},
                                  {"file", operand.file}});
  }
  for (const auto& output : evidence.outputs) object["outputs"].push_back(to_json(output));
  return object;
}

Evidence evidence_from(const json& object) {
  Evidence evidence{.operations = object.value("operations", std::vector<std::string>()),
                    .model = object.value("model", ""),
                    .relaxed = object.value("relaxed", false),
                    .operands = {},
                    .outputs = {},
                    .left_out = object.value("left_out", "")};
  for (const auto& operand : object.value("operands", json::array())) {
    evidence.operands.push_back({operand.value("index", 0u), operand.value("role", ""), operand.value("type", ""),
                                 operand.value("shape", ""), operand.value("quantity", ""), operand.value("values", ""),
                                 operand.value("file", "")});
  }
  for (const auto& output : object.value("outputs", json::array())) evidence.outputs.push_back(output_from(output));
  return evidence;
}

}  // namespace nnvk::tools::conformance
