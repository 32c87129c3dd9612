// Restricts the leak checker to the process that was started. In children of fork, memory that only other threads of the parent
// hold would look leaked. The checker also cannot inspect processes of another user.
#include <sys/auxv.h>
#include <unistd.h>

namespace {
const pid_t kStarted = ::getpid();
}  // namespace

// The leak checker calls this at the end of every process.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return ::getpid() != kStarted || ::getauxval(AT_SECURE) != 0 ? 1 : 0;
}
