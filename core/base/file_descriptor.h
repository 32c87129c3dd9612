// The owner of a file descriptor, and functions that read or write whole spans. They block SIGXFSZ and return errors instead.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/blocked_signals.h"

namespace nnvk {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}  // takes it over; negative: none
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  // Returns a second descriptor of the same open file (close-on-exec, above the standard streams); none, with errno, on failure.
  static FileDescriptor duplicate(int fd) { return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Makes a system call, again as long as signals interrupt it. Returns its result, with errno on errors.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Opens a regular file for reading. Returns none, with errno, for missing files and for other kinds, whose data may never end.
inline FileDescriptor open_regular_file(const char* path) {
  FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return {};
  if (S_ISREG(facts.st_mode)) return file;
  errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
  return {};
}

// Reads from `offset` until `bytes` is full or the file ends, even if signals arrive. Returns how many bytes it has read, or -1
// with errno.
inline ssize_t read_up_to(int fd, std::span<std::byte> bytes, off_t offset) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(fd, bytes.data() + done, bytes.size() - done, offset + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}
// Fills all `bytes` from `offset` on. Returns false if the file ends before that, and on errors.
inline bool read_all(int fd, std::span<std::byte> bytes, off_t offset) {
  return read_up_to(fd, bytes, offset) == static_cast<ssize_t>(bytes.size());
}

// Writes all `bytes` at `offset`, also if signals arrive. Returns false, with errno, on errors.
inline bool write_all(int fd, std::span<const std::byte> bytes, off_t offset) {
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
  return true;
}

// Returns true if `size` bytes at `offset` of a file of this size can be mapped: up to the end of the file's last page.
inline bool fits_into_file(uint64_t offset, uint64_t size, uint64_t file_size) {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t mappable = (file_size + page - 1) / page * page;
  return offset <= mappable && size <= mappable - offset;
}

// Makes a file `size` bytes long. Returns false, with errno, on errors.
inline bool resize_file(int fd, off_t size) {
  const FileSizeSignalBlocked blocked;
  return ::ftruncate(fd, size) == 0;
}

}  // namespace nnvk
