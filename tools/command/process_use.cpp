// Read from /proc.
#include "tools/command/process_use.h"

#include <dirent.h>
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace nnvk::tools {
namespace {

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

}  // namespace

ProcessUse process_use() { return {resident_kilobytes(), open_files()}; }

bool UseOverTime::is_steady(size_t allowed_kilobytes) const {
  return late.resident_kilobytes <= early.resident_kilobytes + allowed_kilobytes && late.open_files <= early.open_files;
}

void UseOverTime::add_to(nlohmann::json& document) const {
  document["resident_kilobytes_early"] = early.resident_kilobytes;
  document["resident_kilobytes_late"] = late.resident_kilobytes;
  document["open_files_early"] = early.open_files;
  document["open_files_late"] = late.open_files;
}

std::string UseOverTime::to_text(std::string_view when) const {
  return fmt::format("memory    {} KiB resident {}, {} KiB at the end; open files {} and {}\n", early.resident_kilobytes, when,
                     late.resident_kilobytes, early.open_files, late.open_files);
}

}  // namespace nnvk::tools
