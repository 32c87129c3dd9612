// Functions of newer C libraries that the bundle's files refer to, for glibc 2.31. Linked into every file of the bundle, visible
// in none. Delete a function once tools/bundle links against a C library that has it (the version stands above each).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32. The C++ library skips atomic instructions while this is true; false is always right.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.32. The signals that nnvk names.
HIDDEN const char* sigabbrev_np(int signal) {
  switch (signal) {
    case SIGINT:
      return "INT";
    case SIGTERM:
      return "TERM";
    case SIGHUP:
      return "HUP";
    default:
      return NULL;
  }
}

// glibc 2.34. Newer C libraries close all descriptors in the child. Older ones get those that are open now: closing one that
// another thread has closed meanwhile does not fail.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  int (*own)(posix_spawn_file_actions_t*, int) = NULL;
  *(void**)&own = dlsym(RTLD_NEXT, "posix_spawn_file_actions_addclosefrom_np");
  if (own != NULL) return own(actions, first);
  DIR* open_files = opendir("/proc/self/fd");
  if (open_files == NULL) return errno;
  int result = 0;
  for (const struct dirent* entry; result == 0 && (entry = readdir(open_files)) != NULL;) {
    char* end = NULL;
    const long descriptor = strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || descriptor < first || descriptor == dirfd(open_files)) continue;
    result = posix_spawn_file_actions_addclose(actions, (int)descriptor);
  }
  closedir(open_files);
  return result;
}

// glibc 2.36. std::random_device asks for it.
HIDDEN unsigned arc4random(void) {
  unsigned value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) abort();
  return value;
}
