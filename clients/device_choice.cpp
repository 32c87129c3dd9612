#include "clients/device_choice.h"

#include <fmt/format.h>

#include "tools/nnapi/names.h"

namespace nnvk::clients {

std::vector<const ANeuralNetworksDevice*> DeviceChoice::handles() const {
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const tools::DeviceEntry& device : entries) handles.push_back(device.handle);
  return handles;
}

Result<DeviceChoice> choose_devices(const std::string& spec) {
  DeviceChoice choice;
  TOOLS_ASSIGN(choice.entries, tools::find_devices(spec));
  choice.automatic = choice.entries.empty();
  if (choice.automatic) {
    TOOLS_ASSIGN(choice.entries, tools::list_devices());
  }
  return choice;
}

Result<std::optional<UnsupportedOperation>> find_unsupported(const importers::ImportedModel& model, const DeviceChoice& devices) {
  TOOLS_ASSIGN(const auto supported, tools::supported_operations(model.builder, devices.handles()));
  for (size_t i = 0; i < supported.size(); ++i) {
    if (supported[i]) continue;
    const std::string& origin = model.operation_origins[i];
    return UnsupportedOperation{origin, fmt::format("{}: no device of {} runs {}", origin, devices.names(),
                                                    tools::operation_name(model.builder.operations()[i].code))};
  }
  return std::optional<UnsupportedOperation>();
}

}  // namespace nnvk::clients
