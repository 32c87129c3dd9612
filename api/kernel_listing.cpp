// Entry point that lists the kernels which a device, or a snapshot of a device, would run.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "api/call.h"
#include "api/handles.h"
#include "api/instance.h"
#include "api/json_text.h"
#include "api/snapshot_json.h"
#include "core/plan/plan_builder.h"
#include "vulkan/context/device_properties.h"
#include "vulkan/inspection/kernel_uses.h"

using nlohmann::ordered_json;
using namespace nnvk;
using namespace nnvk::api;

namespace {

using vulkan::DispatchWork;
using vulkan::InspectedDevice;
using vulkan::KernelInfo;
using vulkan::KernelUse;
using vulkan::KernelUses;
using vulkan::KernelVariant;
using vulkan::PipelineKey;
using vulkan::PipelineStatistic;

// A client's request, parsed.
struct KernelRequest {
  std::string device;
  std::optional<vulkan::DeviceSnapshot> snapshot;
  std::optional<KernelVariant> variant;
  bool statistics = true;
};

Result<KernelRequest> parse_request(const char* text) {
  KernelRequest request;
  if (text == nullptr) return request;
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Code::kBadData, "the request is not a JSON object");
  for (const auto& [name, value] : json.items()) {
    if (name == "device" && value.is_string()) {
      request.device = value.get<std::string>();
    } else if (name == "snapshot") {
      NNVK_ASSIGN(request.snapshot, snapshot_from_json(value));
    } else if (name == "statistics" && value.is_boolean()) {
      request.statistics = value.get<bool>();
    } else if (name == "variant" && value.is_string()) {
      for (const KernelVariant variant : vulkan::kKernelVariants) {
        if (name_of(variant) == value.get<std::string>()) request.variant = variant;
      }
      if (!request.variant) return fail(Code::kBadData, "there is no variant of kernels " + value.get<std::string>());
    } else {
      return fail(Code::kBadData, "the request's member " + name + " is unknown or of another type");
    }
  }
  return request;
}

Result<std::shared_ptr<InspectedDevice>> device_of(const KernelRequest& request) {
  if (request.snapshot) return InspectedDevice::from_snapshot(*request.snapshot, {.variant = request.variant});
  if (!instance().no_vulkan().empty()) return fail(Code::kUnavailableDevice, instance().no_vulkan());
  return instance().inspected_devices().get(request.device, request.variant, kept_choices());
}

ordered_json describe_inspected(const InspectedDevice& device) {
  const vulkan::DeviceSnapshot& snapshot = device.snapshot();
  return {{"name", device.name()},
          {"hardware", snapshot.name},
          {"version", vulkan::device_version(snapshot)},
          {"usable", device.is_usable()},
          {"subgroup_size", snapshot.subgroup_size},
          {"features", vulkan::names_of(device.plan().traits.features)},
          {"statistics_missing", device.without_statistics()}};
}

// Describes all kernels, used or not.
ordered_json describe_table() {
  ordered_json list = ordered_json::array();
  for (const KernelInfo& kernel : vulkan::all_kernels()) {
    ordered_json variants = ordered_json::array();
    for (const auto& module : kernel.modules) variants.push_back(name_of(module.variant));
    list.push_back({{"kernel", kernel.name}, {"family", kernel.family}, {"variants", variants}});
  }
  return list;
}

ordered_json describe_statistics(const std::vector<PipelineStatistic>& statistics) {
  ordered_json json = ordered_json::object();
  for (const PipelineStatistic& statistic : statistics) {
    std::visit([&](const auto value) { json[statistic.name] = value; }, statistic.value);
  }
  return json;
}

ordered_json describe_pipeline(const PipelineKey& key) {
  const KernelInfo& kernel = vulkan::kernel_info(key.kernel);
  ordered_json constants = ordered_json::object();
  for (const auto& [id, value] : key.specialization) constants[kernel.specialization[id].name] = value;
  return {{"kernel", kernel.name},
          {"family", kernel.family},
          {"variant", name_of(key.variant)},
          {"specialization", constants},
          {"local_size", kernel.local_size}};
}

