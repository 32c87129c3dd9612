// Reads the published test vectors (shared/conformance, see its README.md) into plans. Test code only: throws on damaged files.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "core/plan/plan.h"

namespace nnvk::test {

// One operand of the main model as the vector describes it.
struct VectorTensor {
  std::vector<std::byte> data;  // inputs: the value, empty = omitted; outputs: the expected bytes
  Shape shape;                  // outputs: the shape that must be reported; inputs: as declared
  bool ignored = false;         // outputs: neither shape nor contents are compared
};

struct ConformanceVector {
  std::string name;
  int feature_level = 1;
  bool relaxed = false;
  bool expect_failure = false;
  double multinomial_tolerance = 0;
  std::shared_ptr<const Plan> plan;
  std::vector<VectorTensor> inputs;   // in the order of Plan::inputs
  std::vector<VectorTensor> outputs;  // in the order of Plan::outputs
};

inline std::vector<std::byte> decode_base64(const std::string& text) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const char* found = std::char_traits<char>::find(kAlphabet, 64, c);
    if (found == nullptr) throw std::runtime_error("bad base64");
    bits = (bits << 6) | static_cast<uint32_t>(found - kAlphabet);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>((bits >> count) & 0xFF));
  }
  return bytes;
}

inline OperandType operand_type_named(const std::string& name) {
  static const auto types = [] {
    std::map<std::string, OperandType> result;
    for (int32_t i = 0; i <= 15; ++i) result[operand_type_name(static_cast<OperandType>(i))] = static_cast<OperandType>(i);
    result["SUBGRAPH"] = OperandType::kModel;
    return result;
  }();
  const auto found = types.find(name);
  if (found == types.end()) throw std::runtime_error("unknown operand type " + name);
  return found->second;
}

inline OperationCode operation_named(const std::string& name) {
  static const auto codes = [] {
    std::map<std::string, OperationCode> result;
    for (int32_t i = 0; i < kOperationCount; ++i)
      result[operation_name(static_cast<OperationCode>(i))] = static_cast<OperationCode>(i);
    return result;
  }();
  const auto found = codes.find(name);
  if (found == codes.end()) throw std::runtime_error("unknown operation " + name);
  return found->second;
}

namespace vector_detail {

// In `dims` 0 means an unknown dimension, and [] on a tensor an unknown rank. In `expected_dims` 0 is an empty dimension.
inline Shape declared_shape(const nlohmann::json& dims, OperandType type) {
  if (dims.empty()) return is_tensor_type(type) ? Shape::unknown_rank() : Shape{};
  Shape shape;
  for (const auto& d : dims) {
    const auto value = d.get<uint32_t>();
    shape.dims.push_back(value == 0 ? kUnknownDimension : value);
  }
  return shape;
}

inline PlanTensor read_operand(const nlohmann::json& operand) {
  PlanTensor tensor;
  tensor.info.type = operand_type_named(operand.at("type").get<std::string>());
  tensor.info.shape = declared_shape(operand.at("dims"), tensor.info.type);
  tensor.info.scale = operand.at("scale").get<float>();
  tensor.info.zero_point = operand.at("zero_point").get<int32_t>();
  if (operand.contains("channel_quant")) {
    const auto& quant = operand.at("channel_quant");
    tensor.info.channel_quant = std::make_shared<ChannelQuant>(
        ChannelQuant{quant.at("axis").get<uint32_t>(), quant.at("scales").get<std::vector<float>>()});
  }
  const auto lifetime = operand.at("lifetime").get<std::string>();
  if (lifetime.starts_with("CONSTANT")) {
    tensor.role = TensorRole::kConstant;
    auto block = std::make_shared<std::vector<std::byte>>(decode_base64(operand.at("data").get<std::string>()));
    tensor.value = *block;
    tensor.owner = block;
  } else if (lifetime == "NO_VALUE") {
    tensor.role = TensorRole::kOmitted;
  } else if (lifetime == "SUBGRAPH") {
    tensor.role = TensorRole::kSubgraph;
    tensor.subgraph = operand.at("subgraph").get<uint32_t>();
  }
  return tensor;
}

inline Plan read_subgraph(const nlohmann::json& subgraph) {
  Plan plan;
  for (const auto& operand : subgraph.at("operands")) plan.tensors.push_back(read_operand(operand));
  size_t index = 0;
  for (const auto& operation : subgraph.at("operations")) {
    PlanNode node;
    node.code = operation_named(operation.at("type").get<std::string>());
    node.inputs = operation.at("inputs").get<std::vector<TensorId>>();
    node.outputs = operation.at("outputs").get<std::vector<TensorId>>();
    node.source_operation = static_cast<uint32_t>(index++);
    plan.nodes.push_back(std::move(node));
  }
  const auto bind = [&](const char* key, TensorRole role, std::vector<TensorId>& list) {
    list = subgraph.at(key).get<std::vector<TensorId>>();
    for (size_t i = 0; i < list.size(); ++i) {
      plan.tensors.at(list[i]).role = role;
      plan.tensors[list[i]].io_index = static_cast<uint32_t>(i);
    }
  };
  bind("inputs", TensorRole::kInput, plan.inputs);
  bind("outputs", TensorRole::kOutput, plan.outputs);
  return plan;
}

}  // namespace vector_detail

