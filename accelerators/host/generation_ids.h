// Ids that a plugin host gives out say which of its lives they are from: the upper bits of each are the generation, so that an id
// of a host that is gone is never taken for one of the next. The client tells a host where its ids begin when it starts it.
#pragma once

#include <cstdint>

namespace nnvk::accelerators {

inline constexpr unsigned kIdsPerGenerationBits = 40;

// The first id of a generation; never 0.
constexpr uint64_t first_id(uint64_t generation) { return (generation << kIdsPerGenerationBits) + 1; }

template <class Id>
constexpr uint64_t generation_of(Id id) {
  return static_cast<uint64_t>(id) >> kIdsPerGenerationBits;
}

}  // namespace nnvk::accelerators
