#include "vulkan/context/device_properties.h"

#include <cctype>
#include <cstdio>

namespace nnvk::vulkan {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string version_text(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

std::string triple(const uint32_t (&v)[3]) {
  return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
}

// Writes rows, columns and depth: "16 x 16 x 16".
std::string shape_text(const MatrixShape& shape) {
  return shape.exists() ? triple({shape.rows, shape.columns, shape.depth}) : "none that kernels use";
}

// Names variants of kernels in order of preference: "texel, words".
std::string names_of(KernelVariants variants) { return names_of(variants, kKernelVariants); }

std::string preferred_variant(KernelVariants variants) {
  const std::string names = names_of(variants);
  const std::string first = names.substr(0, names.find(','));
  return first == names ? first : first + " (others where it does not fit)";
}

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software on the CPU";
    default:
      return "other";
  }
}

}  // namespace

std::string device_name(const DeviceSnapshot& snapshot) {
  std::string name;
  for (const char c : snapshot.name.substr(0, snapshot.name.find('('))) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return "vulkan-" + (name.empty() ? std::string("device") : name);
}

std::string device_version(const DeviceSnapshot& s) {
  const std::string driver = s.driver_name.empty() ? "vendor " + hex(s.vendor_id) : s.driver_name + " " + s.driver_info;
  return driver + " (" + hex(s.driver_version) + "), Vulkan " + version_text(s.api_version);
}

std::string cache_identity(const DeviceSnapshot& s, const DevicePlan& plan) {
  const DeviceTraits& t = plan.traits;
  std::string identity;
  const auto add = [&](uint64_t value) { identity += std::to_string(value) + " "; };
  for (const uint64_t id : {s.vendor_id, s.device_id, s.driver_version, s.api_version}) add(id);
  for (const uint8_t byte : s.pipeline_cache_uuid) add(byte);
  for (const uint32_t choice : {t.variants.bits(), t.features.bits(), t.forms.bits(), t.slower.bits(), t.is_software() ? 1U : 0U,
                                t.fast_dot_products ? 1U : 0U}) {
    add(choice);
  }
  for (const uint64_t limit :
       {uint64_t{t.max_texel_elements}, t.max_storage_range, uint64_t{t.max_storage_buffers}, uint64_t{t.max_group_invocations},
        uint64_t{t.subgroup_size}, uint64_t{t.registers}, uint64_t{t.max_shared_memory}, wanted_invocations(t.machine)}) {
    add(limit);
  }
  for (const MatrixShape& shape : {t.half_matrices, t.byte_matrices}) {
    for (const uint32_t size : {shape.rows, shape.columns, shape.depth}) add(size);
  }
  for (const uint32_t groups : t.max_groups) add(groups);
  for (const Quirk* quirk : plan.quirks) identity += std::string(quirk->id) + " ";
  return identity;
}

std::vector<Property> device_properties(const DeviceSnapshot& s, const DevicePlan& plan) {
  std::vector<Property> list;
  const auto add = [&](const char* group, const char* name, std::string value) {
    list.push_back({group, name, std::move(value)});
  };
  const auto number = [&](const char* group, const char* name, uint64_t value) { add(group, name, std::to_string(value)); };
  add("device", "name", s.name);
  add("device", "type", type_name(s.type));
  add("device", "vendorID", hex(s.vendor_id));
  add("device", "deviceID", hex(s.device_id));
  add("device", "apiVersion", version_text(s.api_version));
  add("driver", "driverName", s.driver_name);
  add("driver", "driverInfo", s.driver_info);
  add("driver", "driverVersion", hex(s.driver_version));
  number("limits", "maxStorageBufferRange", s.max_storage_buffer_range);
  number("limits", "maxTexelBufferElements", s.max_texel_buffer_elements);
  number("limits", "maxPerStageDescriptorStorageBuffers", s.max_storage_buffers_per_stage);
  number("limits", "maxPushConstantsSize", s.max_push_constants);
  add("limits", "maxComputeWorkGroupCount", triple(s.max_groups));
  add("limits", "maxComputeWorkGroupSize", triple(s.max_group_size));
  number("limits", "maxComputeWorkGroupInvocations", s.max_group_invocations);
  number("limits", "maxComputeSharedMemorySize", s.max_shared_memory);
  number("limits", "maxMemoryAllocationSize", s.max_allocation_bytes);
  number("limits", "subgroupSize", s.subgroup_size);
  for (size_t i = 0; i < s.memory_heaps.size(); ++i) {
    add("memory", ("heap " + std::to_string(i)).c_str(),
        std::to_string(s.memory_heaps[i].bytes >> 20) + " MiB" + (s.memory_heaps[i].device_local ? ", device-local" : ""));
  }
  add("features", "uniform texel buffers of all formats", yes_no(s.texel_formats));
  const std::string usable = names_of(plan.traits.features);
  add("features", "for kernels", usable.empty() ? "none" : usable);
  add("features", "fast integer dot products", yes_no(plan.traits.fast_dot_products));
  add("features", "cooperative matrices of halves", shape_text(plan.traits.half_matrices));
  add("features", "cooperative matrices of bytes", shape_text(plan.traits.byte_matrices));
  add("features", "timelineSemaphore", yes_no(s.timeline_semaphore));
  add("features", "timestamps", yes_no(plan.timestamps));
  number("plan", "queue family", plan.queue_family);
  add("plan", "kernel variant", preferred_variant(plan.traits.variants));
  add("plan", "kernel variants", names_of(plan.traits.variants));
  const std::string forms = names_of(plan.traits.forms);
  const std::string all_forms = names_of(kAllKernelForms);
  add("plan", "kernel forms", forms.empty() ? "chosen by size (NNVK_VULKAN_KERNELS: " + all_forms + ")" : forms);
  const std::string slower = names_of(plan.traits.slower);
  add("plan", "kernel forms left out", slower.empty() ? "none" : slower + " (measured to be slower)");
  add("plan", "completion", plan.timeline_semaphore ? "timeline semaphore" : "fences");
  add("plan", "weights", plan.direct_upload ? "written in place" : "copied from staging buffers");
  add("plan", "inputs and outputs", plan.direct_io ? "in memory shared with the host" : "copied from and to staging buffers");
  add("plan", "client memory",
      plan.host_import_alignment == 0 ? "copied"
                                      : "imported (units of " + std::to_string(plan.host_import_alignment) + " bytes)");
  add("plan", "dma-bufs", plan.imports_dma_bufs ? "imported" : "as client memory");
  for (const std::string& extension : plan.extensions) add("plan", "extension", extension);
  for (const Quirk* quirk : plan.quirks) add("quirks", std::string(quirk->id).c_str(), std::string(quirk->reason));
  return list;
}

}  // namespace nnvk::vulkan
