// One file of a compilation cache: how it is marked, verified and replaced. A reader believes nothing that it did not check; a
// writer that dies leaves the old file whole.
//
// What is checked keeps accidents out: damage, truncation, files that were swapped, other builds, devices, drivers and models.
// Other users are kept out by where the file lies (check_cache_place). Nothing keeps out programs of the same user and what the
// client opened itself (read_cache_file with a descriptor): they can compute the checksums anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/sha256.h"

namespace nnvk {

// What a file must have been written for.
struct CacheStamp {
  Sha256Digest key{};     // cache_key()
  Sha256Digest build{};   // of this library
  Sha256Digest device{};  // name and DeviceInfo::cache_identity
  Sha256Digest driver{};  // DeviceInfo::version
  uint64_t model = 0;     // plan_fingerprint() of what was compiled
};

// Whether only this user and root can have made the file `path` and what lies in its folder. Not so when all users may write to
// the folder, or may add files to it (sticky folders such as /tmp) and one of another user, a link or something writable for all
// has this name. OP_FAILED says which; a folder or a file that is not there is no such error. Members of the folder's group count
// as this user: on Debian each user, on Android each application has a group of its own.
Status check_cache_place(const std::string& path);

// The contents of a file that was written for `expected`. Any other file, and contents of more than `max_size` bytes, are an
// error that says what is wrong. Nothing is allocated for a size that the file does not have.
Result<std::vector<std::byte>> read_cache_file(int fd, const CacheStamp& expected, uint64_t max_size);
// The same by path; the file is not created.
Result<std::vector<std::byte>> read_cache_file(const std::string& path, const CacheStamp& expected, uint64_t max_size);

// Puts a file with mode 0600 in the place of `path`: written to a new file `path`.new and six random letters, then renamed.
// Whoever reads sees the old file or the new one. On an error (disk full, another writer at work, no permission) the old file
// stays and the new one is removed; when the process dies, the new one is left, and the next writer removes it. Not synchronised
// with the disk: after a power cut the checksum decides.
Status replace_cache_file(const std::string& path, const CacheStamp& stamp, std::span<const std::byte> contents);

// Overwrites a file that the client opened. The header is written last: before that the file is no cache.
Status overwrite_cache_file(int fd, const CacheStamp& stamp, std::span<const std::byte> contents);

}  // namespace nnvk
