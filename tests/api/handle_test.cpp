// Invalid handles, and objects freed while others need them: the result is a code and a message, never a crash.
#include <nnvk/diagnostics.h>

#include <fstream>
#include <thread>

#include "tests/api/execution_fixture.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

template <class T>
T* as(const void* foreign) {
  return static_cast<T*>(const_cast<void*>(foreign));
}

// The error text that a call of a void function left; empty if it reported none.
template <class Call>
std::string complaint(Call&& call) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kNull);  // replaces the last error
  const std::string before = nnvk_lastError();
  call();
  const std::string after = nnvk_lastError();
  return after == before ? std::string() : after;
}

class Handles : public ExecutionTest {};

TEST_F(Handles, ForeignPointersAreRefused) {
  alignas(64) const char bytes[256] = {};
  const MemoryDescPointer desc = make_desc();
  // Plain bytes, and a live object of another kind.
  for (const void* foreign : {static_cast<const void*>(bytes), static_cast<const void*>(desc.get())}) {
    const char* name = nullptr;
    ANeuralNetworksExecution* execution = nullptr;
    ANeuralNetworksEvent* event = nullptr;
    const auto* entry = as<const ANeuralNetworksEvent>(foreign);
    check_cases({
        {0, "model", kBadData, NNVK_CALL(ANeuralNetworksModel_finish(as<ANeuralNetworksModel>(foreign)))},
        {0, "compilation", kBadData, NNVK_CALL(ANeuralNetworksCompilation_finish(as<ANeuralNetworksCompilation>(foreign)))},
        {0, "execution", kBadData, NNVK_CALL(ANeuralNetworksExecution_compute(as<ANeuralNetworksExecution>(foreign)))},
        {0, "burst", kBadData,
         NNVK_CALL(ANeuralNetworksExecution_burstCompute(bound().get(), as<ANeuralNetworksBurst>(foreign)))},
        {0, "event", kBadData, NNVK_CALL(ANeuralNetworksEvent_wait(as<ANeuralNetworksEvent>(foreign)))},
        {0, "dependency", kBadData,
         NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(bound().get(), &entry, 1, 0, &event))},
        {0, "memory", kBadData,
         NNVK_CALL(ANeuralNetworksMemory_copy(as<ANeuralNetworksMemory>(foreign), as<ANeuralNetworksMemory>(foreign)))},
        {0, "device", kBadData, NNVK_CALL(ANeuralNetworksDevice_getName(as<ANeuralNetworksDevice>(foreign), &name))},
        {0, "compilation of an execution", kBadData,
         NNVK_CALL(ANeuralNetworksExecution_create(as<ANeuralNetworksCompilation>(foreign), &execution))},
    });
    EXPECT_NE(complaint([&] { ANeuralNetworksModel_free(as<ANeuralNetworksModel>(foreign)); }), "");
    EXPECT_NE(complaint([&] { ANeuralNetworksCompilation_free(as<ANeuralNetworksCompilation>(foreign)); }), "");
    EXPECT_NE(complaint([&] { ANeuralNetworksExecution_free(as<ANeuralNetworksExecution>(foreign)); }), "");
    EXPECT_NE(complaint([&] { ANeuralNetworksBurst_free(as<ANeuralNetworksBurst>(foreign)); }), "");
    EXPECT_NE(complaint([&] { ANeuralNetworksEvent_free(as<ANeuralNetworksEvent>(foreign)); }), "");
    EXPECT_NE(complaint([&] { ANeuralNetworksMemory_free(as<ANeuralNetworksMemory>(foreign)); }), "");
  }
  add_input_role(desc, compilation_);  // it is unchanged
}

