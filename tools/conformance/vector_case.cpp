// Parsing of vector files.
#include "tools/conformance/vector_case.h"

#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tools/nnapi/names.h"

namespace nnvk::tools::conformance {
namespace {

using nlohmann::json;

// An exception that describes a missing or wrong part of a line; parse_case() catches it.
struct Malformed {
  std::string what;
};

Lifetime lifetime_of(const std::string& name) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, Lifetime>>({
      {"SUBGRAPH_INPUT", Lifetime::kModelInput},
      {"SUBGRAPH_OUTPUT", Lifetime::kModelOutput},
      {"TEMPORARY_VARIABLE", Lifetime::kTemporary},
      {"CONSTANT_COPY", Lifetime::kConstantCopy},
      {"CONSTANT_REFERENCE", Lifetime::kConstantReference},
      {"NO_VALUE", Lifetime::kNoValue},
      {"SUBGRAPH", Lifetime::kSubgraph},
  });
  for (const auto& [text, lifetime] : kNames) {
    if (text == name) return lifetime;
  }
  throw Malformed{"unknown lifetime " + name};
}

VectorOperand parse_operand(const json& source, size_t referenced) {
  VectorOperand operand;
  const std::string type = source.at("type");
  const auto code = operand_type_code(type);
  if (!code) throw Malformed{"unknown operand type " + type};
  operand.type = *code;
  operand.dimensions = source.at("dims").get<std::vector<uint32_t>>();
  operand.scale = source.value("scale", 0.0f);
  operand.zero_point = source.value("zero_point", 0);
  operand.lifetime = lifetime_of(source.at("lifetime"));
  operand.ignored = source.value("ignored", false);
  if (const auto found = source.find("channel_quant"); found != source.end()) {
    operand.channel_axis = found->at("axis");
    operand.channel_scales = found->at("scales").get<std::vector<float>>();
  }
  if (const auto found = source.find("data"); found != source.end()) {
    auto bytes = decode_base64(found->get_ref<const std::string&>());
    if (!bytes) throw Malformed{"data is not base64"};
    operand.data = *std::move(bytes);
  }
  if (const auto found = source.find("expected_dims"); found != source.end()) {
    operand.expected_dimensions = found->get<std::vector<uint32_t>>();
  }
  if (const auto found = source.find("actual_dims"); found != source.end()) {
    operand.actual_dimensions = found->get<std::vector<uint32_t>>();
  }
  if (operand.lifetime == Lifetime::kSubgraph) {
    operand.subgraph = source.at("subgraph");
    if (operand.subgraph >= referenced) throw Malformed{"a subgraph that does not exist"};
  }
  return operand;
}

std::vector<uint32_t> parse_indexes(const json& source, size_t operands) {
  auto indexes = source.get<std::vector<uint32_t>>();
  for (const uint32_t index : indexes) {
    if (index >= operands) throw Malformed{fmt::format("operand {} of {}", index, operands)};
  }
  return indexes;
}

VectorGraph parse_graph(const json& source, size_t referenced) {
  VectorGraph graph;
  for (const auto& operand : source.at("operands")) graph.operands.push_back(parse_operand(operand, referenced));
  for (const auto& operation : source.at("operations")) {
    const std::string type = operation.at("type");
    const auto code = operation_code(type);
    if (!code) throw Malformed{"unknown operation " + type};
    graph.operations.push_back({*code, parse_indexes(operation.at("inputs"), graph.operands.size()),
                                parse_indexes(operation.at("outputs"), graph.operands.size())});
  }
  graph.inputs = parse_indexes(source.at("inputs"), graph.operands.size());
  graph.outputs = parse_indexes(source.at("outputs"), graph.operands.size());
  return graph;
}

template <class Predicate>
bool any_graph(const VectorCase& c, Predicate predicate) {
  return predicate(c.main) || std::ranges::any_of(c.referenced, predicate);
}

}  // namespace

bool VectorOperand::is_open() const {
  return is_tensor(type) && (dimensions.empty() || std::ranges::find(dimensions, 0U) != dimensions.end());
}

bool VectorCase::uses_type(int32_t operand_type) const {
  return any_graph(*this, [&](const VectorGraph& graph) {
    return std::ranges::any_of(graph.operands, [&](const VectorOperand& o) { return o.type == operand_type; });
  });
}

