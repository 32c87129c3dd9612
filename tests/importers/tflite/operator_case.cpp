// Builds, runs and compares.
#include "tests/importers/tflite/operator_case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "importers/tflite/importer.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/session.h"

namespace nnvk::test {
namespace {

FileTensor typed(std::vector<int32_t> shape, std::vector<float> values, format::TensorType type) {
  FileTensor tensor;
  tensor.shape = std::move(shape);
  tensor.values = std::move(values);
  tensor.type = type;
  return tensor;
}

bool is_omitted(const FileTensor& tensor) { return tensor.shape.empty() && tensor.values.empty() && !tensor.variable; }

void expect_close(const FileTensor& expected, std::span<const uint8_t> bytes, float tolerance, const std::string& where) {
  const std::vector<float> values = decoded(expected, bytes);
  const std::vector<float> all = expected.scale != 0 ? decoded(expected, encoded(expected)) : expected.values;
  ASSERT_EQ(values.size(), all.size()) << where;
  for (size_t i = 0; i < values.size(); ++i) {
    const float wanted = all[i];
    float allowed = tolerance * std::max(1.0F, std::abs(wanted));
    if (expected.scale != 0) allowed = expected.scale * 1.01F;  // a step
    const bool exact = expected.type == format::TensorType_INT32 || expected.type == format::TensorType_BOOL;
    if (exact && expected.scale == 0) allowed = 0;
    EXPECT_NEAR(values[i], wanted, allowed) << where << ", element " << i;
  }
}

}  // namespace

bool is_given(const FileTensor& tensor) { return !tensor.constant && !tensor.variable && !is_omitted(tensor); }

FileTensor real(std::vector<int32_t> shape, std::vector<float> values) {
  return typed(std::move(shape), std::move(values), format::TensorType_FLOAT32);
}
FileTensor whole(std::vector<int32_t> shape, std::vector<float> values) {
  return typed(std::move(shape), std::move(values), format::TensorType_INT32);
}
FileTensor mask(std::vector<int32_t> shape, std::vector<float> values) {
  return typed(std::move(shape), std::move(values), format::TensorType_BOOL);
}
FileTensor quantized(std::vector<int32_t> shape, std::vector<float> values, float scale, int64_t zero_point) {
  FileTensor tensor = typed(std::move(shape), std::move(values), format::TensorType_INT8);
  tensor.scale = scale;
  tensor.zero_point = zero_point;
  return tensor;
}
FileTensor fixed(FileTensor tensor) {
  tensor.constant = true;
  return tensor;
}
FileTensor made_up(std::vector<int32_t> shape, int seed, float scale) {
  size_t elements = 1;
  for (const int32_t d : shape) elements *= static_cast<size_t>(d);
  std::vector<float> values;
  for (size_t i = 0; i < elements; ++i) {
    const auto mixed = (i + 1) * 2654435761U + static_cast<size_t>(seed) * 40503U;
    values.push_back(scale * static_cast<float>(static_cast<int>((mixed >> 8) % 13) - 6));
  }
  return real(std::move(shape), std::move(values));
}

std::vector<uint8_t> file_of(const OperatorCase& one) {
  ModelFile file;
  const FileOptions options = one.options ? one.options(file.builder()) : FileOptions{};
  std::vector<int> reads, writes, given;
  for (const FileTensor& tensor : one.inputs) {
    reads.push_back(is_omitted(tensor) ? -1 : file.add(tensor));
    if (is_given(tensor)) given.push_back(reads.back());
  }
  for (const FileTensor& tensor : one.outputs) writes.push_back(file.add(tensor));
  file.add_operator(one.code, reads, writes, options);
  file.end_subgraph(given, writes);
  return file.finish();
}

std::vector<std::vector<uint8_t>> outputs_on(const std::string& device, const std::vector<uint8_t>& file,
                                             const std::vector<std::vector<uint8_t>>& inputs) {
  const auto graph = importers::tflite::read_graph(file);
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph) return {};
  const auto model = importers::tflite::import_graph(*graph);
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return {};
  const auto chosen = tools::find_device(device);
  EXPECT_TRUE(chosen) << chosen.error().message;
  if (!chosen) return {};
  auto session = tools::Session::compile(model->builder, std::span(&*chosen, 1), model->operation_origins);
  EXPECT_TRUE(session) << session.error().message;
  if (!session || inputs.size() != model->inputs.size()) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(session->input(i).size(), inputs[i].size()) << "input " << i;
    if (session->input(i).size() != inputs[i].size()) return {};
    std::ranges::copy(inputs[i], session->input(i).begin());
  }
  const auto ran = session->run();
  EXPECT_TRUE(ran) << ran.error().message;
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; ran && i < model->outputs.size(); ++i) {
    outputs.emplace_back(session->output(i).begin(), session->output(i).end());
  }
  return outputs;
}

void expect_computes(const std::vector<uint8_t>& file, const std::vector<FileTensor>& inputs,
                     const std::vector<FileTensor>& outputs, float tolerance) {
  std::vector<std::vector<uint8_t>> bytes;
  for (FileTensor tensor : inputs) {
    if (!is_given(tensor)) continue;
    if (tensor.type == format::TensorType_INT64) tensor.type = format::TensorType_INT32;  // as NNAPI has it
    bytes.push_back(encoded(tensor));
  }
  for (const char* device : {"nnvk-cpu", "nnapi-reference"}) {
    const auto results = outputs_on(device, file, bytes);
    ASSERT_EQ(results.size(), outputs.size()) << device;
    for (size_t i = 0; i < outputs.size(); ++i) {
      expect_close(outputs[i], results[i], tolerance, std::string(device) + ", output " + std::to_string(i));
    }
  }
}

std::string error_of(const std::vector<uint8_t>& file) {
  const auto graph = importers::tflite::read_graph(file);
  if (!graph) return graph.error().message;
  const auto model = importers::tflite::import_graph(*graph);
  if (!model) return model.error().message;
  const auto device = tools::find_device("nnvk-cpu");
  auto session = tools::Session::compile(model->builder, std::span(&*device, 1), model->operation_origins);
  if (!session) return session.error().message;
  const auto ran = session->run();
  return ran ? "" : ran.error().message;
}

const std::vector<OperatorCase>& operator_cases() {
  static const std::vector<OperatorCase> all = [] {
    std::vector<OperatorCase> cases;
    for (auto* family : {arithmetic_cases, unary_cases, layer_cases, picture_cases, shape_cases, slicing_cases, lookup_cases,
                         comparison_cases, recurrent_cases}) {
      for (OperatorCase& one : family()) cases.push_back(std::move(one));
    }
    return cases;
  }();
  return all;
}

}  // namespace nnvk::test
