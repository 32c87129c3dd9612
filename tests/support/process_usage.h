// Counts what this process holds: open descriptors, threads, memory. Tests compare the counts before and after.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace nnvk::test {

// Entries of a folder, "." and ".." included.
inline size_t entries_of(const char* folder) {
  size_t count = 0;
  DIR* directory = ::opendir(folder);
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

// The descriptor that reads the folder counts too, in every call.
inline size_t open_descriptors() { return entries_of("/proc/self/fd"); }

inline size_t running_threads() { return entries_of("/proc/self/task"); }

// 0 if the kernel does not tell.
inline size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    size_t kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

}  // namespace nnvk::test
