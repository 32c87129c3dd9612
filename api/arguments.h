// Translates C arguments that several entry points share.
#pragma once

#include <vector>

#include "api/handles.h"
#include "core/base/result.h"
#include "core/model/operand_rules.h"

namespace nnvk::api {

// Converts an index parameter. The C API declares it as int32_t, but uses it as unsigned: a negative index becomes a huge one.
inline uint32_t to_index(int32_t index) { return static_cast<uint32_t>(index); }

struct DeviceList {
  std::vector<Device*> devices;
  DeviceUses uses;  // of the imported devices in the list, which stay alive meanwhile
};
// Checks and returns the devices of a client's list. UNEXPECTED_NULL for a NULL entry, or BAD_DATA for a device that occurs again
// later, whichever comes first. Then BAD_DATA for a handle that is no device, BAD_STATE for one from before a fork.
Result<DeviceList> device_list(const ANeuralNetworksDevice* const* devices, uint32_t count);

struct EventList {
  std::vector<Argument> kept;
  std::vector<const Event*> events;
};
// Checks and returns the events of a client's list. UNEXPECTED_NULL or BAD_DATA for an entry that is no live event. Call it
// before you make a new event: that may get the address of a freed event in the list, which would then pass as alive.
Result<EventList> event_list(const ANeuralNetworksEvent* const* events, uint32_t count);

inline OperandTypeDescription describe(const ANeuralNetworksOperandType& type) {
  return {type.type, type.dimensions, type.dimensionCount, type.scale, type.zeroPoint};
}

// Checks a pair (pointer, length): UNEXPECTED_NULL when only the pointer is missing.
inline Status check_pair(const void* pointer, size_t length, const char* name) {
  if (pointer != nullptr || length == 0) return {};
  return fail(Code::kUnexpectedNull, std::string(name) + " is NULL but its length is " + std::to_string(length));
}

}  // namespace nnvk::api
