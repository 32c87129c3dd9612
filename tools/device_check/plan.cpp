#include "tools/device_check/plan.h"

#include <algorithm>

namespace nnvk::tools::device_check {
namespace {

constexpr Stage kStages[] = {
    {"device", "Device", 2, 0},
    {"conformance", "Conformance", 22, 0},
    {"forms", "Conformance with each form of the kernels", 14, 0},
    {"calibration", "Calibration", 8, 5},
    {"layers", "Speed of single layers", 14, 0},
    {"models", "Speed of whole models", 16, 0},
    {"latency", "Latency of executions", 4, 0},
    {"recording", "A network in an application's command buffer", 2, 0},
    {"validation", "Vulkan's validation layers", 6, 0},
    {"all_cases", "Conformance, continued with the rest of the time", 12, 0},
};

constexpr std::string_view kConformanceForms[] = {"hardware",     "single_slices",  "group_slices", "subgroup_slices",
                                                  "single_steps", "plain_products", "dot,half",     "tiles",
                                                  "split",        "dot,split",      "matrix"};
constexpr std::string_view kProductForms[] = {"plain_products", "dot", "half", "tiles", "split", "matrix"};

}  // namespace

std::span<const Stage> stages() { return kStages; }

double seconds_for(size_t stage, double elapsed, double total) {
  double shares = 0;
  for (const Stage& later : stages().subspan(stage)) shares += later.share;
  return std::max(total - elapsed, 0.0) * stages()[stage].share / shares;
}

std::span<const std::string_view> conformance_forms() { return kConformanceForms; }

std::span<const std::string_view> product_forms() { return kProductForms; }

}  // namespace nnvk::tools::device_check
