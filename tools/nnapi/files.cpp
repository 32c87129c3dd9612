#include "tools/nnapi/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace nnvk::tools {
namespace {

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

tl::unexpected<Error> cannot(const char* what, const std::filesystem::path& path) {
  return fail(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

template <class Bytes>
Result<Bytes> read_all(const std::filesystem::path& path, uint64_t most) {
  constexpr uint64_t kBlock = uint64_t{1} << 20;
  const File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return cannot("open", path);
  struct stat facts {};
  if (::fstat(::fileno(file.get()), &facts) != 0) return cannot("read", path);
  if (S_ISDIR(facts.st_mode)) return fail(fmt::format("{} is a folder, not a file", path.string()));
  if (S_ISREG(facts.st_mode) && static_cast<uint64_t>(facts.st_size) > most) {
    return fail(fmt::format("{} has {} bytes; at most {} are read", path.string(), facts.st_size, most));
  }
  if (!S_ISREG(facts.st_mode)) most = std::min(most, kMostPipeBytes);
  Bytes bytes;
  while (bytes.size() <= most) {  // reads up to one byte more, to notice that the file is too long
    const size_t before = bytes.size();
    const size_t block = std::min(kBlock - 1, most - before) + 1;
    bytes.resize(before + block);
    const size_t count = std::fread(bytes.data() + before, 1, block, file.get());
    bytes.resize(before + count);
    if (count == block) continue;
    if (std::ferror(file.get()) != 0) return cannot("read", path);
    return bytes;
  }
  return fail(fmt::format("{} has more than {} bytes", path.string(), most));
}

}  // namespace

Result<std::vector<uint8_t>> read_file(const std::filesystem::path& path, uint64_t most) {
  return read_all<std::vector<uint8_t>>(path, most);
}

Result<std::string> read_text_file(const std::filesystem::path& path, uint64_t most) { return read_all<std::string>(path, most); }

Status write_file(const std::filesystem::path& path, std::span<const uint8_t> bytes) {
  File file(std::fopen(path.c_str(), "wbe"), &std::fclose);
  if (!file) return cannot("write", path);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return cannot("write", path);
  if (std::fclose(file.release()) != 0) return cannot("write", path);  // writes what is buffered
  return {};
}

Status write_file(const std::filesystem::path& path, std::string_view text) {
  return write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

Status check_writable(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    errno = EISDIR;
    return cannot("write", path);
  }
  const bool exists = std::filesystem::exists(path, error);
  // Without O_NONBLOCK, a pipe would wait for a reader; a pipe that has none yet gives ENXIO.
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | (exists ? 0 : O_CREAT | O_EXCL), 0666);
  if (file < 0) return errno == ENXIO ? Status() : cannot("write", path);
  ::close(file);
  if (!exists) std::filesystem::remove(path, error);
  return {};
}

Status finish_standard_output() {
  const bool is_whole = std::ferror(stdout) == 0;  // read before fflush(), which reports only its own failure
  errno = 0;
  if (std::fflush(stdout) == 0 && is_whole) return {};
  return fail(fmt::format("cannot write to the standard output: {}", std::strerror(errno != 0 ? errno : EIO)));
}

}  // namespace nnvk::tools