TEST_F(Handles, FreedHandlesAreRefused) {
  ANeuralNetworksModel* model = ModelBuilder().get();
  ANeuralNetworksExecution* execution = fresh().get();
  ANeuralNetworksMemory* memory = make_memory(8).get();
  check_cases({
      {0, "model", kBadData, NNVK_CALL(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true))},
      {0, "execution", kBadData, NNVK_CALL(ANeuralNetworksExecution_compute(execution))},
      {0, "memory", kBadData, NNVK_CALL(ANeuralNetworksMemory_copy(memory, memory))},
  });
  EXPECT_NE(complaint([&] { ANeuralNetworksModel_free(model); }), "");
  EXPECT_NE(complaint([&] { ANeuralNetworksExecution_free(execution); }), "");
  EXPECT_NE(complaint([&] { ANeuralNetworksMemory_free(memory); }), "");
}

// The allocator tends to place the new event where the freed one was.
TEST_F(Handles, AFreedDependencyIsNotTakenForTheEventThatIsMade) {
  const ExecutionPointer execution = bound();
  for (int i = 0; i < 10; ++i) {
    const ExecutionPointer other = bound();
    const ANeuralNetworksEvent* const freed = start_fenced(other).get();
    ANeuralNetworksEvent* event = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), &freed, 1, 0, &event), kBadData);
    EXPECT_EQ(event, nullptr);
  }
}

TEST_F(Handles, ModelsAndCompilationsFreedTooEarlyStayForThoseThatUseThem) {
  const ExecutionPointer execution = bound();
  ANeuralNetworksModel* model = model_.release();
  ANeuralNetworksCompilation* compilation = compilation_.release();
  EXPECT_NE(complaint([&] { ANeuralNetworksModel_free(model); }), "");
  EXPECT_NE(complaint([&] { ANeuralNetworksCompilation_free(compilation); }), "");
  ANeuralNetworksExecution* second = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &second), kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(out_[1], 4.0F);
}

TEST_F(Handles, MemoriesFreedTooEarlyStay) {
  const std::array<float, 2> five{5.0F, 5.0F};
  MemoryPointer input = make_memory(8);
  const ExecutionPointer execution = bound_to(input);
  EXPECT_EQ(complaint([&] { input.reset(); }), "");  // allowed: the execution may be done with it
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(out_[1], 2.0F);

  ModelBuilder builder;
  const uint32_t x = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
  const uint32_t c = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
  const uint32_t none = builder.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = builder.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {2});
  MemoryPointer constants = make_memory(8);
  ASSERT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(builder.get(), static_cast<int32_t>(c), constants.get(), 0, 8), kOk);
  constants.reset();
  ASSERT_EQ(builder.operation(ANEURALNETWORKS_ADD, {x, c, none}, {y}), kOk);
  builder.finish({x}, {y});
  const CompilationPointer compilation = finished(compile_for_one(builder.get()));
  EXPECT_EQ(compute(make_execution(compilation, {five}, {out_})), kOk);
  EXPECT_EQ(out_[1], 5.0F);
}

// The test frees all objects while a loop runs that ends only at its timeout.
TEST(HandlesInUse, FreedWhileAComputationRuns) {
  EndlessLoop model;
  CompilationPointer compilation = finished(compile_for_one(model.get()));
  MemoryPointer memory = make_memory(4);
  float out = 0.0F;
  ExecutionPointer execution = make_execution(compilation, {{memory, 0, 4}}, {out});
  ASSERT_EQ(ANeuralNetworksExecution_setLoopTimeout(execution.get(), 200'000'000), kOk);
  ANeuralNetworksBurst* const burst = make_burst(compilation).release();
  ANeuralNetworksExecution* const handle = execution.get();
  std::jthread thread(
      [&] { EXPECT_EQ(ANeuralNetworksExecution_burstCompute(handle, burst), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT); });
  while (ANeuralNetworksExecution_setReusable(execution.get(), false) == kOk) std::this_thread::yield();
  memory.reset();
  EXPECT_NE(complaint([&] { ANeuralNetworksBurst_free(burst); }), "");
  EXPECT_NE(complaint([&] { compilation.reset(); }), "");
  EXPECT_EQ(complaint([&] { execution.reset(); }), "");  // destroyed when the loop has ended
  thread.join();
}