bool VectorCase::uses_operation(int32_t code) const {
  return any_graph(*this, [&](const VectorGraph& graph) {
    return std::ranges::any_of(graph.operations, [&](const VectorOperation& o) { return o.code == code; });
  });
}

Result<VectorCase> parse_case(const std::string& line) {
  try {
    const json document = json::parse(line);
    VectorCase result;
    result.name = document.at("name");
    result.spec = document.at("spec");
    result.feature_level = document.value("feature_level", 1);
    result.relaxed = document.value("relaxed", false);
    result.expect_failure = document.value("expect_failure", false);
    result.multinomial_tolerance = document.value("multinomial_tolerance", 0.0);
    result.exact = document.value("exact", false);
    if (const auto found = document.find("float_tolerance"); found != document.end()) {
      result.float_tolerance = Tolerance{found->at(0), found->at(1)};
    }
    const auto& referenced = document.value("referenced", json::array());
    result.main = parse_graph(document.at("main"), referenced.size());
    for (const auto& graph : referenced) result.referenced.push_back(parse_graph(graph, referenced.size()));
    return result;
  } catch (const json::exception& error) {
    return fail(error.what());
  } catch (const Malformed& error) {
    return fail(error.what);
  }
}

std::string_view peek_name(std::string_view line) {
  constexpr std::string_view kStart = "{\"name\":\"";
  if (!line.starts_with(kStart)) return {};
  const size_t end = line.find('"', kStart.size());
  if (end == std::string_view::npos) return {};
  const auto name = line.substr(kStart.size(), end - kStart.size());
  return name.find('\\') == std::string_view::npos ? name : std::string_view{};
}

std::vector<std::string> peek_operations(std::string_view line) {
  constexpr std::string_view kList = "\"operations\":[";
  constexpr std::string_view kType = "{\"type\":\"";
  std::vector<std::string> names;
  for (size_t list = line.find(kList); list != std::string_view::npos; list = line.find(kList, list + 1)) {
    // Operations contain only numbers after their type, so the next brace opens the next operation or ends the list.
    for (size_t at = list + kList.size(); line.substr(at).starts_with(kType);) {
      const size_t end = line.find('"', at + kType.size());
      if (end == std::string_view::npos) return names;
      names.emplace_back(line.substr(at + kType.size(), end - at - kType.size()));
      at = line.find_first_of("{}", end);
      if (at == std::string_view::npos || line[at] != '}' || !line.substr(at + 1).starts_with(',')) break;
      at += 2;
    }
  }
  return names;
}

std::string_view peek_tensor_type(std::string_view line) {
  constexpr std::string_view kStart = "\"type\":\"TENSOR_";
  const size_t start = line.find(kStart);
  if (start == std::string_view::npos) return "";
  const auto rest = line.substr(start + std::string_view("\"type\":\"").size());
  return rest.substr(0, rest.find('"'));
}

std::string dotted_name(std::string_view spec, std::string_view name) {
  std::string dotted = fmt::format("nnvk.vectors.{}.{}", spec, name);
  std::ranges::replace(dotted, '/', '.');
  return dotted;
}

Result<std::vector<std::filesystem::path>> vector_files(const std::filesystem::path& path) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_regular_file(path, error)) {
    files.push_back(path);
  } else {
    for (std::filesystem::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".jsonl" && it->is_regular_file(error)) files.push_back(it->path());
    }
    if (error) return fail(fmt::format("cannot read {}: {}", path.string(), error.message()));
  }
  if (files.empty()) return fail(fmt::format("there are no .jsonl vector files in {}", path.string()));
  std::ranges::sort(files);
  return files;
}

std::optional<std::vector<uint8_t>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  static constexpr auto kValues = [] {
    std::array<int8_t, 256> values{};
    values.fill(-1);
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
    return values;
  }();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  const size_t symbols = text.size() - padding;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int8_t value = i < symbols ? kValues[static_cast<uint8_t>(text[i])] : int8_t{0};
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (i % 4 == 3) {
      for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<uint8_t>(bits >> shift));
      bits = 0;
    }
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace nnvk::tools::conformance
