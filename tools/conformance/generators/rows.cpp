#include "tools/conformance/generators/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tools/conformance/families.h"
#include "tools/conformance/generators/copies.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

constexpr int kGeneratedFeatureLevel = 7;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool is_constant_tensor(const VectorOperand& operand) {
  return operand.lifetime == Lifetime::kConstantCopy && is_tensor(operand.type);
}

bool is_constant_scalar(const VectorOperand& operand) {
  return operand.lifetime == Lifetime::kConstantCopy && !is_tensor(operand.type);
}

bool is_omitted(const VectorOperand& operand) { return operand.lifetime == Lifetime::kNoValue; }

// Turns operands into model inputs; the execution omits inputs without data.
void turn_into_inputs(VectorGraph& graph, bool (*chosen)(const VectorOperand&)) {
  for (uint32_t i = 0; i < graph.operands.size(); ++i) {
    if (!chosen(graph.operands[i])) continue;
    graph.operands[i].lifetime = Lifetime::kModelInput;
    graph.inputs.push_back(i);
  }
}

void turn_inputs_into_constants(VectorGraph& graph) {
  for (size_t i = 1; i < graph.inputs.size(); ++i) graph.operands[graph.inputs[i]].lifetime = Lifetime::kConstantCopy;
  graph.inputs.resize(1);
}

std::string dotted_row_name(int32_t operation, const std::string& type, const std::string& group, const std::string& name) {
  const auto code = operation_name(operation);
  return fmt::format("nnvk.{}.{}.{}.{}.{}", family_of(code), lower(code), type, group, name);
}

Rows all_rows() {
  Rows rows;
#define NNVK_ROWS(family) add_##family##_rows(rows);
  NNVK_FAMILIES(NNVK_ROWS)
#undef NNVK_ROWS
  rows.add_variations();
  return rows;
}

}  // namespace

Row& Row::refused() {
  must_be_refused = true;
  varied = false;
  if (fixed_because.empty()) fixed_because = "the case must be refused";
  return *this;
}

Row& Row::same_for_all_seeds(std::string why) {
  fixed_because = std::move(why);
  return *this;
}

Row& Row::without_variations() {
  varied = false;
  return *this;
}

VectorCase Row::make(uint64_t seed) const {
  Draft draft(dotted, seed);
  build(draft);
  VectorCase result = draft.finish(operation);
  result.spec = "generated";
  result.feature_level = kGeneratedFeatureLevel;
  result.expect_failure = must_be_refused;
  if (constants_as_inputs || computed) turn_into_inputs(result.main, is_constant_tensor);
  if (scalars_as_inputs) turn_into_inputs(result.main, is_constant_scalar);
  if (omitted_as_inputs) turn_into_inputs(result.main, is_omitted);
  if (computed) compute_inputs(result.main);
  if (inputs_as_constants) turn_inputs_into_constants(result.main);
  if (relaxed) result.relaxed = true;
  if (result.relaxed && result.float_tolerance) {  // half precision needs a wider tolerance
    constexpr double kHalves = 5.0 / 1024;
    result.float_tolerance->absolute = std::max(result.float_tolerance->absolute, 2 * kHalves);
    result.float_tolerance->relative = std::max(result.float_tolerance->relative, kHalves);
  }
  return result;
}

Row& Rows::add(int32_t operation, const std::string& type, const std::string& group, const std::string& name,
               std::function<void(Draft&)> build) {
  Row row;
  row.operation = operation;
  row.type = type;
  row.dotted = dotted_row_name(operation, type, group, name);
  row.build = std::move(build);
  return rows_.emplace_back(std::move(row));
}

bool Rows::contains(int32_t operation, int32_t type, const std::string& group, const std::string& name) const {
  const auto dotted = dotted_row_name(operation, type_label(type), group, name);
  return std::ranges::any_of(rows_, [&](const Row& row) { return row.dotted == dotted; });
}

Row& Rows::add(int32_t operation, int32_t type, const std::string& group, const std::string& name,
               std::function<void(Draft&)> build) {
  return add(operation, type_label(type), group, name, std::move(build));
}

Row& Rows::edge(int32_t operation, const std::string& type, const std::string& name, std::function<void(Draft&)> build) {
  return add(operation, type, "edge", name, std::move(build)).without_variations();
}

Row& Rows::edge(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build) {
  return edge(operation, type_label(type), name, std::move(build));
}

Row& Rows::refused(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build) {
  return add(operation, type, "refused", name, std::move(build)).refused();
}

Row& Rows::refused_edge(int32_t operation, int32_t type, const std::string& name, std::function<void(Draft&)> build) {
  return edge(operation, type, name, std::move(build)).refused();
}

