// One file of a compilation cache: how nnvk marks, verifies and replaces it. A reader trusts only checked data; a writer that
// dies leaves the old file whole.
//
// The checks detect accidents: damage, truncation, swapped files, and files of other builds, devices, drivers and models.
// check_cache_place() refuses files that other users could have written. Nothing protects against programs of the same user, or
// protects files that the client opened itself: an attacker there can compute the checksums anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/sha256.h"

namespace nnvk {

// A cache file is used only if all these facts about it match.
struct CacheStamp {
  Sha256Digest key{};     // cache_key()
  Sha256Digest build{};   // of this library
  Sha256Digest device{};  // name and DeviceInfo::cache_identity
  Sha256Digest driver{};  // DeviceInfo::version
  uint64_t model = 0;     // plan_fingerprint() of the compiled plan
};

// Returns OP_FAILED, with the reason, if users other than this one and root may have made the file `path` or files of its folder:
// the folder belongs to another user, or all users may write to it. A sticky folder such as /tmp may be writable if `path` is a
// regular file of this user, with one name, and not writable for all. A missing folder or file is no error. The folder's group
// counts as this user, because Debian's users and Android's applications have groups of their own.
Status check_cache_place(const std::string& path);

// Returns the contents of a file that was written for `expected`. Any other file, or contents above `max_size` bytes, give an
// error with the reason. Allocates nothing for a size that the file does not have.
Result<std::vector<std::byte>> read_cache_file(int fd, const CacheStamp& expected, uint64_t max_size);
// Does the same for the file at `path`, which it does not create if it is missing.
Result<std::vector<std::byte>> read_cache_file(const std::string& path, const CacheStamp& expected, uint64_t max_size);

// Replaces `path` by a file with mode 0600: writes a new file, `path`.new and six random letters, then renames it. Readers see
// the old file or the new one. On an error (disk full, another writer at work, no permission) the old file stays and the new one
// is removed. A process that dies leaves its new file to the next writer, which removes it. Does not wait for the disk: after a
// power cut, the checksum shows whether the file is whole.
Status replace_cache_file(const std::string& path, const CacheStamp& stamp, std::span<const std::byte> contents);

// Overwrites a file that the client opened. Writes the header last: until then the file is no valid cache.
Status overwrite_cache_file(int fd, const CacheStamp& stamp, std::span<const std::byte> contents);

}  // namespace nnvk
