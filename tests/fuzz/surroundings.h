// The environment of a target: CPU devices alone, one thread, no calibration and no log. So every machine reproduces a finding.
#pragma once

#include <cstdlib>

namespace nnvk::fuzz {

// Must run before the first use of the library.
inline void settle_surroundings() {
  ::setenv("NNVK_CPU_ONLY", "1", 1);
  ::setenv("NNVK_CPU_THREADS", "1", 1);
  ::setenv("NNVK_PLUGIN_FILES", "", 1);
  ::setenv("XDG_CACHE_HOME", "/dev/null/cache", 1);  // below a file, where nobody can create it, not even Mesa's shader cache
  ::setenv("ANDROID_LOG_TAGS", "*:S", 1);
}

}  // namespace nnvk::fuzz
