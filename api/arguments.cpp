// Device lists.
#include "api/arguments.h"

#include <algorithm>
#include <string>

#include "api/instance.h"

namespace nnvk::api {

Result<std::vector<Device*>> device_list(const ANeuralNetworksDevice* const* devices, uint32_t count) {
  std::vector<Device*> list;
  for (uint32_t i = 0; i < count; ++i) {
    if (devices[i] == nullptr) return fail(Code::kUnexpectedNull, "devices[" + std::to_string(i) + "] is NULL");
    if (std::find(devices + i + 1, devices + count, devices[i]) != devices + count) {
      return fail(Code::kBadData, "devices[" + std::to_string(i) + "] is in the list twice");
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    Device* device = instance().find(devices[i]);
    if (device == nullptr) return fail(Code::kBadData, "devices[" + std::to_string(i) + "] is not a device of this library");
    list.push_back(device);
  }
  return list;
}

Result<std::vector<const Event*>> event_list(const ANeuralNetworksEvent* const* events, uint32_t count) {
  std::vector<const Event*> list;
  for (uint32_t i = 0; i < count; ++i) {
    NNVK_TRY(Argument(events[i], ("dependencies[" + std::to_string(i) + "]").c_str()).check());
    list.push_back(events[i]->event.get());
  }
  return list;
}

}  // namespace nnvk::api
