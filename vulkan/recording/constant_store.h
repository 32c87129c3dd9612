// The constants of a prepared plan on the device: raw values, tables and packed weights, one copy each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/upload.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/kept_preparation.h"
#include "vulkan/recording/program_memory.h"

namespace nnvk::vulkan {

// Weights that were packed on the device or restored from a cache.
struct StoredWeights {
  uint32_t node = 0;  // with `key`: the ConstantKey
  std::string key;
  uint64_t size = 0;
  ConstantPlace place;
};

// The constants of a prepared plan on the device. Not thread-safe: only one recording is built at a time.
class ConstantStore {
 public:
  ConstantStore(std::shared_ptr<Context> context, std::shared_ptr<Activity> activity)
      : context_(std::move(context)), activity_(std::move(activity)) {}

  const ConstantIndex& index() const { return index_; }
  uint32_t next_id() const { return static_cast<uint32_t>(places_.size()); }
  const std::vector<ConstantPlace>& places() const { return places_; }

  // Allocates `constants` (ids from next_id() on) and uploads the constants with contents. The caller runs the preparation that
  // fills packed constants. index() lacks all of them until commit(): a failed preparation must not leave constants behind.
  Status add(std::span<const NewConstant> constants, Uploads& uploads);
  void commit(std::span<const NewConstant> constants);

  // Adds weights that were packed earlier; later recordings find them in index(). The spans are not needed afterwards.
  Status restore(std::span<const KeptWeights> weights, Uploads& uploads);
  // Returns all packed weights, restored ones included.
  std::vector<StoredWeights> packed() const;
  // Returns OP_FAILED if `program` reads beyond the end of a constant, because restored weights come from a file.
  Status check(const DispatchProgram& program) const;

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<Activity> activity_;
  ConstantIndex index_;
  std::vector<ConstantPlace> places_;
  std::vector<uint64_t> sizes_;  // by constant id, as places_
  std::vector<Buffer> blocks_;
};

}  // namespace nnvk::vulkan
