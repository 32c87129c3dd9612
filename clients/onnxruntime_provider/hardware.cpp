#include "clients/onnxruntime_provider/hardware.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "clients/predicted_time.h"
#include "tools/nnapi/descriptions.h"

namespace nnvk::clients::onnxruntime {
namespace {

// Reads a property such as "0x10005"; returns 0 if there is none.
uint32_t id_of(const nlohmann::json& device, const char* name) {
  for (const nlohmann::json& property : device.at("properties")) {
    if (property.at("name") != name) continue;
    const auto text = property.at("value").get<std::string>();
    uint32_t id = 0;
    constexpr size_t kPrefix = 2;  // 0x
    if (text.size() > kPrefix) std::from_chars(text.data() + kPrefix, text.data() + text.size(), id, 16);
    return id;
  }
  return 0;
}

}  // namespace

Result<std::vector<KnownDevice>> known_devices(std::span<const Hardware> hardware) {
  std::vector<KnownDevice> known;
  if (std::ranges::count(hardware, HardwareKind::kGpu, &Hardware::kind) == 0) {
    TOOLS_ASSIGN(const auto* const cpu, tools::device_named(kFastCpu));
    if (cpu != nullptr) known.push_back({kFastCpu, {HardwareKind::kCpu, 0, 0}});
    return known;
  }
  TOOLS_ASSIGN(const nlohmann::json description, tools::describe_devices(false));
  for (const nlohmann::json& device : description.at("devices")) {
    KnownDevice& entry = known.emplace_back();
    entry.name = device.at("name").get<std::string>();
    const auto type = device.at("type").get<std::string>();
    entry.hardware.kind = type == "CPU" ? HardwareKind::kCpu : type == "GPU" ? HardwareKind::kGpu : HardwareKind::kOther;
    entry.hardware.vendor = id_of(device, "vendorID");
    entry.hardware.device = id_of(device, "deviceID");
  }
  return known;
}

std::vector<std::pair<size_t, size_t>> match(std::span<const Hardware> hardware, std::span<const KnownDevice> known) {
  std::vector<std::pair<size_t, size_t>> pairs;
  const auto is_new = [&](size_t device) {
    return std::ranges::none_of(pairs, [&](const auto& pair) { return pair.second == device; });
  };
  for (size_t h = 0; h < hardware.size(); ++h) {
    const auto stands_for = [&](const KnownDevice& device) {
      if (hardware[h].kind != device.hardware.kind) return false;
      if (hardware[h].kind == HardwareKind::kCpu) return device.name == kFastCpu;
      return hardware[h].kind == HardwareKind::kGpu && hardware[h].vendor == device.hardware.vendor &&
             hardware[h].device == device.hardware.device;
    };
    for (size_t d = 0; d < known.size(); ++d) {
      if (!stands_for(known[d]) || !is_new(d)) continue;
      pairs.emplace_back(h, d);
      break;
    }
  }
  return pairs;
}

}  // namespace nnvk::clients::onnxruntime
