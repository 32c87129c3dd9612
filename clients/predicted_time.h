// Decides whether a part of a graph is worth taking: its predicted time on nnvk's device against that of staying with the
// framework's own operators. README.md explains the rule.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "clients/plugin_options.h"
#include "importers/imported_model.h"
#include "tools/nnapi/devices.h"

namespace nnvk::clients {

// The kinds of products at which frameworks differ in speed. Grouped: depthwise and grouped convolutions.
enum class Product : uint8_t { kNone, kFloats, kSigned, kUnsigned, kUnsignedGrouped };

// How long a framework's own operators take on this processor, compared with nnvk-cpu's predicted times, and how many seconds one
// call of the plugin costs.
struct FrameworkSpeed {
  double seconds_per_call = 0;  // that its call of a taken part costs, with the plugin's work around it
  // Per Product: the framework's time relative to the one predicted for nnvk-cpu.
  std::array<double, 5> relative_time{1, 1, 1, 1, 1};
};

// A plugin takes a graph, or a part of one, only if that takes less than this share of its time on the framework.
inline constexpr double kMostOfAll = 0.95;
inline constexpr double kMostOfPart = 0.7;

// How much of the framework's graph a plugin would take.
enum class Share : uint8_t { kAll, kPart };

struct ComparedTimes {
  double on_device = 0;  // seconds; operations and transfers
  double staying = 0;
  bool is_measured = false;   // the times were measured, not predicted
  std::string obstacle = {};  // why they could not be measured, if somebody wanted that
  // Returns whether the plugin should take the share. A whole graph must save 5 %: times vary by that much from run to run. A
  // part must save more: the framework merges no operators over a cut, and copies tensors there. In seven parts, swin_t in 8 bits
  // took up to 1.11 times the time that it takes without nnvk (perf/results, 2026-11-28).
  bool is_worth_taking(Share share) const { return on_device < staying * (share == Share::kAll ? kMostOfAll : kMostOfPart); }
  // Returns the two times as text: "predicted 120 us on nnvk and 100 us on FRAMEWORK", or "measured 120 us ...". The obstacle
  // follows.
  std::string reason(const std::string& framework) const;
};

inline constexpr const char* kFastCpu = "nnvk-cpu";
inline constexpr const char* kReference = "nnapi-reference";

// The predicted times of one operation, in seconds.
struct OperationTimes {
  double on_device = 0;              // on the device that would run it
  double on_cpu = 0;                 // on nnvk-cpu
  bool cpu_has_fast_kernel = false;  // else on_cpu says nothing about the framework
  bool is_on_cpu = false;            // the device is a CPU itself
  Product product = Product::kNone;
  size_t origin = 0;  // operations of one origin stand for one operator of the framework
};

struct Transfers {
  double seconds_per_step = 0;
  double seconds_per_tensor = 0;
  double seconds_per_byte = 0;
};

// The tensors that cross the edge of a part, and their bytes.
struct Edge {
  size_t tensors = 0;
  uint64_t bytes = 0;
};

// Adds up the times on nnvk's device and of staying with the framework, by the rule in README.md.
ComparedTimes predict(const std::vector<OperationTimes>& operations, const Transfers& transfers, const Edge& edge,
                      const FrameworkSpeed& framework);

// Predicts the times of a model, by nnvk_explainModel(), on the one of these devices that gains most. If no device runs all of
// the model, the time on the device is infinite.
Result<ComparedTimes> predict_times(const importers::ImportedModel& model, const std::vector<tools::DeviceEntry>& devices,
                                    const FrameworkSpeed& framework);

}  // namespace nnvk::clients
