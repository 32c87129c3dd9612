// Clients that call any function in any order, with handles that are alive, dead, NULL or foreign. Every call returns a
// documented code, nothing crashes or hangs, and afterwards the library still computes.
#include <fcntl.h>
#include <poll.h>

#include <array>
#include <deque>
#include <random>

#include "tests/api/api_objects.h"

namespace nnvk::test {
namespace {

constexpr size_t kBufferSize = 4096;
constexpr size_t kPoolSize = 12;

class RandomClient {
 public:
  explicit RandomClient(uint32_t seed) : random_(seed) {}
  ~RandomClient() {
    // Clients should free events first, but any order must work.
    for (auto* x : models_.all) ANeuralNetworksModel_free(x);
    for (auto* x : memories_.all) ANeuralNetworksMemory_free(x);
    for (auto* x : compilations_.all) ANeuralNetworksCompilation_free(x);
    for (auto* x : descriptors_.all) ANeuralNetworksMemoryDesc_free(x);
    for (auto* x : bursts_.all) ANeuralNetworksBurst_free(x);
    for (auto* x : events_.all) ANeuralNetworksEvent_free(x);
    // A running execution is not freed; its event's free above waited for it.
    for (auto* x : executions_.all) ANeuralNetworksExecution_free(x);
  }
  RandomClient(const RandomClient&) = delete;
  RandomClient& operator=(const RandomClient&) = delete;

  void step() {
    switch (below(7)) {
      case 0:
        return model_step();
      case 1:
        return compilation_step();
      case 2:
        return memory_step();
      case 3:
        return event_step();
      default:
        return execution_step();
    }
  }
  size_t successes() const { return successes_; }
  size_t computations() const { return computations_; }

 private:
  // Handles as a client might hold them: freed ones stay in the pool for a while.
  template <class T>
  struct Pool {
    std::vector<T*> all;
  };

  uint32_t below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }
  bool often() { return below(24) != 0; }

  template <class T>
  T* pick(Pool<T>& pool) {
    if (pool.all.empty() || below(50) == 0) return nullptr;
    return pool.all[below(static_cast<uint32_t>(pool.all.size()))];
  }
  // Sometimes returns a handle of another kind.
  template <class T, class Other>
  T* pick(Pool<T>& pool, Pool<Other>& others) {
    if (below(100) == 0) return reinterpret_cast<T*>(pick(others));
    return pick(pool);
  }
  template <class T>
  void add(Pool<T>& pool, T* handle, void (*free)(T*)) {
    if (handle == nullptr) return;
    pool.all.push_back(handle);
    if (pool.all.size() <= kPoolSize) return;
    const uint32_t victim = below(kPoolSize);
    T* old = pool.all[victim];
    free(old);
    if (often()) pool.all.erase(pool.all.begin() + victim);
    if (pool.all.size() > 2 * kPoolSize) pool.all.erase(pool.all.begin());  // leaks running executions
  }
  int check(int result) {
    EXPECT_GE(result, kOk);
    EXPECT_LE(result, ANEURALNETWORKS_DEAD_OBJECT);
    if (result == kOk) ++successes_;
    return result;
  }
  int32_t index() { return often() ? static_cast<int32_t>(below(3)) : static_cast<int32_t>(below(20)) - 10; }
  size_t length() { return often() ? 8 : below(64); }
  uint64_t duration() { return often() ? 0 : below(4) * 1000; }

  // x, y -> some chain of operations, valid more often than not.
  void make_model() {
    ANeuralNetworksModel* model = nullptr;
    check(ANeuralNetworksModel_create(&model));
    const std::vector<uint32_t> dims = often() ? std::vector<uint32_t>{2} : std::vector<uint32_t>{below(3), below(3)};
    const TypeOf tensor(often() ? ANEURALNETWORKS_TENSOR_FLOAT32 : static_cast<int32_t>(below(18)), dims, often() ? 0.0F : 0.5F);
    for (int i = 0; i < 3; ++i) check(ANeuralNetworksModel_addOperand(model, tensor.get()));
    check(ANeuralNetworksModel_addOperand(model, TypeOf(ANEURALNETWORKS_INT32).get()));
    const int32_t activation = static_cast<int32_t>(below(often() ? 4 : 9));
    check(ANeuralNetworksModel_setOperandValue(model, 3, &activation, often() ? 4 : below(9)));
    if (below(4) == 0) check(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, pick(memories_), 0, length()));
    const std::array<uint32_t, 3> inputs{0, often() ? 1 : below(6), 3};
    const uint32_t output = 2;
    const int32_t code = often() ? static_cast<int32_t>(ANEURALNETWORKS_ADD) : static_cast<int32_t>(below(110));
    check(ANeuralNetworksModel_addOperation(model, code, often() ? 3 : below(4), inputs.data(), 1, &output));
    if (below(4) == 0) check(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
    check(ANeuralNetworksModel_identifyInputsAndOutputs(model, often() ? 2 : below(3), inputs.data(), 1, &output));
    if (often()) check(ANeuralNetworksModel_finish(model));
    add(models_, model, ANeuralNetworksModel_free);
  }