// Adds the number of subgroups per SIMD that the shader's registers permit, from RADV's statistics.
DispatchWork with_occupancy(DispatchWork work, const ordered_json& pipeline) {
  const ordered_json statistics = pipeline.value("statistics", ordered_json::object());
  work.subgroups_per_simd = statistics.value("Subgroups per SIMD", uint32_t{0});
  return work;
}

// Returns whether two dispatches differ in parameters alone: a long reduction is many such dispatches, one after the other.
bool is_repeated(const KernelUse& before, const KernelUse& use) {
  return before.operation == use.operation && before.pipeline == use.pipeline && before.groups == use.groups &&
         before.once == use.once && before.label == use.label && before.work == use.work && before.reason == use.reason;
}

Result<ordered_json> describe_uses(const KernelUses& found, InspectedDevice& device, bool with_statistics) {
  ordered_json pipelines = ordered_json::array();
  ordered_json dispatches = ordered_json::array();
  const vulkan::Machine& machine = device.plan().traits.machine;
  std::map<PipelineKey, size_t> numbers;
  const KernelUse* last = nullptr;
  for (const auto& use : found.uses) {
    if (last != nullptr && is_repeated(*last, use)) {
      dispatches.back()["times"] = dispatches.back()["times"].get<uint64_t>() + 1;
      continue;
    }
    last = &use;
    const auto [number, is_new] = numbers.try_emplace(use.pipeline, pipelines.size());
    if (is_new) {
      pipelines.push_back(describe_pipeline(use.pipeline));
      if (with_statistics && device.without_statistics().empty()) {
        NNVK_ASSIGN(const auto statistics, device.statistics(use.pipeline));
        pipelines.back()["statistics"] = describe_statistics(statistics);
      }
    }
    dispatches.push_back({{"pipeline", number->second},
                          {"operation", use.operation},
                          {"name", use.name},
                          {"label", use.label},
                          {"groups", use.groups},
                          {"times", 1},
                          {"once", use.once},
                          {"multiply_adds", use.work.multiply_adds},
                          {"predicted_seconds", predicted_seconds(with_occupancy(use.work, pipelines[number->second]), machine)},
                          {"roofline_seconds", roofline_seconds(use.work, machine)},
                          {"reason", use.reason}});
  }
  ordered_json unlisted = ordered_json::array();
  for (const auto& operation : found.unlisted) {
    unlisted.push_back({{"operation", operation.operation}, {"name", operation.name}, {"reason", operation.reason}});
  }
  return ordered_json{{"pipelines", pipelines}, {"dispatches", dispatches}, {"unlisted", unlisted}};
}

}  // namespace

int nnvk_listKernels(const ANeuralNetworksModel* model, const char* request, char** json) {
  return call(__func__, {NNVK_ARGUMENT(json)}, [&]() -> Status {
    *json = nullptr;
    const Argument model_kept = NNVK_ARGUMENT(model);
    if (model != nullptr) {
      NNVK_TRY(model_kept.check());
      NNVK_TRY(model->model.require_finished());
    }
    NNVK_ASSIGN(const KernelRequest asked, parse_request(request));
    NNVK_ASSIGN(const std::shared_ptr<InspectedDevice> device, device_of(asked));
    ordered_json description = {{"device", describe_inspected(*device)}};
    if (model == nullptr) {
      description["kernels"] = describe_table();
      return give_text(description, json);
    }
    NNVK_ASSIGN(const auto plan, build_plan(model->model));
    const KernelUses found = kernel_uses(plan, device->plan().traits, instance().runtime().evaluator());
    NNVK_ASSIGN(const ordered_json uses, describe_uses(found, *device, asked.statistics));
    description.update(uses);
    return give_text(description, json);
  });
}
