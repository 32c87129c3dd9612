// The constants that a prepared plan keeps on the device: raw values, tables and packed weights, each there once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/upload.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {

// Not thread-safe: one recording is built at a time.
class ConstantStore {
 public:
  ConstantStore(std::shared_ptr<Context> context, std::shared_ptr<Activity> activity)
      : context_(std::move(context)), activity_(std::move(activity)) {}

  const ConstantIndex& index() const { return index_; }
  uint32_t next_id() const { return static_cast<uint32_t>(places_.size()); }
  const std::vector<ConstantPlace>& places() const { return places_; }

  // Makes room for `constants` (ids continuing from next_id()) and uploads those that have contents; packed ones are filled by
  // the preparation that the caller runs. They are not in index() until commit(): a failed preparation must not be trusted.
  Status add(std::span<const NewConstant> constants, Uploads& uploads);
  void commit(std::span<const NewConstant> constants);

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<Activity> activity_;
  ConstantIndex index_;
  std::vector<ConstantPlace> places_;
  std::vector<Buffer> blocks_;
};

}  // namespace nnvk::vulkan
