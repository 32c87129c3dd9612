// Has the leak checker look at the program alone that was started: in children of fork, what only threads of their parent held
// looks lost, and programs that belong to another user cannot be looked into.
#include <sys/auxv.h>
#include <unistd.h>

namespace {
const pid_t kStarted = ::getpid();
}  // namespace

// The leak checker asks at the end of every process.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return ::getpid() != kStarted || ::getauxval(AT_SECURE) != 0 ? 1 : 0;
}
