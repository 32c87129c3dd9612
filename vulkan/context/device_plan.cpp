#include "vulkan/context/device_plan.h"

#include <initializer_list>
#include <optional>

#include "vulkan/context/kernel_features.h"

namespace nnvk::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kMappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kMappableCached = kMappable | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
// A device-local heap smaller than this is only a window into the device's memory (256 MiB without resizable BAR).
constexpr uint64_t kLeastDirectHeap = 1ULL << 30;

bool shares_memory_with_host(const DeviceSnapshot& s) {
  return s.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || s.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

// Returns the first memory type that has all of `required` and none of `excluded`.
std::optional<uint32_t> find_type(const DeviceSnapshot& s, uint32_t bits, VkMemoryPropertyFlags required,
                                  VkMemoryPropertyFlags excluded = 0) {
  const VkMemoryPropertyFlags never = VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | excluded;
  for (uint32_t i = 0; i < s.memory_types.size(); ++i) {
    const VkMemoryPropertyFlags flags = s.memory_types[i].flags;
    if (((bits >> i) & 1U) != 0 && (flags & required) == required && (flags & never) == 0) return i;
  }
  return std::nullopt;
}

// Chooses a compute family without graphics, which runs beside a renderer, if there is one; else any compute family.
std::optional<uint32_t> choose_queue_family(const DeviceSnapshot& s) {
  std::optional<uint32_t> any;
  for (uint32_t i = 0; i < s.queue_families.size(); ++i) {
    const QueueFamily& family = s.queue_families[i];
    if (family.count == 0 || (family.flags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if ((family.flags & VK_QUEUE_GRAPHICS_BIT) == 0) return i;
    if (!any) any = i;
  }
  return any;
}

bool can_upload_directly(const DeviceSnapshot& s) {
  if (shares_memory_with_host(s)) return true;
  const auto type = find_type(s, UINT32_MAX, kLocal | kMappable);
  return type && s.memory_types[*type].heap < s.memory_heaps.size() &&
         s.memory_heaps[s.memory_types[*type].heap].bytes >= kLeastDirectHeap;
}

// Returns whether the host and kernels can share the memory of inputs and outputs. The host reads outputs. On a discrete GPU,
// uncached memory would make that very slow, so the memory must be cached.
bool can_share_io(const DeviceSnapshot& s) {
  if (shares_memory_with_host(s)) return find_type(s, UINT32_MAX, kMappable).has_value();
  return find_type(s, UINT32_MAX, kLocal | kMappableCached).has_value();
}

constexpr uint32_t kAmd = 0x1002;
constexpr uint32_t kNvidia = 0x10DE;
constexpr uint32_t kIntel = 0x8086;
constexpr uint32_t kArm = 0x13B5;
constexpr uint32_t kQualcomm = 0x5143;
constexpr uint32_t kImagination = 0x1010;

// Returns the most 32-bit registers per invocation with which a GPU of this vendor keeps several subgroups in flight per SIMD
// unit.
uint32_t choose_registers(const DeviceSnapshot& s) {
  constexpr uint32_t kFewest = 48;  // Intel before Xe2: kernels with more get 8 lanes in place of 16
  constexpr uint32_t kFew = 64;     // AMD before RDNA: 256 for 4 subgroups; Intel, Arm, Qualcomm: more lose invocations or spill
  constexpr uint32_t kMany = 128;   // RDNA: 1,024 for 8 subgroups of 32; NVIDIA: 65,536 for 512 invocations
  if (s.vendor_id == kNvidia) return kMany;
  if (s.vendor_id == kIntel && s.min_subgroup_size == 8) return kFewest;
  const bool rdna = s.vendor_id == kAmd && s.min_subgroup_size == 32;  // older AMD GPUs have subgroups of 64 only
  return rdna ? kMany : kFew;
}

constexpr uint32_t kIntelMatrixSubgroup = 16;  // in one of 32, the driver's default, blocks of matrices spill

GpuVendor vendor_of(uint32_t id) {
  switch (id) {
    case kAmd:
      return GpuVendor::kAmd;
    case kNvidia:
      return GpuVendor::kNvidia;
    case kIntel:
      return GpuVendor::kIntel;
    case kArm:
      return GpuVendor::kArm;
    case kQualcomm:
      return GpuVendor::kQualcomm;
    default:
      return GpuVendor::kOther;
  }
}

Machine describe_machine(const DeviceSnapshot& s, bool software) {
  Machine machine;
  const bool mobile = s.vendor_id == kArm || s.vendor_id == kQualcomm || s.vendor_id == kImagination;
  machine.kind = software                                           ? MachineKind::kSoftware
                 : mobile                                           ? MachineKind::kMobile
                 : s.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ? MachineKind::kIntegrated
                                                                    : MachineKind::kDiscrete;
  machine.vendor = vendor_of(s.vendor_id);
  machine.compute_units = s.compute_units;
  if (s.vendor_id == kAmd) machine.lanes_per_unit = 64;
  if (s.vendor_id == kNvidia) machine.lanes_per_unit = 128;
  return machine;
}

// Returns the size that compute pipelines may require of their subgroups and that is nearest to `wanted`; 0 if they may require
// none.
uint32_t required_subgroup(const DeviceSnapshot& s, KernelFeatures features, uint32_t wanted) {
  const bool allowed =
      features.contains(KernelFeature::kSubgroupSize) && (s.required_subgroup_size_stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (!allowed) return 0;
  return std::clamp(wanted, s.min_subgroup_size, std::max(s.min_subgroup_size, s.max_subgroup_size));
}

DeviceTraits choose_traits(const DeviceSnapshot& s, const PlanOverrides& overrides) {
  DeviceTraits traits;
  traits.variants = {};
  for (const KernelVariant variant : kKernelVariants) {
    if (!reads_texels(variant) || s.texel_formats) traits.variants.insert(variant);
  }
  if (overrides.variant) traits.variants = traits.variants & KernelVariants{*overrides.variant, KernelVariant::kWords};
  const bool subgroups = (s.subgroup_stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (subgroups) traits.subgroup_size = s.subgroup_size;
  traits.registers = choose_registers(s);
  traits.features = usable_features(s.kernel_features, s.extensions, subgroups ? s.subgroup_operations : 0);
  traits.max_texel_elements = s.max_texel_buffer_elements;
  traits.max_storage_range = s.max_storage_buffer_range;
  traits.max_storage_buffers = s.max_storage_buffers_per_stage;
  std::copy(std::begin(s.max_groups), std::end(s.max_groups), std::begin(traits.max_groups));
  traits.max_group_invocations = s.max_group_invocations;
  traits.max_shared_memory = s.max_shared_memory;
  const bool software = s.type == VK_PHYSICAL_DEVICE_TYPE_CPU && !overrides.forms.contains(KernelForm::kHardware);
  traits.machine = describe_machine(s, software);
  traits.fast_dot_products = s.fast_dot_products && traits.features.contains(KernelFeature::kDotProduct);
  if (traits.features.contains(KernelFeature::kCooperativeMatrix) && subgroups) {
    traits.half_matrices = choose_matrix_shape(s.matrices, MatrixElements::kHalves);
    traits.byte_matrices = choose_matrix_shape(s.matrices, MatrixElements::kSignedBytes);
    if (s.vendor_id == kIntel) traits.matrix_subgroup_size = required_subgroup(s, traits.features, kIntelMatrixSubgroup);
  }
  traits.forms = overrides.forms;
  traits.slower = overrides.slower;
  return traits;
}

}  // namespace

Result<DevicePlan> device_plan(const DeviceSnapshot& s, const PlanOverrides& overrides) {
  const auto below = [&](std::string reason) { return fail(Code::kUnavailableDevice, s.name + ": " + std::move(reason)); };
  if (s.api_version < VK_API_VERSION_1_1) {
    return below("Vulkan " + std::to_string(VK_API_VERSION_MAJOR(s.api_version)) + "." +
                 std::to_string(VK_API_VERSION_MINOR(s.api_version)) + " is older than 1.1, update the driver");
  }
  const auto family = overrides.queue_family ? overrides.queue_family : choose_queue_family(s);
  if (!family) return below("no queue family can compute");
  if (s.max_push_constants < 128) return below("fewer than 128 bytes of push constants");
  if (!overrides.compile_only && !find_type(s, UINT32_MAX, kMappable)) return below("no host-visible coherent memory");

  DevicePlan plan;
  plan.queue_family = *family;
  // Enables the extensions if they are wanted and the device has all of them; returns whether it does.
  const auto enable = [&](bool wanted, std::initializer_list<const char*> names) {
    if (!wanted || !std::ranges::all_of(names, [&](const char* name) { return s.extensions.contains(name); })) return false;
    plan.extensions.insert(plan.extensions.end(), names.begin(), names.end());
    return true;
  };
  plan.timeline_semaphore =
      enable(s.timeline_semaphore && !overrides.force_fence_completion, {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  plan.sync_files = enable(s.sync_files && plan.timeline_semaphore,
                           {VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME});
  plan.pipeline_feedback = enable(true, {VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME});
  enable(true, {VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME});  // a snapshot has it only with its feature
  plan.pipeline_statistics = overrides.compile_only && s.pipeline_statistics;
  if (plan.pipeline_statistics) plan.extensions.emplace_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  plan.timestamp_valid_bits = s.queue_families[*family].timestamp_valid_bits;
  plan.timestamps = plan.timestamp_valid_bits > 0 && s.timestamp_period > 0.0F;
  plan.calibrated_timestamps = enable(plan.timestamps && s.monotonic_timestamps, {VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME});
  plan.direct_upload = can_upload_directly(s) && !overrides.force_staging;
  plan.direct_io = can_share_io(s) && !overrides.force_staging;
  plan.one_dispatch_per_submission = overrides.force_many_submissions;
  plan.one_submission = overrides.force_one_submission;
  plan.longest_standstill = overrides.longest_standstill.value_or(plan.longest_standstill);
  if (enable(s.host_pointer_buffers, {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME})) {
    plan.host_import_alignment = s.host_pointer_alignment;
  }
  plan.imports_dma_bufs =
      enable(s.dma_buf_buffers, {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME});
  plan.io_alignment = std::max<uint64_t>({16, s.min_storage_alignment, s.min_texel_alignment});
  plan.max_allocation_bytes = s.max_allocation_bytes;
  plan.traits = choose_traits(s, overrides);
  for (const std::string& extension : extensions_of(plan.traits.features)) plan.extensions.push_back(extension);
  for (const Quirk& quirk : quirk_table()) {
    if (applies(quirk, s)) plan.quirks.push_back(&quirk);
  }
  return plan;
}

Result<uint32_t> choose_memory_type(const DeviceSnapshot& s, uint32_t type_bits, MemoryUse use) {
  struct Wish {
    VkMemoryPropertyFlags required;
    VkMemoryPropertyFlags excluded;
  };
  // Best first. Device-only buffers avoid the host-visible window of discrete GPUs, which other buffers need.
  std::vector<Wish> wishes;
  switch (use) {
    case MemoryUse::kDevice:
      wishes = {{kLocal, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT}, {kLocal, 0}, {0, 0}};
      break;
    case MemoryUse::kUpload:
      wishes = {{kLocal | kMappable, 0}, {kMappable, 0}};
      break;
    case MemoryUse::kIo:
      wishes = {{kLocal | kMappableCached, 0}, {kMappableCached, 0}, {kLocal | kMappable, 0}, {kMappable, 0}};
      break;
    case MemoryUse::kStaging:
      wishes = {{kMappableCached, kLocal}, {kMappableCached, 0}, {kMappable, 0}};
      break;
  }
  for (const Wish& wish : wishes) {
    if (const auto type = find_type(s, type_bits, wish.required, wish.excluded)) return *type;
  }
  return fail(Code::kResourceExhaustedPersistent, s.name + ": no memory type of the mask " + std::to_string(type_bits) + " fits");
}

}  // namespace nnvk::vulkan
