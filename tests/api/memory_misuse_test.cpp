// Wrong use of memories and memory descriptors.
#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::testing {
namespace {

constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
constexpr int kNull = ANEURALNETWORKS_UNEXPECTED_NULL;
constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
constexpr int kBadState = ANEURALNETWORKS_BAD_STATE;
constexpr int kFailed = ANEURALNETWORKS_OP_FAILED;

class MemoryMisuse : public ::testing::Test {
 protected:
  MemoryMisuse() : model_(make_add({2})), compilation_(finished(compile_for_cpu(model_.get()))) {}

  static MemoryDescPointer fresh_desc() {
    ANeuralNetworksMemoryDesc* desc = nullptr;
    EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kOk);
    return MemoryDescPointer(desc);
  }
  // Finished, with roles input 0 and output 0.
  MemoryDescPointer finished_desc() const {
    MemoryDescPointer desc = fresh_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation_.get(), 0, 1.0F), kOk);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation_.get(), 0, 1.0F), kOk);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
    return desc;
  }
  MemoryPointer desc_memory() const {
    ANeuralNetworksMemory* memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(finished_desc().get(), &memory), kOk);
    return MemoryPointer(memory);
  }

  ModelBuilder model_;
  CompilationPointer compilation_;
};

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
      {678, "memory NULL", kNull, [&] { return ANeuralNetworksMemory_createFromFd(16, PROT_READ, fd, 0, nullptr); }},
      {679, "fd -1", kFailed, [&] { return create(16, PROT_READ, -1, 0); }},
      {680, "closed fd", kFailed, [&] { return create(16, PROT_READ, 987, 0); }},
      {682, "size larger than the file", kOk, [&] { return create(1 << 20, PROT_READ, fd, 0); }},
      {683, "offset not page aligned", kOk, [&] { return create(8, PROT_READ, fd, 4); }},
      {684, "size 0", kOk, [&] { return create(0, PROT_READ, fd, 0); }},
      {685, "PROT_EXEC", kOk, [&] { return create(16, PROT_EXEC, fd, 0); }},
  });
  ::close(fd);
  ANeuralNetworksMemory_free(nullptr);
}

TEST_F(MemoryMisuse, CreateFromAHardwareBuffer) {
  ANeuralNetworksMemory* memory = nullptr;
  alignas(8) const char bogus[64] = {};
  const auto* buffer = reinterpret_cast<const AHardwareBuffer*>(bogus);
  check_cases({
      {686, "buffer NULL", kNull, [&] { return ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory); }},
      {687, "memory NULL", kNull, [&] { return ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, nullptr); }},
      {0, "no buffer", kBadData, [&] { return ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory); }},
  });
  EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryMisuse, CreateFromDesc) {
  ANeuralNetworksMemory* memory = nullptr;
  const ModelBuilder open = make_add({0});
  const CompilationPointer open_compilation = finished(compile_for_cpu(open.get()));
  check_cases({
      {688, "desc NULL", kNull, [&] { return ANeuralNetworksMemory_createFromDesc(nullptr, &memory); }},
      {689, "memory NULL", kNull, [&] { return ANeuralNetworksMemory_createFromDesc(finished_desc().get(), nullptr); }},
      {690, "unfinished", kBadState, [&] { return ANeuralNetworksMemory_createFromDesc(fresh_desc().get(), &memory); }},
      {691, "unknown shape", kFailed,
       [&] {
         const MemoryDescPointer desc = fresh_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), open_compilation.get(), 0, 1.0F), kOk);
         EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
         return ANeuralNetworksMemory_createFromDesc(desc.get(), &memory);
       }},
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
      {696, "src NULL", kNull, [&] { return ANeuralNetworksMemory_copy(nullptr, small.get()); }},
      {697, "dst NULL", kNull, [&] { return ANeuralNetworksMemory_copy(small.get(), nullptr); }},
      {698, "same object", kOk, [&] { return copy(small, small); }},
      {699, "other size", kBadData, [&] { return copy(small, large); }},
      {700, "equal size", kOk, [&] { return copy(small, same); }},
      {702, "plain to desc, larger", kBadData, [&] { return copy(large, desc); }},
      {704, "uninitialised desc to plain", kBadData, [&] { return copy(desc, small); }},
      {705, "uninitialised desc to desc", kBadData, [&] { return copy(desc, other_desc); }},
      {0, "plain to desc", kOk, [&] { return copy(small, desc); }},
      {0, "desc to desc", kOk, [&] { return copy(desc, other_desc); }},
      {0, "desc to plain", kOk, [&] { return copy(other_desc, same); }},
      {706, "desc to plain of other size", kBadData, [&] { return copy(desc, large); }},
      {0, "a failed copy", kBadData, [&] { return copy(large, desc); }},
      {710, "desc after a failed copy", kBadData, [&] { return copy(desc, small); }},
      {712, "unmappable source", ANEURALNETWORKS_UNMAPPABLE,
       [&] {
         const int fd = ::memfd_create("unmappable", MFD_CLOEXEC);
         ANeuralNetworksMemory* memory = nullptr;
         EXPECT_EQ(ANeuralNetworksMemory_createFromFd(8, PROT_READ, fd, 4, &memory), kOk);
         ::close(fd);
         return copy(MemoryPointer(memory), small);
       }},
  });
}

