// Runs a program as on an older or stricter kernel: nnvk_test_older_kernel MODE PROGRAM ARGUMENTS. The modes:
//   "no-namespaces"  The kernel refuses new namespaces, as if the administrator had switched them off.
//   "no-landlock"    Landlock's system calls do not exist, as before Linux 5.13.
//   "neither"        Both.
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const bool is_neither = std::strcmp(arguments[1], "neither") == 0;
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
  if (is_neither || std::strcmp(arguments[1], "no-namespaces") == 0) {
    ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0);
  }
  if (is_neither || std::strcmp(arguments[1], "no-landlock") == 0) {
    ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), 444, 0);
  }
  ::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);  // other architectures do not matter here
  if (::seccomp_load(filter) != 0) return 3;
  ::execv(arguments[2], arguments + 2);
  return 4;
}
