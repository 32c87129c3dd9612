// Writes slices.
#include "vulkan/recording/gpu_track.h"

#include <algorithm>

namespace nnvk::vulkan {

void GpuTrack::write(std::string_view section, uint64_t began, std::span<const Slice> slices) {
  const std::lock_guard lock(mutex_);
  if (!track_) track_ = trace::make_track("GPU " + device_);
  for (const Slice& slice : slices) {
    const uint64_t begin = std::max(began, occupied_until_);
    began += slice.nanoseconds;
    if (began <= begin) continue;
    trace::slice(*track_, section, slice.name, begin, began);
    occupied_until_ = began;
  }
}

}  // namespace nnvk::vulkan
