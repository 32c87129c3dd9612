// Compiling and computing through the C API.
#include "tools/nnapi/session.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/nnapi/elapsed_time.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the reason that the device itself gives against operation `index`; "" if it gives none.
std::string reason_against(const ANeuralNetworksModel* model, const ANeuralNetworksDevice* device, size_t index) {
  char* json = nullptr;
  if (nnvk_explainModel(model, &device, 1, &json) != ANEURALNETWORKS_NO_ERROR) return "";
  const auto document = nlohmann::json::parse(take_json(json), nullptr, false);
  if (!document.is_object() || !document.contains("operations") || document["operations"].size() <= index) return "";
  const auto& devices = document["operations"][index].value("devices", nlohmann::json::array());
  return devices.empty() ? "" : devices[0].value("reason", "");
}

Status check_supported(const ModelBuilder& model, const DeviceEntry& device, std::span<const std::string> origins) {
  TOOLS_ASSIGN(const auto supported, supported_operations(model, std::span(&device.handle, 1)));
  for (size_t i = 0; i < supported.size(); ++i) {
    if (supported[i]) continue;
    const auto reason = reason_against(model.model(), device.handle, i);
    return fail(fmt::format("device {} does not run {}{}{}; try another device", device.name,
                            operation_name(model.operations()[i].code), i < origins.size() ? " of " + origins[i] : "",
                            reason.empty() ? "" : ": " + reason));
  }
  return {};
}

}  // namespace

Error with_origin(Error error, std::span<const std::string> origins) {
  constexpr std::string_view kMark = "(operation ";
  const size_t at = error.message.find(kMark);
  if (at == std::string::npos) return error;
  const size_t number = std::strtoul(error.message.c_str() + at + kMark.size(), nullptr, 10);
  if (number < origins.size()) error.message += fmt::format(" [operation {} is of {}]", number, origins[number]);
  return error;
}

Result<CompilationHandle> compile_for(const ModelBuilder& model, std::span<const DeviceEntry> devices,
                                      std::span<const std::string> origins, const CompileSettings& settings) {
  if (devices.size() == 1) TOOLS_TRY(check_supported(model, devices[0], origins));
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const auto& device : devices) handles.push_back(device.handle);
  ANeuralNetworksCompilation* compilation = nullptr;
  const int created = handles.empty() ? ANeuralNetworksCompilation_create(model.model(), &compilation)
                                      : ANeuralNetworksCompilation_createForDevices(
                                            model.model(), handles.data(), static_cast<uint32_t>(handles.size()), &compilation);
  TOOLS_TRY(check(created, "creating a compilation for " + device_names(devices)));
  CompilationHandle handle(compilation);
  if (settings.priority) {
    TOOLS_TRY(check(ANeuralNetworksCompilation_setPriority(compilation, *settings.priority), "setting the priority"));
  }
  const Caching& caching = settings.caching;
  if (!caching.directory.empty()) {
    TOOLS_TRY(check(ANeuralNetworksCompilation_setCaching(compilation, caching.directory.c_str(), caching.token.data()),
                    "caching in " + caching.directory));
  }
  const Status finished = check(ANeuralNetworksCompilation_finish(compilation), "compiling for " + device_names(devices));
  if (!finished) return tl::unexpected(with_origin(finished.error(), origins));
  return handle;
}

Result<Session> Session::compile(const ModelBuilder& model, std::span<const DeviceEntry> devices,
                                 std::span<const std::string> origins, const Caching& caching) {
  Session session;
  const auto start = Clock::now();
  TOOLS_ASSIGN(session.compilation_, compile_for(model, devices, origins, {.caching = caching}));
  session.compile_seconds_ = seconds_since(start);
  session.origins_.assign(origins.begin(), origins.end());
  for (const uint32_t input : model.inputs()) session.inputs_.emplace_back(model.operand(input).bytes());
  for (const uint32_t output : model.outputs()) session.outputs_.emplace_back(model.operand(output).bytes());
  return session;
}

Result<ExecutionHandle> bound_execution(ANeuralNetworksCompilation* compilation, const Buffers& inputs, Buffers& outputs) {
  ANeuralNetworksExecution* execution = nullptr;
  TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation, &execution), "creating an execution"));
  ExecutionHandle handle(execution);
  for (size_t i = 0; i < inputs.size(); ++i) {
    TOOLS_TRY(
        check(ANeuralNetworksExecution_setInput(execution, static_cast<int32_t>(i), nullptr, inputs[i].data(), inputs[i].size()),
              fmt::format("setting input {}", i)));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    TOOLS_TRY(check(
        ANeuralNetworksExecution_setOutput(execution, static_cast<int32_t>(i), nullptr, outputs[i].data(), outputs[i].size()),
        fmt::format("setting output {}", i)));
  }
  return handle;
}

Status Session::bind() {
  TOOLS_ASSIGN(execution_, bound_execution(compilation_.get(), inputs_, outputs_));
  TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(execution_.get(), true), "making the execution reusable"));
  if (profiling_) TOOLS_TRY(check(nnvk_enableProfiling(execution_.get(), true), "switching profiling on"));
  return {};
}

Result<double> Session::run() {
  const auto start = Clock::now();
  if (!execution_) TOOLS_TRY(bind());
  const Status computed = check(ANeuralNetworksExecution_compute(execution_.get()), "computing");
  if (!computed) return tl::unexpected(with_origin(computed.error(), origins_));
  return seconds_since(start);
}

Status Session::set_profiling(bool enable) {
  profiling_ = enable;
  execution_.reset();
  return {};
}

Result<std::string> Session::describe_compilation() const {
  char* json = nullptr;
  TOOLS_TRY(check(nnvk_describeCompilation(compilation_.get(), &json), "describing the compilation"));
  return take_json(json);
}

Result<std::string> Session::describe_execution() const {
  char* json = nullptr;
  TOOLS_TRY(check(nnvk_describeExecution(execution_.get(), &json), "describing the execution"));
  return take_json(json);
}

}  // namespace nnvk::tools
