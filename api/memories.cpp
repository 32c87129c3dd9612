// Entry points: memories and memory descriptors.
#include "api/arguments.h"
#include "api/call.h"
#include "api/handles.h"
#include "api/hardware_buffer_memory.h"

using nnvk::Status;
using nnvk::api::call;
using nnvk::api::check_pair;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory** memory) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(memory);
    *memory = nullptr;
    NNVK_ASSIGN(auto made, nnvk::make_fd_memory(size, protect, fd, offset));
    *memory = new ANeuralNetworksMemory{std::move(made)};
    return {};
  });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer* ahwb, ANeuralNetworksMemory** memory) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(memory);
    *memory = nullptr;
    NNVK_REQUIRE(ahwb);
    NNVK_ASSIGN(auto made, nnvk::api::make_hardware_buffer_memory(ahwb));
    *memory = new ANeuralNetworksMemory{std::move(made)};
    return {};
  });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc* desc, ANeuralNetworksMemory** memory) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(memory);
    *memory = nullptr;
    NNVK_REQUIRE(desc);
    NNVK_ASSIGN(auto made, desc->descriptor.allocate());
    *memory = new ANeuralNetworksMemory{std::move(made)};
    return {};
  });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory* src, const ANeuralNetworksMemory* dst) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(src);
    NNVK_REQUIRE(dst);
    return nnvk::copy_memory(*src->memory, *dst->memory);
  });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory* memory) { nnvk::api::free_handle(__func__, memory); }

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc** desc) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(desc);
    *desc = nullptr;
    *desc = new ANeuralNetworksMemoryDesc();
    return {};
  });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc* desc) { nnvk::api::free_handle(__func__, desc); }

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                           uint32_t index, float frequency) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(desc);
    NNVK_REQUIRE(compilation);
    NNVK_TRY(desc->descriptor.add_role(compilation->compilation, true, index, frequency));
    desc->compilations.emplace_back(compilation);
    return {};
  });
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc* desc, const ANeuralNetworksCompilation* compilation,
                                            uint32_t index, float frequency) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(desc);
    NNVK_REQUIRE(compilation);
    NNVK_TRY(desc->descriptor.add_role(compilation->compilation, false, index, frequency));
    desc->compilations.emplace_back(compilation);
    return {};
  });
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc* desc, uint32_t rank, const uint32_t* dimensions) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(desc);
    NNVK_TRY(check_pair(dimensions, rank, "dimensions"));
    return desc->descriptor.set_dimensions({dimensions, rank});
  });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc* desc) {
  return call(__func__, [&]() -> Status {
    NNVK_REQUIRE(desc);
    NNVK_TRY(desc->descriptor.finish());
    desc->compilations.clear();  // no more roles are compared with theirs
    return {};
  });
}
