// Compiled modules on disk, by the content that made them: touching one shader recompiles only that one.
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

  // Key of a job: all source bytes it sees, its defines and the compilers' versions.
  static std::string key(const CompileJob& job);

  // nullopt when absent or damaged. Thread-safe for distinct keys.
  std::optional<CompiledModule> load(const std::string& key) const;
  // Written to a temporary file and renamed. Failure to write is not an error: the next run compiles again.
  void store(const std::string& key, const CompiledModule& module) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace nnvk::shader_packer
