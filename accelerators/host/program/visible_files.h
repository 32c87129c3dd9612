// The files that the code of a plugin may see: its library and the files beside it, the system's libraries, the files for its
// profile, and those in its manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// `library`: as in the manifest. Reads folders and environment variables (LD_LIBRARY_PATH, and for GPU drivers those of Vulkan's
// loader and of the XDG base directories).
std::vector<VisiblePath> visible_files(const SandboxRequest& request, const std::string& library);

// Regular files with such a name in the folder of `place`, or in `place` if it is a folder. Loaders look for these; the user's
// other files there stay hidden.
enum class FileNames : uint8_t { kLibraries, kLibrariesAndManifests, kCalibrations };
std::vector<std::string> files_at(const std::string& place, FileNames names);

}  // namespace nnvk::accelerators
