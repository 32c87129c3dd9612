// A plan with one set of shapes and one choice of inputs and outputs, ready to be written into command buffers of an application.
// Everything that may allocate, compile, wait or fail happens when it is made.
#pragma once

#include <volk.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/image_transfer.h"
#include "vulkan/recording/recording.h"

namespace nnvk::vulkan {

// What the application gives a recording to work in.
struct RecordingMemory {
  std::vector<IoPlace> places;  // inputs, then outputs
  // Of temporaries, at a multiple of kStorageAlignment; its buffer null: the recording makes memory of its own.
  ConstantPlace scratch = {};
};

// What recordings of one plan read, and whether it is on the device: commands that bring it there were recorded or have run.
struct RecordingConstants {
  std::shared_ptr<const void> owner;
  const std::atomic<bool>* are_there = nullptr;  // as long as the owner
};

// The barriers that an application leaves to us.
struct ApplicationBarriers {
  bool before = false;  // whatever it wrote or read earlier comes before the plan
  bool after = false;   // whatever it does later comes after the plan
};

// How the commands get at inputs and outputs, for an application that has barriers of its own.
inline constexpr VkPipelineStageFlags kApplicationStages = kCopyOrDispatch;
inline constexpr VkAccessFlags kApplicationReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
inline constexpr VkAccessFlags kApplicationWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

class ApplicationRecording {
 public:
  // BAD_DATA when an input or output lies where the device does not reach it.
  static Result<std::unique_ptr<ApplicationRecording>> create(std::shared_ptr<Recording> recording, RecordingConstants constants,
                                                              RecordingMemory memory);
  ApplicationRecording(const ApplicationRecording&) = delete;
  ApplicationRecording& operator=(const ApplicationRecording&) = delete;

  // Writes the plan into `commands`, which are in the recording state, outside of render passes. Changes their compute pipeline,
  // compute descriptor set 0 and push constants, and nothing else. Neither allocates nor locks; one thread at a time for one
  // command buffer. DEAD_OBJECT when the device is lost, BAD_STATE when weights have yet to be packed.
  Status record(VkCommandBuffer commands, const ApplicationBarriers& barriers) const;
  // The same without looking whether it can run.
  void write(VkCommandBuffer commands, const ApplicationBarriers& barriers = {}) const;

  // When everything that was recorded has run: OP_FAILED when an operation found wrong values (an index outside its table). Such
  // marks are taken away.
  Status take_failures();

  uint64_t scratch_size() const { return program_.arena_size; }

 private:
  struct Copy {
    VkBuffer source;
    VkBuffer target;
    VkBufferCopy region;
  };
  ApplicationRecording(std::shared_ptr<Recording> recording, RecordingConstants constants, RecordingMemory memory);
  Status make_memory();
  Status write_descriptors();
  Status list_copies();
  Status list_copy(size_t place);
  bool is_copied(size_t place) const;
  const IoTensor& tensor_at(size_t place) const;
  std::span<std::byte> status_words();

  const RecordingConstants constants_;
  const std::shared_ptr<Recording> recording_;
  const SlotBlueprint& blueprint_;
  const DispatchProgram& program_;
  const RecordingMemory memory_;
  Buffer arena_;  // unless the application gives scratch
  Buffer io_;     // status words; all of the io region where something is copied
  RegionBuffers regions_;
  std::unique_ptr<Descriptors> descriptors_;
  std::vector<VkDescriptorSet> sets_;
  // What surrounds the dispatches on one side of the plan.
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
