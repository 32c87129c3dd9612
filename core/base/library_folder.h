// Where this code was loaded from: what is installed beside the library is found from there, wherever that is.
#pragma once

#include <filesystem>

namespace nnvk {

// The folder of the shared library or program that contains this code, symbolic links resolved. Empty when the loader or the file
// system does not tell.
std::filesystem::path library_folder();

}  // namespace nnvk
