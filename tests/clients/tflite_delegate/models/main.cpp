// Runs one .tflite file in stock TensorFlow Lite, with nnvk's delegate and without it, by turns, and prints how they compare as
// one line of JSON. Usage: nnvk_tflite_models MODEL [options of tests/clients/models/measurement.h] Without the delegate, the
// interpreter is what a program gets that asks for nothing: with XNNPACK, if the library has it. With --only stock or --only
// nnvk, runs that one three times and prints its peak memory, for comparisons in separate processes.
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/clients/models/measurement.h"
#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"

namespace {

using nlohmann::json;
using nnvk::test::Bytes;
using nnvk::test::DelegateOptions;
using nnvk::test::PluginDelegate;
using nnvk::test::Settings;
using nnvk::test::StockInterpreter;

using Clock = std::chrono::steady_clock;

std::span<std::byte> bytes_of(TfLiteTensor& tensor) { return std::as_writable_bytes(std::span(tensor.data.raw, tensor.bytes)); }

template <class Element>
std::vector<double> converted(const TfLiteTensor& tensor) {
  const auto* const first = static_cast<const Element*>(tensor.data.data);
  return {first, first + tensor.bytes / sizeof(Element)};
}

std::vector<double> reals(const TfLiteTensor& tensor) {
  switch (tensor.type) {
    case kTfLiteFloat32:
      return converted<float>(tensor);
    case kTfLiteUInt8:
    case kTfLiteBool:
      return converted<uint8_t>(tensor);
    case kTfLiteInt8:
      return converted<int8_t>(tensor);
    case kTfLiteInt16:
      return converted<int16_t>(tensor);
    case kTfLiteInt32:
      return converted<int32_t>(tensor);
    case kTfLiteInt64:
      return converted<int64_t>(tensor);
    default:
      throw std::runtime_error("an output has type " + std::to_string(tensor.type));
  }
}

void fill(StockInterpreter& interpreter, const Settings& settings) {
  for (int i = 0; i < interpreter.inputs(); ++i) {
    TfLiteTensor& tensor = interpreter.input(i);
    nnvk::test::fill_input(bytes_of(tensor), tensor.type == kTfLiteFloat32, static_cast<size_t>(i), settings);
  }
}

void invoke(StockInterpreter& interpreter) {
  if (!interpreter.invoke()) throw std::runtime_error(interpreter.errors());
}

std::unique_ptr<StockInterpreter> ready(const Bytes& model, const Settings& settings, const PluginDelegate* delegate,
                                        json& report) {
  const auto start = Clock::now();
  if (delegate != nullptr && delegate->get() == nullptr) throw std::runtime_error(PluginDelegate::last_error());
  auto interpreter = std::make_unique<StockInterpreter>(model, delegate == nullptr ? nullptr : delegate->get(), settings.threads);
  if (!interpreter->made() || !interpreter->allocate()) throw std::runtime_error(interpreter->errors());
  report[delegate != nullptr ? "nnvk_session_ms" : "stock_session_ms"] =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  fill(*interpreter, settings);
  return interpreter;
}

json run_one(const Bytes& model, const Settings& settings, const PluginDelegate* delegate) {
  json report;
  const auto interpreter = ready(model, settings, delegate, report);
  for (int i = 0; i < 3; ++i) invoke(*interpreter);
  report["peak_bytes"] = nnvk::test::peak_memory();
  return report;
}

json run_both(const Bytes& model, const Settings& settings, const PluginDelegate& delegate) {
  json report;
  const auto own = ready(model, settings, &delegate, report);
  invoke(*own);
  std::unique_ptr<StockInterpreter> stock;
  try {
    stock = ready(model, settings, nullptr, report);
  } catch (const std::exception& error) {
    report["stock_error"] = error.what();
    return report;
  }
  invoke(*stock);
  for (int i = 0; i < stock->outputs(); ++i) {
    report["outputs"].push_back(
        nnvk::test::difference(reals(own->output(i)), reals(stock->output(i)), stock->output(i).type != kTfLiteFloat32));
  }
  report["times"] = nnvk::test::times_by_turns(
      settings, [&] { invoke(*stock); }, [&] { invoke(*own); });
  return report;
}

}  // namespace

int main(int count, char** arguments) {
  const Settings settings = nnvk::test::settings_from(count, arguments);
  if (settings.others.size() != 1) {
    std::fputs("usage: nnvk_tflite_models MODEL [OPTION VALUE]...\n", stderr);
    return 2;
  }
  try {
    const Bytes model = nnvk::test::file_bytes(settings.others[0]);
    DelegateOptions options{{"device", settings.device}, {"explain", settings.only.empty() ? "1" : "0"}};
    if (!settings.min_nodes.empty()) options.emplace_back("min_nodes", settings.min_nodes);
    const auto delegate = settings.only == "stock" ? nullptr : std::make_unique<PluginDelegate>(options);
    const json report = settings.only.empty() ? run_both(model, settings, *delegate) : run_one(model, settings, delegate.get());
    std::printf("%s\n", report.dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s: %s\n", settings.others[0].c_str(), error.what());
    return 1;
  }
  return 0;
}
