#include "accelerators/host/program/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/base/file_descriptor.h"

namespace nnvk::accelerators {
namespace {

// Returns the number behind "name:" in the line that begins with this name; 0 if there is none.
uint64_t number_of(std::string_view status, std::string_view name) {
  for (size_t at = status.find(name); at != std::string_view::npos; at = status.find(name, at + 1)) {
    if (at > 0 && status[at - 1] != '\n') continue;
    std::string_view rest = status.substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
    uint64_t number = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return number;
  }
  return 0;
}

// Returns the allocated memory of open regular files without a name (memfds, deleted files). Each file counts once, however many
// descriptors it has.
uint64_t open_memory(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(::opendir((folder + "/fd").c_str()), &::closedir);
  std::set<std::pair<dev_t, ino_t>> counted;
  uint64_t bytes = 0;
  while (const dirent* entry = descriptors != nullptr ? ::readdir(descriptors.get()) : nullptr) {
    struct stat facts {};
    if (::fstatat(::dirfd(descriptors.get()), entry->d_name, &facts, 0) != 0) continue;
    if (!S_ISREG(facts.st_mode) || facts.st_nlink > 0) continue;
    if (counted.emplace(facts.st_dev, facts.st_ino).second) bytes += static_cast<uint64_t>(facts.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace

Usage usage_in(std::string_view status) {
  constexpr uint64_t kKiB = 1024;
  Usage usage;
  usage.private_bytes =
      (number_of(status, "RssAnon:") + number_of(status, "VmSwap:") + number_of(status, "HugetlbPages:")) * kKiB;
  usage.shared_bytes = number_of(status, "RssShmem:") * kKiB;
  usage.threads = static_cast<unsigned>(number_of(status, "Threads:"));
  return usage;
}

Usage usage_of(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  const FileDescriptor file(::open((folder + "/status").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  Usage usage = usage_in({text.data(), size > 0 ? static_cast<size_t>(size) : 0});
  usage.file_bytes = open_memory(folder);
  return usage;
}

bool is_too_much(const Usage& usage, const Protections& protections) {
  const uint64_t memory = usage.private_bytes + std::max(usage.shared_bytes, usage.file_bytes);
  return memory > protections.memory_bytes || usage.threads > protections.threads;
}

}  // namespace nnvk::accelerators
