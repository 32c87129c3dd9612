// The time since a moment, as every measurement here takes it.
#pragma once

#include <chrono>

namespace nnvk::tools {

// Returns the seconds since `start`.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace nnvk::tools