void Rows::add_variations() {
  std::set<std::string> seen;
  std::vector<Row> variations;
  for (const auto& row : rows_) {
    if (!row.varied) continue;
    // Makes variations only of the first case of each "nnvk.<family>.<operation>.<type>.<group>".
    const auto group_end = row.dotted.rfind('.');
    const auto type_end = row.dotted.rfind('.', group_end - 1);
    const bool first_of_type = seen.insert(operation_name(row.operation) + row.type).second;
    if (!seen.insert(row.dotted.substr(0, group_end)).second) continue;
    const auto sample = row.make(0);
    const auto& operands = sample.main.operands;
    const auto vary = [&](const char* what, bool Row::*flag) {
      Row variation = row;
      variation.*flag = true;
      // The variation's group is `what`. Its case name keeps the row's group and name: "<group>_<name>".
      variation.dotted[group_end] = '_';
      variation.dotted.insert(type_end, fmt::format(".{}", what));
      variations.push_back(std::move(variation));
    };
    vary("computed", &Row::computed);
    if (std::ranges::any_of(operands, is_omitted)) vary("omitted_as_inputs", &Row::omitted_as_inputs);
    if (!first_of_type) continue;
    vary("open_outputs", &Row::open_outputs);
    if (std::ranges::any_of(operands, is_constant_tensor)) vary("constants_as_inputs", &Row::constants_as_inputs);
    if (std::ranges::any_of(operands, is_constant_scalar)) vary("scalars_as_inputs", &Row::scalars_as_inputs);
    if (sample.main.inputs.size() > 1) vary("inputs_as_constants", &Row::inputs_as_constants);
    if (sample.uses_type(kFloat32)) vary("relaxed", &Row::relaxed);
  }
  for (auto& variation : variations) rows_.push_back(std::move(variation));
}

const Rows& generated_rows() {
  static const Rows rows = all_rows();
  return rows;
}

std::vector<CaseEntry> generated_entries(uint64_t seed) {
  std::vector<CaseEntry> entries;
  for (const auto& row : generated_rows().all()) {
    CaseEntry entry;
    entry.dotted = row.dotted;
    entry.plain = row.dotted.substr(row.dotted.rfind('.') + 1);
    entry.operations = {operation_name(row.operation)};
    entry.family = family_of(entry.operations[0]);
    entry.type = row.type;
    entry.load = [&row, seed] { return Result<VectorCase>(row.make(seed)); };
    entry.keeps_outputs_open = row.open_outputs;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Dims> edge_shapes(size_t max_rank) {
  std::vector<Dims> shapes;
  for (const uint32_t size : {1, 3, 4, 5, 7, 8, 16, 17, 31, 64, 65}) shapes.push_back({size});
  const std::vector<Dims> deeper{{2, 3},
                                 {5, 8},
                                 {3, 17},
                                 {2, 3, 5},
                                 {1, 7, 4},
                                 {2, 3, 4, 5},
                                 {1, 5, 7, 3},
                                 {2, 3, 2, 3, 5},
                                 {2, 1, 3, 2, 2, 3},
                                 {1, 2, 3, 1, 2, 2, 5},
                                 {2, 1, 2, 3, 1, 2, 2, 3}};
  for (const auto& shape : deeper) {
    if (shape.size() <= max_rank) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<Broadcast> broadcast_pairs(size_t max_rank) {
  std::vector<Broadcast> pairs{{{1}, {7}}, {{65}, {1}}, {{5, 3}, {3}}, {{4}, {3, 4}}, {{1, 8}, {5, 1}}, {{2, 3, 5}, {1}}};
  const Dims full{2, 3, 4, 5, 2, 3, 2, 3};
  for (size_t rank = 2; rank <= max_rank; ++rank) {
    const Dims whole(full.begin(), full.begin() + static_cast<ptrdiff_t>(rank));
    for (size_t dimension = 0; dimension < rank; ++dimension) {
      Dims one = whole;
      one[dimension] = 1;
      pairs.push_back({whole, one});
      pairs.push_back({one, whole});
    }
    Dims left = whole;  // sizes of 1 alternate between the two sides
    Dims right = whole;
    for (size_t dimension = 0; dimension < rank; ++dimension) (dimension % 2 ? left : right)[dimension] = 1;
    pairs.push_back({left, right});
    pairs.push_back({whole, Dims(whole.begin() + 1, whole.end())});
  }
  return pairs;
}

std::string list_label(const std::vector<int32_t>& values) {
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, "_"));
}

Values with_ties(int32_t type) { return type == kQuant8 ? stored(100, 103) : stored(-2, 2); }

std::string label(const Broadcast& pair) { return dims_label(pair.a) + "_" + dims_label(pair.b); }

}  // namespace nnvk::tools::conformance
