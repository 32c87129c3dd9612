// The folder from which this code was loaded. nnvk finds the files installed beside the library relative to it.
#pragma once

#include <filesystem>

namespace nnvk {

// The folder of the shared library or program that contains this code, symbolic links resolved. Empty when the loader or the file
// system does not report it.
std::filesystem::path library_folder();

}  // namespace nnvk
