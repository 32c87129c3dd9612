// Descriptor sets and buffer views of one program over concrete buffers, written once.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/result.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/pipelines.h"

namespace nnvk::vulkan {

// The buffers behind a program's regions. Null where the program does not use the region.
struct RegionBuffers {
  VkBuffer arena = VK_NULL_HANDLE;
  VkBuffer io = VK_NULL_HANDLE;
  VkBuffer local = VK_NULL_HANDLE;
};

// Where a constant lives; by constant id in a prepared plan.
struct ConstantPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
};

class Descriptors {
 public:
  // One set per dispatch. `constants` covers every id the program uses.
  static Result<std::unique_ptr<Descriptors>> create(std::shared_ptr<Context> context, const DispatchProgram& program,
                                                     std::span<const Pipeline* const> pipelines, const RegionBuffers& buffers,
                                                     std::span<const ConstantPlace> constants, Activity& activity);
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  VkDescriptorSet set(size_t dispatch) const { return sets_[dispatch]; }

 private:
  explicit Descriptors(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  Status allocate(const DispatchProgram& program, std::span<const Pipeline* const> pipelines);
  Status write(const DispatchProgram& program, const RegionBuffers& buffers, std::span<const ConstantPlace> constants);
  Result<VkBufferView> view(VkBuffer buffer, uint64_t offset, uint64_t size, VkFormat format);

  std::shared_ptr<Context> context_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
  std::map<std::tuple<VkBuffer, uint64_t, uint64_t, VkFormat>, VkBufferView> views_;
};

}  // namespace nnvk::vulkan
