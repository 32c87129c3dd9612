// Which build of this library is running. Builds do not read each other's caches.
#pragma once

#include <cstddef>
#include <span>

namespace nnvk {

// The linker's build id (a hash of the code) of the program or library that holds this function. Empty when it was linked without
// a build id. Lives as long as the library.
std::span<const std::byte> build_id();

}  // namespace nnvk
