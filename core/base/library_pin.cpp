// Counts the pins. While there are any, the library holds a dlopen() handle of itself.
#include "core/base/library_pin.h"

#include <dlfcn.h>
#include <pthread.h>

#include <mutex>
#include <utility>

#include "core/base/blocked_signals.h"
#include "core/base/process_generation.h"

namespace nnvk {
namespace {

MutexOfProcess pin_mutex;
int pins = 0;
void* library = nullptr;  // held by pins; null also if the library is part of a program

thread_local bool on_library_thread = false;

void* hold_library() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&hold_library), &self) == 0 || self.dli_fname == nullptr) return nullptr;
  return ::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

// Starts a thread that runs dlclose() alone, and returns whether it could. If a thread of the library closed the last handle,
// dlclose() would return into unmapped code. On the new thread, dlclose() waits for nnvk's threads (destroy_instance), unmaps the
// library, and returns into the C library.
bool let_go_on_a_thread_of_its_own(void* held) {
  using Start = void* (*)(void*);
  const auto close = reinterpret_cast<Start>(reinterpret_cast<void (*)()>(&::dlclose));
  const BlockedSignals blocked;
  pthread_attr_t detached;
  if (::pthread_attr_init(&detached) != 0) return false;
  ::pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  const bool started = ::pthread_create(&thread, &detached, close, held) == 0;
  ::pthread_attr_destroy(&detached);
  return started;
}

}  // namespace

void pin_library() {
  const std::lock_guard lock(pin_mutex);
  if (pins++ == 0 && library == nullptr) library = hold_library();
}

void unpin_library() {
  void* held = nullptr;
  {
    const std::lock_guard lock(pin_mutex);
    if (--pins == 0) held = std::exchange(library, nullptr);
  }
  if (held == nullptr) return;
  if (!on_library_thread) {
    ::dlclose(held);
  } else if (!let_go_on_a_thread_of_its_own(held)) {
    const std::lock_guard lock(pin_mutex);  // no thread: the next unpin_library() tries again
    library == nullptr ? std::swap(library, held) : void(::dlclose(held));
  }
}

void keep_pinned_library() {
  const std::lock_guard lock(pin_mutex);
  if (library != nullptr) ++pins;
}

OnLibraryThread::OnLibraryThread() { on_library_thread = true; }
OnLibraryThread::~OnLibraryThread() { on_library_thread = false; }

}  // namespace nnvk
