// Decides whether a subgraph is worth taking: its predicted time on nnvk's device against that of staying with ONNX Runtime's CPU
// provider. README.md explains the rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients/onnxruntime_provider/names.h"
#include "importers/imported_model.h"
#include "tools/nnapi/devices.h"

namespace nnvk::clients::onnxruntime {

struct PredictedTimes {
  double on_device = 0;  // seconds; operations and transfers
  double staying = 0;
  bool is_worth_taking() const { return on_device < staying; }
};

inline constexpr const char* kFastCpu = "nnvk-cpu";
inline constexpr const char* kReference = "nnapi-reference";

// The predicted times of one operation, in seconds.
struct OperationTimes {
  double on_device = 0;              // on the device that would run it
  double on_cpu = 0;                 // on nnvk-cpu
  bool cpu_has_fast_kernel = false;  // else on_cpu says nothing about ONNX Runtime's CPU provider
  bool is_on_cpu = false;            // the device is a CPU itself
  bool is_product = false;           // convolutions, matrix products
  bool is_8bit = false;
};

struct Transfers {
  double seconds_per_step = 0;
  double seconds_per_tensor = 0;
  double seconds_per_byte = 0;
};

// The rule itself. `tensors` and `bytes` cross the edge of the subgraph.
PredictedTimes predict(const std::vector<OperationTimes>& operations, const Transfers& transfers, size_t tensors, uint64_t bytes);

// Predicts the times of a model on that of these devices which gains most, by nnvk_explainModel(). If none runs all of it, the
// time on the device is infinite.
Result<PredictedTimes> predict_times(const importers::ImportedModel& model, const std::vector<tools::DeviceEntry>& devices);

}  // namespace nnvk::clients::onnxruntime
