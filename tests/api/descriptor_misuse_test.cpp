// Wrong use of memory descriptors and of what is made from them.
#include "tests/api/descriptions.h"
#include "tests/api/descriptor_fixture.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

class DescriptorMisuse : public DescriptorTest {};

// y = RELU(x), both of this type.
struct Relu {
  Relu(int32_t type, const std::vector<uint32_t>& dims, float scale = 0.0F, int32_t zero_point = 0) {
    const uint32_t x = model.operand(type, dims, scale, zero_point);
    const uint32_t y = model.operand(type, dims, scale, zero_point);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
    EXPECT_EQ(model.identify({x}, {y}), kOk);
    EXPECT_EQ(model.finish(), kOk);
    compilation = finished(compile_for_one(model.get()));
  }
  ModelBuilder model;
  CompilationPointer compilation;
};

// y = DEQUANTIZE(x), x with these scales per channel.
struct DequantizePerChannel {
  explicit DequantizePerChannel(const std::array<float, 2>& scales) {
    const uint32_t x = model.operand(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2});
    const ANeuralNetworksSymmPerChannelQuantParams params{0, 2, scales.data()};
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), static_cast<int32_t>(x), &params), kOk);
    const uint32_t y = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
    EXPECT_EQ(model.operation(ANEURALNETWORKS_DEQUANTIZE, {x}, {y}), kOk);
    EXPECT_EQ(model.identify({x}, {y}), kOk);
    EXPECT_EQ(model.finish(), kOk);
    compilation = finished(compile_for_one(model.get()));
  }
  ModelBuilder model;
  CompilationPointer compilation;
};

// r = RANK(FILL({2, 3}, v)): input 0 and output 0 are scalars.
struct Scalars {
  Scalars() {
    const uint32_t value = model.operand(ANEURALNETWORKS_INT32);
    const uint32_t dims = model.operand(ANEURALNETWORKS_TENSOR_INT32, {2});
    const uint32_t filled = model.operand(ANEURALNETWORKS_TENSOR_INT32, {0, 0});
    const uint32_t rank = model.operand(ANEURALNETWORKS_INT32);
    const int32_t shape[] = {2, 3};
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), static_cast<int32_t>(dims), shape, sizeof shape), kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_FILL, {dims, value}, {filled}), kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_RANK, {filled}, {rank}), kOk);
    EXPECT_EQ(model.identify({value}, {rank}), kOk);
    EXPECT_EQ(model.finish(), kOk);
    compilation = finished(compile_for_one(model.get()));
  }
  ModelBuilder model;
  CompilationPointer compilation;
};

// Memory for input 0 of one compilation and output 0 of another, with these dimensions set; NULL if it cannot be made.
MemoryPointer shared_memory(const CompilationPointer& reader, const CompilationPointer& writer, std::vector<uint32_t> dims) {
  ANeuralNetworksMemoryDesc* made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&made), kOk);
  const MemoryDescPointer desc(made);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(made, reader.get(), 0, 1.0F), kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addOutputRole(made, writer.get(), 0, 1.0F), kOk);
  const auto rank = static_cast<uint32_t>(dims.size());
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(made, rank, dims.data()), kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(made), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  const int result = ANeuralNetworksMemory_createFromDesc(made, &memory);
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

constexpr int32_t kFloat = ANEURALNETWORKS_TENSOR_FLOAT32;
constexpr int32_t kQuant = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

TEST_F(DescriptorMisuse, CreateFromDesc) {
  ANeuralNetworksMemory* memory = nullptr;
  const ModelBuilder open = make_add({0});
  const CompilationPointer open_compilation = finished(compile_for_cpu(open.get()));
  check_cases({
      {688, "desc NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(nullptr, &memory))},
      {689, "memory NULL", kNull, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(finished_desc().get(), nullptr))},
      {690, "unfinished", kBadState, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(fresh_desc().get(), &memory))},
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

TEST_F(DescriptorMisuse, UnknownShapeWhereTheRuntimeChoseTheCpu) {
  const ModelBuilder open = make_add({0});
  const CompilationPointer automatic = finished(compile_for_all(open.get()));
  if (!runs_on(automatic, name_of(cpu_device()))) {
    skip_rows({692});
    GTEST_SKIP() << "the runtime prefers another device, which may have memory of its own";
  }
  const MemoryDescPointer desc = fresh_desc();
  EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), automatic.get(), 0, 1.0F), kOk);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc.get()), kOk);
  ANeuralNetworksMemory* memory = nullptr;
  check_cases({{692, "no capable device", kFailed, NNVK_CALL(ANeuralNetworksMemory_createFromDesc(desc.get(), &memory))}});
  EXPECT_EQ(memory, nullptr);
}

