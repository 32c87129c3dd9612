// Descriptor sets and buffer views of a program's dispatches for concrete buffers, written once.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/io_access.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/recording/program_memory.h"

namespace nnvk::vulkan {

// The memory that descriptors refer to.
struct DescriptorTargets {
  RegionBuffers regions;
  std::span<const ConstantPlace> constants;  // covers every id that the program uses
  std::span<const IoPlace> io;               // inputs, then outputs; empty: all in the io region
};

// Returns the pipelines of the dispatches, in their order.
std::vector<PipelineKey> pipeline_keys(const DispatchProgram& program);
// Returns the indices of the dispatches that bind an input or output, whose memory the client chooses. If `touch` is false,
// returns the indices of all other dispatches.
std::vector<uint32_t> dispatches_that_touch_io(const DispatchProgram& program, bool touch);
std::vector<uint32_t> all_dispatches(const DispatchProgram& program);

class Descriptors {
 public:
  // Makes one set for each dispatch of `chosen` (indices into the program).
  static Result<std::unique_ptr<Descriptors>> create(std::shared_ptr<Context> context, const RunnableProgram& runnable,
                                                     std::vector<uint32_t> chosen, const DescriptorTargets& targets,
                                                     Activity& activity);
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  // Returns the sets of the chosen dispatches, in the order of `chosen`.
  std::span<const VkDescriptorSet> sets() const { return sets_; }
  // Stores the sets of the chosen dispatches in `sets`, which has one entry per dispatch of the program.
  void fill(std::span<VkDescriptorSet> sets) const;

 private:
  Descriptors(std::shared_ptr<Context> context, std::vector<uint32_t> chosen)
      : context_(std::move(context)), chosen_(std::move(chosen)) {}
  Status allocate(const RunnableProgram& runnable);
  Status write(const ProgramDispatch& dispatch, VkDescriptorSet set, const DescriptorTargets& targets);
  Result<VkBufferView> view(VkBuffer buffer, uint64_t offset, uint64_t size, VkFormat format);

  std::shared_ptr<Context> context_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<uint32_t> chosen_;
  std::vector<VkDescriptorSet> sets_;  // as chosen_
  std::map<std::tuple<VkBuffer, uint64_t, uint64_t, VkFormat>, VkBufferView> views_;
};

}  // namespace nnvk::vulkan
