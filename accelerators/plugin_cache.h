// A plugin's cache of a compilation: its own files, as one piece of a PreparationCache.
#pragma once

#include <optional>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

// Memory files that a plugin reads and writes while it compiles. An earlier compilation's cache fills them first.
class PluginCache {
 public:
  // Returns nothing without a cache, or if the device caches nothing. If a file fails, logs a message and returns nothing.
  static std::optional<PluginCache> open(const DeviceDescription& device, const Plan& plan, PreparationCache* cache);

  // Returns the files, which are valid as long as this object lives.
  CacheFiles files() const;
  // Stores the present contents of the files in the cache. Call it after a successful compilation.
  void keep(const Plan& plan) const;

 private:
  PluginCache() = default;
  bool fill(std::span<const std::byte> kept);

  PreparationCache* cache_ = nullptr;
  std::vector<FileDescriptor> files_;  // the model files come first
  size_t model_files_ = 0;             // how many
  std::array<uint8_t, 32> token_{};
  std::vector<std::byte> found_;
};

}  // namespace nnvk::accelerators
