// The devices that compute a model, and why it was those: the user named them, or the library chose them by predicted times.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/nnapi/session.h"
#include "tools/reports/placement.h"

namespace nnvk::tools {

// The predicted time of the whole model on one device that the library could have chosen.
struct PredictedDevice {
  std::string device;
  double seconds = 0;   // without meaning if the device declines operations
  size_t declined = 0;  // operations
  std::string reason;   // why it declines the first of them
};

struct ChosenDevices {
  bool is_librarys = false;             // else the user's
  std::vector<std::string> devices;     // that compute the model, in running order, each once
  double predicted_seconds = 0;         // of the model on them
  std::vector<PredictedDevice> others;  // only of a choice of the library's
  std::string setting;                  // "NNVK_PARTITION=0": an environment variable that decided instead of the predictions
};

// Describes the choice for a compiled model. `spec`: the value of --device. Asks the library for the predicted times on the other
// devices if the choice was its own.
Result<ChosenDevices> choice_for(const std::string& spec, const ModelBuilder& model, const Session& session);

// Describes the predictions from the JSON of nnvk_explainModel() for `devices`. `input_bytes` and `output_bytes` have an entry
// for each input and output of the model. Leaves out operations that the compilation removed, and the devices in `chosen`. Pure.
std::vector<PredictedDevice> predicted_devices(const nlohmann::json& explanation, const Placement& placement,
                                               const std::vector<uint64_t>& port_bytes, const std::vector<std::string>& chosen);

// Writes why the library chose: "predicted 1.900 ms; vulkan-llvmpipe 8.400 ms".
std::string reason_text(const ChosenDevices& choice);
// Writes the member "choice" of a command's JSON.
nlohmann::json to_json(const ChosenDevices& choice);

// Prints a line on stderr if the library chose: "nnvk: device nnvk-cpu (predicted 1.900 ms; vulkan-llvmpipe 8.400 ms)".
void print_choice(const ChosenDevices& choice);

}  // namespace nnvk::tools