// Constants in a memory whose mapping has a name of its own. The mapping exists as long as any part of the model.
class Weights {
 public:
  explicit Weights(const std::string& name) : name_(name) {
    const int fd = ::memfd_create(name_.c_str(), MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, kBytes), 0);
    memory_ = memory_of(fd, kBytes);
    ::close(fd);
  }
  // y = x + constants, with as many floats as the memory holds. Afterwards only the model keeps the memory.
  ModelBuilder addition() {
    ModelBuilder model;
    const uint32_t x = model.operand(kFloat, {kCount});
    const uint32_t c = model.operand(kFloat, {kCount});
    const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
    const uint32_t y = model.operand(kFloat, {kCount});
    const auto set = ANeuralNetworksModel_setOperandValueFromMemory;
    EXPECT_EQ(set(model.get(), static_cast<int32_t>(c), memory_.get(), 0, kBytes), kOk);
    memory_.reset();
    EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {x, c, none}, {y}), kOk);
    model.finish({x}, {y});
    return model;
  }
  bool are_mapped() const {
    std::ifstream maps("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(maps), {}};
    return text.find("/memfd:" + name_) != std::string::npos;
  }
  static constexpr uint32_t kCount = 1024;
  static constexpr size_t kBytes = kCount * sizeof(float);

 private:
  std::string name_;
  MemoryPointer memory_;
};

TEST(HandlesThatAreForgotten, BurstsKeepNothingOfTheirCompilation) {
  const ModelBuilder other_model = make_add({2});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    Weights weights("weights_of_a_burst");
    std::vector<float> x(Weights::kCount, 1.0F);
    std::vector<float> y(Weights::kCount);
    BurstPointer burst;
    {
      const ModelBuilder model = weights.addition();
      CompilationPointer compilation = finished(compile_for(model.get(), device));
      burst = make_burst(compilation);
      const ExecutionPointer execution = make_execution(compilation, {x}, {y});
      EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kOk);
      EXPECT_EQ(y[7], 1.0F);
      EXPECT_TRUE(weights.are_mapped());
    }
    EXPECT_FALSE(weights.are_mapped());
    std::array<float, 2> in{1.0F, 2.0F};
    std::array<float, 2> out{};
    const CompilationPointer compilation = finished(compile_for(other_model.get(), device));
    const ExecutionPointer execution = make_execution(compilation, {in, in}, {out});
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kBadData);
    EXPECT_EQ(complaint([&] { burst.reset(); }), "");
  }
}

// Frees the execution, its compilation and its model while the computation runs; the library destroys them when it has ended.
TEST(HandlesThatAreForgotten, ExecutionsMayBeFreedRightAfterTheirStart) {
  for (const ANeuralNetworksDevice* device : devices()) {
    for (const bool fenced : {false, true}) {
      SCOPED_TRACE(std::string(name_of(device)) + (fenced ? " fenced" : ""));
      Weights weights("weights_of_an_execution");
      std::vector<float> x(Weights::kCount, 3.0F);
      std::vector<float> y(Weights::kCount);
      ModelBuilder model = weights.addition();
      CompilationPointer compilation = finished(compile_for(model.get(), device));
      ExecutionPointer execution = make_execution(compilation, {x}, {y});
      EventPointer event = fenced ? start_fenced(execution) : start(execution);
      EXPECT_EQ(complaint([&] { execution.reset(); }), "");
      EXPECT_EQ(complaint([&] { compilation.reset(); }), "");
      EXPECT_EQ(complaint([&] { model = ModelBuilder(); }), "");
      EXPECT_EQ(wait(event), kOk);
      EXPECT_EQ(y[9], 3.0F);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (weights.are_mapped() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      EXPECT_FALSE(weights.are_mapped());
    }
  }
}

TEST(HandlesThatAreForgotten, ReferencedModelsMayBeFreedBeforeThoseThatReferToThem) {
  ModelBuilder condition = make_unary(ANEURALNETWORKS_RELU, kFloat, {1});
  ModelBuilder model;
  model.reference(condition);
  EXPECT_EQ(complaint([&] { condition = ModelBuilder(); }), "");
}

}  // namespace
}  // namespace nnvk::test
