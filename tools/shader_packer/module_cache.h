// Compiled modules on disk, identified by the content that made them: a change of one shader recompiles only that shader.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tools/shader_packer/compile.h"

namespace nnvk::shader_packer {

class ModuleCache {
 public:
  // Creates the folder. An empty path disables the cache.
  explicit ModuleCache(std::filesystem::path folder);

  // Returns the key of a job. It depends on all source bytes that the job sees, its defines and the compilers' versions.
  static std::string key(const CompileJob& job);

  // Returns the module of a key; nullopt if it is absent or damaged. Thread-safe for distinct keys.
  std::optional<CompiledModule> load(const std::string& key) const;
  // Writes a temporary file and renames it. A failure to write is no error: the next run compiles the module again.
  void store(const std::string& key, const CompiledModule& module) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace nnvk::shader_packer
