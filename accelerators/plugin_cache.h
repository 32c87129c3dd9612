// What a plugin keeps of a compilation: files of its own, as one piece of a PreparationCache.
#pragma once

#include <optional>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

// Files in memory that a plugin reads and writes while it compiles; filled with what an earlier compilation kept.
class PluginCache {
 public:
  // Nothing without a cache, or where the device keeps nothing. Trouble with files is logged, and nothing as well.
  static std::optional<PluginCache> open(const DeviceDescription& device, const Plan& plan, PreparationCache* cache);

  // Valid as long as the object.
  CacheFiles files() const;
  // After a successful compilation: what the files hold now is kept for later ones.
  void keep(const Plan& plan) const;

 private:
  PluginCache() = default;
  bool fill(std::span<const std::byte> kept);

  PreparationCache* cache_ = nullptr;
  std::vector<FileDescriptor> model_files_;
  std::vector<FileDescriptor> data_files_;
  std::array<uint8_t, 32> token_{};
  std::vector<std::byte> found_;
};

}  // namespace nnvk::accelerators
