// Runs one .onnx file in stock ONNX Runtime, with nnvk's provider in front and without it, by turns, and prints how they compare
// as one line of JSON. Usage: nnvk_onnxruntime_models LIBRARY PROVIDER MODEL [options of tests/clients/models/measurement.h]
//   LIBRARY: libonnxruntime.so.1; PROVIDER: libnnvk_onnxruntime.so.
// With --only stock or --only nnvk, runs that one three times and prints its peak memory, for comparisons in separate processes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>

#include "tests/clients/models/measurement.h"
#include "tools/stock_frameworks/onnx_runtime.h"

namespace {

using nlohmann::json;
using nnvk::stock::BoundRun;
using nnvk::stock::NamedTensors;
using nnvk::stock::ProviderOptions;
using nnvk::stock::RuntimeError;
using nnvk::stock::Session;
using nnvk::stock::StockRuntime;
using nnvk::stock::Tensor;
using nnvk::test::Settings;

using Clock = std::chrono::steady_clock;

struct TypeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
};

size_t element_size(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
      return 1;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return 8;
    default:
      throw RuntimeError("the model has a tensor of type " + std::to_string(type) + ", which this program does not fill");
  }
}

TypeInfo input_type(const StockRuntime& runtime, const Session& session, size_t index) {
  const OrtApi& api = runtime.api();
  OrtTypeInfo* made = nullptr;
  runtime.check(api.SessionGetInputTypeInfo(session.get(), index, &made));
  const std::unique_ptr<OrtTypeInfo, void (*)(OrtTypeInfo*)> owner(made, api.ReleaseTypeInfo);
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  runtime.check(api.CastTypeInfoToTensorInfo(made, &tensor));
  if (tensor == nullptr) throw RuntimeError("an input is no tensor");
  TypeInfo info;
  runtime.check(api.GetTensorElementType(tensor, &info.type));
  size_t rank = 0;
  runtime.check(api.GetDimensionsCount(tensor, &rank));
  info.shape.resize(rank);
  runtime.check(api.GetDimensions(tensor, info.shape.data(), rank));
  for (int64_t& extent : info.shape) extent = std::max<int64_t>(extent, 1);  // open: the smallest
  return info;
}

NamedTensors made_up_inputs(const StockRuntime& runtime, const Session& session, const Settings& settings) {
  const OrtApi& api = runtime.api();
  OrtAllocator* allocator = nullptr;
  runtime.check(api.GetAllocatorWithDefaultOptions(&allocator));
  size_t count = 0;
  runtime.check(api.SessionGetInputCount(session.get(), &count));
  NamedTensors inputs;
  for (size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    runtime.check(api.SessionGetInputName(session.get(), i, allocator, &name));
    TypeInfo info = input_type(runtime, session, i);
    size_t bytes = element_size(info.type);
    for (const int64_t extent : info.shape) bytes *= static_cast<size_t>(extent);
    Tensor& tensor = inputs[name];
    tensor = {info.type, std::move(info.shape), std::vector<std::byte>(bytes)};
    nnvk::test::fill_input(tensor.bytes, tensor.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, i, settings);
    allocator->Free(allocator, name);
  }
  return inputs;
}

std::vector<double> reals(const Tensor& tensor) {
  const auto convert = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
  switch (tensor.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
      return convert(tensor.values<uint8_t>());
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
      return convert(tensor.values<int8_t>());
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
      return convert(tensor.values<int32_t>());
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
      return convert(tensor.values<int64_t>());
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return convert(tensor.values<float>());
    default:
      throw RuntimeError("an output has type " + std::to_string(tensor.type));
  }
}

// The provider's report in figures: nodes that it saw and took, subgraphs that it took and left.
json choice_in(const std::string& log) {
  json choice{{"nodes", 0}, {"taken", 0}, {"subgraphs", 0}, {"left_subgraphs", 0}};
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    int taken = 0;
    int nodes = 0;
    int unused = 0;
    const size_t head = line.find("nnvk takes ");
    if (head != std::string::npos && std::sscanf(line.c_str() + head, "nnvk takes %d of %d", &taken, &nodes) == 2) {
      // The runtime asks again about the graph that the taken subgraphs leave behind.
      if (nodes > choice["nodes"]) choice = {{"nodes", nodes}, {"taken", taken}, {"subgraphs", 0}, {"left_subgraphs", 0}};
    } else if (line.find("taken: ") != std::string::npos) {
      choice["subgraphs"] = choice["subgraphs"].get<int>() + 1;
    } else if (std::sscanf(line.c_str(), "left: %d nodes", &unused) == 1) {
      choice["left_subgraphs"] = choice["left_subgraphs"].get<int>() + 1;
    }
  }
  return choice;
}

ProviderOptions provider_options(const Settings& settings) {
  ProviderOptions options{{"device", settings.device}, {"explain", "1"}};
  if (!settings.min_nodes.empty()) options["min_nodes"] = settings.min_nodes;
  if (!settings.choice.empty()) options["choice"] = settings.choice;
  return options;
}

std::unique_ptr<Session> timed_session(const StockRuntime& runtime, const Settings& settings, bool with_nnvk, json& report) {
  const ProviderOptions options = provider_options(settings);
  const auto start = Clock::now();
  auto session = runtime.session_of_file(settings.others[2], with_nnvk ? &options : nullptr, settings.threads);
  report[with_nnvk ? "nnvk_session_ms" : "stock_session_ms"] =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return session;
}

json run_one(StockRuntime& runtime, const Settings& settings) {
  json report;
  const auto session = timed_session(runtime, settings, settings.only == "nnvk", report);
  const NamedTensors inputs = made_up_inputs(runtime, *session, settings);
  const BoundRun run(runtime, *session, inputs);
  for (int i = 0; i < 3; ++i) run();
  report["peak_bytes"] = nnvk::test::peak_memory();
  return report;
}

json run_both(StockRuntime& runtime, const Settings& settings) {
  json report;
  const auto stock = timed_session(runtime, settings, false, report);
  runtime.take_log();
  const auto own = timed_session(runtime, settings, true, report);
  const std::string log = runtime.take_log();
  if (settings.explains) std::fputs(log.c_str(), stderr);
  report.update(choice_in(log));
  const NamedTensors inputs = made_up_inputs(runtime, *stock, settings);
  const auto expected = stock->run(inputs);
  const auto results = own->run(inputs);
  for (size_t i = 0; i < expected.size(); ++i) {
    json output =
        nnvk::test::difference(reals(results[i]), reals(expected[i]), expected[i].type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    output["name"] = stock->output_name(i);
    report["outputs"].push_back(std::move(output));
  }
  const BoundRun stock_run(runtime, *stock, inputs);
  const BoundRun own_run(runtime, *own, inputs);
  report["times"] = nnvk::test::times_by_turns(settings, std::cref(stock_run), std::cref(own_run));
  return report;
}

}  // namespace

int main(int count, char** arguments) {
  const Settings settings = nnvk::test::settings_from(count, arguments);
  if (settings.others.size() != 3) {
    std::fputs("usage: nnvk_onnxruntime_models LIBRARY PROVIDER MODEL [OPTION VALUE]...\n", stderr);
    return 2;
  }
  try {
    StockRuntime runtime(settings.others[0]);
    if (settings.only != "stock") runtime.register_provider(settings.others[1]);
    std::printf("%s\n", (settings.only.empty() ? run_both(runtime, settings) : run_one(runtime, settings)).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s: %s\n", settings.others[2].c_str(), error.what());
    return 1;
  }
  return 0;
}
