// The table of driver workarounds.
#include "vulkan/context/quirks.h"

#include <array>

namespace nnvk::vulkan {
namespace {

// No driver has needed one so far. A row comes with a test that fails without it.
constexpr std::array<Quirk, 0> kQuirks{};

}  // namespace

std::span<const Quirk> quirk_table() { return kQuirks; }

bool applies(const Quirk& quirk, const DeviceSnapshot& snapshot) {
  return snapshot.driver_id == quirk.driver && snapshot.driver_version >= quirk.first_version &&
         snapshot.driver_version <= quirk.last_version;
}

}  // namespace nnvk::vulkan
