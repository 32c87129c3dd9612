// Deliberate leaks of a test, hidden from the leak checker.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace nnvk::test {

// The leak checker ignores allocations of the current thread during its lifetime.
class MeantLeaks {
 public:
#ifdef __SANITIZE_ADDRESS__
  MeantLeaks() { __lsan_disable(); }
  ~MeantLeaks() { __lsan_enable(); }
#else
  MeantLeaks() {}
  ~MeantLeaks() {}
#endif
  MeantLeaks(const MeantLeaks&) = delete;
  MeantLeaks& operator=(const MeantLeaks&) = delete;
};

}  // namespace nnvk::test
