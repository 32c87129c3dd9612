// One file of a compilation cache: how it is marked, verified and replaced. A reader believes nothing that it did not check; a
// writer that dies leaves the old file whole.
//
// What is checked keeps accidents out: damage, truncation, files that were swapped, other builds, devices, drivers and models. It
// does not keep out somebody who may write into the application's own directory and computes the checksums anew.
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

// The contents of a file that was written for `expected`. Any other file, and contents of more than `max_size` bytes, are an
// error that says what is wrong. Nothing is allocated for a size that the file does not have.
Result<std::vector<std::byte>> read_cache_file(int fd, const CacheStamp& expected, uint64_t max_size);
// The same by path; the file is not created.
Result<std::vector<std::byte>> read_cache_file(const std::string& path, const CacheStamp& expected, uint64_t max_size);

// Puts a file with mode 0600 in the place of `path`: written to `path`.new, then renamed. Whoever reads sees the old file or the
// new one. On an error (disk full, another writer at work, no permission) the old file stays and the new one is removed; when the
// process dies, at most `path`.new is left, and the next writer takes it over. Not synchronised with the disk: after a power cut
// the checksum decides.
Status replace_cache_file(const std::string& path, const CacheStamp& stamp, std::span<const std::byte> contents);

// Overwrites a file that the client opened. The header is written last: before that the file is no cache.
Status overwrite_cache_file(int fd, const CacheStamp& stamp, std::span<const std::byte> contents);

}  // namespace nnvk