TEST_F(DescriptorMisuse, RolesOnSeveralDevicesOfTheClientsChoice) {
  const auto devices = all_devices();
  if (devices.size() < 2) {
    skip_rows({694});
    GTEST_SKIP() << "this machine has only the CPU device";
  }
  const CompilationPointer here = finished(compile_for_cpu(model_.get()));
  const CompilationPointer elsewhere = finished(compile_for(model_.get(), devices.front()));
  const MemoryDescPointer desc = fresh_desc();
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
  const ModelBuilder larger = make_add({3});
  const CompilationPointer other_dims = finished(compile_for_one(larger.get()));
  const ModelBuilder deeper = make_add({1, 2});
  const CompilationPointer other_rank = finished(compile_for_one(deeper.get()));
  const FailedCompilation failed;
  const Relu floats(kFloat, {2});
  const Relu quants(kQuant, {2}, 1.0F, 0);
  const Relu scaled(kQuant, {2}, 0.5F, 0);
  const Relu moved(kQuant, {2}, 1.0F, 3);
  const DequantizePerChannel channels({1.0F, 2.0F});
  const DequantizePerChannel other_channels({1.0F, 3.0F});
  const Scalars scalars;
  // Adds input 0 of one compilation as a role, then a role of another.
  const auto after_input = [&](const CompilationPointer& first, AddRole add, const CompilationPointer& second) {
    const MemoryDescPointer desc = fresh_desc();
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
      const MemoryDescPointer desc = fresh_desc();
      EXPECT_EQ(add(desc.get(), ready, 0, 1.0F), kOk);
      return add(desc.get(), second, 0, 1.0F);
    };
    check_cases({
        {base, "desc NULL", kNull, NNVK_CALL(add(nullptr, ready, 0, 1.0F))},
        {base + 1, "compilation NULL", kNull, NNVK_CALL(add(fresh_desc().get(), nullptr, 0, 1.0F))},
        {base + 2, "unfinished", kBadData, NNVK_CALL(add(fresh_desc().get(), open.get(), 0, 1.0F))},
        {base + 3, "failed compilation", kBadData, NNVK_CALL(add(fresh_desc().get(), failed.compilation.get(), 0, 1.0F))},
        {base + 4, "index == count", kBadData, NNVK_CALL(add(fresh_desc().get(), ready, count, 1.0F))},
        {base + 5, "frequency 0", kBadData, NNVK_CALL(add(fresh_desc().get(), ready, 0, 0.0F))},
        {base + 6, "frequency -1", kBadData, NNVK_CALL(add(fresh_desc().get(), ready, 0, -1.0F))},
        {base + 7, "frequency 2", kBadData, NNVK_CALL(add(fresh_desc().get(), ready, 0, 2.0F))},
        {base + 8, "frequency 1", kOk, NNVK_CALL(add(fresh_desc().get(), ready, 0, 1.0F))},
        {base + 9, "twice", kBadData, NNVK_CALL(after_first(ready))},
        {base + 10, "finished desc", kBadState, NNVK_CALL(add(finished_desc().get(), ready, 0, 1.0F))},
        {base + 11, "other type", kBadData, NNVK_CALL(after_input(floats.compilation, add, quants.compilation))},
        {base + 12, "other scale", kBadData, NNVK_CALL(after_input(quants.compilation, add, scaled.compilation))},
        {base + 13, "other zero point", kBadData, NNVK_CALL(after_input(quants.compilation, add, moved.compilation))},
        // No operation writes a tensor with scales per channel; an output role is refused for having none.
        {base + 14, "other scales per channel", kBadData,
         NNVK_CALL(after_input(channels.compilation, add, other_channels.compilation))},
        {base + 15, "conflicting dims", kBadData, NNVK_CALL(after_first(other_dims.get()))},
        {base + 16, "other rank", kBadData, NNVK_CALL(after_first(other_rank.get()))},
        {base + 17, "scalar although dimensions are set", kBadData,
         [&] {
           const uint32_t two[] = {2};
           const MemoryDescPointer desc = fresh_desc();
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
    const MemoryDescPointer desc = fresh_desc();
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two), kOk);
    return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), rank, second);
  };
  check_cases({
      {716, "create NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_create(nullptr))},
      {755, "desc NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, two))},
      {756, "dimensions NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(fresh_desc().get(), 1, nullptr))},
      {757, "rank 0", kOk, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(fresh_desc().get(), 0, nullptr))},
      {758, "conflict", kBadData, NNVK_CALL(set_twice(three, 1))},
      {759, "other rank", kBadData, NNVK_CALL(set_twice(deep, 2))},
      {760, "dimensions of a scalar", kBadData,
       [&] {
         const Scalars scalars;
         const MemoryDescPointer desc = fresh_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), scalars.compilation.get(), 0, 1.0F), kOk);
         return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, two);
       }},
      {761, "finished", kBadState, NNVK_CALL(ANeuralNetworksMemoryDesc_setDimensions(finished_desc().get(), 1, two))},
      {762, "conflicts with a role", kBadData,
       [&] {
         const MemoryDescPointer desc = fresh_desc();
         EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation_.get(), 0, 1.0F), kOk);
         return ANeuralNetworksMemoryDesc_setDimensions(desc.get(), 1, three);
       }},
      {763, "finish NULL", kNull, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(nullptr))},
      {764, "finish twice", kBadState, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(finished_desc().get()))},
      {765, "no role", kBadData, NNVK_CALL(ANeuralNetworksMemoryDesc_finish(fresh_desc().get()))},
      {717, "free NULL", kOk, NNVK_CALL((ANeuralNetworksMemoryDesc_free(nullptr), kOk))},
      {718, "free unfinished", kOk, NNVK_CALL((fresh_desc().reset(), kOk))},
  });
}

