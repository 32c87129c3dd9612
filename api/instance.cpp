#include "api/instance.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>

#include "accelerators/host/hosted_driver.h"
#include "accelerators/plugin_host_marker.h"
#include "accelerators/table_driver.h"
#include "api/composition.h"
#include "core/base/exit_handler.h"
#include "core/base/library_folder.h"
#include "core/base/library_pin.h"
#include "core/base/log.h"
#include "core/base/process_generation.h"
#include "core/base/trace.h"
#include "core/runtime/calibration_file.h"
#include "core/runtime/unavailable_device.h"
#include "cpu_fallback/cpu_device.h"
#include "cpu_fallback/reference_device.h"
#include "vulkan/vulkan_devices.h"

namespace nnvk::api {
namespace {

// Returns the folder of this installation's plugin manifests, relative to the folder of the library.
std::string installed_manifests() {
  const std::filesystem::path folder = library_folder();
  return folder.empty() ? std::string() : (folder / NNVK_PLUGINS_FROM_LIBRARY).lexically_normal().string();
}

// Returns the functions that start drivers of plugins.
accelerators::PluginStarts plugin_starts() {
  accelerators::PluginStarts starts;
  starts.in_process = [](const accelerators::Manifest& manifest) {
    return accelerators::load_table_driver(manifest.driver_library);
  };
  starts.hold_library = []() -> std::shared_ptr<const void> {
    pin_library();
    return std::shared_ptr<const void>(nullptr, [](const void* /*nothing*/) { unpin_library(); });
  };
#ifdef __ANDROID__
  starts.in_host = starts.in_process;  // on Android vendors' drivers are services of the platform
#else
  starts.in_host = [](const accelerators::Manifest& manifest) { return accelerators::make_hosted_driver(manifest); };
#endif
  return starts;
}

using Calibrations = std::map<std::string, Result<MeasuredCosts>>;  // by the names of their devices

Result<MeasuredCosts> stored_calibration(const DeviceInfo& device) {
  const auto folder = user_cache_folder();
  return folder ? read_calibration(*folder, device) : fail(Code::kOpFailed, "there is no folder");
}

std::vector<std::byte> choices_of(const Result<MeasuredCosts>& calibration) {
  return calibration ? calibration->choices : std::vector<std::byte>();
}

// Replaces built-in costs by this machine's stored measurements; does not measure, as that takes seconds. `read`: the
// calibrations whose kernel choices have already served to open devices.
void use_calibrations(std::span<Device* const> devices, Calibrations read) {
  if (!user_cache_folder()) return;
  for (Device* device : devices) {
    CostModel* const costs = device->costs();
    if (costs == nullptr) continue;
    const auto known = read.find(device->info().name);
    auto measured = known != read.end() ? std::move(known->second) : stored_calibration(device->info());
    if (measured) {
      costs->use(*std::move(measured));
    } else {
      log_line(Detail::kManager, "Manager", device->info().name + " has no calibration: " + measured.error().text());
    }
  }
}

void use_factors(const std::map<std::string, double>& factors, std::span<Device* const> devices) {
  for (Device* device : devices) {
    const auto factor = factors.find(device->info().name);
    if (factor != factors.end() && device->costs() != nullptr) device->costs()->multiply_by(factor->second);
  }
}

// Returns the settings. A library that is a driver reads the environment of the program that loaded it. A pattern with '/' there
// names devices of plugins, among which the loading runtime chooses, not the driver.
Settings settings_of_library() {
  Settings settings = read_settings();
  if (own_devices() != OwnDevices::kAll && settings.device_pattern.find('/') != std::string::npos)
    settings.device_pattern.clear();
  return settings;
}

// A pointer, not an object, so that only destroy_instance() destroys the instance. The mutex is trivial to destroy.
MutexOfProcess instance_mutex;
Instance* the_instance = nullptr;
uint32_t generation = 0;  // of the process that made it

// Destroys the instance. This runs at dlclose, and at exit before the exit handlers of the Vulkan drivers and layers: nnvk
// registers it again after each opening of a device, and the last handler runs first.
void destroy_instance() {
  keep_pinned_library();
  // After a fork, the devices' threads exist only in the parent, so the child must not wait for them.
  if (generation != process_generation()) return;
  const std::lock_guard lock(instance_mutex);
  if (the_instance == nullptr || the_instance->live_compilations() != 0) return;
  if (the_instance->has_imported_devices()) return;  // the application may have destroyed its device already
  const trace::Section section("[NN_LR_PT]close devices");
  delete the_instance;
  the_instance = nullptr;
}

}  // namespace

vulkan::KeptChoices kept_choices() {
  return [](const DeviceInfo& device) { return choices_of(stored_calibration(device)); };
}

Instance::Instance(const Instance* parents) : Instance(settings_of_library(), parents) {}

Instance::Instance(const Settings& settings, const Instance* parents)
    : Instance(settings, cpu::make_cpu_device({settings.cpu_threads, settings.cpu_optimized}), parents) {}

// If the settings exclude nnvk-cpu, the reference device is the fallback.
Instance::Instance(const Settings& settings, std::unique_ptr<Device> fast, const Instance* parents)
    : parents_(parents),
      cpu_costs_(*fast->costs()),
      runtime_({}, {offers_device(settings, fast->info().name) ? std::move(fast) : nullptr, cpu::make_reference_device()},
               cpu::reference_evaluator(), settings) {
  use_calibrations(runtime_.devices(), {});
  use_factors(settings.cost_factors, runtime_.devices());
  devices_.replace(handles_for(runtime_.devices()));
}

// Finds all devices but those of the CPU, in NNAPI's order.
Instance::Found Instance::find_devices() {
  const Settings& settings = runtime_.settings();
  Found found;
  for (const Instance* from = parents_; from != nullptr && no_vulkan_.empty(); from = from->parents_) {
    for (const ANeuralNetworksDevice* handle : from->devices_.current()) {
      const DeviceInfo& known = handle->device->info();
      if (known.is_usable_in_children) continue;
      no_vulkan_ =
          "this process was forked after its parent had used the device, and the driver does not support that. Use the device in "
          "the parent, or fork before the parent calls nnvk";
      found.devices.push_back(make_unavailable_device(known, no_vulkan_));
    }
  }
  if (settings.cpu_only) return found;
  if (own_devices() != OwnDevices::kNone && no_vulkan_.empty()) {
    const auto kept = [&found](const DeviceInfo& device) {
      return choices_of(found.calibrations.insert_or_assign(device.name, stored_calibration(device)).first->second);
    };
    found.devices = vulkan::discover_devices(cpu::reference_evaluator(), {}, kept, [] { call_at_exit(destroy_instance); });
  }
  for (auto& device : further_devices()) found.devices.push_back(std::move(device));
  if (own_devices() == OwnDevices::kAll && !accelerators::is_in_plugin_host()) {
    const accelerators::PluginSurroundings surroundings{cpu::reference_evaluator(), cpu_costs_};
    loading_ = accelerators::find_and_load_plugins(installed_manifests(), plugin_starts(), surroundings);
    if (loading_ != nullptr) {
      for (auto& device : loading_->wait()) found.devices.push_back(std::move(device));
    }
  }
  std::erase_if(found.devices, [&](const auto& device) { return !offers_device(settings, device->info().name); });
  return found;
}

void Instance::open_devices() {
  const trace::Section section("[SUB][NN_LR_PI]find devices");
  Found found = find_devices();
  const std::vector<Device*> opened = runtime_.insert_first(std::move(found.devices));
  use_calibrations(opened, std::move(found.calibrations));
  use_factors(runtime_.settings().cost_factors, opened);
  std::vector<ANeuralNetworksDevice*> handles = handles_for(opened);
  std::ranges::copy(devices_.current(), std::back_inserter(handles));
  devices_.replace(std::move(handles));
  if (loading_ != nullptr) loading_->hand_on_late([this](accelerators::DeviceList devices) { add_late(std::move(devices)); });
  call_at_exit(destroy_instance);  // again, to run before the exit handlers of the drivers that were loaded now
}

Runtime& Instance::complete_runtime() {
  std::call_once(opened_, [this] { open_devices(); });
  return runtime_;
}

const std::vector<ANeuralNetworksDevice*>& Instance::devices() {
  complete_runtime();
  return devices_.current();
}

ANeuralNetworksDevice* Instance::find(const std::string& name) {
  const auto find_in = [&](const std::vector<ANeuralNetworksDevice*>& devices) {
    const auto found = std::ranges::find(devices, name, [](const auto* device) { return device->device->info().name; });
    return found == devices.end() ? nullptr : *found;
  };
  ANeuralNetworksDevice* const known = find_in(devices_.current());
  return known != nullptr ? known : find_in(devices());
}

std::vector<accelerators::PluginReport> Instance::plugins() {
  complete_runtime();
  return loading_ != nullptr ? loading_->reports() : std::vector<accelerators::PluginReport>();
}

const std::string& Instance::no_vulkan() {
  complete_runtime();
  return no_vulkan_;
}

std::vector<ANeuralNetworksDevice*> Instance::handles_for(std::span<Device* const> devices) {
  std::vector<ANeuralNetworksDevice*> handles;
  for (Device* device : devices) {
    const bool is_cpu_device = device == &runtime_.reference() || device == &runtime_.fallback();
    const bool is_hidden = (own_devices() == OwnDevices::kNone && is_cpu_device) ||
                           (own_devices() == OwnDevices::kAllButReference && device == &runtime_.reference());
    if (!is_hidden) handles.push_back(&handles_.emplace_back(ANeuralNetworksDevice{device, nullptr}));
  }
  return handles;
}

// Adds devices of plugins that start late. Only one thread at a time may call it.
void Instance::add_late(accelerators::DeviceList devices) {
  std::vector<ANeuralNetworksDevice*> handles = devices_.current();
  for (auto& device : devices) {
    if (!offers_device(runtime_.settings(), device->info().name)) continue;
    Device* const ready[] = {device.get()};
    use_calibrations(ready, {});
    use_factors(runtime_.settings().cost_factors, ready);
    Device* const added = runtime_.append(std::move(device));
    if (added != nullptr) handles.push_back(&handles_.emplace_back(ANeuralNetworksDevice{added, nullptr}));
  }
  devices_.replace(std::move(handles));
}

bool Instance::is_of_parent(const ANeuralNetworksDevice* handle) const {
  for (const Instance* from = parents_; from != nullptr; from = from->parents_) {
    if (from->lists(handle)) return true;
    if (from->find_imported(handle) != from->imported_.end()) return true;
  }
  return false;
}

std::list<ANeuralNetworksDevice>::const_iterator Instance::find_imported(const ANeuralNetworksDevice* handle) const {
  return std::ranges::find_if(imported_, [&](const ANeuralNetworksDevice& device) { return &device == handle; });
}

HandleLife::Found Instance::use(const ANeuralNetworksDevice* handle, Imported::Kind kind, DeviceUses& uses) {
  if (lists(handle)) return HandleLife::Found::kAlive;
  {
    const std::lock_guard lock(imported_mutex_);
    if (const auto found = find_imported(handle); found != imported_.end()) {
      uses.emplace_back(found->imported, kind);
      return HandleLife::Found::kAlive;
    }
  }
  return is_of_parent(handle) ? HandleLife::Found::kOfParent : HandleLife::Found::kNothing;
}

Result<ANeuralNetworksDevice*> Instance::import(vulkan::ImportRequest request) {
  const std::lock_guard lock(imported_mutex_);
  std::vector<std::string> taken;
  for (const ANeuralNetworksDevice& other : imported_) taken.push_back(other.device->info().name);
  NNVK_ASSIGN(auto made, vulkan::ImportedDevice::import(std::move(request), runtime_.evaluator(), taken));
  Device* const device = &made->device();
  imported_.push_back({device, std::make_shared<Imported>(std::move(made))});
  pin_library();
  return &imported_.back();
}

Result<std::shared_ptr<Imported>> Instance::imported(const ANeuralNetworksDevice* handle) {
  const std::lock_guard lock(imported_mutex_);
  if (const auto found = find_imported(handle); found != imported_.end()) return found->imported;
  return fail(Code::kBadData, "the device was not imported by nnvk_vkImportDevice");
}

Status Instance::release(ANeuralNetworksDevice* handle) {
  std::shared_ptr<Imported> gone;
  {
    const std::lock_guard lock(imported_mutex_);
    const auto found = find_imported(handle);
    if (found == imported_.end()) return fail(Code::kBadData, "the device was not imported by nnvk_vkImportDevice");
    const std::string open = found->imported->open_text();
    if (!open.empty()) {
      return fail(Code::kBadState, found->device->info().name + " is still used by " + open + ": free them first");
    }
    gone = found->imported;
    imported_.erase(found);
  }
  gone->release();
  unpin_library();
  return {};
}

bool Instance::has_imported_devices() {
  const std::lock_guard lock(imported_mutex_);
  return !imported_.empty();
}

Instance& instance() {
  const std::lock_guard lock(instance_mutex);
  if (the_instance == nullptr || generation != process_generation()) {
    the_instance = new Instance(the_instance);
    generation = process_generation();
    call_at_exit(destroy_instance);
  }
  return *the_instance;
}

}  // namespace nnvk::api
