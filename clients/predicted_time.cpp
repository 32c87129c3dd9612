#include "clients/predicted_time.h"

#include <nnvk/diagnostics.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/nnapi/descriptions.h"

namespace nnvk::clients {
namespace {

constexpr std::array kProducts{ANEURALNETWORKS_CONV_2D,
                               ANEURALNETWORKS_DEPTHWISE_CONV_2D,
                               ANEURALNETWORKS_FULLY_CONNECTED,
                               ANEURALNETWORKS_BATCH_MATMUL,
                               ANEURALNETWORKS_GROUPED_CONV_2D,
                               ANEURALNETWORKS_TRANSPOSE_CONV_2D,
                               ANEURALNETWORKS_LSTM,
                               ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM};

constexpr std::array kGroupedProducts{ANEURALNETWORKS_DEPTHWISE_CONV_2D, ANEURALNETWORKS_GROUPED_CONV_2D};

Product product_of(int32_t code, int32_t data_type) {
  if (std::ranges::find(kProducts, code) == kProducts.end()) return Product::kNone;
  if (tools::element_size(data_type) != 1) return Product::kFloats;
  if (data_type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED) return Product::kSigned;
  return std::ranges::find(kGroupedProducts, code) == kGroupedProducts.end() ? Product::kUnsigned : Product::kUnsignedGrouped;
}

std::string microseconds(double seconds) { return std::to_string(static_cast<int64_t>(seconds * 1e6)) + " us"; }

const nlohmann::json* entry_of(const nlohmann::json& entries, const std::string& device) {
  const auto found = std::ranges::find_if(entries, [&](const nlohmann::json& entry) { return entry.at("device") == device; });
  return found == entries.end() ? nullptr : &*found;
}

// Returns the operations with the device's times; empty if the device lacks one of them.
Result<std::vector<OperationTimes>> times_on(const std::string& device, const nlohmann::json& description,
                                             const importers::ImportedModel& imported) {
  const importers::ModelBuilder& model = imported.builder;
  std::map<std::string, size_t> origins;
  std::vector<OperationTimes> operations;
  for (size_t i = 0; i < model.operations().size(); ++i) {
    const nlohmann::json& answers = description.at("operations").at(i).at("devices");
    const nlohmann::json* const own = entry_of(answers, device);
    const nlohmann::json* const cpu = entry_of(answers, kFastCpu);
    if (own == nullptr) return fail("nnvk_explainModel did not answer for device " + device);
    if (!own->at("supported").get<bool>()) return std::vector<OperationTimes>();
    OperationTimes& operation = operations.emplace_back();
    operation.on_device = own->at("predicted_seconds").get<double>();
    operation.on_cpu = cpu == nullptr ? 0 : cpu->at("predicted_seconds").get<double>();
    operation.cpu_has_fast_kernel = cpu != nullptr && cpu->at("kernel") == "own";
    operation.is_on_cpu = device == kFastCpu || device == kReference;
    operation.product = product_of(model.operations()[i].code, model.data_type(i));
    operation.origin = origins.emplace(imported.operation_origins[i], origins.size()).first->second;
  }
  return operations;
}

Result<std::vector<const ANeuralNetworksDevice*>> with_fast_cpu(const std::vector<tools::DeviceEntry>& devices) {
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const tools::DeviceEntry& device : devices) handles.push_back(device.handle);
  TOOLS_ASSIGN(const auto* const fast, tools::device_named(kFastCpu));
  if (fast != nullptr && std::ranges::count(handles, fast) == 0) handles.push_back(fast);
  return handles;
}

}  // namespace

std::string ComparedTimes::reason(const std::string& framework) const {
  return (is_measured ? "measured " : "predicted ") + microseconds(on_device) + " on nnvk and " + microseconds(staying) + " on " +
         framework + (obstacle.empty() ? "" : "; not measured: " + obstacle);
}

ComparedTimes predict(const std::vector<OperationTimes>& operations, const Transfers& transfers, const Edge& edge,
                      const FrameworkSpeed& framework) {
  ComparedTimes times;
  times.on_device = framework.seconds_per_call + transfers.seconds_per_step +
                    transfers.seconds_per_tensor * static_cast<double>(edge.tensors) +
                    transfers.seconds_per_byte * static_cast<double>(edge.bytes);
  // The framework computes an operator in one pass, even where nnvk composes it of several operations: the longest counts.
  std::map<size_t, double> longest;
  for (const OperationTimes& operation : operations) {
    times.on_device += operation.on_device;
    if (operation.cpu_has_fast_kernel) {
      double& time = longest[operation.origin];
      time = std::max(time, operation.on_cpu * framework.relative_time[static_cast<size_t>(operation.product)]);
    } else if (!operation.is_on_cpu) {
      times.staying += operation.on_device;
    }
  }
  for (const auto& [origin, time] : longest) times.staying += time;
  return times;
}

Result<ComparedTimes> predict_times(const importers::ImportedModel& model, const std::vector<tools::DeviceEntry>& devices,
                                    const FrameworkSpeed& framework) {
  TOOLS_ASSIGN(const auto asked, with_fast_cpu(devices));
  char* text = nullptr;
  TOOLS_TRY(tools::check(nnvk_explainModel(model.builder.model(), asked.data(), static_cast<uint32_t>(asked.size()), &text),
                         "predicting times"));
  TOOLS_ASSIGN(const nlohmann::json description, tools::parse_description(tools::take_json(text), "the prediction of times"));
  Edge edge{.tensors = model.inputs.size() + model.outputs.size(), .bytes = 0};
  for (const importers::Port& port : model.inputs) edge.bytes += port.info.bytes();
  for (const importers::Port& port : model.outputs) edge.bytes += port.info.bytes();
  ComparedTimes best;
  best.on_device = std::numeric_limits<double>::infinity();
  for (const tools::DeviceEntry& device : devices) {
    TOOLS_ASSIGN(const auto operations, times_on(device.name, description, model));
    const nlohmann::json* const costs = entry_of(description.at("transfers"), device.name);
    if (operations.empty() || costs == nullptr) continue;
    const Transfers transfers{costs->at("seconds_per_step"), costs->at("seconds_per_tensor"), costs->at("seconds_per_byte")};
    const ComparedTimes times = predict(operations, transfers, edge, framework);
    if (times.on_device - times.staying < best.on_device - best.staying) best = times;
  }
  return best;
}

}  // namespace nnvk::clients
