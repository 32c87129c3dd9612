// The library's entry points on the CPU devices alone, for targets that build and run models. The library looks for neither
// Vulkan devices nor plugins. So every machine reproduces a finding, and tools/fuzz need not build them.
#include <nnvk/diagnostics.h>

#include <cstdlib>

#include "accelerators/host/hosted_driver.h"
#include "accelerators/plugins.h"
#include "accelerators/table_driver.h"
#include "api/call.h"
#include "vulkan/imported_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::vulkan {

std::vector<std::unique_ptr<Device>> discover_devices(const HostEvaluator&, PlanOverrides, const KeptChoices&, void (*)()) {
  return {};
}

ImportedDevice::~ImportedDevice() = default;
Result<std::unique_ptr<ImportedDevice>> ImportedDevice::import(ImportRequest, const HostEvaluator&,
                                                               std::span<const std::string>) {
  return fail(Code::kUnavailableDevice, "there are CPU devices alone");
}

}  // namespace nnvk::vulkan

namespace nnvk::accelerators {

std::unique_ptr<PluginLoading> find_and_load_plugins(const std::string&, const PluginStarts&, const PluginSurroundings&) {
  return nullptr;
}

Result<std::unique_ptr<Driver>> load_table_driver(const std::string&, const TableDriverOptions&) {
  return fail(Code::kUnavailableDevice, "there are CPU devices alone");
}
Result<std::unique_ptr<Driver>> make_hosted_driver(const Manifest&) {
  return fail(Code::kUnavailableDevice, "there are CPU devices alone");
}

}  // namespace nnvk::accelerators

// The diagnostics functions that models need; the others describe Vulkan devices as well.
const char* nnvk_lastError() { return nnvk::api::last_error(); }
void nnvk_muteFailedCalls(bool mute) { nnvk::api::mute_failed_calls(mute); }
void nnvk_freeString(char* text) { std::free(text); }