TEST_F(MemoryMisuse, Roles) {
  using AddRole = int (*)(ANeuralNetworksMemoryDesc*, const ANeuralNetworksCompilation*, uint32_t, float);
  const CompilationPointer open = compile_for_cpu(model_.get());
  const ModelBuilder larger = make_add({3});
  const CompilationPointer other_dims = finished(compile_for_cpu(larger.get()));
  const ModelBuilder deeper = make_add({1, 2});
  const CompilationPointer other_rank = finished(compile_for_cpu(deeper.get()));
  const std::tuple<AddRole, int, uint32_t> roles[] = {{ANeuralNetworksMemoryDesc_addInputRole, 719, 2},
                                                      {ANeuralNetworksMemoryDesc_addOutputRole, 737, 1}};
  for (const auto& [function, base, count_value] : roles) {
    const AddRole add = function;
    const uint32_t count = count_value;
    const auto* ready = compilation_.get();
    const auto after_first = [&](const ANeuralNetworksCompilation* second) {
      const MemoryDescPointer desc = fresh_desc();
      EXPECT_EQ(add(desc.get(), ready, 0, 1.0F), kOk);
      return add(desc.get(), second, 0, 1.0F);
    };
    check_cases({
        {base, "desc NULL", kNull, [&] { return add(nullptr, ready, 0, 1.0F); }},
        {base + 1, "compilation NULL", kNull, [&] { return add(fresh_desc().get(), nullptr, 0, 1.0F); }},
        {base + 2, "unfinished", kBadData, [&] { return add(fresh_desc().get(), open.get(), 0, 1.0F); }},
        {base + 4, "index == count", kBadData, [&] { return add(fresh_desc().get(), ready, count, 1.0F); }},
        {base + 5, "frequency 0", kBadData, [&] { return add(fresh_desc().get(), ready, 0, 0.0F); }},
        {base + 6, "frequency -1", kBadData, [&] { return add(fresh_desc().get(), ready, 0, -1.0F); }},
        {base + 7, "frequency 2", kBadData, [&] { return add(fresh_desc().get(), ready, 0, 2.0F); }},
        {base + 8, "frequency 1", kOk, [&] { return add(fresh_desc().get(), ready, 0, 1.0F); }},
        {base + 9, "twice", kBadData, [&] { return after_first(ready); }},
        {base + 10, "finished desc", kBadState, [&] { return add(finished_desc().get(), ready, 0, 1.0F); }},
        {base + 15, "conflicting dims", kBadData, [&] { return after_first(other_dims.get()); }},
        {base + 16, "other rank", kBadData, [&] { return after_first(other_rank.get()); }},
    });
  }
}

TEST_F(MemoryMisuse, DimensionsAndFinish) {
  const uint32_t two[] = {2};
  const uint32_t three[] = {3};
  const uint32_t deep[] = {1, 2};
  const auto set_twice = [&](const uint32_t* second, uint32_t rank) {
    const MemoryDescPointer desc = fresh_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two), kOk);
    return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), rank, second);
  };
  check_cases({
      {716, "create NULL", kNull, [] { return ANeuralNetworksMemoryDesc_create(nullptr); }},
      {755, "desc NULL", kNull, [&] { return ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, two); }},
      {756, "dimensions NULL", kNull, [&] { return ANeuralNetworksMemoryDesc_setDimensions(fresh_desc().get(), 1, nullptr); }},
      {757, "rank 0", kOk, [&] { return ANeuralNetworksMemoryDesc_setDimensions(fresh_desc().get(), 0, nullptr); }},
      {758, "conflict", kBadData, [&] { return set_twice(three, 1); }},
      {759, "other rank", kBadData, [&] { return set_twice(deep, 2); }},
      {761, "finished", kBadState, [&] { return ANeuralNetworksMemoryDesc_setDimensions(finished_desc().get(), 1, two); }},
      {762, "conflicts with a role", kBadData,
       [&] {
         const MemoryDescPointer desc = fresh_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation_.get(), 0, 1.0F), kOk);
         return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, three);
       }},
      {763, "finish NULL", kNull, [] { return ANeuralNetworksMemoryDesc_finish(nullptr); }},
      {764, "finish twice", kBadState, [&] { return ANeuralNetworksMemoryDesc_finish(finished_desc().get()); }},
      {765, "no role", kBadData, [&] { return ANeuralNetworksMemoryDesc_finish(fresh_desc().get()); }},
  });
  ANeuralNetworksMemoryDesc_free(nullptr);
}

TEST_F(MemoryMisuse, DescMemoryServesOnlyItsRolesAndAsAWhole) {
  const MemoryPointer memory = desc_memory();
  const CompilationPointer other = finished(compile_for_cpu(model_.get()));
  const auto bind_input = [&](const CompilationPointer& compilation, int32_t index, size_t offset, size_t length) {
    return ANeuralNetworksExecution_setInputFromMemory(make_execution(compilation.get()).get(), index, nullptr, memory.get(),
                                                       offset, length);
  };
  check_cases({
      {497, "role not registered", kBadData, [&] { return bind_input(compilation_, 1, 0, 0); }},
      {498, "other compilation", kBadData, [&] { return bind_input(other, 0, 0, 0); }},
      {499, "offset 1", kBadData, [&] { return bind_input(compilation_, 0, 1, 0); }},
      {500, "length given", kBadData, [&] { return bind_input(compilation_, 0, 0, 8); }},
      {501, "as a whole", kOk, [&] { return bind_input(compilation_, 0, 0, 0); }},
      {162, "as a constant", kBadData,
       [&] {
         ModelBuilder builder;
         builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
         return ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), 0, memory.get(), 0, 8);
       }},
  });
  std::array<float, 2> buffer{};
  const ExecutionPointer e = make_execution(compilation_.get());
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(e.get(), 0, nullptr, memory.get(), 0, 0), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(e.get(), 1, nullptr, buffer.data(), 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(e.get(), 0, nullptr, buffer.data(), 8), kOk);
  check_cases({{574, "uninitialised input", kFailed, [&] { return ANeuralNetworksExecution_compute(e.get()); }}});
}

}  // namespace
}  // namespace nnvk::testing
