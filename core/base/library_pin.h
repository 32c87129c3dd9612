// Keeps the library in memory as long as threads run its code for somebody: whoever unloads it (dlclose) while a computation runs
// or a fence is pending unloads it when that is over.
#pragma once

namespace nnvk {

// One thing more, or less, that keeps the library in memory. Thread-safe; neither fails.
void pin_library();
void unpin_library();

// While this lives, the calling thread may be the library's own. All others are in an entry point: whoever called that holds the
// library loaded.
class OnLibraryThread {
 public:
  OnLibraryThread();
  ~OnLibraryThread();
  OnLibraryThread(const OnLibraryThread&) = delete;
  OnLibraryThread& operator=(const OnLibraryThread&) = delete;
};

}  // namespace nnvk
