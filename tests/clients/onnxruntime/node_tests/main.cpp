// Runs ONNX's node tests through stock ONNX Runtime with nnvk's provider in front, and compares with their expected outputs. Each
// test runs in two forms: as it is, and with all inputs but the first as constants of the model. Usage: nnvk_onnx_node_tests
// LIBRARY PROVIDER FOLDER DEVICE LEAST_WHOLE [NAME]
//   LIBRARY: libonnxruntime.so.1; PROVIDER: libnnvk_onnxruntime.so; FOLDER: of tests/importers/onnx/node_tests/export.py.
// Prints how many nnvk computes whole, shares with the runtime and leaves to it, and how many are wrong. With NAME, runs that
// test alone and prints the provider's report. Tests that the runtime alone does not compute either are counted apart. Ends with
// 1 if a result is wrong or fewer than LEAST_WHOLE are whole.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/clients/onnxruntime/runtime/protobuf_bytes.h"
#include "tests/importers/onnx/node_tests/stored_case.h"
#include "tools/stock_frameworks/onnx_runtime.h"

namespace {

using nnvk::importers::onnx::StoredCase;
using nnvk::importers::onnx::Value;
using nnvk::stock::NamedTensors;
using nnvk::stock::ProviderOptions;
using nnvk::stock::RuntimeError;
using nnvk::stock::Session;
using nnvk::stock::StockRuntime;
using nnvk::stock::Tensor;

std::string whole_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw RuntimeError("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// A test in one of its forms.
struct Form {
  std::string model;
  NamedTensors inputs;
};

Tensor tensor_of(const Value& value) {
  return {static_cast<ONNXTensorElementDataType>(value.type), value.dimensions, {value.data.begin(), value.data.end()}};
}

const std::string& input_name(const StoredCase& test, size_t i) {
  return test.graph.values[static_cast<size_t>(test.graph.inputs[i])].name;
}

// Messages of protocol buffers are merged by writing one after the other. Before version 4 of ONNX's files, every initializer is
// constant.
Form with_constants(const StoredCase& test, const std::filesystem::path& folder, size_t first) {
  constexpr int kVersionField = 1;
  constexpr int kGraphField = 7;
  constexpr int kInitializerField = 5;
  constexpr int kNameField = 8;
  Form form{whole_file(folder / "model.onnx"), {}};
  std::string initializers;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (i < first) {
      form.inputs[input_name(test, i)] = tensor_of(test.inputs[i].value);
      continue;
    }
    const std::string stored = whole_file(folder / ("input_" + std::to_string(i) + ".pb"));
    initializers += nnvk::test::message(kInitializerField, stored + nnvk::test::message(kNameField, input_name(test, i)));
  }
  if (!initializers.empty()) form.model += nnvk::test::number(kVersionField, 3) + nnvk::test::message(kGraphField, initializers);
  return form;
}

// Empty if the outputs are right.
std::string run(const StoredCase& test, const Form& form, const Session& session) {
  const auto outputs = session.run(form.inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Value& expected = test.outputs[i].value;
    Value given = expected;
    given.dimensions = outputs[i].shape;
    given.data = outputs[i].bytes;
    const std::string where = "output " + std::to_string(i) + ": ";
    if (given.dimensions != expected.dimensions) return where + "shape of " + describe(given);
    if (std::ranges::equal(given.data, expected.data)) continue;
    const auto bytes = nnvk::importers::onnx::port_bytes(given);
    if (!bytes) return where + bytes.error().message;
    const std::string text = difference(expected, *bytes, test, 0);
    if (!text.empty()) return where + text;
  }
  return "";
}

std::string run_alone(const StoredCase& test, const Form& form, const StockRuntime& runtime) {
  try {
    return run(test, form, *runtime.session(form.model, nullptr));
  } catch (const RuntimeError& error) {
    return error.what();
  }
}

enum class Share { kWhole, kPart, kNone };

struct Outcome {
  Share share = Share::kNone;
  std::string wrong;
  std::string log;
};

Outcome run_with_provider(const StoredCase& test, const Form& form, StockRuntime& runtime, const ProviderOptions& options) {
  Outcome outcome;
  runtime.take_log();
  try {
    const auto session = runtime.session(form.model, &options);
    outcome.log = runtime.take_log();
    size_t taken = 0;
    size_t all = 0;
    const size_t place = outcome.log.find("nnvk takes ");
    if (place != std::string::npos) std::sscanf(outcome.log.c_str() + place, "nnvk takes %zu of %zu", &taken, &all);
    outcome.share = taken == 0 ? Share::kNone : taken == all ? Share::kWhole : Share::kPart;
    outcome.wrong = run(test, form, *session);
  } catch (const RuntimeError& error) {
    outcome.wrong = error.what();
  }
  return outcome;
}

struct Counts {
  std::map<Share, int> shares;
  int not_by_runtime = 0;
  int wrong = 0;
};

void count(const StoredCase& test, const Form& form, StockRuntime& runtime, const ProviderOptions& options, Counts& counts) {
  const Outcome outcome = run_with_provider(test, form, runtime, options);
  if (!outcome.wrong.empty() && !run_alone(test, form, runtime).empty()) {
    ++counts.not_by_runtime;
    return;
  }
  ++counts.shares[outcome.share];
  if (!outcome.wrong.empty()) {
    ++counts.wrong;
    std::printf("WRONG %s: %s\n%s", test.name.c_str(), outcome.wrong.c_str(), outcome.log.c_str());
  }
}

void print(const char* form, Counts& counts) {
  std::printf(
      "%s: %d whole on nnvk, %d shared with the runtime, %d left to it, %d not computed by the runtime alone either; %d wrong\n",
      form, counts.shares[Share::kWhole], counts.shares[Share::kPart], counts.shares[Share::kNone], counts.not_by_runtime,
      counts.wrong);
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  constexpr int kNeeded = 6;
  if (count_of_arguments < kNeeded) {
    std::fprintf(stderr, "usage: nnvk_onnx_node_tests LIBRARY PROVIDER FOLDER DEVICE LEAST_WHOLE [NAME]\n");
    return 2;
  }
  const std::string only = count_of_arguments > kNeeded ? arguments[kNeeded] : "";
  const ProviderOptions options{{"min_nodes", "1"}, {"explain", "1"}, {"device", arguments[4]}};
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[3])) {
    if (entry.is_directory() && (only.empty() || entry.path().filename() == only)) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  Counts as_they_are;
  Counts constant;
  try {
    StockRuntime runtime(arguments[1]);
    runtime.register_provider(arguments[2]);
    for (const auto& folder : folders) {
      const auto test = nnvk::importers::onnx::read_case(folder);
      if (!test) throw RuntimeError(folder.string() + ": " + test.error().message);
      if (test->outputs.empty() || test->inputs.size() != test->graph.inputs.size()) continue;  // not only tensors
      const Form whole = with_constants(*test, folder, test->inputs.size());
      if (!only.empty()) std::printf("%s", run_with_provider(*test, whole, runtime, options).log.c_str());
      count(*test, whole, runtime, options, as_they_are);
      if (test->inputs.size() > 1) count(*test, with_constants(*test, folder, 1), runtime, options, constant);
    }
  } catch (const RuntimeError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  print("as they are", as_they_are);
  print("with constants", constant);
  const bool is_right = as_they_are.wrong == 0 && constant.wrong == 0;
  return is_right && as_they_are.shares[Share::kWhole] >= std::atoi(arguments[5]) ? 0 : 1;
}