// One line of a vector file.
inline ConformanceVector parse_vector(const std::string& line) {
  const auto json = nlohmann::json::parse(line);
  ConformanceVector vector;
  vector.name = json.at("name").get<std::string>();
  vector.feature_level = json.at("feature_level").get<int>();
  vector.relaxed = json.at("relaxed").get<bool>();
  vector.expect_failure = json.at("expect_failure").get<bool>();
  vector.multinomial_tolerance = json.at("multinomial_tolerance").get<double>();

  // Models may be referenced from several places and may reference others: builds each once, leaves first.
  const auto& referenced = json.at("referenced");
  std::vector<std::shared_ptr<const Plan>> built(referenced.size());
  const std::function<Plan(const nlohmann::json&)> build = [&](const nlohmann::json& subgraph) {
    Plan plan = vector_detail::read_subgraph(subgraph);
    plan.relaxed = vector.relaxed;
    for (PlanTensor& tensor : plan.tensors) {
      if (tensor.role != TensorRole::kSubgraph) continue;
      auto& model = built.at(tensor.subgraph);
      if (model == nullptr) model = std::make_shared<const Plan>(build(referenced.at(tensor.subgraph)));
      tensor.subgraph = static_cast<uint32_t>(plan.subgraphs.size());
      plan.subgraphs.push_back(model);
    }
    return plan;
  };
  const auto& main = json.at("main");
  vector.plan = std::make_shared<const Plan>(build(main));
  const auto read_ends = [&](const std::vector<TensorId>& ids, std::vector<VectorTensor>& ends) {
    for (const TensorId id : ids) {
      const auto& operand = main.at("operands").at(id);
      VectorTensor end;
      end.data = decode_base64(operand.value("data", std::string()));
      end.ignored = operand.value("ignored", false);
      end.shape = vector.plan->tensors[id].info.shape;
      if (operand.contains("expected_dims")) end.shape = Shape(operand.at("expected_dims").get<std::vector<uint32_t>>());
      ends.push_back(std::move(end));
    }
  };
  read_ends(vector.plan->inputs, vector.inputs);
  read_ends(vector.plan->outputs, vector.outputs);
  return vector;
}

// Calls `visit(vector)` for every vector below `folder`, file after file in a fixed order. Returns how many there were.
template <class Visit>
size_t for_each_vector(const std::filesystem::path& folder, Visit visit) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  size_t count = 0;
  for (const auto& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.empty()) continue;
      visit(parse_vector(line));
      ++count;
    }
  }
  return count;
}

}  // namespace nnvk::test
