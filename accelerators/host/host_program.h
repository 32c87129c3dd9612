// The command that starts a plugin's host: program, arguments and environment.
#pragma once

#include <string>

#include "accelerators/host/host_process.h"
#include "accelerators/manifest.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Returns the path of nnvk-plugin-host: NNVK_PLUGIN_HOST, or the program that was built or installed with this library. Processes
// with more rights than their user ignore NNVK_PLUGIN_HOST. UNAVAILABLE_DEVICE, with the searched places, if there is none.
Result<std::string> find_host_program();

// Returns the command for the host of this plugin, without the arguments that differ between starts.
Result<HostCommand> host_command(const Manifest& manifest);

}  // namespace nnvk::accelerators
