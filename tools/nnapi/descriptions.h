// Parses the descriptions in JSON that the library gives of itself (<nnvk/diagnostics.h>).
#pragma once

#include <android/NeuralNetworks.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

// Parses a description. `what` names the described object: "the execution".
Result<nlohmann::json> parse_description(const std::string& json, std::string_view what);

// Returns the result of nnvk_describeDevices(). `measure`: also measures peak rates, which takes a second or two per device.
Result<nlohmann::json> describe_devices(bool measure);
// Calls nnvk_calibrateDevices() and returns its result, which takes a few seconds per device.
Result<nlohmann::json> calibrate_devices();
// Returns the result of nnvk_listKernels(); `model` may be null. <nnvk/kernels.h> defines the members of `request`.
Result<nlohmann::ordered_json> list_kernels(const ANeuralNetworksModel* model, const nlohmann::ordered_json& request);
// Returns the entry of one device.
Result<nlohmann::json> describe_device(const std::string& name, bool measure);

}  // namespace nnvk::tools
