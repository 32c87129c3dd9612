// Entry point: the tables of functions that programs request at run time.
#include <cstddef>
#include <cstring>
#include <string>

#include "api/call.h"
#include "api/handles.h"

using namespace nnvk;
using namespace nnvk::api;

namespace {

constexpr NnvkVulkanInterop kVulkanInterop = {
    nnvk_vkGetRequirements,  nnvk_vkPatchFeatures,
    nnvk_vkImportDevice,     nnvk_vkReleaseDevice,
    nnvk_vkMemoryFromBuffer, nnvk_vkMemoryFromDeviceMemory,
    nnvk_vkBufferNeeds,      nnvk_vkStartCompute,
    nnvk_vkGetRecordInfo,    nnvk_vkRecordPreparation,
    nnvk_vkPreparationDone,  nnvk_vkCreateRecording,
    nnvk_vkRecord,           nnvk_vkResetRecording,
    nnvk_vkFreeRecording,    nnvk_vkMemoryFromImage,
    nnvk_vkPrepareRecording, nnvk_vkRecordSlice,
    nnvk_vkMemoryFromImages, nnvk_vkCreateRecordingIfPrepared,
};

// One row per version of an interface. The table of a later version begins with the members of the earlier ones.
struct Interface {
  const char* name;
  uint32_t version;
  const void* table;
  size_t size;
};

constexpr Interface kInterfaces[] = {
    {NNVK_VULKAN_INTEROP_NAME, 1, &kVulkanInterop, offsetof(NnvkVulkanInterop, memoryFromImage)},
    {NNVK_VULKAN_INTEROP_NAME, 2, &kVulkanInterop, offsetof(NnvkVulkanInterop, prepareRecording)},
    {NNVK_VULKAN_INTEROP_NAME, 3, &kVulkanInterop, offsetof(NnvkVulkanInterop, memoryFromImages)},
    {NNVK_VULKAN_INTEROP_NAME, NNVK_VULKAN_INTEROP_VERSION, &kVulkanInterop, sizeof kVulkanInterop},
};

std::string known_interfaces() {
  std::string names;
  for (const Interface& known : kInterfaces) {
    names += (names.empty() ? "" : ", ") + std::string(known.name) + " version " + std::to_string(known.version) + " with " +
             std::to_string(known.size) + " bytes";
  }
  return names;
}

}  // namespace

int nnvk_getInterface(const char* name, uint32_t version, void* table, size_t tableSize) {
  return call(__func__, {NNVK_ARGUMENT(name), NNVK_ARGUMENT(table)}, [&]() -> Status {
    for (const Interface& known : kInterfaces) {
      if (std::strcmp(known.name, name) != 0 || known.version != version || known.size != tableSize) continue;
      std::memcpy(table, known.table, known.size);
      return {};
    }
    return fail(Code::kBadData, std::string(name) + " version " + std::to_string(version) + " with a table of " +
                                    std::to_string(tableSize) + " bytes is not known; known are " + known_interfaces());
  });
}
