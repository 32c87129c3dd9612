// Entry points: JSON descriptions of devices, placements, compilations and executions.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "api/json_text.h"
#include "api/snapshot_json.h"
#include "core/base/trace.h"
#include "core/plan/plan_builder.h"
#include "core/plan/rewrites.h"
#include "core/runtime/calibration_file.h"
#include "core/runtime/deployment.h"
#include "vulkan/inspection/inspected_device.h"

using nlohmann::ordered_json;
using namespace nnvk;
using namespace nnvk::api;

namespace {

const char* type_name(DeviceType type) {
  static constexpr const char* kNames[] = {"UNKNOWN", "OTHER", "CPU", "GPU", "ACCELERATOR"};
  const auto index = static_cast<size_t>(type);
  return kNames[index < std::size(kNames) ? index : 0];
}

ordered_json describe_extension(const ExtensionDescription& extension) {
  ordered_json json = {{"name", extension.name}, {"operations", extension.operations}, {"operand_types", ordered_json::array()}};
  for (const ExtensionType& type : extension.operand_types) {
    json["operand_types"].push_back({{"code", type.code}, {"is_tensor", type.is_tensor}, {"byte_size", type.byte_size}});
  }
  return json;
}

ordered_json describe_device(Device& device, size_t index, bool measure) {
  const DeviceInfo& info = device.info();
  ordered_json json = {{"index", index},
                       {"name", info.name},
                       {"version", info.version},
                       {"type", type_name(info.type)},
                       {"feature_level", info.feature_level},
                       {"calibrated", device.costs() != nullptr && device.costs()->is_measured()},
                       {"properties", ordered_json::array()},
                       {"extensions", ordered_json::array()}};
  for (const Property& property : info.properties) {
    json["properties"].push_back({{"group", property.group}, {"name", property.name}, {"value", property.value}});
  }
  for (const ExtensionDescription& extension : info.extensions) json["extensions"].push_back(describe_extension(extension));
  if (!measure) return json;
  if (const auto ceilings = device.measure_ceilings()) {
    json["ceilings"] = {{"fp32_gflops", ceilings->fp32_gflops},
                        {"int8_gops", ceilings->int8_gops},
                        {"read_gigabytes_per_second", ceilings->read_gigabytes_per_second},
                        {"copy_gigabytes_per_second", ceilings->copy_gigabytes_per_second},
                        {"traffic", ordered_json::array()}};
    for (const TrafficRate& rate : ceilings->traffic) {
      json["ceilings"]["traffic"].push_back({{"bytes", rate.bytes}, {"gigabytes_per_second", rate.gigabytes_per_second}});
    }
  } else {
    json["ceilings_error"] = ceilings.error().text();
  }
  return json;
}

ordered_json duration_or_null(uint64_t nanoseconds) {
  return nanoseconds == kNoDuration ? ordered_json(nullptr) : ordered_json(nanoseconds);
}

ordered_json describe_shape(const Shape& shape) {
  if (!shape.rank_known) return nullptr;
  ordered_json dims = ordered_json::array();
  for (const uint32_t dim : shape.dims) dims.push_back(dim == kUnknownDimension ? ordered_json(nullptr) : ordered_json(dim));
  return dims;
}

std::string device_name(const PlanPart& part) { return part.device != nullptr ? part.device->info().name : "several"; }

ordered_json describe_part(const PlanPart& part) {
  return {{"device", device_name(part)},
          {"nodes", part.operations.size()},
          {"predicted_seconds", part.partition.predicted_seconds},
          {"transfer_seconds", part.partition.transfer_seconds},
          {"transfer_bytes", part.partition.transfer_bytes},
          {"counters", part.prepared != nullptr ? part.prepared->counters() : Counters()}};
}

// Describes all physical devices of the Vulkan drivers, also those that nnvk cannot use; without Vulkan, the reason for that.
void describe_physical_devices(ordered_json& description) {
  ordered_json& json = description["physical_devices"] = ordered_json::array();
  if (instance().runtime().settings().cpu_only) {
    description["no_vulkan"] = "NNVK_CPU_ONLY is set";
    return;
  }
  if (!instance().no_vulkan().empty()) {
    description["no_vulkan"] = instance().no_vulkan();
    return;
  }
  const auto devices = vulkan::physical_devices();
  if (!devices) {
    description["no_vulkan"] = devices.error().message;
    return;
  }
  for (const vulkan::PhysicalDevice& device : *devices) {
    json.push_back({{"name", device.name},
                    {"hardware", device.snapshot.name},
                    {"usable", device.usable.has_value()},
                    {"reason", device.usable ? std::string() : device.usable.error().message},
                    {"snapshot", snapshot_to_json(device.snapshot)}});
  }
}

// Describes the result of loading each plugin manifest.
ordered_json describe_plugins() {
  ordered_json json = ordered_json::array();
  for (const accelerators::PluginReport& report : instance().plugins()) {
    const accelerators::Manifest& manifest = report.manifest;
    json.push_back({{"name", manifest.name},
                    {"manifest", manifest.file},
                    {"library", manifest.driver_library},
                    {"isolation", accelerators::isolation_name(manifest.isolation)},
                    {"used", report.not_used.empty()},
                    {"late", report.is_late},
                    {"reason", report.not_used},
                    {"devices", report.devices}});
  }
  return json;
}

// Describes which part of the compilation runs each operation; rewrites removed the operations that are in no part.
ordered_json describe_operations(const Compilation& compilation) {
  const auto& operations = compilation.model().operations();
  std::vector<int> part_of(operations.size(), -1);
  for (size_t p = 0; p < compilation.parts().size(); ++p) {
    for (const uint32_t operation : compilation.parts()[p].operations) part_of[operation] = static_cast<int>(p);
  }
  ordered_json json = ordered_json::array();
  for (size_t i = 0; i < operations.size(); ++i) {
    const bool removed = part_of[i] < 0;
    json.push_back({{"index", i}, {"name", compilation.model().name_of(operations[i])}, {"removed", removed}});
    if (removed) continue;
    json.back()["partition"] = part_of[i];
    json.back()["device"] = device_name(compilation.parts()[static_cast<size_t>(part_of[i])]);
  }
  return json;
}

const char* state_name(Execution::State state) {
  static constexpr const char* kNames[] = {"preparation", "computation", "completed"};
  return kNames[static_cast<size_t>(state)];
}

ordered_json describe_dependents(const SharedByExecutions& shared) {
  ordered_json reasons = ordered_json::object();
  for (size_t reason = 0; reason < kHostReasonNames.size(); ++reason) {
    if (const uint64_t count = shared.through_host.count(reason)) reasons[kHostReasonNames[reason]] = count;
  }
  return {{"queued_behind", shared.queued_behind.load()}, {"through_host", shared.through_host.total()}, {"reasons", reasons}};
}

}  // namespace

