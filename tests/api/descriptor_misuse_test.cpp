// Wrong use of memory descriptors, and of memories made from them.
#include "tests/api/descriptions.h"
#include "tests/api/descriptor_fixture.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

class DescriptorMisuse : public DescriptorTest {};

Compiled relu(int32_t type, const std::vector<uint32_t>& dims, float scale = 0.0F, int32_t zero_point = 0) {
  return Compiled(make_unary(ANEURALNETWORKS_RELU, type, dims, scale, zero_point));
}

// y = DEQUANTIZE(x), x with these scales per channel.
Compiled dequantize_per_channel(const std::array<float, 2>& scales) {
  ModelBuilder model;
  const uint32_t x = model.operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2});
  const ANeuralNetworksSymmPerChannelQuantParams params{0, 2, scales.data()};
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), static_cast<int32_t>(x), &params), kOk);
  const uint32_t y = model.operand(kFloat, {2});
  EXPECT_EQ(model.operation(ANEURALNETWORKS_DEQUANTIZE, {x}, {y}), kOk);
  model.finish({x}, {y});
  return Compiled(std::move(model));
}

// r = RANK(FILL({2, 3}, v)): input 0 and output 0 are scalars.
Compiled make_scalars() {
  ModelBuilder model;
  const uint32_t value = model.operand(ANEURALNETWORKS_INT32);
  const uint32_t dims = model.constant<int32_t>(ANEURALNETWORKS_TENSOR_INT32, {2}, {2, 3});
  const uint32_t filled = model.operand(ANEURALNETWORKS_TENSOR_INT32, {0, 0});
  const uint32_t rank = model.operand(ANEURALNETWORKS_INT32);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_FILL, {dims, value}, {filled}), kOk);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_RANK, {filled}, {rank}), kOk);
  model.finish({value}, {rank});
  return Compiled(std::move(model));
}

// Makes memory for input 0 of `reader` and output 0 of `writer`, with these dimensions set. NULL if nnvk makes none.
MemoryPointer shared_memory(const CompilationPointer& reader, const CompilationPointer& writer, std::vector<uint32_t> dims) {
  const MemoryDescPointer desc = make_desc();
  add_input_role(desc, reader);
  add_output_role(desc, writer);
  const auto rank = static_cast<uint32_t>(dims.size());
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), rank, dims.data()), kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  const int result = ANeuralNetworksMemory_createFromDesc(desc.get(), &memory);
  EXPECT_EQ(result == kOk, memory != nullptr);
  return MemoryPointer(memory);
}

// Whether a finished compilation uses the device of this name.
bool runs_on(const CompilationPointer& compilation, const std::string& device) {
  const nlohmann::json description = describe(compilation);
  for (const auto& part : description.at("partitions")) {
    if (part.at("device") == device) return true;
  }
  return false;
}

TEST_F(DescriptorMisuse, CreateFromDesc) {
  ANeuralNetworksMemory* memory = nullptr;
  const Compiled open(make_add({0}), cpu_device());
  check_cases({
      {688, "desc NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(nullptr, &memory))},
      {689, "memory NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(finished_desc().get(), nullptr))},
      {690, "unfinished", kBadState, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(make_desc().get(), &memory))},
      {691, "unknown shape", kFailed,
       [&] {
         const MemoryDescPointer desc = make_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), open.compilation.get(), 0, 1.0F), kOk);
         EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
         return ANeuralNetworksMemory_createFromDesc(desc.get(), &memory);
       }},
  });
  EXPECT_EQ(memory, nullptr);
}

TEST_F(DescriptorMisuse, UnknownShapeWhereTheRuntimeChoseTheCpu) {
  const ModelBuilder open = make_add({0});
  const CompilationPointer automatic = finished(compile_for_all(open.get()));
  if (!runs_on(automatic, name_of(cpu_device()))) {
    skip_rows({692});
    GTEST_SKIP() << "the runtime prefers another device, which may have memory of its own";
  }
  const MemoryDescPointer desc = make_desc();
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), automatic.get(), 0, 1.0F), kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  check_cases({{692, "no capable device", kFailed, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory))}});
  EXPECT_EQ(memory, nullptr);
}

