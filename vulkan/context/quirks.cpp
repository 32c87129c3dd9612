#include "vulkan/context/quirks.h"

#include <array>

namespace nnvk::vulkan {
namespace {

// Makes the quirk of a driver that joins its parent's threads. It was seen with lavapipe of Mesa 22.3.6; all of Mesa's drivers
// share lavapipe's thread queues (u_queue). Without this workaround, Fork.* of tests/api/unload crash or hang.
constexpr Quirk joins_threads_of_parent(std::string_view id, VkDriverId driver) {
  return {id,
          driver,
          0,
          UINT32_MAX,
          "the driver's exit handler joins threads that only the parent of a forked process has",
          Workaround::kNotInChildrenOfFork};
}

// Every row needs a test that fails without it, on the row's driver (tools/test --drivers) or on an invented device.
constexpr std::array kQuirks = {
    // Seen with Mesa 26.2.6; 22.3.6 and 25.0.7 are correct. CachedPreparation.* of tests/vulkan/recording fail without this row.
    Quirk{"pipeline-cache-cut", VK_DRIVER_ID_MESA_LLVMPIPE, VK_MAKE_API_VERSION(0, 26, 0, 0),
          VK_MAKE_API_VERSION(0, 26, 1023, 4095),
          "vkGetPipelineCacheData gives 20 bytes of a header of 32, so nothing tells which device the data is for",
          Workaround::kOwnPipelineCacheHeader},
    joins_threads_of_parent("threads-of-parent", VK_DRIVER_ID_MESA_LLVMPIPE),
    joins_threads_of_parent("threads-of-parent-radv", VK_DRIVER_ID_MESA_RADV),
    joins_threads_of_parent("threads-of-parent-anv", VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA),
    joins_threads_of_parent("threads-of-parent-turnip", VK_DRIVER_ID_MESA_TURNIP),
    joins_threads_of_parent("threads-of-parent-v3dv", VK_DRIVER_ID_MESA_V3DV),
    joins_threads_of_parent("threads-of-parent-panvk", VK_DRIVER_ID_MESA_PANVK),
    joins_threads_of_parent("threads-of-parent-venus", VK_DRIVER_ID_MESA_VENUS),
};

}  // namespace

std::span<const Quirk> quirk_table() { return kQuirks; }

bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot) {
  return snapshot.driver_id == quirk.driver && snapshot.driver_version >= quirk.first_version &&
         snapshot.driver_version <= quirk.last_version;
}

}  // namespace nnvk::vulkan