  void model_step() {
    ANeuralNetworksModel* model = pick(models_, executions_);
    const uint32_t operand = below(5);
    switch (below(8)) {
      case 0:
        check(ANeuralNetworksModel_finish(model));
        break;
      case 1:
        check(ANeuralNetworksModel_addOperand(model, often() ? TypeOf(static_cast<int32_t>(below(20))).get() : nullptr));
        break;
      case 2:
        check(ANeuralNetworksModel_setOperandValueFromModel(model, index(), pick(models_)));
        break;
      case 3:
        check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &operand, 1, &operand));
        break;
      case 4: {
        std::array<bool, 8> supported{};
        const auto list = devices();
        check(ANeuralNetworksModel_getSupportedOperationsForDevices(
            model, list.data(), below(static_cast<uint32_t>(list.size()) + 1), supported.data()));
        break;
      }
      default:
        make_model();
    }
  }

  void compilation_step() {
    ANeuralNetworksCompilation* compilation = pick(compilations_, models_);
    switch (below(9)) {
      case 0:
        check(ANeuralNetworksCompilation_setPreference(compilation, index()));
        break;
      case 1:
        check(ANeuralNetworksCompilation_setPriority(compilation, static_cast<int>(below(200))));
        break;
      case 2:
        check(ANeuralNetworksCompilation_setTimeout(compilation, duration()));
        break;
      case 3:
        check(ANeuralNetworksCompilation_finish(compilation));
        break;
      case 4: {
        ANeuralNetworksBurst* burst = nullptr;
        check(ANeuralNetworksBurst_create(compilation, &burst));
        add(bursts_, burst, ANeuralNetworksBurst_free);
        break;
      }
      default: {
        const auto list = devices();
        const ANeuralNetworksDevice* device = list[below(static_cast<uint32_t>(list.size()))];
        ANeuralNetworksModel* model = pick(models_);
        check(below(2) == 0 ? ANeuralNetworksCompilation_create(model, &compilation)
                            : ANeuralNetworksCompilation_createForDevices(model, &device, below(10) == 0 ? 0 : 1, &compilation));
        if (often()) check(ANeuralNetworksCompilation_finish(compilation));
        add(compilations_, compilation, ANeuralNetworksCompilation_free);
      }
    }
  }

  void memory_step() {
    ANeuralNetworksMemory* memory = nullptr;
    ANeuralNetworksMemoryDesc* descriptor = pick(descriptors_, memories_);
    switch (below(6)) {
      case 0: {
        const int fd = ::memfd_create("random", MFD_CLOEXEC);
        EXPECT_EQ(::ftruncate(fd, kBufferSize), 0);
        check(ANeuralNetworksMemory_createFromFd(kBufferSize, often() ? PROT_READ | PROT_WRITE : static_cast<int>(below(4)), fd,
                                                 0, &memory));
        ::close(fd);
        break;
      }
      case 1: {
        check(ANeuralNetworksMemoryDesc_create(&descriptor));
        ANeuralNetworksCompilation* compilation = pick(compilations_);
        check(ANeuralNetworksMemoryDesc_addInputRole(descriptor, compilation, below(2), 1.0F));
        if (below(2) == 0) check(ANeuralNetworksMemoryDesc_addOutputRole(descriptor, compilation, 0, 1.0F));
        const uint32_t dim = below(4);
        if (below(3) == 0) check(ANeuralNetworksMemoryDesc_setDimensions(descriptor, 1, &dim));
        check(ANeuralNetworksMemoryDesc_finish(descriptor));
        add(descriptors_, descriptor, ANeuralNetworksMemoryDesc_free);
        break;
      }
      case 2:
        check(ANeuralNetworksMemoryDesc_addOutputRole(descriptor, pick(compilations_), static_cast<uint32_t>(index()), 0.5F));
        break;
      case 3:
        check(ANeuralNetworksMemory_copy(pick(memories_), pick(memories_)));
        break;
      default:
        check(ANeuralNetworksMemory_createFromDesc(descriptor, &memory));
    }
    add(memories_, memory, ANeuralNetworksMemory_free);
  }

  void event_step() {
    ANeuralNetworksEvent* event = pick(events_, memories_);
    switch (below(4)) {
      case 0:
        check(ANeuralNetworksEvent_wait(event));
        break;
      case 1: {
        int fd = -1;
        if (check(ANeuralNetworksEvent_getSyncFenceFd(event, &fd)) == kOk) ::close(fd);
        break;
      }
      default: {
        // A pipe with a byte in it is a signalled fence; without a writer it is a failed one.
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        if (often()) {
          EXPECT_EQ(::write(ends[1], "x", 1), 1);
        }
        ::close(ends[1]);
        event = nullptr;
        check(ANeuralNetworksEvent_createFromSyncFenceFd(often() ? ends[0] : -1, &event));
        ::close(ends[0]);
        add(events_, event, ANeuralNetworksEvent_free);
      }
    }
  }

  void execution_step() {
    ANeuralNetworksExecution* execution = pick(executions_, events_);
    if (below(3) == 0 || execution == nullptr) {
      check(ANeuralNetworksExecution_create(pick(compilations_), &execution));
      add(executions_, execution, ANeuralNetworksExecution_free);
      if (below(2) == 0) check(ANeuralNetworksExecution_setReusable(execution, true));
      for (int32_t i = 0; i < 2; ++i) bind(execution, true, i);
      bind(execution, false, 0);
    }
    switch (below(14)) {
      case 0:
        bind(execution, below(2) == 0, index());
        break;
      case 1:
        check(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, below(2) == 0));
        break;
      case 2:
        check(ANeuralNetworksExecution_setMeasureTiming(execution, below(2) == 0));
        break;
      case 3:
        check(ANeuralNetworksExecution_setTimeout(execution, duration()));
        break;
      case 4:
        check(ANeuralNetworksExecution_setLoopTimeout(execution, duration()));
        break;
      case 5: {
        uint64_t time = 0;
        check(ANeuralNetworksExecution_getDuration(execution, index(), &time));
        break;
      }
      case 6: {
        uint32_t rank = 0;
        std::array<uint32_t, 8> dims{};
        check(ANeuralNetworksExecution_getOutputOperandRank(execution, index(), &rank));
        check(ANeuralNetworksExecution_getOutputOperandDimensions(execution, index(), dims.data()));
        break;
      }
      default:
        compute(execution);
    }
  }

  void bind(ANeuralNetworksExecution* execution, bool input, int32_t at) {
    const bool plain = below(3) != 0;
    const TypeOf other(ANEURALNETWORKS_TENSOR_FLOAT32, {below(4)});
    const ANeuralNetworksOperandType* type = often() ? nullptr : other.get();
    const ANeuralNetworksMemory* memory = pick(memories_);
    const size_t offset = often() ? 0 : below(5000);
    const size_t bytes = plain || below(2) == 0 ? length() : 0;
    if (plain) {
      check(input ? ANeuralNetworksExecution_setInput(execution, at, type, buffer_.data(), bytes)
                  : ANeuralNetworksExecution_setOutput(execution, at, type, outputs_.emplace_back().data(), bytes));
    } else {
      check(input ? ANeuralNetworksExecution_setInputFromMemory(execution, at, type, memory, offset, bytes)
                  : ANeuralNetworksExecution_setOutputFromMemory(execution, at, type, memory, offset, bytes));
    }
  }

  void compute(ANeuralNetworksExecution* execution) {
    ANeuralNetworksEvent* event = nullptr;
    int result = kOk;
    switch (below(4)) {
      case 0:
        result = check(ANeuralNetworksExecution_compute(execution));
        break;
      case 1:
        result = check(ANeuralNetworksExecution_burstCompute(execution, pick(bursts_)));
        break;
      case 2:
        result = check(ANeuralNetworksExecution_startCompute(execution, &event));
        break;
      default: {
        std::vector<const ANeuralNetworksEvent*> dependencies;
        for (uint32_t i = below(3); i > 0; --i) dependencies.push_back(pick(events_));
        result = check(ANeuralNetworksExecution_startComputeWithDependencies(
            execution, dependencies.data(), static_cast<uint32_t>(dependencies.size()), duration(), &event));
      }
    }
    if (result == kOk) ++computations_;
    add(events_, event, ANeuralNetworksEvent_free);
  }

  std::mt19937 random_;
  alignas(64) std::array<std::byte, kBufferSize> buffer_{};
  std::deque<std::array<std::byte, 64>> outputs_;  // one per binding: executions run at the same time
  Pool<ANeuralNetworksModel> models_;
  Pool<ANeuralNetworksCompilation> compilations_;
  Pool<ANeuralNetworksExecution> executions_;
  Pool<ANeuralNetworksMemory> memories_;
  Pool<ANeuralNetworksMemoryDesc> descriptors_;
  Pool<ANeuralNetworksEvent> events_;
  Pool<ANeuralNetworksBurst> bursts_;
  size_t successes_ = 0;
  size_t computations_ = 0;
};

TEST(RandomCalls, EndWithDocumentedCodesAndLeaveTheLibraryUsable) {
  const char* steps = std::getenv("NNVK_TEST_RANDOM_CALLS");
  const int count = steps != nullptr ? std::atoi(steps) : 4000;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    {
      RandomClient client(seed);
      for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) client.step();
      // Most calls must get beyond the argument checks, or this proves little.
      EXPECT_GT(client.successes(), static_cast<size_t>(count));
      EXPECT_GT(client.computations(), static_cast<size_t>(count / 50));
    }
    const ModelBuilder model = make_add({2});
    const CompilationPointer compilation = finished(compile_for_all(model.get()));
    const std::array<float, 2> x{1, 2};
    std::array<float, 2> z{};
    ASSERT_EQ(compute(make_execution(compilation, {x, x}, {z})), kOk);
    EXPECT_EQ(z, (std::array<float, 2>{2, 4}));
  }
}

}  // namespace
}  // namespace nnvk::test
