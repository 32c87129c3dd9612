// Entry points: memories and memory descriptors.
#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/hardware_buffer_memory.h"
#include "core/base/config.h"

using namespace nnvk;
using namespace nnvk::api;

namespace {

ShrinkableUse shrinkable_use() {
  static const ShrinkableUse use = read_untrusted_memory() ? ShrinkableUse::kCopied : ShrinkableUse::kInPlace;
  return use;
}

// Adds a role to the descriptor, which keeps the compilations of its roles, and their devices.
Status add_role(ANeuralNetworksMemoryDesc& desc, const ANeuralNetworksCompilation& compilation, bool is_input, uint32_t index,
                float frequency) {
  NNVK_TRY(desc.descriptor.add_role(compilation.compilation, is_input, index, frequency));
  desc.compilations.emplace_back(&compilation);
  for (DeviceUse& use : uses_as(compilation.uses, Imported::kDescriptor)) desc.uses.push_back(std::move(use));
  return {};
}

}  // namespace

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_ASSIGN(made.memory, make_fd_memory(size, protect, fd, offset, shrinkable_use()));
    return {};
  });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_REQUIRE(ahwb);
    NNVK_ASSIGN(made.memory, make_hardware_buffer_memory(ahwb));
    return {};
  });
}

int nnvk_Memory_createFromFds(const nnvk_FrameLayout* layout, const int* fds, uint32_t fdCount, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_REQUIRE(layout);
    NNVK_REQUIRE(fds);
    NNVK_ASSIGN(made.memory, make_frame_memory(*layout, {fds, fdCount}));
    return {};
  });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc, ANeuralNetworksMemory** memory) {
  return call_to_make(__func__, memory, "memory", [&](ANeuralNetworksMemory& made) -> Status {
    NNVK_REQUIRE(desc);
    made.uses = uses_as(desc->uses, Imported::kMemory);
    NNVK_ASSIGN(made.memory, desc->descriptor.allocate());
    return {};
  });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst) {
  return call(__func__, {NNVK_ARGUMENT(src), NNVK_ARGUMENT(dst)}, [&] { return copy_memory(*src->memory, *dst->memory); });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) { free_handle(__func__, memory); }

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
  return call_to_make(__func__, desc, "desc", [](ANeuralNetworksMemoryDesc&) -> Status { return {}; });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc) { free_handle(__func__, desc); }

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                           uint32_t index, float frequency) {
  return call(__func__, {NNVK_ARGUMENT(desc), NNVK_ARGUMENT(compilation)},
              [&] { return add_role(*desc, *compilation, true, index, frequency); });
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                            uint32_t index, float frequency) {
  return call(__func__, {NNVK_ARGUMENT(desc), NNVK_ARGUMENT(compilation)},
              [&] { return add_role(*desc, *compilation, false, index, frequency); });
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank, const uint32_t* dimensions) {
  return call(__func__, {NNVK_ARGUMENT(desc)}, [&]() -> Status {
    NNVK_TRY(check_pair(dimensions, rank, "dimensions"));
    return desc->descriptor.set_dimensions({dimensions, rank});
  });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc) {
  return call(__func__, {NNVK_ARGUMENT(desc)}, [&]() -> Status {
    NNVK_TRY(desc->descriptor.finish());
    desc->compilations.clear();  // no further roles will be compared with theirs
    return {};
  });
}
