// How the host of a plugin is started: which program, with which arguments and environment.
#pragma once

#include <string>

#include "accelerators/host/host_process.h"
#include "accelerators/manifest.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// The path of nnvk-plugin-host: NNVK_PLUGIN_HOST, except in processes with more rights than their user, or the one that was
// built or installed with this library. UNAVAILABLE_DEVICE, with the places that were looked at, when there is none.
Result<std::string> find_host_program();

// The command for this plugin, without what only a single start knows.
Result<HostCommand> host_command(const Manifest& manifest);

}  // namespace nnvk::accelerators
