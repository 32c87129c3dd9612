#include "vulkan/recording/gpu_track.h"

#include <algorithm>

namespace nnvk::vulkan {

void GpuTrack::write(std::string_view section, std::span<const Slice> slices) {
  const std::lock_guard lock(mutex_);
  if (!track_) track_ = trace::make_track("GPU " + device_);
  for (const Slice& slice : slices) {
    const uint64_t begin = std::max(slice.begin, occupied_until_);
    if (slice.end <= begin) continue;
    trace::slice(*track_, section, slice.name, begin, slice.end);
    occupied_until_ = slice.end;
  }
}

}  // namespace nnvk::vulkan
