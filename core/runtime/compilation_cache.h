// The results that compilations of one model with one token store for later ones, in files or descriptors of the client
// (docs/nnapi/compilation.md#caching). If a cache is unusable, nnvk compiles the whole model and logs why; no call fails.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/sha256.h"
#include "core/model/extension.h"
#include "core/plan/plan.h"
#include "core/runtime/cache_file.h"
#include "core/runtime/device.h"

namespace nnvk {

using CacheToken = std::array<uint8_t, 32>;

// Everything on which the name of a cache depends.
struct CacheKeyParts {
  CacheToken token{};
  // The plan's operations in the main model; empty if the plan is the whole model.
  std::vector<uint32_t> operations;
  std::string_view device_name;
  std::string_view device_version;
  int32_t preference = 1;
  int32_t priority = 100;
  ExtensionAttributes attributes;
};

Sha256Digest cache_key(const CacheKeyParts& parts);
// Returns the name of a file: 64 letters, the kind (1: model cache, 2: data cache) and the number of the file.
std::string cache_file_name(const Sha256Digest& key, char kind, uint32_t number);

struct CachingRequest {
  CacheToken token{};
  std::string directory;                    // ends with '/'; empty: none
  std::vector<FileDescriptor> model_files;  // descriptors given instead of a directory
  std::vector<FileDescriptor> data_files;
};

// The cache of one prepared plan: one file. A model of several segments has one entry per segment in it, named by the segment's
// plan. The file and each entry carry a fingerprint of the compiled plan: if two models have one token, nnvk compiles anew (NNAPI
// does not define that case).
class CompilationCache final : public PreparationCache {
 public:
  using Place = std::variant<std::string, int>;  // path, or a descriptor that outlives this object

  // Reads the existing file. `plan` is the plan to compile.
  CompilationCache(Place place, const CacheStamp& stamp, const Plan& plan);

  std::span<const std::byte> find(const Plan& plan) override;
  void keep(const Plan& plan, std::vector<std::byte> contents) override;

  // Writes the file unless it already holds all results. Call it after a successful compilation.
  void store();

 private:
  bool read_entries();

  Place place_;
  CacheStamp stamp_;
  uint64_t max_size_;
  bool valid_ = false;                                    // the file exists and passed the checks
  std::vector<std::byte> contents_;                       // of the file
  std::map<uint64_t, std::span<const std::byte>> found_;  // by plan_fingerprint(); spans of contents_
  std::map<uint64_t, std::vector<std::byte>> kept_;
};

// Returns the cache for `plan` on `device`. Returns null if the client requests none, the device does not cache, the descriptors
// are not one model file, or this library has no build id. `parts` holds the token and settings; the function adds the device's
// facts.
std::unique_ptr<CompilationCache> open_cache(const CachingRequest& request, const Device& device, const Plan& plan,
                                             CacheKeyParts parts);

}  // namespace nnvk
