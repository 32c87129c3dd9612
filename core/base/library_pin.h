// Keeps the library in memory while its threads work for a client. If the application calls dlclose during a computation or while
// a fence is pending, the unload happens when that work ends.
#pragma once

namespace nnvk {

// Adds or removes one reason to keep the library in memory. Thread-safe; neither fails.
void pin_library();
void unpin_library();

// While an object lives, the calling thread counts as a thread of the library, whose code must not be unmapped under it. All
// other threads are inside an entry point, whose caller keeps the library loaded.
class OnLibraryThread {
 public:
  OnLibraryThread();
  ~OnLibraryThread();
  OnLibraryThread(const OnLibraryThread&) = delete;
  OnLibraryThread& operator=(const OnLibraryThread&) = delete;
};

}  // namespace nnvk
