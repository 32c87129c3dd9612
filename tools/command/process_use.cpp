// Read from /proc.
#include "tools/command/process_use.h"

#include <dirent.h>

#include <fstream>
#include <string>

namespace nnvk::tools {

size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

size_t open_files() {
  size_t count = 0;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
  }
  return count;
}

}  // namespace nnvk::tools
