// Descriptors and command buffers of a slot for one choice of where the inputs and outputs lie. A slot keeps the choices it met
// last, so that executions that come back to the same memories write and record nothing.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {

// The memory of a slot that commands refer to.
struct SlotMemory {
  RegionBuffers regions;
  VkBuffer staging = VK_NULL_HANDLE;  // where the host does not reach the io region
};

// What a run measures, and where the timestamps go.
struct Queries {
  Measure measure = Measure::kNothing;
  VkQueryPool pool = VK_NULL_HANDLE;  // null for kNothing
};

class IoWiring {
 public:
  // `places`: inputs, then outputs. The buffers in them must live while commands run, not longer.
  IoWiring(std::shared_ptr<Context> context, std::span<const IoPlace> places);

  bool is_for(std::span<const IoPlace> places) const;
  // Writes the descriptors of the dispatches that touch inputs and outputs.
  Status connect(const DispatchProgram& program, std::span<const Pipeline* const> pipelines, const SlotMemory& memory,
                 std::span<const ConstantPlace> constants, std::span<const IoPlace> places, Activity& activity);
  // One run: inputs, dispatches, outputs; one command buffer per submission, of which `cuts` (submission_cuts.h) make one more
  // than there are cuts. Recorded on the first use of each measure with these cuts. `shared_sets`: one per dispatch, set for
  // those that touch no input and no output. `places` as connected. Valid until the next call.
  Result<std::span<const VkCommandBuffer>> commands(const DispatchProgram& program, std::span<const Pipeline* const> pipelines,
                                                    const SlotMemory& memory, std::span<const VkDescriptorSet> shared_sets,
                                                    std::span<const IoPlace> places, std::span<const size_t> cuts,
                                                    const Queries& queries, Activity& activity);
  // Bytes that the device copies in each run, from and to staging and other memory.
  uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  struct Place {
    uint64_t buffer = 0;  // IoBuffer::id(); 0: the slot's
    uint64_t offset = 0;
    bool direct = false;
    bool operator==(const Place&) const = default;
  };
  struct RecordedRun {
    std::vector<size_t> cuts;
    std::vector<VkCommandBuffer> submissions;
  };
  static Place identity(const IoPlace& place);
  void record_transfer(VkCommandBuffer commands, const DispatchProgram& program, const SlotMemory& memory,
                       std::span<const IoPlace> places, bool to_io) const;
  std::vector<VkBufferCopy> staged_regions(const DispatchProgram& program, bool to_io) const;
  uint64_t count_copied_bytes(const DispatchProgram& program, const SlotMemory& memory, std::span<const IoPlace> places) const;
  bool uses_foreign_memory() const;

  std::shared_ptr<Context> context_;
  std::vector<Place> places_;
  uint64_t bytes_copied_ = 0;
  std::unique_ptr<Descriptors> descriptors_;
  std::unique_ptr<CommandPool> pool_;
  std::array<RecordedRun, 3> recorded_;  // by Measure
};

}  // namespace nnvk::vulkan
