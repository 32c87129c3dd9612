// Functions that run when the library is unloaded, or else when the process exits.
#pragma once

#include <cxxabi.h>

// Names this library; the files of the compiler define it.
extern "C" void* __dso_handle;  // NOLINT(bugprone-reserved-identifier): the compiler chose the name

namespace nnvk {

// Registers a function; later ones run first. Returns false if there is no memory. ThreadSanitizer's std::atexit() forgets the
// library, and calls functions of libraries that are gone.
inline bool call_at_exit(void (*function)()) {
  const auto call = [](void* registered) { reinterpret_cast<void (*)()>(registered)(); };
  return abi::__cxa_atexit(call, reinterpret_cast<void*>(function), &__dso_handle) == 0;
}

}  // namespace nnvk
