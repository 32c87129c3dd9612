#include "clients/compiled_model.h"

#include <utility>

#include "importers/cache_token.h"
#include "importers/edges.h"

namespace nnvk::clients {
namespace {

// Bindings that wait for a call with their addresses: one per thread that computes at the same time, for usual programs.
constexpr size_t kMostIdleBindings = 32;

}  // namespace

Result<std::unique_ptr<CompiledModel>> CompiledModel::compile(importers::ImportedModel model, const PluginOptions& options,
                                                              const DeviceChoice& devices) {
  std::unique_ptr<CompiledModel> compiled(new CompiledModel(std::move(model), devices.names()));
  TOOLS_TRY(compiled->finish(options, devices));
  return compiled;
}

CompiledModel::CompiledModel(importers::ImportedModel model, std::string device_names)
    : model_(std::move(model)), device_names_(std::move(device_names)) {
  for (const importers::Port& port : model_.outputs) output_shapes_.push_back(framework_shape(port));
}

Status CompiledModel::finish(const PluginOptions& options, const DeviceChoice& devices) {
  const auto handles = devices.handles();
  ANeuralNetworksModel* const model = model_.builder.model();
  ANeuralNetworksCompilation* made = nullptr;
  const int created = devices.automatic ? ANeuralNetworksCompilation_create(model, &made)
                                        : ANeuralNetworksCompilation_createForDevices(
                                              model, handles.data(), static_cast<uint32_t>(handles.size()), &made);
  TOOLS_TRY(tools::check(created, "creating a compilation for " + device_names_));
  compilation_.reset(made);
  if (options.priority) {
    TOOLS_TRY(tools::check(ANeuralNetworksCompilation_setPriority(made, *options.priority), "setting the priority"));
  }
  if (!options.cache_directory.empty()) {
    const auto token = importers::cache_token(model_, options.relaxed, devices.entries, devices.automatic);
    TOOLS_TRY(tools::check(ANeuralNetworksCompilation_setCaching(made, options.cache_directory.c_str(), token.data()),
                           "using the cache folder '" + options.cache_directory + "'"));
  }
  return tools::check(ANeuralNetworksCompilation_finish(made), "compiling for " + device_names_);
}

Status CompiledModel::check_sizes(std::span<const InputBytes> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint64_t wanted = framework_bytes(model_.inputs[i]);
    if (inputs[i].size == wanted) continue;
    return fail("input '" + model_.inputs[i].name + "' has " + std::to_string(inputs[i].size) + " bytes, but " +
                to_string(model_.inputs[i].info) + " has " + std::to_string(wanted));
  }
  return {};
}

std::unique_ptr<CompiledModel::Binding> CompiledModel::idle_binding(std::span<const InputBytes> inputs,
                                                                    std::span<void* const> outputs) {
  const std::lock_guard lock(mutex_);
  for (auto entry = idle_.rbegin(); entry != idle_.rend(); ++entry) {
    const Binding& binding = **entry;
    bool is_same = true;
    for (size_t i = 0; is_same && i < inputs.size(); ++i) {
      is_same = model_.inputs[i].wide || inputs[i].data == binding.inputs[i];
    }
    for (size_t i = 0; is_same && i < outputs.size(); ++i) {
      is_same = model_.outputs[i].wide || outputs[i] == binding.outputs[i];
    }
    if (!is_same) continue;
    std::unique_ptr<Binding> found = std::move(*entry);
    idle_.erase(std::next(entry).base());
    return found;
  }
  return nullptr;
}

void CompiledModel::keep(std::unique_ptr<Binding> binding) {
  std::unique_ptr<Binding> oldest;  // freed outside the lock
  const std::lock_guard lock(mutex_);
  if (idle_.size() == kMostIdleBindings) {
    oldest = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(binding));
}

Result<std::unique_ptr<CompiledModel::Binding>> CompiledModel::bound(std::span<const InputBytes> inputs,
                                                                     std::span<void* const> outputs) {
  auto binding = std::make_unique<Binding>();
  ANeuralNetworksExecution* made = nullptr;
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_create(compilation_.get(), &made), "creating an execution"));
  binding->execution.reset(made);
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_setReusable(made, true), "creating an execution"));
  binding->narrow_inputs.resize(inputs.size());
  binding->narrow_outputs.resize(outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const importers::Port& port = model_.inputs[i];
    const void* data = inputs[i].data;
    if (port.wide) {
      binding->narrow_inputs[i].resize(port.info.elements());
      data = binding->narrow_inputs[i].data();
    }
    binding->inputs.push_back(data);
    TOOLS_TRY(tools::check(ANeuralNetworksExecution_setInput(made, static_cast<int32_t>(i), nullptr, data, port.info.bytes()),
                           "binding input '" + port.name + "'"));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const importers::Port& port = model_.outputs[i];
    void* data = outputs[i];
    if (port.wide) {
      binding->narrow_outputs[i].resize(port.info.elements());
      data = binding->narrow_outputs[i].data();
    }
    binding->outputs.push_back(data);
    TOOLS_TRY(tools::check(ANeuralNetworksExecution_setOutput(made, static_cast<int32_t>(i), nullptr, data, port.info.bytes()),
                           "binding output '" + port.name + "'"));
  }
  return binding;
}

Status CompiledModel::compute(std::span<const InputBytes> inputs, std::span<void* const> outputs) {
  TOOLS_TRY(check_sizes(inputs));
  std::unique_ptr<Binding> binding = idle_binding(inputs, outputs);
  if (binding == nullptr) {
    TOOLS_ASSIGN(binding, bound(inputs, outputs));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!model_.inputs[i].wide) continue;
    std::vector<int32_t>& to = binding->narrow_inputs[i];
    const Status fits = narrow(model_.inputs[i], {static_cast<const int64_t*>(inputs[i].data), to.size()}, to);
    if (!fits) {
      return fail(fits.error().message + ". Give the option min_nodes a larger value, or run this model without nnvk");
    }
  }
  TOOLS_TRY(tools::check(ANeuralNetworksExecution_compute(binding->execution.get()), "computing on " + device_names_));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!model_.outputs[i].wide) continue;
    const std::vector<int32_t>& from = binding->narrow_outputs[i];
    importers::widen(from, {static_cast<int64_t*>(outputs[i]), from.size()});
  }
  keep(std::move(binding));
  return {};
}

}  // namespace nnvk::clients
