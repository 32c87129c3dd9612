// Wrong use of memories of all kinds.
#include <nnvk/picture.h>

#include "tests/api/descriptor_fixture.h"
#include "tests/api/misuse_table.h"
#include "tests/support/frame_memory.h"

namespace nnvk::test {
namespace {

class MemoryMisuse : public DescriptorTest {};

TEST_F(MemoryMisuse, CreateFromFd) {
  const int fd = ::memfd_create("fd", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, 16), 0);
  ANeuralNetworksMemory* memory = nullptr;
  const auto create = [&](size_t size, int protection, int file, size_t offset) {
    const int result = ANeuralNetworksMemory_createFromFd(size, protection, file, offset, &memory);
    EXPECT_EQ(memory != nullptr, result == kOk);
    ANeuralNetworksMemory_free(memory);
    memory = nullptr;
    return result;
  };
  check_cases({
      {678, "memory NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromFd(16, PROT_READ, fd, 0, nullptr))},
      {679, "fd -1", kFailed, NNVK_CALL(create(16, PROT_READ, -1, 0))},
      {680, "closed fd", kFailed, NNVK_CALL(create(16, PROT_READ, 987, 0))},
      {681, "the caller closes its descriptor", kOk,
       [&] {
         const MemoryPointer survivor = make_memory(8);  // closes the descriptor
         const MemoryPointer target = make_memory(8);
         return ANeuralNetworksMemory_copy(survivor.get(), target.get());
       }},
      {682, "size larger than the file", kOk, NNVK_CALL(create(1 << 20, PROT_READ, fd, 0))},
      {683, "offset not page aligned", kOk, NNVK_CALL(create(8, PROT_READ, fd, 4))},
      {684, "size 0", kOk, NNVK_CALL(create(0, PROT_READ, fd, 0))},
      {685, "PROT_EXEC", kOk, NNVK_CALL(create(16, PROT_EXEC, fd, 0))},
  });
  ::close(fd);
  check_cases({{713, "free NULL", kOk, NNVK_CALL((ANeuralNetworksMemory_free(nullptr), kOk))}});
}

TEST_F(MemoryMisuse, CreateFromAHardwareBuffer) {
  ANeuralNetworksMemory* memory = nullptr;
  alignas(8) const char bogus[64] = {};
  const auto* buffer = reinterpret_cast<const AHardwareBuffer*>(bogus);
  check_cases({
      {686, "buffer NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory))},
      {687, "memory NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, nullptr))},
      {0, "no buffer", kBadData, NNVK_CALL(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory))},
  });
  EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryMisuse, CreateFromFds) {
  const FrameMemory frame(4096);
  const int fd = frame.fd();
  ANeuralNetworksMemory* memory = nullptr;
  const auto create = [&](void (*change)(nnvk_FrameLayout&), uint32_t count = 1) {
    nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_ABGR8888, 16, 16, {{0, 0, 64}}, 0);
    change(layout);
    const int fds[] = {fd, -1};
    const int code = nnvk_Memory_createFromFds(&layout, fds, count, &memory);
    ANeuralNetworksMemory_free(std::exchange(memory, nullptr));
    return code;
  };
  const auto as_it_is = [](nnvk_FrameLayout&) {};
  const nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_ABGR8888, 16, 16, {{0, 0, 64}}, 0);
  check_cases({
      {0, "layout NULL", kNull, NNVK_CALL(nnvk_Memory_createFromFds(nullptr, &fd, 1, &memory))},
      {0, "fds NULL", kNull, NNVK_CALL(nnvk_Memory_createFromFds(&layout, nullptr, 1, &memory))},
      {0, "memory NULL", kNull, NNVK_CALL(nnvk_Memory_createFromFds(&layout, &fd, 1, nullptr))},
      {0, "another size of the struct", kBadData, NNVK_CALL(create([](nnvk_FrameLayout& l) { l.size = 8; }))},
      {0, "an unknown format", kFailed, NNVK_CALL(create([](nnvk_FrameLayout& l) { l.fourcc = 1; }))},
      {0, "a tiled frame", kFailed, NNVK_CALL(create([](nnvk_FrameLayout& l) { l.modifier = 1; }))},
      {0, "rows beyond the memory", kBadData, NNVK_CALL(create([](nnvk_FrameLayout& l) { l.height = 65; }))},
      {0, "no descriptor", kBadData, NNVK_CALL(create(as_it_is, 0))},
      {0, "a closed descriptor", kBadData, NNVK_CALL(create(as_it_is, 2))},
      {0, "a frame", kOk, NNVK_CALL(create(as_it_is))},
  });
  EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryMisuse, Copy) {
  const MemoryPointer small = make_memory(8);
  const MemoryPointer same = make_memory(8);
  const MemoryPointer large = make_memory(16);
  const MemoryPointer desc = desc_memory();
  const MemoryPointer other_desc = desc_memory();
  const auto copy = [](const MemoryPointer& a, const MemoryPointer& b) { return ANeuralNetworksMemory_copy(a.get(), b.get()); };
  check_cases({
      {696, "src NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_copy(nullptr, small.get()))},
      {697, "dst NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_copy(small.get(), nullptr))},
      {698, "same object", kOk, NNVK_CALL(copy(small, small))},
      {699, "other size", kBadData, NNVK_CALL(copy(small, large))},
      {700, "equal size", kOk, NNVK_CALL(copy(small, same))},
      {701, "plain to desc, smaller", kBadData, NNVK_CALL(copy(make_memory(4), desc))},
      {702, "plain to desc, larger", kBadData, NNVK_CALL(copy(large, desc))},
      {704, "uninitialised desc to plain", kBadData, NNVK_CALL(copy(desc, small))},
      {705, "uninitialised desc to desc", kBadData, NNVK_CALL(copy(desc, other_desc))},
      {0, "plain to desc", kOk, NNVK_CALL(copy(small, desc))},
      {0, "desc to desc", kOk, NNVK_CALL(copy(desc, other_desc))},
      {0, "desc to plain", kOk, NNVK_CALL(copy(other_desc, same))},
      {706, "desc to plain of other size", kBadData, NNVK_CALL(copy(desc, large))},
      {0, "a failed copy", kBadData, NNVK_CALL(copy(large, desc))},
      {710, "desc after a failed copy", kBadData, NNVK_CALL(copy(desc, small))},
      {712, "unmappable source", ANEURALNETWORKS_UNMAPPABLE, NNVK_CALL(copy(make_unmappable_memory(), small))},
  });
}

TEST_F(MemoryMisuse, DescMemoryServesOnlyItsRolesAndAsAWhole) {
  const MemoryPointer memory = desc_memory();
  const CompilationPointer other = finished(compile_for_one(model_.get()));
  const auto bind_input = [&](const CompilationPointer& compilation, int32_t index, size_t offset, size_t length) {
    return set_input(make_execution(compilation.get()), index, {memory, offset, length});
  };
  const auto bind_output = [&](const CompilationPointer& compilation, const MemoryPointer& target, size_t offset, size_t length) {
    return set_output(make_execution(compilation.get()), 0, {target, offset, length});
  };
  const MemoryDescPointer reading = make_desc();
  add_input_role(reading, compilation_);
  const MemoryPointer input_only = memory_from(reading);
  check_cases({
      {497, "role not registered", kBadData, NNVK_CALL(bind_input(compilation_, 1, 0, 0))},
      {498, "other compilation", kBadData, NNVK_CALL(bind_input(other, 0, 0, 0))},
      {499, "offset 1", kBadData, NNVK_CALL(bind_input(compilation_, 0, 1, 0))},
      {500, "length given", kBadData, NNVK_CALL(bind_input(compilation_, 0, 0, 8))},
      {501, "as a whole", kOk, NNVK_CALL(bind_input(compilation_, 0, 0, 0))},
      {523, "uninitialised", kOk, NNVK_CALL(bind_input(compilation_, 0, 0, 0))},
      {516, "output role not registered", kBadData, NNVK_CALL(bind_output(compilation_, input_only, 0, 0))},
      {517, "output of another compilation", kBadData, NNVK_CALL(bind_output(other, memory, 0, 0))},
      {518, "output at offset 1", kBadData, NNVK_CALL(bind_output(compilation_, memory, 1, 0))},
      {519, "output with a length", kBadData, NNVK_CALL(bind_output(compilation_, memory, 0, 8))},
      {520, "output as a whole", kOk, NNVK_CALL(bind_output(compilation_, memory, 0, 0))},
      {162, "as a constant", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
         return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), 0, memory.get(), 0, 8);
       }},
  });
  std::array<float, 2> buffer{};
  const ExecutionPointer e = make_execution(compilation_, {{memory, 0, 0}, buffer}, {buffer});
  check_cases({{574, "uninitialised input", kFailed, NNVK_CALL(ANeuralNetworksExecution_compute(e.get()))}});
}

}  // namespace
}  // namespace nnvk::test
