// Computes keys and names of caches, and reads and writes the entries inside a cache file.
#include "core/runtime/compilation_cache.h"

#include "core/base/build_id.h"
#include "core/base/byte_stream.h"
#include "core/base/log.h"
#include "core/plan/plan_fingerprint.h"

namespace nnvk {
namespace {

constexpr const char* kTag = "Compilation";
constexpr char kModelCache = '1';
constexpr uint32_t kMainModel = 0;  // parts consist of operations of the main model alone

// Returns the most bytes that a cache of `plan` may have: it holds pipelines, and packed weights, which are larger than constants
// (padding, sums). nnvk neither reads nor writes a larger file.
uint64_t largest_cache(const Plan& plan) { return (uint64_t{64} << 20) + 16 * constant_bytes(plan); }

// Writes a line to the log. The detail "compilation" shows all lines, whatever level the log has.
void log(LogLevel level, const std::string& text) {
  const std::string line = "compilation cache: " + text;
  const bool is_detail = level > LogLevel::kWarning && log_enabled(Detail::kCompilation);
  is_detail ? log_line(Detail::kCompilation, kTag, line) : log_line(level, kTag, line);
}

std::string name_of(const CompilationCache::Place& place) {
  const auto* path = std::get_if<std::string>(&place);
  return path != nullptr ? *path : "descriptor " + std::to_string(std::get<int>(place));
}

CacheStamp stamp_for(const Device& device, const Plan& plan, const Sha256Digest& key, std::span<const std::byte> build) {
  const DeviceInfo& info = device.info();
  return {.key = key,
          .build = Sha256().add(build).finish(),
          .device = Sha256().add(info.name).add(info.cache_identity).finish(),
          .driver = Sha256().add(info.version).finish(),
          .model = plan_fingerprint(plan)};
}

}  // namespace

Sha256Digest cache_key(const CacheKeyParts& parts) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(parts.token)));
  for (const uint32_t operation : parts.operations) hash.add(kMainModel).add(static_cast<int32_t>(operation));
  hash.add(parts.device_name).add(parts.device_version).add(parts.preference).add(parts.priority);
  for (const auto& [name, bytes] : parts.attributes) hash.add(name.first).add(name.second).add(bytes);
  return hash.finish();
}

std::string cache_file_name(const Sha256Digest& key, char kind, uint32_t number) {
  std::string name;
  for (const uint8_t byte : key) {
    name += static_cast<char>('A' + (byte & 0x0F));
    name += static_cast<char>('A' + (byte >> 4));
  }
  return name + kind + std::to_string(number);
}

CompilationCache::CompilationCache(Place place, const CacheStamp& stamp, const Plan& plan)
    : place_(std::move(place)), stamp_(stamp), max_size_(largest_cache(plan)) {
  auto contents = std::visit([this](const auto& file) { return read_cache_file(file, stamp_, max_size_); }, place_);
  if (!contents) {
    log(LogLevel::kInfo, name_of(place_) + " is not used: " + contents.error().text());
    return;
  }
  contents_ = std::move(*contents);
  valid_ = read_entries();
  if (!valid_) {
    found_.clear();
    log(LogLevel::kInfo, name_of(place_) + " is not used: its entries do not fit together");
  }
}

bool CompilationCache::read_entries() {
  ByteReader reader(contents_);
  while (reader.ok() && !reader.at_end()) {
    const auto fingerprint = reader.value<uint64_t>();
    const auto entry = reader.block();
    if (reader.ok()) found_[fingerprint] = entry;
  }
  return reader.ok();
}

std::span<const std::byte> CompilationCache::find(const Plan& plan) {
  const auto found = found_.find(plan_fingerprint(plan));
  return found != found_.end() ? found->second : std::span<const std::byte>();
}

void CompilationCache::keep(const Plan& plan, std::vector<std::byte> contents) {
  kept_[plan_fingerprint(plan)] = std::move(contents);
}

void CompilationCache::store() {
  if (valid_ && kept_.empty()) {
    log(LogLevel::kVerbose, name_of(place_) + " was used");
    return;
  }
  ByteWriter writer;
  const auto add = [&](uint64_t fingerprint, std::span<const std::byte> entry) {
    writer.value(fingerprint);
    writer.block(entry);
  };
  for (const auto& [fingerprint, entry] : kept_) add(fingerprint, entry);
  for (const auto& [fingerprint, entry] : found_) {
    if (!kept_.contains(fingerprint)) add(fingerprint, entry);
  }
  Status stored = fail(Code::kOpFailed, "it would be larger than a model's cache may be");
  if (writer.view().size() <= max_size_) {
    const auto* path = std::get_if<std::string>(&place_);
    stored = path != nullptr ? replace_cache_file(*path, stamp_, writer.view())
                             : overwrite_cache_file(std::get<int>(place_), stamp_, writer.view());
  }
  if (stored) {
    log(LogLevel::kInfo, name_of(place_) + " was written, " + std::to_string(writer.view().size()) + " bytes");
  } else {
    log(LogLevel::kInfo, name_of(place_) + " is not written: " + stored.error().text());
  }
}

std::unique_ptr<CompilationCache> open_cache(const CachingRequest& request, const Device& device, const Plan& plan,
                                             CacheKeyParts parts) {
  const bool by_descriptor = request.model_files.size() == 1 && request.data_files.empty();
  if (!device.info().caches || (request.directory.empty() && !by_descriptor)) return nullptr;
  if (request.directory.empty() && !parts.operations.empty()) {
    log(LogLevel::kInfo, "off: one file cannot hold the parts of a model that runs on several devices");
    return nullptr;
  }
  const std::span<const std::byte> build = build_id();
  if (build.empty()) {
    log(LogLevel::kInfo, "off: this library was linked without a build id (-Wl,--build-id)");
    return nullptr;
  }
  parts.device_name = device.info().name;
  parts.device_version = device.info().version;
  const Sha256Digest key = cache_key(parts);
  CompilationCache::Place place = request.model_files.empty() ? 0 : request.model_files[0].get();
  if (!request.directory.empty()) {
    const std::string path = request.directory + cache_file_name(key, kModelCache, 0);
    if (const Status checked = check_cache_place(path); !checked) {
      log(LogLevel::kWarning, "off: " + path + " is not trusted: " + checked.error().text());
      return nullptr;
    }
    place = path;
  }
  return std::make_unique<CompilationCache>(std::move(place), stamp_for(device, plan, key, build), plan);
}

}  // namespace nnvk