// A reader and a writer whose shapes are open, and memory of at most four floats between them.
TEST_F(DescriptorMisuse, MemoryBetweenOpenShapes) {
  const Relu reader(kFloat, {0});
  const Relu writer(kFloat, {0});
  const MemoryPointer memory = shared_memory(reader.compilation, writer.compilation, {4});
  ASSERT_NE(memory, nullptr);
  const TypeOf three(kFloat, {3});
  const TypeOf four(kFloat, {4});
  const std::array<float, 3> in{1.0F, 2.0F, 3.0F};
  std::array<float, 4> out{};
  const auto set_input = [&](ANeuralNetworksExecution* e, const ANeuralNetworksOperandType* type) {
    return ANeuralNetworksExecution_setInputFromMemory(e, 0, type, memory.get(), 0, 0);
  };
  check_cases({
      {502, "input of another shape", kBadData,
       NNVK_CALL(set_input(make_execution(reader.compilation.get()).get(), three.get()))},
      {525, "input without a type", kBadData, NNVK_CALL(set_input(make_execution(reader.compilation.get()).get(), nullptr))},
      {521, "output of another shape", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_setOutputFromMemory(make_execution(writer.compilation.get()).get(), 0, three.get(),
                                                              memory.get(), 0, 0))},
  });
  const ExecutionPointer writes = make_execution(writer.compilation.get());
  ASSERT_EQ(ANeuralNetworksExecution_setInput(writes.get(), 0, three.get(), in.data(), sizeof in), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(writes.get(), 0, nullptr, memory.get(), 0, 0), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_compute(writes.get()), kOk);
  const ExecutionPointer reads = make_execution(reader.compilation.get());
  ASSERT_EQ(set_input(reads.get(), four.get()), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutput(reads.get(), 0, nullptr, out.data(), sizeof out), kOk);
  check_cases({{575, "three floats read as four", kFailed, NNVK_CALL(ANeuralNetworksExecution_compute(reads.get()))}});
}

TEST_F(DescriptorMisuse, CopiesBetweenMemoriesThatDiffer) {
  const Relu flat(kQuant, {4}, 1.0F);
  const Relu square(kQuant, {2, 2}, 1.0F);
  const Relu tall(kQuant, {4, 1}, 1.0F);
  const Relu scaled(kQuant, {4}, 0.5F);
  const MemoryPointer bytes = make_memory(4);
  const auto made_for = [&](const Relu& relu) {
    MemoryPointer memory = shared_memory(relu.compilation, relu.compilation, {});
    EXPECT_NE(memory, nullptr);
    EXPECT_EQ(ANeuralNetworksMemory_copy(bytes.get(), memory.get()), kOk);
    return memory;
  };
  const auto copy = [&](const Relu& from, const Relu& to) {
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
  const auto* device = all_devices().front();
  if (device == cpu_device()) {
    skip_rows({703});
    GTEST_SKIP() << "this machine has only the CPU device";
  }
  const ModelBuilder open = make_add({0});
  const CompilationPointer compilation = compiled_on(open.get(), device);
  const MemoryPointer unknown = shared_memory(compilation, compilation, {});
  ASSERT_NE(unknown, nullptr);
  const MemoryPointer bytes = make_memory(4);
  check_cases({{703, "plain to unknown shape", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(bytes.get(), unknown.get()))}});
}

// ADD fails in the computation when its activation does not exist.
TEST_F(DescriptorMisuse, AFailedComputationUndefinesWhatItWasToWrite) {
  const ModelBuilder model = make_add({2}, 999);
  const CompilationPointer compilation = finished(compile_for_one(model.get()));
  const MemoryPointer memory = shared_memory(compilation, compilation, {2});
  ASSERT_NE(memory, nullptr);
  const MemoryPointer plain = make_memory(8);
  ASSERT_EQ(ANeuralNetworksMemory_copy(plain.get(), memory.get()), kOk);
  const std::array<float, 2> in{};
  const ExecutionPointer e = make_execution(compilation.get());
  for (int32_t i = 0; i < 2; ++i) ASSERT_EQ(ANeuralNetworksExecution_setInput(e.get(), i, nullptr, in.data(), sizeof in), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_setOutputFromMemory(e.get(), 0, nullptr, memory.get(), 0, 0), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_compute(e.get()), kFailed);
  check_cases({{711, "copy from it", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(memory.get(), plain.get()))}});
}

}  // namespace
}  // namespace nnvk::test
