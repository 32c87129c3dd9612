// Each module has a file: magic, two word counts, checksum, words.
#include "tools/shader_packer/module_cache.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <thread>

namespace nnvk::shader_packer {
namespace {

constexpr uint64_t kMagic = 0x315645'4b56'4e4eULL;
constexpr uint64_t kMaximumWords = 16U << 20;

// Computes FNV-1a. Hashes with two different seeds give the 128 bits of a key.
uint64_t hash_bytes(uint64_t seed, const void* data, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) seed = (seed ^ bytes[i]) * 0x100000001b3ULL;
  return seed;
}

uint64_t checksum(const CompiledModule& module) {
  const uint64_t named = hash_bytes(0xcbf29ce484222325ULL, module.named.data(), module.named.size() * 4);
  return hash_bytes(named, module.optimized.data(), module.optimized.size() * 4);
}

}  // namespace

ModuleCache::ModuleCache(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) std::filesystem::create_directories(folder_);
}

std::string ModuleCache::key(const CompileJob& job) {
  uint64_t first = 0xcbf29ce484222325ULL;
  uint64_t second = 0x9ae16a3b2f90404fULL;
  const auto add = [&](const std::string& text) {
    const uint64_t size = text.size();  // lengths keep "ab"+"c" apart from "a"+"bc"
    for (uint64_t* hash : {&first, &second}) *hash = hash_bytes(hash_bytes(*hash, &size, sizeof(size)), text.data(), text.size());
  };
  add(compiler_version());
  add(job.source);
  for (const auto& [name, text] : *job.sources) {
    add(name);
    add(text);
  }
  for (const std::string& define : job.defines) add(define);
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(second));
  return text;
}

std::optional<CompiledModule> ModuleCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(folder_ / (key + ".module"), std::ios::binary);
  std::array<uint64_t, 4> header{};
  if (!file.read(reinterpret_cast<char*>(header.data()), sizeof(header))) return std::nullopt;
  if (header[0] != kMagic || header[1] > kMaximumWords || header[2] > kMaximumWords) return std::nullopt;
  CompiledModule module;
  module.named.resize(header[1]);
  module.optimized.resize(header[2]);
  file.read(reinterpret_cast<char*>(module.named.data()), static_cast<std::streamsize>(header[1] * 4));
  file.read(reinterpret_cast<char*>(module.optimized.data()), static_cast<std::streamsize>(header[2] * 4));
  if (!file || checksum(module) != header[3]) return std::nullopt;
  return module;
}

void ModuleCache::store(const std::string& key, const CompiledModule& module) const {
  if (folder_.empty()) return;
  const auto thread = std::hash<std::thread::id>{}(std::this_thread::get_id());
  const std::filesystem::path temporary = folder_ / (key + "." + std::to_string(thread) + ".tmp");
  {
    std::ofstream file(temporary, std::ios::binary);
    const std::array<uint64_t, 4> header = {kMagic, module.named.size(), module.optimized.size(), checksum(module)};
    file.write(reinterpret_cast<const char*>(header.data()), sizeof(header));
    file.write(reinterpret_cast<const char*>(module.named.data()), static_cast<std::streamsize>(module.named.size() * 4));
    file.write(reinterpret_cast<const char*>(module.optimized.data()), static_cast<std::streamsize>(module.optimized.size() * 4));
    if (!file) return;
  }
  std::error_code ignored;
  std::filesystem::rename(temporary, folder_ / (key + ".module"), ignored);
}

}  // namespace nnvk::shader_packer
