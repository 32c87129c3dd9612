// Importing and compiling.
#include "tools/command/loaded_model.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <sha2.h>

#include <algorithm>
#include <span>

#include "tools/command/model_file.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

// Returns the settings of the cache. The token is the SHA-256 of the file, so equal files share a cache entry.
Caching caching_for(std::span<const uint8_t> bytes, const std::string& folder) {
  Caching caching{folder, {}};
  if (folder.empty()) return caching;
  SHA2_CTX context;
  ::SHA256Init(&context);
  ::SHA256Update(&context, bytes.data(), bytes.size());
  ::SHA256Final(caching.token.data(), &context);
  return caching;
}

// Returns the entries of the devices that compute the model.
Result<std::vector<DeviceEntry>> entries_of(const ChosenDevices& choice) {
  TOOLS_ASSIGN(const auto all, list_devices());
  std::vector<DeviceEntry> entries;
  for (const auto& name : choice.devices) {
    const auto found = std::ranges::find(all, name, &DeviceEntry::name);
    DeviceEntry& entry = entries.emplace_back();
    entry.name = name;  // control flow may run on "several"
    if (found != all.end()) entry = *found;
  }
  return entries;
}

}  // namespace

Result<Session> compile_model(const importers::ImportedModel& model, std::span<const DeviceEntry> devices,
                              const Caching& caching) {
  return Session::compile(model.builder, devices, model.operation_origins, caching);
}

Result<LoadedModel> compile_loaded(importers::ImportedModel model, const std::string& device, const Caching& caching) {
  TOOLS_ASSIGN(auto chosen, find_devices(device));
  const Progress progress("compiling", Progress::kUnknown);
  const size_t kilobytes = own_kilobytes();
  TOOLS_ASSIGN(auto session, compile_model(model, chosen, caching));
  TOOLS_ASSIGN(auto choice, choice_for(device, model.builder, session));
  print_choice(choice);
  if (chosen.empty()) {
    TOOLS_ASSIGN(chosen, entries_of(choice));
  }
  DeviceEntry shown;
  shown.name = device_names(chosen);
  if (chosen.size() == 1) shown = chosen.front();
  return LoadedModel{std::move(shown), std::move(model), std::move(session), std::move(choice), kilobytes};
}

Result<LoadedModel> load_model(const std::string& path, const std::string& device, const std::string& cache_folder,
                               uint64_t memory) {
  TOOLS_ASSIGN(auto model, import_model_file(path, {.memory = memory}));
  const Caching caching = caching_for(*model.file, cache_folder);
  return compile_loaded(std::move(model), device, caching);
}

void fill_with_made_up_inputs(const importers::ImportedModel& model, Session& session) {
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    std::ranges::copy(made_up_input(model.inputs[i].info, static_cast<uint32_t>(i)), session.input(i).begin());
  }
}

std::string description_of(const DeviceEntry& device) {
  if (device.handle == nullptr) return device.name;
  return fmt::format("{} ({}, version {})", device.name, device_type_name(device.type), device.version);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace nnvk::tools
