// Refuses everything.
#include "core/runtime/unavailable_device.h"

#include <utility>
#include <vector>

namespace nnvk {
namespace {

class UnavailableDevice final : public Device {
 public:
  UnavailableDevice(const DeviceInfo& known, std::string why) {
    info_.name = known.name;
    info_.version = known.version;
    info_.type = known.type;
    info_.feature_level = known.feature_level;
    info_.is_usable_in_children = known.is_usable_in_children;
    info_.why_unavailable = std::move(why);
  }

  const DeviceInfo& info() const override { return info_; }
  std::vector<Placement> place(const Plan& plan, Groundwork* /*groundwork*/) const override {
    return std::vector<Placement>(plan.nodes.size(), {false, info_.why_unavailable, 0});
  }
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan>, const PrepareOptions&) override { return refuse(); }
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override { return refuse(); }
  Result<Ceilings> measure_ceilings() override { return refuse(); }

 private:
  tl::unexpected<Error> refuse() const {
    return fail(Error(Code::kUnavailableDevice, info_.why_unavailable).on_device(info_.name));
  }

  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> make_unavailable_device(const DeviceInfo& known, std::string why) {
  return std::make_unique<UnavailableDevice>(known, std::move(why));
}

}  // namespace nnvk
