#include "api/arguments.h"

#include <algorithm>
#include <string>

#include "api/instance.h"

namespace nnvk::api {

Result<DeviceList> device_list(const ANeuralNetworksDevice* const* devices, uint32_t count) {
  DeviceList list;
  for (uint32_t i = 0; i < count; ++i) {
    if (devices[i] == nullptr) return fail(Code::kUnexpectedNull, "devices[" + std::to_string(i) + "] is NULL");
    if (std::find(devices + i + 1, devices + count, devices[i]) != devices + count) {
      return fail(Code::kBadData, "devices[" + std::to_string(i) + "] is in the list twice");
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = "devices[" + std::to_string(i) + "]";
    const ANeuralNetworksDevice* const device = devices[i];  // read once
    switch (instance().use(device, Imported::kCompilation, list.uses)) {
      case HandleLife::Found::kNothing:
        return fail(Code::kBadData, name + " is not a device of this library");
      case HandleLife::Found::kOfParent:
        return fail(Code::kBadState, name + " was found before this process was forked; ask for the devices again");
      case HandleLife::Found::kAlive:
        list.devices.push_back(device->device);
    }
  }
  return list;
}

Result<EventList> event_list(const ANeuralNetworksEvent* const* events, uint32_t count) {
  EventList list;
  list.kept.reserve(count);
  list.events.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = "dependencies[" + std::to_string(i) + "]";
    const ANeuralNetworksEvent* const event = events[i];  // read once
    NNVK_TRY(list.kept.emplace_back(event, name.c_str()).check());
    list.events.push_back(event->event.get());
  }
  return list;
}

}  // namespace nnvk::api
