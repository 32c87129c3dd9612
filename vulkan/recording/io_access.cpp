// The rules, most general first.
#include "vulkan/recording/io_access.h"

#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {
namespace {

std::string_view reason_against(const IoFacts& facts, const IoLimits& limits) {
  if (facts.buffer == 0) return "the device does not reach the memory";
  if (facts.size == 0) return "it is empty";
  if (facts.size_decided_later) return "its size is known only after the run";
  if (facts.host_reaches_it && !limits.near_host) return "the device has faster memory of its own";
  if (facts.offset % limits.alignment != 0) return "its offset is not aligned as the device needs it";
  // Kernels touch whole blocks of 16 bytes.
  const uint64_t touched = padded_size(facts.size);
  if (facts.offset > facts.buffer_size || touched > facts.buffer_size - facts.offset) return "its last block is not all there";
  if (facts.is_output && touched > facts.room) return "kernels would write behind its end";
  return {};
}

bool share_bytes(const IoFacts& a, const IoFacts& b) {
  return a.buffer == b.buffer && a.offset < b.offset + padded_size(b.size) && b.offset < a.offset + padded_size(a.size);
}

}  // namespace

std::vector<IoChoice> choose_io_access(std::span<const IoFacts> facts, const IoLimits& limits) {
  std::vector<IoChoice> choices(facts.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    choices[i].reason = reason_against(facts[i], limits);
    for (size_t other = 0; facts[i].is_output && choices[i].reason.empty() && other < facts.size(); ++other) {
      if (other != i && share_bytes(facts[i], facts[other])) choices[i].reason = "another input or output shares its bytes";
    }
    const bool is_copied_by_device = facts[i].buffer != 0 && (!facts[i].host_reaches_it || !limits.near_host);
    if (choices[i].reason.empty()) {
      choices[i].access = IoAccess::kDirect;
    } else if (is_copied_by_device && facts[i].size > 0 && (!facts[i].size_decided_later || !facts[i].host_reaches_it)) {
      choices[i].access = IoAccess::kDeviceCopy;
    }
  }
  return choices;
}

}  // namespace nnvk::vulkan
