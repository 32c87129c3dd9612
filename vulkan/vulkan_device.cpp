#include "vulkan/vulkan_device.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/runtime/plan_times.h"
#include "vulkan/context/device_properties.h"
#include "vulkan/device_rates.h"
#include "vulkan/machine_probe.h"
#include "vulkan/placement.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/resident_memory.h"
#include "vulkan/slower_forms.h"

namespace nnvk::vulkan {
namespace {

constexpr int64_t kFeatureLevel8 = 1000008;

// Returns NNAPI's type of the device. Software Vulkan counts as a GPU. Clients exclude nnapi-reference by DEVICE_CPU; if they
// also excluded software Vulkan, tests with it would prove nothing. The device's properties say that it is software.
DeviceType device_type(VkPhysicalDeviceType type) {
  return type == VK_PHYSICAL_DEVICE_TYPE_OTHER ? DeviceType::kOther : DeviceType::kGpu;
}

// Returns the emissions of the caller's compilation (`groundwork`), or `own` if it has none.
KeptEmissions& emissions_of(Groundwork* groundwork, KeptEmissions& own) {
  auto* const given = dynamic_cast<KeptEmissions*>(groundwork);
  return given != nullptr ? *given : own;
}

}  // namespace

DeviceInfo describe_device(std::string name, const DeviceSnapshot& snapshot, const DevicePlan& plan) {
  DeviceInfo info;
  info.name = std::move(name);
  info.version = device_version(snapshot);
  info.type = device_type(snapshot.type);
  info.feature_level = kFeatureLevel8;
  info.preferred_alignment = std::max(info.preferred_alignment, static_cast<uint32_t>(plan.io_alignment));
  info.properties = device_properties(snapshot, plan);
  info.caches = true;
  info.is_usable_in_children = !plan.needs(Workaround::kNotInChildrenOfFork);
  info.cache_identity = cache_identity(snapshot, plan);
  DevicePlan uncalibrated = plan;
  uncalibrated.traits.slower = {};
  info.calibration_identity = cache_identity(snapshot, uncalibrated);
  info.kernels_version = kernels_version();
  return info;
}

VulkanDevice::VulkanDevice(DeviceInfo info, const DevicePlan& plan, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator,
                           Reopen reopen)
    : info_(std::move(info)),
      plan_(plan),
      gpu_(std::move(gpu)),
      evaluator_(std::move(evaluator)),
      reopen_(std::move(reopen)),
      predictions_(new Predictions{plan_.traits, assumed_costs(plan_.traits), {}}) {}

VulkanDevice::VulkanDevice(std::string name, const std::shared_ptr<Gpu>& gpu, HostEvaluator evaluator, LivingGpu::Open open_again)
    : VulkanDevice(describe_device(std::move(name), gpu->context->snapshot(), gpu->context->plan()), gpu->context->plan(),
                   std::make_shared<LivingGpu>(gpu, std::move(open_again)), std::move(evaluator)) {}

VulkanDevice::~VulkanDevice() { gpu_->shut_down(); }

// Software Vulkan's costs were measured, and its kernels compile for too long.
const VulkanDevice::Predictions& VulkanDevice::predictions() const {
  std::call_once(predictions_->is_ready, [this] {
    Predictions& now = *predictions_;
    if (now.traits.is_software() || now.costs.is_measured()) return;
    const auto gpu = gpu_->alive();
    if (!gpu || !(*gpu)->submits()) return;
    now.traits.machine.speed = kept_or_probed_speed(*gpu, info_);
    if (!now.traits.machine.speed) return;
    const AssumedCosts own = assumed_costs(now.traits.machine);
    const double factor = now.costs.corrected(1.0);
    now.costs = CostModel(own, own, transfer_costs(*now.traits.machine.speed));
    now.costs.multiply_by(factor);
  });
  return *predictions_;
}

std::unique_ptr<Groundwork> VulkanDevice::begin_groundwork() const { return std::make_unique<KeptEmissions>(); }

std::vector<Placement> VulkanDevice::place(const Plan& plan, Groundwork* groundwork) const {
  KeptEmissions own;
  const Predictions& now = predictions();
  return place_nodes(plan, now.traits, evaluator_, emissions_of(groundwork, own), now.costs);
}

Result<std::unique_ptr<PreparedPlan>> VulkanDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  NNVK_TRY(gpu_->alive());
  KeptEmissions own;
  KeptEmissions& kept = emissions_of(options.groundwork, own);
  const std::string objection = first_objection(*plan, place(*plan, &kept));
  if (!objection.empty()) return fail(Code::kOpFailed, info_.name + " does not support " + objection);
  const Predictions& now = predictions();
  plan = rewrite_for_device(plan, now.traits, evaluator_, kept, now.costs);
  return prepare_plan(gpu_, std::move(plan), evaluator_, options, &kept);
}

Result<std::unique_ptr<DeviceMemory>> VulkanDevice::allocate(const MemoryRequest& request) {
  NNVK_ASSIGN(auto gpu, gpu_->alive());
  return ResidentMemory::create(std::move(gpu), request);
}

Result<MeasuredChoices> VulkanDevice::measure_choices() {
  MeasuredChoices choices;
  if (reopen_ == nullptr) return choices;
  std::map<uint32_t, std::unique_ptr<Device>> opened;  // key: the bits of the forms that the device leaves out
  const auto device_without = [&](KernelForms slower) -> Result<Device*> {
    if (slower == plan_.traits.slower) return this;
    auto& device = opened[slower.bits()];
    if (device == nullptr) {
      NNVK_ASSIGN(device, reopen_(slower));
    }
    return device.get();
  };
  const TimePlans time = [&](KernelForms slower, const std::vector<PlanPointer>& plans) -> Result<std::vector<double>> {
    NNVK_ASSIGN(Device* const device, device_without(slower));
    return shortest_executions(*device, plans);
  };
  NNVK_ASSIGN(const KernelForms slower, find_slower_forms(plan_.traits, evaluator_, time));
  choices.bytes = kept_bytes(slower);
  choices.text = describe_slower(slower);
  NNVK_ASSIGN(const Device* const chosen, device_without(slower));
  if (chosen != this) choices.device = std::move(opened[slower.bits()]);
  return choices;
}

Result<Ceilings> VulkanDevice::measure_ceilings() {
  NNVK_ASSIGN(const auto gpu, gpu_->alive());
  if (!gpu->submits()) return fail(Code::kBadState, info_.name + " has no queue to measure on");
  return vulkan::measure_ceilings(gpu);
}

}  // namespace nnvk::vulkan
