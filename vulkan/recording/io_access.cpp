#include "vulkan/recording/io_access.h"

#include "vulkan/memory/placed_bytes.h"

namespace nnvk::vulkan {
namespace {

std::string_view reason_against(const IoPlace& place, const IoLimits& limits) {
  if (place.buffer == 0) return "the device does not reach the memory";
  if (place.size == 0) return "it is empty";
  if (!place.kernels_may_use_it) return "its buffer was made without the usage that kernels need";
  if (place.size_decided_later) return "its size is known only after the run";
  if (place.host_reaches_it && !limits.near_host) return "the device has faster memory of its own";
  if (place.offset % limits.alignment != 0) return "its offset is not aligned as the device needs it";
  // Kernels access whole blocks of 16 bytes.
  const uint64_t touched = padded_size(place.size);
  if (place.offset > place.buffer_size || touched > place.buffer_size - place.offset) return "its last block is not all there";
  if (place.is_output && touched > place.room) return "kernels would write behind its end";
  return {};
}

bool share_bytes(const IoPlace& a, const IoPlace& b) {
  return a.buffer == b.buffer && a.offset < b.offset + padded_size(b.size) && b.offset < a.offset + padded_size(a.size);
}

}  // namespace

void choose_io_access(std::span<IoPlace> places, const IoLimits& limits) {
  for (IoPlace& place : places) {
    place.reason = reason_against(place, limits);
    for (const IoPlace& other : places) {
      if (!place.is_output || !place.reason.empty()) break;
      if (&other != &place && share_bytes(place, other)) place.reason = "another input or output shares its bytes";
    }
    const bool is_copied_by_device = place.buffer != 0 && (!place.host_reaches_it || !limits.near_host);
    place.access = IoAccess::kHostCopy;
    if (place.reason.empty()) {
      place.access = IoAccess::kDirect;
    } else if (is_copied_by_device && place.size > 0 && (!place.size_decided_later || !place.host_reaches_it)) {
      place.access = IoAccess::kDeviceCopy;
    }
  }
}

}  // namespace nnvk::vulkan
