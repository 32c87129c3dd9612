// Device functions: thin, every decision is made by placement, rewrites and the prepared plan.
#include "vulkan/vulkan_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "vulkan/ceilings.h"
#include "vulkan/context/device_properties.h"
#include "vulkan/placement.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {
namespace {

constexpr int64_t kFeatureLevel8 = 1000008;

// Software Vulkan counts as a GPU too: DEVICE_CPU is what clients use to find and exclude nnapi-reference, and a stand-in for a
// GPU that they skip would prove nothing. The properties say that it is software.
DeviceType device_type(VkPhysicalDeviceType type) {
  return type == VK_PHYSICAL_DEVICE_TYPE_OTHER ? DeviceType::kOther : DeviceType::kGpu;
}

}  // namespace

VulkanDevice::VulkanDevice(std::string name, std::shared_ptr<LivingGpu> gpu, HostEvaluator evaluator)
    : gpu_(std::move(gpu)),
      plan_(gpu_->current()->context->plan()),
      evaluator_(std::move(evaluator)),
      costs_(assumed_costs(plan_.traits)) {
  const DeviceSnapshot& snapshot = gpu_->current()->context->snapshot();
  info_.name = std::move(name);
  info_.version = device_version(snapshot);
  info_.type = device_type(snapshot.type);
  info_.feature_level = kFeatureLevel8;
  info_.preferred_alignment = std::max(info_.preferred_alignment, static_cast<uint32_t>(plan_.io_alignment));
  info_.properties = device_properties(snapshot, plan_);
  info_.caches = true;
  info_.is_usable_in_children = !plan_.needs(Workaround::kNotInChildrenOfFork);
  info_.cache_identity = cache_identity(snapshot, plan_);
  info_.kernels_version = kernels_version();
}

VulkanDevice::~VulkanDevice() { gpu_->shut_down(); }

std::unique_ptr<Groundwork> VulkanDevice::begin_groundwork() const { return std::make_unique<KeptEmissions>(); }

std::vector<Placement> VulkanDevice::place(const Plan& plan, Groundwork* groundwork) const {
  KeptEmissions own;
  auto* const given = dynamic_cast<KeptEmissions*>(groundwork);
  return place_nodes(plan, plan_.traits, evaluator_, given != nullptr ? *given : own, costs_);
}

Result<std::unique_ptr<PreparedPlan>> VulkanDevice::prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) {
  NNVK_TRY(gpu_->alive());
  KeptEmissions own;  // where nobody has placed the model before
  auto* const given = dynamic_cast<KeptEmissions*>(options.groundwork);
  PrepareOptions with_emissions = options;
  if (given == nullptr) with_emissions.groundwork = &own;
  KeptEmissions& kept = given != nullptr ? *given : own;
  const std::string objection = first_objection(*plan, place(*plan, &kept));
  if (!objection.empty()) return fail(Code::kOpFailed, info_.name + " does not support " + objection);
  plan = rewrite_for_device(plan, plan_.traits, evaluator_, kept, costs_);
  return prepare_plan(gpu_, std::move(plan), evaluator_, with_emissions);
}

Result<std::unique_ptr<DeviceMemory>> VulkanDevice::allocate(const MemoryRequest& request) {
  NNVK_ASSIGN(auto gpu, gpu_->alive());
  return ResidentMemory::create(std::move(gpu), request);
}

Result<Ceilings> VulkanDevice::measure_ceilings() {
  NNVK_ASSIGN(const auto gpu, gpu_->alive());
  if (!gpu->submits()) return fail(Code::kBadState, info_.name + " has no queue to measure on");
  return vulkan::measure_ceilings(gpu);
}

}  // namespace nnvk::vulkan
