// A plan with one set of shapes and one choice of inputs and outputs, ready for an application's command buffers. create() does
// everything that may allocate memory or wait.
#pragma once

#include <volk.h>

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/image_transfer.h"
#include "vulkan/recording/slot_blueprint.h"

namespace nnvk::vulkan {

// The memory that the application gives to a recording.
struct RecordingMemory {
  std::vector<IoPlace> places;  // inputs, then outputs
  // Memory for temporaries, at a multiple of kStorageAlignment. If its buffer is null, the recording makes its own memory.
  ConstantPlace scratch = {};
};

// The constants that all recordings of one plan read. `are_there`: whether the commands that upload and pack them were recorded
// or have run.
struct RecordingConstants {
  std::shared_ptr<const void> owner;
  const std::atomic<bool>* are_there = nullptr;  // valid as long as the owner
};

// The barriers that nnvk records for the application.
struct ApplicationBarriers {
  bool before = false;  // orders the plan after all that the application wrote or read earlier
  bool after = false;   // orders all later work of the application after the plan
};

// The commands' stages and accesses for inputs and outputs, for an application that records its own barriers.
inline constexpr VkPipelineStageFlags kApplicationStages = kCopyOrDispatch;
inline constexpr VkAccessFlags kApplicationReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
inline constexpr VkAccessFlags kApplicationWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

class ApplicationRecording {
 public:
  // Makes a recording. `blueprint` comes from blueprint_of(). BAD_DATA if the device cannot access the memory of an input or
  // output.
  static Result<std::unique_ptr<ApplicationRecording>> create(std::shared_ptr<const SlotBlueprint> blueprint,
                                                              RecordingConstants constants, RecordingMemory memory);
  ApplicationRecording(const ApplicationRecording&) = delete;
  ApplicationRecording& operator=(const ApplicationRecording&) = delete;

  // Writes the plan into `commands`, which must be in the recording state, outside of render passes. Changes only the compute
  // pipeline, compute descriptor set 0 and push constants of `commands`. Neither allocates nor locks; use one thread at a time
  // per command buffer. DEAD_OBJECT if the device is lost, BAD_STATE if weights are not packed yet.
  Status record(VkCommandBuffer commands, const ApplicationBarriers& barriers) const {
    return record(commands, barriers, whole());
  }
  // The part of the plan's dispatches that a command buffer gets.
  struct Slice {
    size_t begin = 0;
    size_t end = 0;
  };
  // Returns the dispatches from `begin` on that take no longer than `seconds` by prediction, but at least one. Never fails.
  Slice slice(size_t begin, double seconds) const;
  Slice whole() const { return {0, program_.dispatches.size()}; }
  // Predicts the time of all dispatches from `begin` on.
  double seconds_from(size_t begin) const;

  // Does the same as record() for the dispatches of a slice. Slices must be recorded in their order, and submitted in that order
  // to one queue. `barriers`: before the first slice and after the last one.
  Status record(VkCommandBuffer commands, const ApplicationBarriers& barriers, const Slice& slice) const;
  // Does the same as record(), but without checks for a lost device or unpacked weights.
  void write(VkCommandBuffer commands, const ApplicationBarriers& barriers = {}) const { write(commands, barriers, whole()); }

  // Returns OP_FAILED if an operation found wrong values (an index outside its table), and clears the failure flags. Call it when
  // the recorded commands have run.
  Status take_failures();

 private:
  struct Copy {
    VkBuffer source;
    VkBuffer target;
    VkBufferCopy region;
  };
  ApplicationRecording(std::shared_ptr<const SlotBlueprint> blueprint, RecordingConstants constants, RecordingMemory memory);
  void write(VkCommandBuffer commands, const ApplicationBarriers& barriers, const Slice& slice) const;
  Status make_memory();
  Status list_copies();
  bool is_copied(size_t place) const;

  const RecordingConstants constants_;
  const std::shared_ptr<const SlotBlueprint> owner_;
  const SlotBlueprint& blueprint_;
  const DispatchProgram& program_;
  const RecordingMemory memory_;
  Buffer arena_;  // unless the application gives scratch
  Buffer io_;     // status words; the whole io region if anything is copied
  RegionBuffers regions_;
  std::unique_ptr<Descriptors> descriptors_;
  // The copies before or after the plan's dispatches.
  struct Transfers {
    std::vector<Copy> copies;
    std::vector<std::unique_ptr<ImageTransfer>> images;
    bool empty() const { return copies.empty() && images.empty(); }
  };
  void write(VkCommandBuffer commands, const Transfers& transfers) const;
  Transfers in_;
  Transfers out_;
};

}  // namespace nnvk::vulkan
