// The folder from which this code was loaded. nnvk finds the files installed beside the library relative to it.
#pragma once

#include <filesystem>

namespace nnvk {

// Returns the folder of the library or program that contains this code, links resolved; empty if the system does not report it.
std::filesystem::path library_folder();

}  // namespace nnvk
