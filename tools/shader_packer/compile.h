// Compiles GLSL to SPIR-V for Vulkan 1.1: by glslang, then SPIRV-Tools' performance passes and validator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nnvk::shader_packer {

// The sources that were read, by their file name relative to the shaders folder or its include folder.
using SourceMap = std::map<std::string, std::string>;

// Reads a shader and everything that it includes, directly or not; the compiler sees exactly these bytes. Searches
// `include_folders` in order. Throws std::runtime_error that names a missing file and the file that includes it.
SourceMap read_with_includes(const std::string& source, const std::vector<std::filesystem::path>& include_folders);

struct CompileJob {
  std::string source;                  // key in `sources`
  const SourceMap* sources = nullptr;  // not owned
  std::vector<std::string> defines;    // "NAME" or "NAME=VALUE"
};

struct CompiledModule {
  std::vector<uint32_t> named;      // directly from glslang, with names, for reflection
  std::vector<uint32_t> optimized;  // embedded in the library
};

// Holds glslang's process-wide state: one object must live while compile() runs.
class CompilerSession {
 public:
  CompilerSession();
  ~CompilerSession();
  CompilerSession(const CompilerSession&) = delete;
  CompilerSession& operator=(const CompilerSession&) = delete;
};

// Compiles a job. Thread-safe. Throws std::runtime_error with the compiler's message (file and line included).
CompiledModule compile(const CompileJob& job);

// Returns a text that changes when the compilers, or this tool's use of them, change. It is part of every cache key.
std::string compiler_version();

}  // namespace nnvk::shader_packer
