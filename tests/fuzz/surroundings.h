// What the library finds in the environment of a target: CPU devices alone, one thread, no calibration and no log. Whatever the
// machine has, a finding is one everywhere.
#pragma once

#include <cstdlib>

namespace nnvk::fuzz {

// Before the library is used for the first time.
inline void settle_surroundings() {
  ::setenv("NNVK_CPU_ONLY", "1", 1);
  ::setenv("NNVK_CPU_THREADS", "1", 1);
  ::setenv("NNVK_PLUGIN_FILES", "", 1);
  ::setenv("XDG_CACHE_HOME", "/dev/null/cache", 1);  // below a file: nothing can create it, Mesa's shader cache neither
  ::setenv("ANDROID_LOG_TAGS", "*:S", 1);
}

}  // namespace nnvk::fuzz
