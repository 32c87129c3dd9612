// Parses the descriptions in JSON that the library gives of itself (<nnvk/diagnostics.h>).
#pragma once

#include <android/NeuralNetworks.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/nnapi/result.h"

namespace nnvk::tools {

// `what` names the described object: "the execution".
Result<nlohmann::json> parse_description(const std::string& json, std::string_view what);

// The result of nnvk_describeDevices(). `measure`: also measures peak rates, which takes a second or two per device.
Result<nlohmann::json> describe_devices(bool measure);
// nnvk_calibrateDevices(): takes a few seconds per device.
Result<nlohmann::json> calibrate_devices();
// The result of nnvk_listKernels(); `model` may be null. <nnvk/kernels.h> defines the members of `request`.
Result<nlohmann::ordered_json> list_kernels(const ANeuralNetworksModel* model, const nlohmann::ordered_json& request);
// The entry of one device.
Result<nlohmann::json> describe_device(const std::string& name, bool measure);

}  // namespace nnvk::tools
