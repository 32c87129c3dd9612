// One plugin after the other.
#include "accelerators/plugins.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"

namespace nnvk::accelerators {
namespace {

// One section for each of its parts: names in a trace are short.
void trace_confinement(std::string_view confinement) {
  while (!confinement.empty()) {
    const size_t end = std::min(confinement.find("; "), confinement.size());
    const trace::Section told("[NN_LR_PI]plugin confinement: ", confinement.substr(0, end));
    confinement.remove_prefix(std::min(end + 2, confinement.size()));
  }
}

Result<std::vector<std::unique_ptr<Device>>> start(const Manifest& manifest, const PluginStarts& starts,
                                                   const PluginSurroundings& surroundings) {
  const trace::Section section("[NN_LR_PI]plugin ", manifest.name);
  const bool is_in_host = manifest.isolation == Isolation::kProcess;
  NNVK_ASSIGN(std::shared_ptr<Driver> driver, (is_in_host ? starts.in_host : starts.in_process)(manifest));
  NNVK_TRY(driver->devices());  // starts it
  const std::string confinement = is_in_host ? driver->confinement() : "none: the plugin is part of this process";
  trace_confinement(confinement);
  const PluginOrigin origin{manifest.name,
                            {{"plugin", "manifest", manifest.file},
                             {"plugin", "library", manifest.driver_library},
                             {"plugin", "isolation", is_in_host ? "a process of its own" : "in this process"},
                             {"plugin", "confinement", confinement}}};
  return make_plugin_devices(driver, origin, surroundings);
}

}  // namespace

LoadedPlugins load_plugins(const std::vector<FoundManifest>& found, const PluginStarts& starts,
                           const PluginSurroundings& surroundings) {
  LoadedPlugins loaded;
  for (const FoundManifest& entry : found) {
    PluginReport& report = loaded.reports.emplace_back(PluginReport{entry.manifest, entry.not_used, {}});
    if (!report.not_used.empty()) {
      if (entry.is_mistake) log_line(LogLevel::kWarning, "Plugin", "no plugin: " + entry.not_used);
      continue;
    }
    auto devices = start(entry.manifest, starts, surroundings);
    if (!devices) {
      report.not_used = devices.error().text();
      log_line(LogLevel::kWarning, "Plugin",
               "plugin " + entry.manifest.name + " (" + entry.manifest.file + ") is left out: " + report.not_used);
      continue;
    }
    if (devices->empty()) report.not_used = "it has no devices";
    for (auto& device : *devices) {
      report.devices.push_back(device->info().name);
      loaded.devices.push_back(std::move(device));
    }
  }
  return loaded;
}

LoadedPlugins find_and_load_plugins(const std::string& installed, const PluginStarts& starts,
                                    const PluginSurroundings& surroundings) {
  const SearchSettings settings = read_search_settings();
  return load_plugins(choose_manifests(read_manifests(search_places(settings, installed)), settings), starts, surroundings);
}

}  // namespace nnvk::accelerators
