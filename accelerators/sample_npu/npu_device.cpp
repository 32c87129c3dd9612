// The part that a vendor replaces: place() checks the chip's limits, and prepare() passes the plan to the chip's compiler.
#include "accelerators/sample_npu/npu_device.h"

#include <string>
#include <utility>

#include "accelerators/sample_npu/npu_limits.h"
#include "cpu_fallback/cpu_device.h"

namespace nnvk::sample_npu {
namespace {

class NpuDevice final : public Device {
 public:
  NpuDevice() {
    info_.name = "npu";
    info_.version = "sample 1";
    info_.type = DeviceType::kAccelerator;
    info_.feature_level = 1000007;
    info_.properties = {{"limits", "channels", std::to_string(kMostChannels)}, {"features", "tensors", "8-bit asymmetric"}};
  }

  const DeviceInfo& info() const override { return info_; }

  std::vector<Placement> place(const Plan& plan, Groundwork* /*groundwork*/) const override {
    std::vector<Placement> placements;
    for (const PlanNode& node : plan.nodes) {
      std::string reason = reason_declined(plan, node);
      const bool is_supported = reason.empty();
      placements.push_back({is_supported, std::move(reason), 0});
      if (is_supported) placements.back().predicted_seconds = predicted_seconds(declared_view(plan, node).view());
    }
    return placements;
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    for (const PlanNode& node : plan->nodes) {
      if (std::string reason = reason_declined(*plan, node); !reason.empty()) {
        return fail(Error(Code::kOpFailed, std::move(reason)).at(plan->place_of(node)));
      }
    }
    return backend_->prepare(std::move(plan), options);
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override { return backend_->allocate(request); }
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

 private:
  DeviceInfo info_;
  const std::unique_ptr<Device> backend_ = cpu::make_cpu_device({.threads = 1, .use_optimized = false});
};

}  // namespace

std::unique_ptr<Device> make_npu_device() { return std::make_unique<NpuDevice>(); }

}  // namespace nnvk::sample_npu
