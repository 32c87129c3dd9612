#include "tools/command/process_use.h"

#include <dirent.h>
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <fstream>
#include <nlohmann/json.hpp>

namespace nnvk::tools {
namespace {

size_t kilobytes_of(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoul(line.substr(name.size()));
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

ProcessUse process_use() { return {kilobytes_of("VmRSS:"), open_files()}; }

size_t own_kilobytes() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  return kilobytes_of("RssAnon:") + kilobytes_of("RssShmem:");
}

size_t peak_kilobytes() { return kilobytes_of("VmHWM:"); }

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5\n";  // proc(5); where the kernel refuses, the peak stays
}

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
