// Ids of a plugin host contain its generation in their upper bits, so that nobody takes an id of a lost host for one of the next
// host. The client gives each host its first id at the start.
#pragma once

#include <cstdint>

namespace nnvk::accelerators {

inline constexpr unsigned kIdsPerGenerationBits = 40;

// Returns the first id of a generation; never 0.
constexpr uint64_t first_id(uint64_t generation) { return (generation << kIdsPerGenerationBits) + 1; }

template <class Id>
constexpr uint64_t generation_of(Id id) {
  return static_cast<uint64_t>(id) >> kIdsPerGenerationBits;
}

}  // namespace nnvk::accelerators
