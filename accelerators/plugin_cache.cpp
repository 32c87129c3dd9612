// The files are memfds: plugins may write, truncate and extend them freely, but the client's cache receives only whole contents.
#include "accelerators/plugin_cache.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/base/byte_stream.h"
#include "core/base/log.h"
#include "core/base/sha256.h"
#include "core/plan/plan_fingerprint.h"

namespace nnvk::accelerators {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of all files of an entry together: this process copies their contents

// Returns all bytes of the file; nothing if it has more than `most` or cannot be read.
std::optional<std::vector<std::byte>> contents_of(int fd, uint64_t most) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || static_cast<uint64_t>(facts.st_size) > most) return std::nullopt;
  std::vector<std::byte> bytes(static_cast<size_t>(facts.st_size));
  if (!read_all(fd, bytes, 0)) return std::nullopt;  // it became shorter meanwhile
  return bytes;
}

}  // namespace

std::optional<PluginCache> PluginCache::open(const DeviceDescription& device, const Plan& plan, PreparationCache* cache) {
  if (cache == nullptr || device.model_cache_files + device.data_cache_files == 0) return std::nullopt;
  PluginCache opened;
  opened.cache_ = cache;
  opened.model_files_ = device.model_cache_files;
  for (uint32_t i = 0; i < device.model_cache_files + device.data_cache_files; ++i) {
    opened.files_.emplace_back(::memfd_create("nnvk plugin cache", MFD_CLOEXEC));
  }
  const bool are_made = std::ranges::all_of(opened.files_, [](const FileDescriptor& file) { return static_cast<bool>(file); });
  if (!are_made || !opened.fill(cache->find(plan))) {
    log_line(LogLevel::kWarning, "Plugin", device.name + ": no files for its cache; it compiles without one");
    return std::nullopt;
  }
  // The client's token has already selected the cache entry; the plugin needs a token that distinguishes models.
  opened.token_ = Sha256().add("nnvk plugin cache").add(plan_fingerprint(plan)).finish();
  return opened;
}

// Fills the plugin's files with the kept bytes. These come from a file: if they are invalid, the plugin's files stay empty.
bool PluginCache::fill(std::span<const std::byte> kept) {
  found_.assign(kept.begin(), kept.end());
  ByteReader reader(kept);
  std::vector<std::pair<int, std::span<const std::byte>>> contents;
  const auto count = kept.empty() ? 0 : reader.value<uint32_t>();
  if (count != files_.size()) return true;
  for (const FileDescriptor& file : files_) contents.emplace_back(file.get(), reader.block());
  if (!reader.at_end()) return true;
  return std::ranges::all_of(contents, [](const auto& entry) { return write_all(entry.first, entry.second, 0); });
}

CacheFiles PluginCache::files() const {
  CacheFiles files;
  for (size_t i = 0; i < files_.size(); ++i) {
    (i < model_files_ ? files.model_files : files.data_files).push_back(files_[i].get());
  }
  files.token = token_;
  return files;
}

void PluginCache::keep(const Plan& plan) const {
  ByteWriter writer;
  writer.value(static_cast<uint32_t>(files_.size()));
  bool is_empty = true;
  uint64_t left = kMostBytes;
  for (const FileDescriptor& file : files_) {
    const auto contents = contents_of(file.get(), left);
    if (!contents) return log_line(LogLevel::kWarning, "Plugin", "a cache file of a plugin cannot be read; nothing is kept");
    left -= contents->size();
    is_empty = is_empty && contents->empty();
    writer.block(*contents);
  }
  if (!is_empty && !std::ranges::equal(writer.view(), found_)) cache_->keep(plan, writer.take());
}

}  // namespace nnvk::accelerators
