// The resources of one execution in progress: arena, input and output memory, descriptor sets, command buffers.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/recently_used.h"
#include "core/base/result.h"
#include "vulkan/recording/io_wiring.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class Slot {
 public:
  // Makes a slot. `blueprint` must outlive it. `is_shared`: several submitted runs may use the slot at a time, see share().
  static Result<std::unique_ptr<Slot>> create(const SlotBlueprint& blueprint, bool is_shared = false);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  static constexpr size_t kMaxWirings = 16;
  static constexpr size_t kMaxSharedWirings = 64;

  // Returns the host memory of inputs and outputs, with the layout of IoTensor.
  std::span<std::byte> io_bytes() const { return host_io().bytes(); }
  // Makes the command buffers of one run, split at `cuts` (submission_cuts.h). Inputs and outputs lie at `places`; if `places` is
  // empty, they lie in the slot. Records the commands for new places, and keeps those for the last kMaxWirings places.
  Status make_ready(Measure measure, std::span<const IoPlace> places, std::span<const size_t> cuts);
  // Returns how well the slot suits a run with these places: best if it has commands for them, else the better the fewer commands
  // it keeps for other places.
  int64_t fitness(std::span<const IoPlace> places) const;
  // Returns one of the command buffers from make_ready(), in the order of submission. It is valid until the next call of
  // make_ready().
  std::span<const VkCommandBuffer> submission(size_t index) const { return ready_.subspan(index, 1); }
  // Returns the memory accesses of these commands.
  std::span<const MemoryAccess> accesses() const { return accesses_; }

  // For a shared slot: the commands of one run without host copies or measurements. nnvk may submit any number of such runs
  // before the first has run.
  struct SharedRun {
    std::shared_ptr<const IoWiring> wiring;  // keep it until the run has completed
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };
  Result<SharedRun> share(std::span<const IoPlace> places);
  bool is_wired_for(std::span<const IoPlace> places) const;

  // Timestamps of the last run; empty if they cannot be read.
  struct Timestamps {
    uint64_t first_tick = 0;            // as the device counts
    std::vector<uint64_t> nanoseconds;  // since the first, in the order of run_times.h
  };
  Timestamps timestamps(Measure measure) const;

 private:
  Slot(const SlotBlueprint& blueprint, bool is_shared)
      : blueprint_(blueprint), is_shared_(is_shared), wirings_(is_shared ? kMaxSharedWirings : kMaxWirings) {}
  const Buffer& host_io() const { return staging_ ? staging_ : io_; }
  Result<std::shared_ptr<IoWiring>> wiring(std::span<const IoPlace> places);
  SlotMemory memory() const;
  Status ensure_queries(Measure measure);

  const SlotBlueprint& blueprint_;
  const bool is_shared_;
  Buffer arena_;
  Buffer io_;
  Buffer staging_;                            // only if the host cannot access io_
  std::unique_ptr<Descriptors> descriptors_;  // of dispatches that touch no input or output
  std::vector<VkDescriptorSet> shared_sets_;  // one per dispatch; set for the dispatches of descriptors_
  RecentlyUsed<std::shared_ptr<IoWiring>> wirings_;
  std::span<const VkCommandBuffer> ready_;  // one command buffer per submission, owned by the wiring in use
  std::span<const MemoryAccess> accesses_;  // of ready_
  std::array<VkQueryPool, 3> queries_{};
};

}  // namespace nnvk::vulkan
