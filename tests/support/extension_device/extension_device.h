// A fake device that runs operations of the extension "nnvk.test".
#pragma once

#include <memory>

#include "core/runtime/device.h"

namespace nnvk::test {

// The device runs the operations of "nnvk.test" that its description `info` lists; with `runs_add` also ADD of floats.
std::unique_ptr<Device> make_extension_device(DeviceInfo info, bool runs_add);

}  // namespace nnvk::test
