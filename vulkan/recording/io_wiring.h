// Descriptors and command buffers of a slot for one choice of input and output locations. A slot keeps the most recent choices,
// so that executions that use the same memories again write and record nothing.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/queue/queue_hazards.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/image_transfer.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

class IoWiring {
 public:
  // Writes the descriptors of the dispatches that touch inputs and outputs. `places`: inputs, then outputs; their memory must
  // stay alive while commands run, not longer. `blueprint` must outlive the object. `usage`: of the command buffers.
  static Result<std::unique_ptr<IoWiring>> create(const SlotBlueprint& blueprint, const SlotMemory& memory,
                                                  std::span<const IoPlace> places, VkCommandBufferUsageFlags usage = 0);

  bool is_for(std::span<const IoPlace> places) const;
  // Returns the command buffers of one run: inputs, dispatches, outputs. There is one per submission, one more than `cuts`
  // (submission_cuts.h). Records them on the first call with this measure and these cuts. `shared_sets`: one per dispatch; null
  // for dispatches that touch inputs or outputs. `places`: is_for() must be true for them. Valid until the next call.
  Result<std::span<const VkCommandBuffer>> commands(std::span<const VkDescriptorSet> shared_sets, std::span<const IoPlace> places,
                                                    std::span<const size_t> cuts, const Queries& queries);
  // Returns the memory accesses of each run, for QueueHazards.
  std::span<const MemoryAccess> accesses() const { return accesses_; }
  // Returns how many bytes the device copies in each run, from and to staging and other memory.
  uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  struct RecordedRun {
    std::vector<size_t> cuts;
    std::vector<VkCommandBuffer> submissions;
  };
  IoWiring(const SlotBlueprint& blueprint, const SlotMemory& memory, std::span<const IoPlace> places);
  Status make_image_transfers(std::span<const IoPlace> places);
  void record_transfer(VkCommandBuffer commands, std::span<const IoPlace> places, bool to_io) const;
  std::vector<VkBufferCopy> staged_regions(bool to_io) const;
  uint64_t count_copied_bytes() const;
  std::vector<MemoryAccess> find_accesses(std::span<const IoPlace> places) const;

  const SlotBlueprint& blueprint_;
  const SlotMemory memory_;
  std::vector<IoPlace> places_;  // without memory
  uint64_t bytes_copied_ = 0;
  std::vector<MemoryAccess> accesses_;
  VkCommandBufferUsageFlags usage_ = 0;
  std::unique_ptr<Descriptors> descriptors_;
  std::vector<std::unique_ptr<ImageTransfer>> images_;  // as places_; null for places without an image
  std::unique_ptr<CommandPool> pool_;
  std::array<RecordedRun, 3> recorded_;  // by Measure
};

}  // namespace nnvk::vulkan
