// Which files the code of a plugin may see: its library with what lies beside it, the system's libraries, what its profile needs,
// and what its manifest names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"

namespace nnvk::accelerators {

// `library`: as the manifest names it. Looks at folders and at variables of the environment (LD_LIBRARY_PATH, and for drivers of
// GPUs those of Vulkan's loader and of the XDG base directories).
std::vector<VisiblePath> visible_files(const SandboxRequest& request, const std::string& library);

// Regular files in the folder of `place`, or in `place` where it is a folder, that have such a name: what a loader looks for, and
// nothing else that the user keeps there.
enum class FileNames : uint8_t { kLibraries, kLibrariesAndManifests, kCalibrations };
std::vector<std::string> files_at(const std::string& place, FileNames names);

}  // namespace nnvk::accelerators
