// A device's track in the trace: the dispatches that it ran.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/trace.h"

namespace nnvk::vulkan {

class GpuTrack {
 public:
  struct Slice {
    std::string name;
    uint64_t begin = 0;  // as trace::now() counts
    uint64_t end = 0;
  };

  explicit GpuTrack(std::string device) : device_(std::move(device)) {}

  // Writes slices, which must be in order of time. Cuts off the part of a slice before the end of earlier slices: a submission's
  // first timestamp may be taken while the previous submission still runs. `section` is layer and phase, "[NN_LD_PCO]".
  void write(std::string_view section, std::span<const Slice> slices);

 private:
  std::string device_;
  std::mutex mutex_;
  std::optional<trace::TrackId> track_;  // created with the first slice
  uint64_t occupied_until_ = 0;
};

}  // namespace nnvk::vulkan
