#include "clients/device_choice.h"

namespace nnvk::clients {

std::vector<const ANeuralNetworksDevice*> DeviceChoice::handles() const {
  std::vector<const ANeuralNetworksDevice*> handles;
  for (const tools::DeviceEntry& device : entries) handles.push_back(device.handle);
  return handles;
}

Result<DeviceChoice> choose_devices(const std::string& spec) {
  DeviceChoice choice;
  TOOLS_ASSIGN(choice.entries, tools::find_devices(spec.empty() ? "auto" : spec));
  choice.automatic = choice.entries.empty();
  if (choice.automatic) {
    TOOLS_ASSIGN(choice.entries, tools::list_devices());
  }
  return choice;
}

}  // namespace nnvk::clients