int nnvk_describeDevices(bool measure, char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    ordered_json description = {{"runtime_feature_level", kRuntimeFeatureLevel}, {"devices", ordered_json::array()}};
    const auto& devices = instance().devices();
    for (size_t i = 0; i < devices.size(); ++i)
      description["devices"].push_back(describe_device(*devices[i]->device, i, measure));
    describe_physical_devices(description);
    description["plugins"] = describe_plugins();
    return give_text(description, json);
  });
}

int nnvk_calibrateDevices(char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    const auto folder = user_cache_folder();
    if (!folder)
      return fail(Code::kBadState, "there is no cache folder: neither XDG_CACHE_HOME nor HOME names one that may be used");
    ordered_json description = {{"devices", ordered_json::array()}};
    std::optional<Calibration> reference;
    std::vector<Device*> devices = instance().complete_runtime().devices();
    std::ranges::reverse(devices);
    const auto is_reference = [](const Device* device) { return device == &instance().runtime().reference(); };
    std::ranges::stable_partition(devices, is_reference);  // first: its figures fill gaps in those of other devices
    for (Device* device : devices) {
      ordered_json entry = {{"device", device->info().name}};
      Result<Calibration> calibration = calibrate(*device);
      if (calibration && reference) complete_with_reference(*calibration, *reference);
      if (calibration && !reference) reference = *calibration;
      const Result<std::string> file =
          calibration ? keep_calibration(*folder, device->info(), *calibration) : fail(calibration.error());
      if (file) {
        entry["file"] = *file;
        entry["seconds"] = calibration->seconds;
        entry["samples"] = calibration->samples;
        entry["median_error"] = calibration->median_error;
        entry["choices"] = calibration->choices;
      } else {
        entry["error"] = file.error().text();
      }
      description["devices"].push_back(std::move(entry));
    }
    return give_text(description, json);
  });
}

