// Layout, checks and system calls of cache files.
#include "core/runtime/cache_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include "core/base/checksum.h"
#include "core/base/file_descriptor.h"

namespace nnvk {
namespace {

constexpr std::array<char, 8> kMagic{'N', 'N', 'V', 'K', 'C', 'A', 'C', 'H'};
constexpr uint32_t kFormatVersion = 1;

// The first bytes of a file. The contents follow, up to the end of the file.
struct Header {
  std::array<char, 8> magic = kMagic;
  uint32_t format = kFormatVersion;
  uint32_t header_size = sizeof(Header);
  CacheStamp stamp;
  uint64_t contents_size = 0;
  uint64_t contents_checksum = 0;
  uint64_t header_checksum = 0;  // of everything before it
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 176);

std::span<const std::byte> bytes_of(const Header& header) { return std::as_bytes(std::span(&header, 1)); }

uint64_t own_checksum(const Header& header) { return checksum(bytes_of(header).first(offsetof(Header, header_checksum))); }

Header header_for(const CacheStamp& stamp, std::span<const std::byte> contents) {
  Header header{.stamp = stamp, .contents_size = contents.size(), .contents_checksum = checksum(contents)};
  header.header_checksum = own_checksum(header);
  return header;
}

tl::unexpected<Error> unusable(const std::string& reason) { return fail(Code::kOpFailed, reason); }
tl::unexpected<Error> system_error(const std::string& what) { return unusable(what + ": " + std::strerror(errno)); }

Status check_header(const Header& header, const CacheStamp& expected) {
  if (header.magic != kMagic) return unusable("this library did not write it");
  if (header.format != kFormatVersion || header.header_size != sizeof(Header)) return unusable("its format is another version's");
  if (header.header_checksum != own_checksum(header)) return unusable("its header is damaged");
  if (header.stamp.build != expected.build) return unusable("another build of the library wrote it");
  if (header.stamp.driver != expected.driver) return unusable("it was made with another driver");
  if (header.stamp.device != expected.device) return unusable("it was made for another device");
  if (header.stamp.key != expected.key) return unusable("it belongs to another compilation");
  if (header.stamp.model != expected.model) return unusable("it was made from another model with the same token");
  return {};
}

Result<struct stat> status_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_error("fstat");
  if (!S_ISREG(status.st_mode)) return unusable("it is not a regular file");
  return status;
}

bool may_be_changed_by_all(const struct stat& status) { return (status.st_mode & S_IWOTH) != 0; }
bool is_of_other_user(const struct stat& status) { return status.st_uid != ::geteuid() && status.st_uid != 0; }

FileDescriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: a pipe of that name must not hang the compilation.
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
}

bool lock_at_once(int fd) {
  const bool is_locked = uninterrupted([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0;
  return is_locked || errno != EWOULDBLOCK;  // without locks in the file system, at worst two writers both write
}

// Removes new files that writers of `path` have left behind. Returns false if one of these writers is still writing.
bool remove_abandoned(const std::string& path) {
  const std::filesystem::path place(path);
  const std::string beginning = place.filename().string() + ".new";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(place.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(beginning)) continue;
    const FileDescriptor file = open_to_read(entry->path());
    if (!file || !status_of(file.get())) continue;
    if (!lock_at_once(file.get())) return false;
    ::unlink(entry->path().c_str());
  }
  return true;
}

}  // namespace

Status check_cache_place(const std::string& path) {
  struct stat folder {};
  const std::string parent = std::filesystem::path(path).parent_path();
  if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0) return {};
  if (is_of_other_user(folder)) return unusable("the folder " + parent + " belongs to another user");
  if (!may_be_changed_by_all(folder)) return {};
  if ((folder.st_mode & S_ISVTX) == 0) return unusable("all users may write to the folder " + parent);
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return {};
  if (!S_ISREG(file.st_mode)) return unusable("it is not a regular file, in a folder that all users may write to");
  if (file.st_uid != ::geteuid()) return unusable("it belongs to another user");
  if (may_be_changed_by_all(file) || file.st_nlink != 1) return unusable("others may have written to it");
  return {};
}

Result<std::vector<std::byte>> read_cache_file(int fd, const CacheStamp& expected, uint64_t max_size) {
  NNVK_ASSIGN(const struct stat status, status_of(fd));
  Header header;
  if (!read_all(fd, std::as_writable_bytes(std::span(&header, 1)), 0)) return unusable("it is empty or truncated");
  NNVK_TRY(check_header(header, expected));
  if (header.contents_size > max_size) return unusable("it is larger than this model's cache can be");
  if (static_cast<uint64_t>(status.st_size) != sizeof header + header.contents_size) return unusable("its length is wrong");
  std::vector<std::byte> contents(header.contents_size);
  if (!read_all(fd, contents, sizeof header)) return unusable("it is truncated");
  if (checksum(contents) != header.contents_checksum) return unusable("its contents are damaged");
  return contents;
}

Result<std::vector<std::byte>> read_cache_file(const std::string& path, const CacheStamp& expected, uint64_t max_size) {
  const FileDescriptor file = open_to_read(path);
  if (!file) return system_error("open");
  return read_cache_file(file.get(), expected, max_size);
}

Status overwrite_cache_file(int fd, const CacheStamp& stamp, std::span<const std::byte> contents) {
  NNVK_TRY(status_of(fd));
  if (!resize_file(fd, 0)) return system_error("ftruncate");
  const Header header = header_for(stamp, contents);
  const bool is_written = write_all(fd, contents, sizeof header) && write_all(fd, bytes_of(header), 0);
  return is_written ? Status() : system_error("writing");
}

Status replace_cache_file(const std::string& path, const CacheStamp& stamp, std::span<const std::byte> contents) {
  if (!remove_abandoned(path)) return unusable("another compilation is writing it");
  std::string fresh = path + ".newXXXXXX";
  const FileDescriptor file(::mkostemp(fresh.data(), O_CLOEXEC));  // creates it, with mode 0600
  if (!file) return system_error("creating " + fresh);
  // Between creation and lock, another writer may have locked this file as one that nobody writes; it then removes the file.
  if (!lock_at_once(file.get())) return unusable("another compilation is writing it");
  Status written = overwrite_cache_file(file.get(), stamp, contents);
  if (written && ::rename(fresh.c_str(), path.c_str()) != 0) written = system_error("rename");
  if (!written) ::unlink(fresh.c_str());
  return written;
}

}  // namespace nnvk
