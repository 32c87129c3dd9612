// The library's devices as engines, and the choice of an engine.
#include "tools/command/benchmark_engine.h"

#include <algorithm>
#include <utility>

#include "tools/command/benchmark_frameworks.h"
#include "tools/command/loaded_model.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

class DeviceLane final : public Lane {
 public:
  static Result<std::unique_ptr<Lane>> make(ANeuralNetworksCompilation* compilation, const importers::ImportedModel& model) {
    auto lane = std::make_unique<DeviceLane>(model);
    TOOLS_ASSIGN(lane->execution_, bound_execution(compilation, lane->inputs_, lane->outputs_));
    TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(lane->execution_.get(), true), "making the execution reusable"));
    return std::unique_ptr<Lane>(std::move(lane));
  }
  explicit DeviceLane(const importers::ImportedModel& model) : model_(model) {
    for (const auto& port : model.inputs) inputs_.emplace_back(port.info.bytes());
    for (const auto& port : model.outputs) outputs_.emplace_back(port.info.bytes());
  }

  Status set_inputs(const Buffers& inputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) std::ranges::copy(inputs[i], inputs_[i].begin());
    return {};
  }
  Status run() override {
    const Status computed = check(ANeuralNetworksExecution_compute(execution_.get()), "computing");
    if (!computed) return tl::unexpected(with_origin(computed.error(), model_.operation_origins));
    return {};
  }
  Result<Reals> outputs() override {
    Reals reals;
    for (size_t i = 0; i < outputs_.size(); ++i) reals.push_back(decode(outputs_[i], model_.outputs[i].info));
    return reals;
  }

 private:
  const importers::ImportedModel& model_;
  Buffers inputs_;
  Buffers outputs_;
  ExecutionHandle execution_;
};

class DeviceEngine final : public Engine {
 public:
  DeviceEngine(Session session, const importers::ImportedModel& model) : session_(std::move(session)), model_(model) {}

  Result<std::unique_ptr<Lane>> lane() override { return DeviceLane::make(session_.compilation(), model_); }
  Result<std::vector<ProfiledNode>> profile(const Buffers& inputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) std::ranges::copy(inputs[i], session_.input(i).begin());
    return profile_executions(session_, model_.builder);
  }

 private:
  Session session_;
  const importers::ImportedModel& model_;
};

}  // namespace

bool reads(EngineKind kind, const std::filesystem::path& model) {
  const bool is_onnx = model.extension() == ".onnx";
  return kind == EngineKind::kDevice || (kind == EngineKind::kOnnxRuntime) == is_onnx;
}

Result<std::string> framework_version(EngineKind kind, const std::string& library) {
  return kind == EngineKind::kOnnxRuntime ? onnx_runtime_version(library) : tensorflow_lite_version(library);
}

Result<std::unique_ptr<Engine>> make_engine(const EngineChoice& choice, const importers::ImportedModel& model,
                                            const EngineSettings& settings) {
  if (choice.kind == EngineKind::kOnnxRuntime) return make_onnx_runtime_engine(choice.framework_file, model, settings);
  if (choice.kind == EngineKind::kTensorFlowLite) return make_tensorflow_lite_engine(choice.framework_file, model, settings);
  TOOLS_ASSIGN(const DeviceEntry device, find_device(choice.name));
  TOOLS_ASSIGN(auto session, compile_model(model, std::span(&device, 1)));
  return std::unique_ptr<Engine>(std::make_unique<DeviceEngine>(std::move(session), model));
}

}  // namespace nnvk::tools
