// The whole work of the packer: reads manifests and writes generated C++.
#pragma once

#include <cstdint>
#include <filesystem>

namespace nnvk::shader_packer {

struct PackOptions {
  std::filesystem::path shaders;  // folder with manifests, sources and include/
  std::filesystem::path output;   // generated files; only changed ones are written
  std::filesystem::path cache;    // compiled modules; empty: no cache
};

struct PackSummary {
  uint32_t families = 0;
  uint32_t kernels = 0;
  uint32_t modules = 0;
  uint32_t compiled = 0;  // the rest came from the cache
  uint64_t bytes = 0;     // SPIR-V embedded
};

// Compiles every kernel and variant on all cores, checks them and writes the table. Throws std::runtime_error with all errors,
// one per line.
PackSummary pack(const PackOptions& options);

}  // namespace nnvk::shader_packer
