// Parsing and lookup.
#include "tools/nnapi/descriptions.h"

#include <fmt/format.h>
#include <nnvk/kernels.h>

#include "tools/nnapi/handles.h"

namespace nnvk::tools {

Result<nlohmann::json> parse_description(const std::string& json, std::string_view what) {
  auto document = nlohmann::json::parse(json, nullptr, false);
  if (!document.is_object()) return fail(fmt::format("the library's description of {} is not JSON", what));
  return document;
}

Result<nlohmann::json> describe_devices(bool measure) {
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_describeDevices(measure, &text), measure ? "measuring the devices" : "describing the devices"));
  return parse_description(take_json(text), "its devices");
}

Result<nlohmann::json> calibrate_devices() {
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_calibrateDevices(&text), "calibrating the devices"));
  return parse_description(take_json(text), "the calibration");
}

Result<nlohmann::ordered_json> list_kernels(const ANeuralNetworksModel* model, const nlohmann::ordered_json& request) {
  char* text = nullptr;
  TOOLS_TRY(check(nnvk_listKernels(model, request.dump().c_str(), &text), "listing kernels"));
  auto document = nlohmann::ordered_json::parse(take_json(text), nullptr, false);
  if (!document.is_object()) return fail("the library's list of kernels is not JSON");
  return document;
}

Result<nlohmann::json> describe_device(const std::string& name, bool measure) {
  TOOLS_ASSIGN(const nlohmann::json document, describe_devices(measure));
  for (const auto& device : document.value("devices", nlohmann::json::array())) {
    if (device.value("name", "") == name) return device;
  }
  return fail(fmt::format("the library's list of devices has no {}", name));
}

}  // namespace nnvk::tools