TEST_F(DescriptorMisuse, RolesOnSeveralDevicesOfTheClientsChoice) {
  if (gpus().empty()) {
    skip_rows({694});
    GTEST_SKIP() << "this machine has only the CPU device";
  }
  const CompilationPointer here = finished(compile_for_cpu(model_.get()));
  const CompilationPointer elsewhere = compiled_on(model_.get(), gpus().front());
  const MemoryDescPointer desc = make_desc();
  ASSERT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), here.get(), 0, 1.0F), kOk);
  ASSERT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), elsewhere.get(), 0, 1.0F), kOk);
  ASSERT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  check_cases({{694, "two devices", kFailed, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory))}});
  EXPECT_EQ(memory, nullptr);
}

TEST_F(DescriptorMisuse, MemoriesOutliveTheirDescriptor) {
  ANeuralNetworksMemory* first = nullptr;
  ANeuralNetworksMemory* second = nullptr;
  MemoryDescPointer desc = finished_desc();
  const MemoryPointer source = make_memory(8);
  ASSERT_EQ(ANeuralNetworksMemory_createFromDesc(desc.get(), &first), kOk);
  check_cases({{695, "a second memory", kOk, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(desc.get(), &second))}});
  EXPECT_NE(first, second);
  check_cases({
      {693, "used after the descriptor", kOk,
       [&] {
         desc.reset();
         return ANeuralNetworksMemory_copy(source.get(), first);
       }},
      {0, "the second one is still uninitialised", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(second, source.get()))},
      {715, "freed after the descriptor", kOk,
       [&] {
         ANeuralNetworksMemory_free(first);
         ANeuralNetworksMemory_free(second);
         return kOk;
       }},
  });
}

TEST_F(DescriptorMisuse, Roles) {
  using AddRole = int (*)(ANeuralNetworksMemoryDesc*, const ANeuralNetworksCompilation*, uint32_t, float);
  const CompilationPointer open = compile_for_one(model_.get());
  const Compiled other_dims(make_add({3}));
  const Compiled other_rank(make_add({1, 2}));
  const FailedCompilation failed;
  const Compiled floats = relu(kFloat, {2});
  const Compiled quants = relu(kQuant, {2}, 1.0F, 0);
  const Compiled scaled = relu(kQuant, {2}, 0.5F, 0);
  const Compiled moved = relu(kQuant, {2}, 1.0F, 3);
  const Compiled channels = dequantize_per_channel({1.0F, 2.0F});
  const Compiled other_channels = dequantize_per_channel({1.0F, 3.0F});
  const Compiled scalars = make_scalars();
  // Adds input 0 of one compilation as a role, then a role of another.
  const auto after_input = [&](const CompilationPointer& first, AddRole add, const CompilationPointer& second) {
    const MemoryDescPointer desc = make_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), first.get(), 0, 1.0F), kOk);
    return add(desc.get(), second.get(), 0, 1.0F);
  };
  const std::tuple<AddRole, int, uint32_t> roles[] = {{ANeuralNetworksMemoryDesc_addInputRole, 719, 2},
                                                      {ANeuralNetworksMemoryDesc_addOutputRole, 737, 1}};
  for (const auto& [function, base, count_value] : roles) {
    const AddRole add = function;
    const uint32_t count = count_value;
    const auto* ready = compilation_.get();
    const auto after_first = [&](const ANeuralNetworksCompilation* second) {
      const MemoryDescPointer desc = make_desc();
      EXPECT_EQ(add(desc.get(), ready, 0, 1.0F), kOk);
      return add(desc.get(), second, 0, 1.0F);
    };
    check_cases({
        {base, "desc NULL", kNull, NNVK_CALL(add(nullptr, ready, 0, 1.0F))},
        {base + 1, "compilation NULL", kNull, NNVK_CALL(add(make_desc().get(), nullptr, 0, 1.0F))},
        {base + 2, "unfinished", kBadData, NNVK_CALL(add(make_desc().get(), open.get(), 0, 1.0F))},
        {base + 3, "failed compilation", kBadData, NNVK_CALL(add(make_desc().get(), failed.compilation.get(), 0, 1.0F))},
        {base + 4, "index == count", kBadData, NNVK_CALL(add(make_desc().get(), ready, count, 1.0F))},
        {base + 5, "frequency 0", kBadData, NNVK_CALL(add(make_desc().get(), ready, 0, 0.0F))},
        {base + 6, "frequency -1", kBadData, NNVK_CALL(add(make_desc().get(), ready, 0, -1.0F))},
        {base + 7, "frequency 2", kBadData, NNVK_CALL(add(make_desc().get(), ready, 0, 2.0F))},
        {base + 8, "frequency 1", kOk, NNVK_CALL(add(make_desc().get(), ready, 0, 1.0F))},
        {base + 9, "twice", kBadData, NNVK_CALL(after_first(ready))},
        {base + 10, "finished desc", kBadState, NNVK_CALL(add(finished_desc().get(), ready, 0, 1.0F))},
        {base + 11, "other type", kBadData, NNVK_CALL(after_input(floats.compilation, add, quants.compilation))},
        {base + 12, "other scale", kBadData, NNVK_CALL(after_input(quants.compilation, add, scaled.compilation))},
        {base + 13, "other zero point", kBadData, NNVK_CALL(after_input(quants.compilation, add, moved.compilation))},
        // No operation writes a tensor with scales per channel; an output role is refused for having none.
        {base + 14, "other scales per channel", kBadData,
         NNVK_CALL(after_input(channels.compilation, add, other_channels.compilation))},
        {base + 15, "conflicting dims", kBadData, NNVK_CALL(after_first(other_dims.compilation.get()))},
        {base + 16, "other rank", kBadData, NNVK_CALL(after_first(other_rank.compilation.get()))},
        {base + 17, "scalar although dimensions are set", kBadData,
         [&] {
           const uint32_t two[] = {2};
           const MemoryDescPointer desc = make_desc();
           EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two), kOk);
           return add(desc.get(), scalars.compilation.get(), 0, 1.0F);
         }},
    });
  }
}

