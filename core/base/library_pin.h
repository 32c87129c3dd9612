// Keeps the library in memory while its threads work for a client. If the application calls dlclose during a computation or while
// a fence is pending, the unload happens when that work ends.
#pragma once

namespace nnvk {

// Each pin keeps the library in memory until unpin_library() removes it. Both functions are thread-safe and never fail.
void pin_library();
void unpin_library();

// Keeps the library until the process ends, if pins hold it. For exit handlers: glibc crashes if a thread calls dlclose() while
// exit() runs handlers.
void keep_pinned_library();

// Marks the calling thread as one of the library's own while the object lives: its code must not be unmapped under it. All other
// threads are inside an entry point, whose caller keeps the library loaded.
class OnLibraryThread {
 public:
  OnLibraryThread();
  ~OnLibraryThread();
  OnLibraryThread(const OnLibraryThread&) = delete;
  OnLibraryThread& operator=(const OnLibraryThread&) = delete;
};

}  // namespace nnvk
