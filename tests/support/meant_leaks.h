// What a test loses on purpose, where the leak checker must not look.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace nnvk::test {

// What the thread allocates while it lives is no leak.
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
