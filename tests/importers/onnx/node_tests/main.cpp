// Runs ONNX's own node tests on one device, each in three forms: as it is, with all inputs but the first as constants, and with
// all inputs as constants, which the importer must fold. Prints how many are right, wrong and refused, and the reasons of
// refusals. Usage: onnx_node_tests FOLDER DEVICE [LEAST_RIGHT] [FILTER]. Fails if a result is wrong, if fewer tests than
// LEAST_RIGHT are right, or if docs/onnx_operators.md is not what the importer does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include "importers/onnx/importer.h"
#include "importers/onnx/lowering.h"
#include "tests/importers/onnx/node_tests/operator_document.h"
#include "tools/nnapi/session.h"

namespace nnvk::importers::onnx {
namespace {

enum class Outcome { kRight, kWrong, kRefused };

struct Verdict {
  Outcome outcome = Outcome::kRefused;
  std::string text;
};

Verdict refused(std::string reason) { return {Outcome::kRefused, std::move(reason)}; }
Verdict wrong(std::string what) { return {Outcome::kWrong, std::move(what)}; }

// 8-bit integers that were rounded from real numbers may be off by one.
int steps_for(const Graph& graph) {
  const bool rounds =
      std::ranges::any_of(graph.nodes, [](const Node& node) { return node.op_type.find("Linear") != std::string::npos; });
  return rounds ? 1 : 0;
}

Verdict run(const StoredCase& test, const tools::DeviceEntry& device) {
  if (test.outputs.size() != test.graph.outputs.size() || test.inputs.size() != test.graph.inputs.size()) {
    const auto reasons = refusals(test.graph, {});
    for (const auto& reason : reasons) {
      if (reason) return refused(*reason);
    }
    return wrong("taken, although not all of its inputs and outputs are tensors");
  }
  auto model = import_graph(test.graph, {});
  if (!model) return refused(model.error().message);
  auto session = tools::Session::compile(model->builder, {&device, 1}, model->operation_origins);
  if (!session) return refused("the device: " + session.error().message);
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const auto bytes = port_bytes(test.inputs[i].value);
    if (!bytes) return refused(bytes.error().message);
    if (bytes->size() != session->input(i).size()) return refused(fmt::format("input {} has an open shape", i));
    std::ranges::copy(*bytes, session->input(i).begin());
  }
  const auto seconds = session->run();
  if (!seconds) return wrong(seconds.error().message);
  for (size_t i = 0; i < test.outputs.size(); ++i) {
    const auto text = difference(test.outputs[i].value, session->output(i), test, steps_for(test.graph));
    if (!text.empty()) return wrong(fmt::format("output {}: {}", i, text));
    if (model->outputs[i].scalar != test.outputs[i].value.dimensions.empty())
      return wrong(fmt::format("output {} has another rank", i));
  }
  return {Outcome::kRight, ""};
}

// With all inputs known, the results that the importer folds must be right as well.
Verdict fold(const StoredCase& test) {
  if (test.outputs.size() != test.graph.outputs.size() || test.outputs.empty())
    return refused("not all of its values are tensors");
  auto builder = ModelBuilder::create();
  if (!builder) return wrong(builder.error().message);
  Lowering lowering(test.graph, {}, *builder);
  for (const size_t node : lowering.order()) {
    if (const Status added = lowering.add_node(node); !added) return refused(added.error().message);
  }
  for (size_t i = 0; i < test.outputs.size(); ++i) {
    const auto result = lowering.constant(test.graph.outputs[i]);
    if (!result) return refused("not folded");
    Value value = test.outputs[i].value;
    if (result->dimensions != value.dimensions)
      return wrong(fmt::format("output {} has the shape {}", i, shape_text(result->dimensions)));
    const auto converted = reals_of(*result);
    const auto expected = constant_of(value);
    const auto wanted = expected ? reals_of(**expected) : Result<std::vector<double>>(fail("no numbers"));
    if (!converted || !wanted) return refused("no numbers");
    if (result->type != value.type) return wrong(fmt::format("output {} has the type {}", i, type_name(result->type)));
    for (size_t e = 0; e < wanted->size(); ++e) {
      const double x = (*converted)[e];
      const double y = (*wanted)[e];
      if (x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= test.absolute + test.relative * std::fabs(y))
        continue;
      return wrong(fmt::format("output {}: element {} is {} instead of {}", i, e, x, y));
    }
  }
  return {Outcome::kRight, ""};
}

class Report {
 public:
  void add(const std::string& name, const Verdict& verdict) {
    ++counts_[verdict.outcome];
    if (verdict.outcome == Outcome::kWrong) fmt::print("WRONG {}: {}\n", name, verdict.text);
    if (verdict.outcome == Outcome::kRefused) refusals_.emplace_back(name, verdict.text);
  }
  void print(const char* form, bool reasons) const {
    if (reasons) {
      for (const auto& [name, reason] : refusals_) fmt::print("refused {}: {}\n", name, reason);
    }
    fmt::print("{}: {} right, {} wrong, {} refused\n", form, count(Outcome::kRight), count(Outcome::kWrong),
               count(Outcome::kRefused));
  }
  size_t count(Outcome outcome) const {
    const auto found = counts_.find(outcome);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  std::map<Outcome, size_t> counts_;
  std::vector<std::pair<std::string, std::string>> refusals_;
};

// ONNX 1.20's tests of these names expect sums beyond eight bits to wrap around. Its text of QLinearMatMul and ONNX Runtime
// saturate.
constexpr std::array<std::string_view, 2> kWrongExpectations = {"test_qlinearmatmul_2D_int8_float32",
                                                                "test_qlinearmatmul_3D_int8_float32"};

int run_all(const std::filesystem::path& folder, const std::string& device_name, size_t least_right, const std::string& filter) {
  const auto device = tools::find_device(device_name);
  if (!device) {
    fmt::print("{}\n", device.error().message);
    return 1;
  }
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().find(filter) != std::string::npos) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  Report as_it_is, with_parameters, folded;
  OperatorDocument document;
  for (const auto& path : folders) {
    const auto test = read_case(path);
    if (!test) {
      as_it_is.add(path.filename().string(), wrong(test.error().message));
      continue;
    }
    document.add(*test);
    if (std::ranges::find(kWrongExpectations, test->name) != kWrongExpectations.end()) {
      fmt::print("left out {}: it expects sums to wrap around\n", test->name);
      continue;
    }
    as_it_is.add(test->name, run(*test, *device));
    if (test->inputs.size() > 1) with_parameters.add(test->name, run(with_constants(*test, 1), *device));
    folded.add(test->name, fold(with_constants(*test, 0)));
    std::fflush(stdout);
  }
  as_it_is.print("as they are", true);
  with_parameters.print("with all inputs but the first as constants", true);
  folded.print("folded", false);
  const size_t errors = as_it_is.count(Outcome::kWrong) + with_parameters.count(Outcome::kWrong) + folded.count(Outcome::kWrong);
  const size_t right = as_it_is.count(Outcome::kRight);
  if (right < least_right) fmt::print("at least {} should be right\n", least_right);
  const std::filesystem::path file = std::filesystem::path(NNVK_SOURCE_DIR) / "docs/onnx_operators.md";
  const std::string differs = filter.empty() ? test::compare_document(file, document.text()) : "";
  if (!differs.empty()) fmt::print("{}\n", differs);
  return errors > 0 || right < least_right || !differs.empty() ? 1 : 0;
}

}  // namespace
}  // namespace nnvk::importers::onnx

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: onnx_node_tests FOLDER DEVICE [LEAST_RIGHT] [FILTER]\n", stderr);
    return 2;
  }
  const size_t least = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 0;
  return nnvk::importers::onnx::run_all(arguments[1], arguments[2], least, count > 4 ? arguments[4] : "");
}