TEST_F(DescriptorMisuse, DimensionsAndFinish) {
  const uint32_t two[] = {2};
  const uint32_t three[] = {3};
  const uint32_t deep[] = {1, 2};
  const auto set_twice = [&](const uint32_t* second, uint32_t rank) {
    const MemoryDescPointer desc = make_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two), kOk);
    return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), rank, second);
  };
  check_cases({
      {716, "create NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_create(nullptr))},
      {755, "desc NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, two))},
      {756, "dimensions NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(make_desc().get(), 1, nullptr))},
      {757, "rank 0", kOk, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(make_desc().get(), 0, nullptr))},
      {758, "conflict", kBadData, NNVK_CALL(set_twice(three, 1))},
      {759, "other rank", kBadData, NNVK_CALL(set_twice(deep, 2))},
      {760, "dimensions of a scalar", kBadData,
       [&] {
         const Compiled scalars = make_scalars();
         const MemoryDescPointer desc = make_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), scalars.compilation.get(), 0, 1.0F), kOk);
         return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two);
       }},
      {761, "finished", kBadState, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(finished_desc().get(), 1, two))},
      {762, "conflicts with a role", kBadData,
       [&] {
         const MemoryDescPointer desc = make_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation_.get(), 0, 1.0F), kOk);
         return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, three);
       }},
      {763, "finish NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(nullptr))},
      {764, "finish twice", kBadState, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(finished_desc().get()))},
      {765, "no role", kBadData, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(make_desc().get()))},
      {717, "free NULL", kOk, NNVK_CALL((ANeuralNetworksMemoryDesc_free(nullptr), kOk))},
      {718, "free unfinished", kOk, NNVK_CALL((make_desc().reset(), kOk))},
  });
}

