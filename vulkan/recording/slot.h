// Everything one execution in flight needs for itself: arena, input and output memory, descriptor sets, command buffers.
#pragma once

#include <volk.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/dispatch_program.h"

namespace nnvk::vulkan {

// What all slots of a recording share.
struct SlotBlueprint {
  std::shared_ptr<Context> context;
  std::shared_ptr<Activity> activity;
  DispatchProgram program;
  std::vector<const Pipeline*> pipelines;
  std::vector<ConstantPlace> constants;
  Buffer local;
};

// An input or output that lives in device memory: copied by the GPU, the host does not see it.
struct IoCopy {
  VkBuffer memory = VK_NULL_HANDLE;
  uint64_t memory_offset = 0;
  uint64_t io_offset = 0;
  uint64_t size = 0;  // not 0
  bool to_io = true;
};

class Slot {
 public:
  static Result<std::unique_ptr<Slot>> create(const SlotBlueprint& blueprint);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  // Host memory of inputs and outputs, laid out as IoTensor says.
  std::span<std::byte> io_bytes() const { return host_io().bytes(); }
  // Makes the command buffers of one run: inputs, dispatches, outputs, in as many submissions as `cuts` ask for
  // (submission_cuts.h).
  // Dispatches are recorded on first use of this measure and these cuts, transfers once where the host is on the other side, and
  // for each run that binds device memory (`copies`).
  Status make_ready(const SlotBlueprint& blueprint, Measure measure, std::span<const IoCopy> copies,
                    std::span<const size_t> cuts);
  // What make_ready() made, to be submitted one after the other. Valid until its next call.
  size_t submission_count() const { return dispatch_parts_; }
  std::span<const VkCommandBuffer> submission(size_t index) const;
  // Timestamps of the last run; without any when they cannot be read.
  struct Timestamps {
    uint64_t first_tick = 0;            // as the device counts
    std::vector<uint64_t> nanoseconds;  // since the first, one per query
  };
  Timestamps timestamps(const SlotBlueprint& blueprint, Measure measure) const;

 private:
  explicit Slot(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  const Buffer& host_io() const { return staging_ ? staging_ : io_; }
  struct RecordedDispatches {
    std::vector<size_t> cuts;
    std::vector<VkCommandBuffer> parts;  // one more than cuts
  };
  Status record(const SlotBlueprint& blueprint, Measure measure, std::span<const size_t> cuts);
  Result<VkCommandBuffer> record_transfer(CommandPool& pool, const SlotBlueprint& blueprint, bool to_io,
                                          std::span<const IoCopy> copies);
  Status ensure_queries(const SlotBlueprint& blueprint, Measure measure);

  std::shared_ptr<Context> context_;
  Buffer arena_;
  Buffer io_;
  Buffer staging_;  // only where the host does not reach io_
  std::unique_ptr<Descriptors> descriptors_;
  std::unique_ptr<CommandPool> pool_;
  std::unique_ptr<CommandPool> copy_pool_;             // for runs that bind device memory; reset for each
  std::array<VkCommandBuffer, 2> staging_commands_{};  // in and out, where the host writes and reads all of the io region
  std::array<RecordedDispatches, 3> dispatches_;       // by Measure
  std::vector<VkCommandBuffer> ready_;                 // what the run submits in all, in order
  size_t ready_before_ = 0;                            // transfers at the beginning of it
  size_t dispatch_parts_ = 0;                          // then as many of dispatches; transfers at the end
  std::array<VkQueryPool, 3> queries_{};
};

}  // namespace nnvk::vulkan
