// The files that a plugin's code may see: its library and the files beside it, the system's libraries, the files for its profile,
// and those in its manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// Lists the files that the plugin may see. `library`: the library in the manifest. Reads folders and environment variables
// (LD_LIBRARY_PATH, and for GPU drivers those of the Vulkan loader and of the XDG base directories).
std::vector<VisiblePath> visible_files(const SandboxRequest& request, const std::string& library);

// Regular files with such names in the folder of the file `place`, or in the folder `place`. Loaders search for these; the user's
// other files there stay hidden.
enum class FileNames : uint8_t { kLibraries, kLibrariesAndManifests, kCalibrations };
std::vector<std::string> files_at(const std::string& place, FileNames names);

}  // namespace nnvk::accelerators
