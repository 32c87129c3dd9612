// There is a row for each device, for each way of running that a Vulkan device may choose, and for partitioned plans.
#include "tests/device_suite/device_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "accelerators/host/hosted_driver.h"
#include "accelerators/plugin_device.h"
#include "accelerators/table_driver.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "tests/support/fake_device.h"
#include "tests/support/whole_plan.h"
#include "vulkan/context/instance.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::test {
namespace {

DeviceRow vulkan_row(const char* name, const vulkan::PlanOverrides& overrides) {
  return {name,
          [overrides]() -> std::unique_ptr<Device> {
            auto devices = vulkan::discover_devices(cpu::reference_evaluator(), overrides);
            return devices.empty() ? nullptr : std::move(devices.front());
          },
          true, false, true};
}

// A device of nnvk's own Support Library, wrapped like a plugin's. `start` starts the driver.
template <class Start>
DeviceRow plugin_row(const char* name, const char* device, Start start) {
  return {
      name,
      [device, start]() -> std::unique_ptr<Device> {
        Result<std::unique_ptr<accelerators::Driver>> driver = start();
        if (!driver) throw std::runtime_error(driver.error().text());
        const accelerators::PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
        auto devices = accelerators::make_plugin_devices(*std::move(driver), {"nnvk", {}}, surroundings);
        if (!devices) throw std::runtime_error(devices.error().text());
        for (auto& found : *devices) {
          if (found->info().name.find(device) != std::string::npos) return std::move(found);
        }
        return nullptr;
      },
      true, false, false};
}

Result<std::unique_ptr<accelerators::Driver>> start_here() { return accelerators::load_table_driver(NNVK_SUPPORT_LIBRARY); }

#ifndef NNVK_EMULATOR
Result<std::unique_ptr<accelerators::Driver>> start_in_host() {
  accelerators::Manifest manifest;
  manifest.name = "nnvk";
  manifest.driver_library = NNVK_SUPPORT_LIBRARY;
  manifest.seccomp = "gpu";
  return accelerators::make_hosted_driver(manifest);
}
#endif

// Assigns the operations of a plan to two devices in turn, and runs it as the runtime runs partitioned plans.
class CutDevice final : public Device {
 public:
  CutDevice() {
    info_ = even_.info();
    even_.behaviour.takes = [](const PlanNode& node) { return node.source_operation % 2 == 0; };
    odd_.behaviour.takes = [](const PlanNode& node) { return node.source_operation % 2 == 1; };
  }
  const DeviceInfo& info() const override { return info_; }
  std::vector<Placement> place(const Plan& plan, Groundwork* = nullptr) const override {
    std::vector<Placement> placements = even_.place(plan);
    const std::vector<Placement> others = odd_.place(plan);
    for (size_t n = 0; n < placements.size(); ++n) {
      if (others[n].supported) placements[n] = others[n];
    }
    return placements;
  }
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    const std::vector<Placement> placements = place(*plan);
    for (size_t n = 0; n < placements.size(); ++n) {
      if (!placements[n].supported) return fail(Code::kOpFailed, plan->describe(plan->nodes[n]));
    }
    Device* const devices[] = {&even_, &odd_};
    NNVK_ASSIGN(const Deployment deployment, deploy(plan, devices));
    const HostEvaluator evaluator = cpu::reference_evaluator();
    NNVK_ASSIGN(
        PreparedDeployment ready,
        prepare_deployment(deployment, {.devices = devices, .options = options, .evaluator = evaluator, .launches = launches()}));
    return std::move(ready.runner);
  }
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override {
    return fail(Code::kOpFailed, "steps have memory, plans in steps have none");
  }
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

 private:
  FakeDevice even_{"even"};
  FakeDevice odd_{"odd"};
  DeviceInfo info_;
};

}  // namespace

std::vector<DeviceRow> device_rows() {
  return {
      vulkan_row("Vulkan", {}),
      vulkan_row("VulkanWords", {.variant = vulkan::KernelVariant::kWords}),
      vulkan_row("VulkanStaging", {.force_staging = true}),
      vulkan_row("VulkanFences", {.force_fence_completion = true}),
      vulkan_row("VulkanManySubmissions", {.force_many_submissions = true}),
      {"Cpu", [] { return cpu::make_reference_device(); }, false, false, false},
      {"FastCpu", [] { return cpu::make_cpu_device({2}); }, true, false, true},
      {"FastCpuWithReferenceKernels",
       [] {
         return cpu::make_cpu_device({2, false});
       },
       true, false, true},
      {"Fake",
       [] {
         auto fake = std::make_unique<FakeDevice>("fake");
         fake->behaviour.queues = true;
         return fake;
       },
       true, false, true},
      {"Cut", [] { return std::make_unique<CutDevice>(); }, false, true, false},
      plugin_row("PluginCpu", "nnvk-cpu", start_here),
      plugin_row("PluginVulkan", "vulkan", start_here),
#ifndef NNVK_EMULATOR
      plugin_row("HostedPluginCpu", "nnvk-cpu", start_in_host),
      plugin_row("HostedPluginVulkan", "vulkan", start_in_host),
#endif
  };
}

// Destroys devices before the program ends: their threads and drivers need objects that static destructors destroy.
class SharedDevices final : public ::testing::Environment {
 public:
  void TearDown() override { devices.clear(); }
  std::map<std::string, std::unique_ptr<Device>> devices;
};
auto* const g_shared = static_cast<SharedDevices*>(::testing::AddGlobalTestEnvironment(new SharedDevices));

Device* shared_device(const DeviceRow& row) {
  const auto [entry, is_new] = g_shared->devices.try_emplace(row.name);
  if (is_new) entry->second = row.make();
  return entry->second.get();
}

uint64_t complaints() { return vulkan::validation_message_count(); }

}  // namespace nnvk::test
