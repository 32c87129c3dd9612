// Decides which submissions to a queue must wait for earlier ones, and which may overlap them. A barrier orders a submission
// after everything before it. No Vulkan.
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
  bool is_of_slot = false;  // `buffer` is a slot, whose memory only its runs use; else an IoBuffer's id
};

class QueueHazards {
 public:
  // If more accesses than this follow the last barrier, the next submission waits for everything.
  static constexpr size_t kMostAccesses = 512;

  // Adds the next submission, which touches `accesses`. It must follow submission `behind` (0: none) even if their accesses do
  // not overlap, because client memory may be mapped twice. Returns whether a barrier must precede it, and assumes that barrier
  // from then on.
  bool add(uint64_t number, std::span<const MemoryAccess> accesses, uint64_t behind);
  // Adds a submission that may touch anything: a barrier must precede it and also the submission after it.
  void add_unknown();
  // Notes that the host has seen the submission complete, so that its slot can be reused without a barrier.
  void forget(uint64_t number);

 private:
  struct Entry {
    uint64_t number;
    MemoryAccess access;
  };
  bool must_wait(std::span<const MemoryAccess> accesses, uint64_t behind) const;

  std::vector<Entry> since_barrier_;
  uint64_t ordered_up_to_ = 0;  // the last barrier ordered all submissions up to this number
  bool wait_for_all_ = false;
};

}  // namespace nnvk::vulkan
