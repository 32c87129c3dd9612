// Which submissions to a queue must wait for earlier ones, and which may run beside them: one barrier orders a submission behind
// everything before it. No Vulkan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nnvk::vulkan {

// Bytes [begin, end) of a buffer that a submission touches.
struct MemoryAccess {
  uint64_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  bool writes = false;
  bool is_of_slot = false;  // `buffer` is a slot, whose memory nobody touches but its runs; else an IoBuffer's id
};

class QueueHazards {
 public:
  // More accesses than this are not kept apart: the next submission waits for all.
  static constexpr size_t kMostAccesses = 512;

  // The next submission, which touches `accesses`, and follows that of number `behind` (0: none) whatever both touch: client
  // memory may be mapped twice. Returns whether a barrier must come first; that is then taken as done.
  bool add(uint64_t number, std::span<const MemoryAccess> accesses, uint64_t behind);
  // The next submission touches nobody knows what: a barrier comes before it, and before what follows.
  void add_unknown();
  // The host has seen the submission complete: its slot may be used again without waiting.
  void forget(uint64_t number);

 private:
  struct Entry {
    uint64_t number;
    MemoryAccess access;
  };
  bool must_wait(std::span<const MemoryAccess> accesses, uint64_t behind) const;

  std::vector<Entry> since_barrier_;
  uint64_t ordered_up_to_ = 0;  // submissions that the last barrier has ordered
  bool wait_for_all_ = false;
};

}  // namespace nnvk::vulkan