// A reader and a writer with open shapes, and memory of at most four floats between them.
TEST_F(DescriptorMisuse, MemoryBetweenOpenShapes) {
  const Compiled reader = relu(kFloat, {0});
  const Compiled writer = relu(kFloat, {0});
  const MemoryPointer memory = shared_memory(reader.compilation, writer.compilation, {4});
  ASSERT_NE(memory, nullptr);
  const TypeOf three(kFloat, {3});
  const TypeOf four(kFloat, {4});
  const std::array<float, 3> in{1.0F, 2.0F, 3.0F};
  std::array<float, 4> out{};
  const auto fresh = [&] { return make_execution(reader.compilation.get()); };
  check_cases({
      {502, "input of another shape", kBadData, NNVK_CALL(set_input(fresh(), 0, {memory, 0, 0, three.get()}))},
      {525, "input without a type", kBadData, NNVK_CALL(set_input(fresh(), 0, {memory, 0, 0}))},
      {521, "output of another shape", kBadData,
       NNVK_CALL(set_output(make_execution(writer.compilation.get()), 0, {memory, 0, 0, three.get()}))},
  });
  ASSERT_EQ(compute(make_execution(writer.compilation, {{in, three.get()}}, {{memory, 0, 0}})), kOk);
  const ExecutionPointer reads = make_execution(reader.compilation, {{memory, 0, 0, four.get()}}, {out});
  check_cases({{575, "three floats read as four", kFailed, NNVK_CALL(compute(reads))}});
}

TEST_F(DescriptorMisuse, CopiesBetweenMemoriesThatDiffer) {
  const Compiled flat = relu(kQuant, {4}, 1.0F);
  const Compiled square = relu(kQuant, {2, 2}, 1.0F);
  const Compiled tall = relu(kQuant, {4, 1}, 1.0F);
  const Compiled scaled = relu(kQuant, {4}, 0.5F);
  const MemoryPointer bytes = make_memory(4);
  const auto made_for = [&](const Compiled& model) {
    MemoryPointer memory = shared_memory(model.compilation, model.compilation, {});
    EXPECT_NE(memory, nullptr);
    EXPECT_EQ(ANeuralNetworksMemory_copy(bytes.get(), memory.get()), kOk);
    return memory;
  };
  const auto copy = [&](const Compiled& from, const Compiled& to) {
    return ANeuralNetworksMemory_copy(made_for(from).get(), made_for(to).get());
  };
  check_cases({
      {707, "other rank", kBadData, NNVK_CALL(copy(flat, square))},
      {708, "other dimensions", kBadData, NNVK_CALL(copy(square, tall))},
      {709, "other quantization", kBadData, NNVK_CALL(copy(flat, scaled))},
      {0, "equal", kOk, NNVK_CALL(copy(flat, flat))},
  });
}

// The CPU device makes no such memory (row 691).
TEST_F(DescriptorMisuse, CopiesToMemoryOfUnknownShape) {
  if (gpus().empty()) {
    skip_rows({703});
    GTEST_SKIP() << "this machine has only the CPU device";
  }
  const Compiled open(make_add({0}), gpus().front());
  const MemoryPointer unknown = shared_memory(open.compilation, open.compilation, {});
  ASSERT_NE(unknown, nullptr);
  const MemoryPointer bytes = make_memory(4);
  check_cases({{703, "plain to unknown shape", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(bytes.get(), unknown.get()))}});
}

// ADD fails in the computation when its activation does not exist.
TEST_F(DescriptorMisuse, AFailedComputationUndefinesWhatItWasToWrite) {
  const Compiled add(make_add({2}, 999));
  const MemoryPointer memory = shared_memory(add.compilation, add.compilation, {2});
  ASSERT_NE(memory, nullptr);
  const MemoryPointer plain = make_memory(8);
  ASSERT_EQ(ANeuralNetworksMemory_copy(plain.get(), memory.get()), kOk);
  const std::array<float, 2> in{};
  ASSERT_EQ(compute(make_execution(add.compilation, {in, in}, {{memory, 0, 0}})), kFailed);
  check_cases({{711, "copy from it", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(memory.get(), plain.get()))}});
}

}  // namespace
}  // namespace nnvk::test