int nnvk_explainModel(const ANeuralNetworksModel* model, const ANeuralNetworksDevice* const* devices, uint32_t numDevices,
                      char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    NNVK_REQUIRE(model);
    NNVK_TRY(check_pair(devices, numDevices, "devices"));
    NNVK_TRY(model->model.require_finished());
    DeviceList list;
    if (numDevices != 0) {
      NNVK_ASSIGN(list, device_list(devices, numDevices));
    } else {
      list.devices = instance().complete_runtime().devices();
    }
    NNVK_ASSIGN(const auto plan, build_plan(model->model));
    std::vector<ordered_json> operations;
    for (const Operation& operation : model->model.operations()) {
      operations.push_back(
          {{"index", operations.size()}, {"name", model->model.name_of(operation)}, {"devices", ordered_json::array()}});
    }
    const auto simple = simplify_before_cutting(plan, instance().runtime().evaluator());
    for (const Device* device : list.devices) {
      std::vector<Placement> placements = place_on(*device, *plan);
      // Predictions are for the compiled plan, in which the weights that the model computes are constants.
      const std::vector<Placement> compiled = place_on(*device, *simple);
      for (size_t n = 0, c = 0; n < placements.size() && c < compiled.size(); ++n) {
        if (plan->nodes[n].source_operation != simple->nodes[c].source_operation) continue;
        placements[n].predicted_seconds = compiled[c].predicted_seconds;
        placements[n].kernel = compiled[c++].kernel;
      }
      for (size_t n = 0; n < placements.size(); ++n) {
        operations[plan->nodes[n].source_operation]["devices"].push_back(
            {{"device", device->info().name},
             {"supported", placements[n].supported},
             {"reason", placements[n].reason},
             {"predicted_seconds", placements[n].predicted_seconds},
             {"kernel", placements[n].kernel == KernelKind::kOwn ? "own" : "reference"}});
      }
    }
    auto transfers = ordered_json::array();
    for (Device* device : list.devices) {
      const TransferCosts costs = transfer_costs(*device);
      transfers.push_back({{"device", device->info().name},
                           {"seconds_per_step", costs.seconds_per_step},
                           {"seconds_per_tensor", costs.seconds_per_tensor},
                           {"seconds_per_byte", costs.seconds_per_byte}});
    }
    return give_text({{"operations", operations}, {"transfers", transfers}}, json);
  });
}

int nnvk_describeCompilation(const ANeuralNetworksCompilation* compilation, char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    NNVK_REQUIRE(compilation);
    const Compilation& core = compilation->compilation;
    if (!core.finished()) return fail(Code::kBadState, "the compilation is not finished");
    const Status& result = core.finish_result();
    ordered_json description = {{"result", code_name(result ? Code::kNoError : result.error().code)},
                                {"message", result ? std::string() : result.error().text()},
                                {"explicit_devices", core.has_explicit_devices()},
                                {"partitions", ordered_json::array()},
                                {"pictures", core.shared().pictures.counters()},
                                {"dependent_executions", describe_dependents(core.shared())},
                                {"operations", ordered_json::array()},
                                {"counters", ordered_json::object()}};
    if (result) {
      description["counters"] = core.runner().counters();
      for (const auto& part : core.parts()) description["partitions"].push_back(describe_part(part));
      description["operations"] = describe_operations(core);
    }
    return give_text(description, json);
  });
}

int nnvk_enableProfiling(ANeuralNetworksExecution* execution, bool enable) {
  return call(__func__, {NNVK_ARGUMENT(execution)}, [&] { return execution->execution->set_profiling(enable); });
}

int nnvk_describeExecution(const ANeuralNetworksExecution* execution, char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    NNVK_REQUIRE(execution);
    const Execution::Summary summary = execution->execution->summary();
    if (summary.state != Execution::State::kCompleted) {
      return fail(Code::kBadState, std::string("the execution is in state ") + state_name(summary.state) +
                                       "; describe it after a computation has completed");
    }
    ordered_json description = {{"state", state_name(summary.state)},
                                {"result", code_name(summary.result ? Code::kNoError : summary.result.error().code)},
                                {"message", summary.result ? std::string() : summary.result.error().text()},
                                {"device", summary.device},
                                {"wall_nanoseconds", summary.wall_nanoseconds},
                                {"hardware_nanoseconds", nullptr},
                                {"driver_nanoseconds", nullptr},
                                {"outputs", ordered_json::array()},
                                {"nodes", ordered_json::array()}};
    if (summary.report != nullptr) {
      description["hardware_nanoseconds"] = duration_or_null(summary.report->hardware_nanoseconds);
      description["driver_nanoseconds"] = duration_or_null(summary.report->driver_nanoseconds);
      for (const OutputReport& output : summary.report->outputs) {
        description["outputs"].push_back({{"shape", describe_shape(output.shape)}, {"sufficient", output.sufficient}});
      }
      for (const NodeProfile& node : summary.report->profile) {
        description["nodes"].push_back({{"operation", node.source_operation},
                                        {"name", node.operation},
                                        {"kernel", node.kernel},
                                        {"device", node.device.empty() ? summary.device : node.device},
                                        {"nanoseconds", node.nanoseconds},
                                        {"bytes", node.bytes},
                                        {"multiply_adds", node.multiply_adds},
                                        {"merged_operations", node.merged_operations}});
      }
    }
    return give_text(description, json);
  });
}

const char* nnvk_lastError() { return last_error(); }

void nnvk_muteFailedCalls(bool mute) { mute_failed_calls(mute); }

void nnvk_traceBegin(const char* name) {
  if (name != nullptr && trace::may_be_on()) trace::begin(name);
}

void nnvk_traceEnd() {
  if (trace::may_be_on()) trace::end();
}

void nnvk_freeString(char* text) { std::free(text); }
