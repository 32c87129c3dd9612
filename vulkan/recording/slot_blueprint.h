// The parts that all slots of a recording share.
#pragma once

#include <memory>
#include <vector>

#include "vulkan/memory/buffer.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/pipelines.h"
#include "vulkan/recording/program_memory.h"

namespace nnvk::vulkan {

struct SlotBlueprint {
  std::shared_ptr<Context> context;
  std::shared_ptr<Activity> activity;
  DispatchProgram program;
  std::vector<const Pipeline*> pipelines;
  std::vector<ConstantPlace> constants;
  Buffer local;

  RunnableProgram runnable() const { return {program, pipelines}; }
};

// The memory of a slot that its commands refer to.
struct SlotMemory {
  RegionBuffers regions;
  VkBuffer staging = VK_NULL_HANDLE;  // if the host cannot access the io region
  uint64_t slot = 0;                  // unique among living slots
};

}  // namespace nnvk::vulkan
