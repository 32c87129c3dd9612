// The table of driver workarounds.
#include "vulkan/context/quirks.h"

#include <array>

namespace nnvk::vulkan {
namespace {

// A row comes with a test that fails without it, on that driver (tools/test --drivers) or on an invented device.
constexpr std::array kQuirks = {
    // Seen with Mesa 26.2.6; 22.3.6 and 25.0.7 are right. CachedPreparation.* of tests/vulkan/recording fail without it.
    Quirk{"pipeline-cache-cut", VK_DRIVER_ID_MESA_LLVMPIPE, VK_MAKE_API_VERSION(0, 26, 0, 0),
          VK_MAKE_API_VERSION(0, 26, 1023, 4095),
          "vkGetPipelineCacheData gives 20 bytes of a header of 32, so nothing tells which device the data is for",
          Workaround::kOwnPipelineCacheHeader},
};

}  // namespace

std::span<const Quirk> quirk_table() { return kQuirks; }

bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot) {
  return snapshot.driver_id == quirk.driver && snapshot.driver_version >= quirk.first_version &&
         snapshot.driver_version <= quirk.last_version;
}

}  // namespace nnvk::vulkan
