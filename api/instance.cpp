// Finding devices, and the life of the one instance per loaded library.
#include "api/instance.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>

#include "api/composition.h"
#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/runtime/calibration_file.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::api {
namespace {

// All but the CPU devices, in NNAPI's order.
std::vector<std::unique_ptr<Device>> enabled_devices(const Settings& settings) {
  std::vector<std::unique_ptr<Device>> devices;
  if (settings.cpu_only) return devices;
  devices = vulkan::discover_devices(cpu::reference_evaluator());
  for (auto& device : further_devices()) devices.push_back(std::move(device));
  std::erase_if(devices, [&](const auto& device) { return !offers_device(settings, device->info().name); });
  return devices;
}

// Where the settings leave nnvk-cpu out, the fallback runs on the reference.
CpuDevices enabled_cpu_devices(const Settings& settings) {
  auto fast = cpu::make_cpu_device({settings.cpu_threads, settings.cpu_optimized});
  if (!offers_device(settings, fast->info().name)) fast = nullptr;
  return {std::move(fast), cpu::make_reference_device()};
}

// What was measured on this machine takes the place of what is built in. Nothing is measured here: that takes seconds.
void use_calibrations(const std::vector<Device*>& devices) {
  const auto folder = calibration_folder();
  if (!folder) return;
  for (Device* device : devices) {
    CostModel* const costs = device->costs();
    if (costs == nullptr) continue;
    auto measured = read_calibration(*folder, *device);
    if (measured) {
      costs->use(*std::move(measured));
    } else {
      log_line(Detail::kManager, "Manager", device->info().name + " has no calibration: " + measured.error().text());
    }
  }
}

void use_factors(const std::map<std::string, double>& factors, const std::vector<Device*>& devices) {
  for (Device* device : devices) {
    const auto factor = factors.find(device->info().name);
    if (factor != factors.end() && device->costs() != nullptr) device->costs()->multiply_by(factor->second);
  }
}

// A pointer and not an object: nothing may be destroyed behind the back of destroy_instance(). The mutex is trivial to destroy.
std::mutex instance_mutex;
Instance* the_instance = nullptr;
pid_t owner = 0;

// Runs at dlclose, or at exit before the handlers that Vulkan drivers registered when they were loaded (they were loaded while
// the instance was made, and handlers run last in, first out).
void destroy_instance() {
  // After fork the threads of the devices exist only in the parent; the child must not wait for them.
  if (owner != ::getpid()) return;
  const std::lock_guard lock(instance_mutex);
  if (the_instance == nullptr || the_instance->live_compilations() != 0) return;
  if (the_instance->has_imported_devices()) return;  // the application may have destroyed its device already
  const trace::Section section("[NN_LR_PT]close devices");
  delete the_instance;
  the_instance = nullptr;
}

}  // namespace

Instance::Instance() : Instance(read_settings()) {}

Instance::Instance(const Settings& settings)
    : runtime_(enabled_devices(settings), enabled_cpu_devices(settings), cpu::reference_evaluator(), settings) {
  use_calibrations(runtime_.devices());
  use_factors(settings.cost_factors, runtime_.devices());
  for (Device* device : runtime_.devices()) {
    if (offers_reference_device() || device != &runtime_.reference()) devices_.push_back({device, nullptr});
  }
}

Device* Instance::find(const ANeuralNetworksDevice* handle) {
  for (const ANeuralNetworksDevice& device : devices_) {
    if (&device == handle) return device.device;
  }
  const auto found = imported(handle);
  return found ? &(*found)->device()->device() : nullptr;
}

Result<ANeuralNetworksDevice*> Instance::import(vulkan::ImportRequest request) {
  const std::lock_guard lock(imported_mutex_);
  std::vector<std::string> taken;
  for (const ANeuralNetworksDevice& other : imported_) taken.push_back(other.device->info().name);
  NNVK_ASSIGN(auto made, vulkan::ImportedDevice::import(std::move(request), runtime_.evaluator(), taken));
  Device* const device = &made->device();
  return &imported_.emplace_back(device, std::make_shared<Imported>(std::move(made)));
}

Result<std::shared_ptr<Imported>> Instance::imported(const ANeuralNetworksDevice* handle) {
  const std::lock_guard lock(imported_mutex_);
  for (const ANeuralNetworksDevice& device : imported_) {
    if (&device == handle) return device.imported;
  }
  return fail(Code::kBadData, "the device was not imported by nnvk_vkImportDevice");
}

DeviceUses Instance::uses_of(const ANeuralNetworksDevice* const* handles, uint32_t count) {
  DeviceUses uses;
  for (uint32_t i = 0; i < count; ++i) {
    if (auto found = imported(handles[i])) uses.emplace_back(*std::move(found), Imported::kCompilation);
  }
  return uses;
}

Status Instance::release(ANeuralNetworksDevice* handle) {
  std::shared_ptr<Imported> gone;
  {
    const std::lock_guard lock(imported_mutex_);
    const auto found = std::find_if(imported_.begin(), imported_.end(), [&](const auto& device) { return &device == handle; });
    if (found == imported_.end()) return fail(Code::kBadData, "the device was not imported by nnvk_vkImportDevice");
    const std::string open = found->imported->open_text();
    if (!open.empty()) {
      return fail(Code::kBadState, found->device->info().name + " is still used by " + open + ": free them first");
    }
    gone = found->imported;
    imported_.erase(found);
  }
  gone->release();
  return {};
}

bool Instance::has_imported_devices() {
  const std::lock_guard lock(imported_mutex_);
  return !imported_.empty();
}

Instance& instance() {
  const std::lock_guard lock(instance_mutex);
  if (the_instance == nullptr) {
    const trace::Section section("[SUB][NN_LR_PI]find devices");
    the_instance = new Instance();
    owner = ::getpid();
    std::atexit(destroy_instance);
  }
  return *the_instance;
}

}  // namespace nnvk::api
