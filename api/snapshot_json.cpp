#include "api/snapshot_json.h"

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

using nlohmann::ordered_json;

namespace nnvk::api {
namespace {

using vulkan::CooperativeMatrices;
using vulkan::DeviceSnapshot;
using vulkan::KernelFeatures;
using vulkan::MemoryHeap;
using vulkan::MemoryType;
using vulkan::QueueFamily;

template <class T, class Struct>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Struct>;

// These functions call visit(name, member) for each member. Reading and writing share these lists.
void for_each_member(MaybeConst<QueueFamily> auto& family, const auto& visit) {
  visit("flags", family.flags);
  visit("count", family.count);
  visit("timestamp_valid_bits", family.timestamp_valid_bits);
}
void for_each_member(MaybeConst<CooperativeMatrices> auto& matrices, const auto& visit) {
  visit("rows", matrices.shape.rows);
  visit("columns", matrices.shape.columns);
  visit("depth", matrices.shape.depth);
  visit("left_type", matrices.left_type);
  visit("right_type", matrices.right_type);
  visit("accumulator_type", matrices.accumulator_type);
  visit("result_type", matrices.result_type);
  visit("saturating", matrices.saturating);
  visit("scope", matrices.scope);
}
void for_each_member(MaybeConst<MemoryType> auto& type, const auto& visit) {
  visit("flags", type.flags);
  visit("heap", type.heap);
}
void for_each_member(MaybeConst<MemoryHeap> auto& heap, const auto& visit) {
  visit("bytes", heap.bytes);
  visit("device_local", heap.device_local);
}
void for_each_member(MaybeConst<DeviceSnapshot> auto& s, const auto& visit) {
  visit("name", s.name);
  visit("type", s.type);
  visit("api_version", s.api_version);
  visit("vendor_id", s.vendor_id);
  visit("device_id", s.device_id);
  visit("driver_version", s.driver_version);
  visit("driver_name", s.driver_name);
  visit("driver_info", s.driver_info);
  visit("driver_id", s.driver_id);
  visit("pipeline_cache_uuid", s.pipeline_cache_uuid);
  visit("max_storage_buffer_range", s.max_storage_buffer_range);
  visit("max_texel_buffer_elements", s.max_texel_buffer_elements);
  visit("max_storage_buffers_per_stage", s.max_storage_buffers_per_stage);
  visit("max_push_constants", s.max_push_constants);
  visit("max_groups", s.max_groups);
  visit("max_group_invocations", s.max_group_invocations);
  visit("max_group_size", s.max_group_size);
  visit("max_shared_memory", s.max_shared_memory);
  visit("min_storage_alignment", s.min_storage_alignment);
  visit("min_texel_alignment", s.min_texel_alignment);
  visit("max_allocation_bytes", s.max_allocation_bytes);
  visit("timestamp_period", s.timestamp_period);
  visit("subgroup_size", s.subgroup_size);
  visit("min_subgroup_size", s.min_subgroup_size);
  visit("max_subgroup_size", s.max_subgroup_size);
  visit("required_subgroup_size_stages", s.required_subgroup_size_stages);
  visit("compute_units", s.compute_units);
  visit("subgroup_operations", s.subgroup_operations);
  visit("subgroup_stages", s.subgroup_stages);
  visit("texel_formats", s.texel_formats);
  visit("kernel_features", s.kernel_features);
  visit("fast_dot_products", s.fast_dot_products);
  visit("matrices", s.matrices);
  visit("timeline_semaphore", s.timeline_semaphore);
  visit("monotonic_timestamps", s.monotonic_timestamps);
  visit("host_pointer_buffers", s.host_pointer_buffers);
  visit("host_pointer_alignment", s.host_pointer_alignment);
  visit("dma_buf_buffers", s.dma_buf_buffers);
  visit("sync_files", s.sync_files);
  visit("pipeline_statistics", s.pipeline_statistics);
  visit("extensions", s.extensions);
  visit("queue_families", s.queue_families);
  visit("memory_types", s.memory_types);
  visit("memory_heaps", s.memory_heaps);
}

template <class T>
ordered_json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    return value;
  }
}
// Returns the number, or 0 if it is not finite. RADV's null device has an infinite timestamp period, which JSON cannot express. A
// period of 0 also means no timestamps.
ordered_json written(float value) { return std::isfinite(value) ? value : 0.0F; }
ordered_json written(KernelFeatures features) {
  ordered_json names = ordered_json::array();
  for (const vulkan::KernelFeature feature : vulkan::kKernelFeatures) {
    if (features.contains(feature)) names.push_back(name_of(feature));
  }
  return names;
}
template <class Struct>
ordered_json object_of(const Struct& value);
template <class Struct>
ordered_json written(const std::vector<Struct>& values) {
  ordered_json list = ordered_json::array();
  for (const Struct& value : values) list.push_back(object_of(value));
  return list;
}
template <class Struct>
ordered_json object_of(const Struct& value) {
  ordered_json json;
  for_each_member(value, [&](const char* name, const auto& member) { json[name] = written(member); });
  return json;
}

// Reads a value. The writer writes numbers as numbers, so a text or a negative number is a mistake in the file. Throws exceptions
// of nlohmann.
template <class T>
void read(const ordered_json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(json.get<int64_t>());
  } else {
    json.get_to(value);
  }
}
void read(const ordered_json& json, KernelFeatures& features) {
  features = {};
  for (const auto& name : json) {
    for (const vulkan::KernelFeature feature : vulkan::kKernelFeatures) {
      if (name_of(feature) == name.get<std::string>()) features.insert(feature);  // others belong to another version of nnvk
    }
  }
}
template <class Struct>
void read(const ordered_json& json, std::vector<Struct>& values) {
  values.clear();
  for (const auto& one : json) {
    for_each_member(values.emplace_back(), [&](const char* name, auto& member) { read(one.at(name), member); });
  }
}

}  // namespace

ordered_json snapshot_to_json(const DeviceSnapshot& snapshot) { return object_of(snapshot); }

Result<DeviceSnapshot> snapshot_from_json(const ordered_json& json) {
  if (!json.is_object()) return fail(Code::kBadData, "a device's snapshot is a JSON object");
  DeviceSnapshot snapshot;
  std::string wrong;
  for_each_member(snapshot, [&](const char* name, auto& member) {
    if (!json.contains(name)) return;
    try {
      read(json.at(name), member);
    } catch (const nlohmann::json::exception& problem) {
      if (wrong.empty()) wrong = std::string(name) + ": " + problem.what();
    }
  });
  if (!wrong.empty()) return fail(Code::kBadData, "the snapshot's member " + wrong);
  return snapshot;
}

}  // namespace nnvk::api
