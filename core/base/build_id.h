// The id of the build of this library that is running. No build reads caches that another build has written.
#pragma once

#include <cstddef>
#include <span>

namespace nnvk {

// Returns the build id that the linker put into this library or program, as a view of its memory; empty if there is none.
std::span<const std::byte> build_id();

}  // namespace nnvk
