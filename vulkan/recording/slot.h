// Everything one execution in flight needs for itself: arena, input and output memory, descriptor sets, command buffers.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/io_wiring.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class Slot {
 public:
  // `blueprint` outlives the slot. `is_shared`: by runs that the queue keeps apart, see share().
  static Result<std::unique_ptr<Slot>> create(const SlotBlueprint& blueprint, bool is_shared = false);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  static constexpr size_t kMaxWirings = 16;
  static constexpr size_t kMaxSharedWirings = 64;

  // Host memory of inputs and outputs, laid out as IoTensor says.
  std::span<std::byte> io_bytes() const { return host_io().bytes(); }
  // Makes the command buffers of one run with inputs and outputs at `places` (empty: all in the slot), in as many submissions as
  // `cuts` ask for (submission_cuts.h). Recorded on first use; the last kMaxWirings sets of places are kept.
  Status make_ready(Measure measure, std::span<const IoPlace> places, std::span<const size_t> cuts);
  // How well the slot suits a run with these places: best when it has commands for them, and the better the fewer others it has.
  int64_t fitness(std::span<const IoPlace> places) const;
  // What make_ready() made, to be submitted one after the other. Valid until its next call.
  size_t submission_count() const { return ready_.size(); }
  std::span<const VkCommandBuffer> submission(size_t index) const { return ready_.subspan(index, 1); }
  // What these commands touch.
  std::span<const MemoryAccess> accesses() const { return accesses_; }

  // Of a shared slot: the commands of one run in which the host copies nothing and nothing is measured. Any number of them may be
  // submitted before the first has run.
  struct SharedRun {
    std::shared_ptr<const IoWiring> wiring;  // to be kept until the run has completed
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };
  Result<SharedRun> share(std::span<const IoPlace> places);
  bool is_wired_for(std::span<const IoPlace> places) const;

  // Timestamps of the last run; without any when they cannot be read.
  struct Timestamps {
    uint64_t first_tick = 0;            // as the device counts
    std::vector<uint64_t> nanoseconds;  // since the first, in the order of run_times.h
  };
  Timestamps timestamps(Measure measure) const;

 private:
  Slot(const SlotBlueprint& blueprint, bool is_shared) : blueprint_(blueprint), is_shared_(is_shared) {}
  const Buffer& host_io() const { return staging_ ? staging_ : io_; }
  Result<std::shared_ptr<IoWiring>> wiring(std::span<const IoPlace> places);
  SlotMemory memory() const;
  Status ensure_queries(Measure measure);

  const SlotBlueprint& blueprint_;
  const bool is_shared_;
  Buffer arena_;
  Buffer io_;
  Buffer staging_;                                // only where the host does not reach io_
  std::unique_ptr<Descriptors> descriptors_;      // of dispatches that touch no input and no output
  std::vector<VkDescriptorSet> shared_sets_;      // one per dispatch; theirs are set
  std::list<std::shared_ptr<IoWiring>> wirings_;  // most recently used first
  std::span<const VkCommandBuffer> ready_;        // one command buffer per submission; the wiring in use has them
  std::span<const MemoryAccess> accesses_;        // of ready_
  std::array<VkQueryPool, 3> queries_{};
};

}  // namespace nnvk::vulkan
