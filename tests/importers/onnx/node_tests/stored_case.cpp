// Reads node tests and compares results.
#include "tests/importers/onnx/node_tests/stored_case.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "importers/onnx/constant.h"
#include "importers/onnx/files/tensor_data.h"
#include "tools/nnapi/files.h"

namespace nnvk::importers::onnx {
namespace {

Result<StoredTensor> read_tensor_file(const std::filesystem::path& path) {
  TOOLS_ASSIGN(const auto bytes, tools::read_file(path));
  auto tensor = std::make_shared<format::Tensor>();
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !tensor->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return fail(path.string() + ": it holds no tensor");
  }
  std::vector<std::shared_ptr<const void>> storage;
  auto value = read_tensor(*tensor, {}, storage);
  if (!value) return fail(path.string() + ": " + value.error().message);
  storage.push_back(std::move(tensor));
  return StoredTensor{*std::move(value), std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(storage))};
}

Result<std::vector<StoredTensor>> read_tensors(const std::filesystem::path& folder, const char* kind) {
  std::vector<StoredTensor> tensors;
  for (size_t i = 0;; ++i) {
    const auto path = folder / fmt::format("{}_{}.pb", kind, i);
    if (!std::filesystem::exists(path)) return tensors;
    TOOLS_ASSIGN(auto tensor, read_tensor_file(path));
    tensors.push_back(std::move(tensor));
  }
}

// The numbers of a result in the type of its port.
std::vector<double> decoded(ElementType type, std::span<const uint8_t> bytes) {
  Value value;
  value.type = type == ElementType::kInt64 ? ElementType::kInt32 : type;
  value.has_rank = true;
  value.dimensions = {static_cast<int64_t>(bytes.size() / (element_bits(value.type) / 8))};
  value.constant = true;
  value.data = std::as_bytes(bytes);
  const auto constant = constant_of(value);
  if (!constant) return {};
  return reals_of(**constant).value_or(std::vector<double>{});
}

}  // namespace

Result<StoredCase> read_case(const std::filesystem::path& folder) {
  StoredCase result;
  result.name = folder.filename().string();
  TOOLS_ASSIGN(result.graph, read_graph_file(folder / "model.onnx"));
  TOOLS_ASSIGN(result.inputs, read_tensors(folder, "input"));
  TOOLS_ASSIGN(result.outputs, read_tensors(folder, "output"));
  std::ifstream(folder / "tolerance") >> result.relative >> result.absolute;
  return result;
}

StoredCase with_constants(const StoredCase& given, size_t first) {
  StoredCase result = given;
  for (size_t i = first; i < given.inputs.size() && i < given.graph.inputs.size(); ++i) {
    Value& value = result.graph.values[static_cast<size_t>(given.graph.inputs[i])];
    const std::string name = value.name;
    const ElementType declared = value.type;
    value = given.inputs[i].value;
    value.name = name;
    if (declared == ElementType::kBfloat16) value.type = declared;  // stored as UINT16
    result.graph.storage.push_back(given.inputs[i].owner);
  }
  if (result.graph.inputs.size() > first) result.graph.inputs.resize(first);
  if (result.inputs.size() > first) result.inputs.resize(first);
  return result;
}

Result<std::vector<uint8_t>> port_bytes(const Value& value) {
  const auto* first = reinterpret_cast<const uint8_t*>(value.data.data());
  if (value.type != ElementType::kInt64) return std::vector<uint8_t>(first, first + value.data.size());
  TOOLS_ASSIGN(const auto constant, constant_of(value));
  TOOLS_ASSIGN(const auto integers, integers_of(*constant));
  std::vector<uint8_t> bytes(integers.size() * sizeof(int32_t));
  for (size_t i = 0; i < integers.size(); ++i) {
    if (integers[i] < std::numeric_limits<int32_t>::min() || integers[i] > std::numeric_limits<int32_t>::max()) {
      return fail(fmt::format("an input of {} lies beyond 32 bits", integers[i]));
    }
    const auto narrow = static_cast<int32_t>(integers[i]);
    std::memcpy(bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
  }
  return bytes;
}

std::string difference(const Value& expected, std::span<const uint8_t> actual, const StoredCase& of, int steps) {
  const auto constant = constant_of(expected);
  if (!constant) return constant.error().message;
  const auto wanted = reals_of(**constant);
  if (!wanted) return wanted.error().message;
  const auto found = decoded(expected.type, actual);
  if (found.size() != wanted->size()) return fmt::format("{} elements instead of {}", found.size(), wanted->size());
  const bool real = is_real(expected.type);
  const bool small = expected.type == ElementType::kUint8 || expected.type == ElementType::kInt8;
  for (size_t i = 0; i < found.size(); ++i) {
    const double x = found[i];
    const double y = (*wanted)[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    double allowed = real ? of.absolute + of.relative * std::fabs(y) : 0;
    if (small) allowed = steps;
    if (std::fabs(x - y) <= allowed) continue;
    return fmt::format("element {} of {} is {} instead of {}", i, found.size(), x, y);
  }
  return "";
}

}  // namespace nnvk::importers::onnx
