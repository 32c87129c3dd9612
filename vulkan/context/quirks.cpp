// The table of driver workarounds.
#include "vulkan/context/quirks.h"

#include <array>

namespace nnvk::vulkan {
namespace {

constexpr std::array kQuirks = {
    // Checked by ProfilesOfALongNetwork in tests/vulkan/recording: without it, times belong to the wrong dispatch.
    Quirk{"lavapipe-late-timestamps", VK_DRIVER_ID_MESA_LLVMPIPE, 0, UINT32_MAX,
          "a timestamp is taken when the work recorded after it is flushed, so that each dispatch needs a barrier before its "
          "timestamp and one more timestamp after the last"},
};

}  // namespace

std::span<const Quirk> quirk_table() { return kQuirks; }

bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot) {
  return snapshot.driver_id == quirk.driver && snapshot.driver_version >= quirk.first_version &&
         snapshot.driver_version <= quirk.last_version;
}

}  // namespace nnvk::vulkan
