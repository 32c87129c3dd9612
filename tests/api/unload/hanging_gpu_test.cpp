// A GPU that never finishes its work. Programs that received MISSED_DEADLINE free everything, unload the library and end at once.
// Memory that the GPU may still touch stays until the GPU finishes. A Vulkan layer plays the GPU, and ends the process if the
// library destroys objects in use (tests/vulkan/weak_device_layer).
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/api/unload/loaded_library.h"
#include "tests/support/meant_leaks.h"

namespace nnvk::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kAtOnce = 900ms;
#ifdef __SANITIZE_ADDRESS__  // it looks for leaks at the end
constexpr unsigned kSecondsToEnd = 20;
#else
constexpr unsigned kSecondsToEnd = 2;
#endif
constexpr auto kTimeout = std::chrono::nanoseconds(200ms).count();

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ::_exit(1);
}

// Fails unless `call` returns at once.
void at_once(const char* what, const std::function<void()>& call) {
  const auto begin = Clock::now();
  call();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  if (took < kAtOnce) return;
  std::fprintf(stderr, "%s took %d ms\n", what, static_cast<int>(took.count()));
  ::_exit(2);
}

// Switches the layer's hang on or off.
void hang(bool hangs) {
  static const auto set = [] {
    void* const layer = ::dlopen(NNVK_WEAK_DEVICE_LAYER, RTLD_NOW | RTLD_NOLOAD);
    require(layer != nullptr, "the layer is loaded");
    return reinterpret_cast<void (*)(int)>(::dlsym(layer, "nnvk_weak_device_hang"));
  }();
  set(hangs ? 1 : 0);
}

// Runs a program in a child process, with the layer in front of its Vulkan driver.
class HangingGpuDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child starts as a new process, not as a copy of this one
    if (device_count() < 3) GTEST_SKIP() << "no Vulkan device";
  }
  // Fails unless `program` succeeds and the process ends soon after it.
  static void expect_ends_at_once(void (*program)()) {
    EXPECT_EXIT(
        {
          ::setenv("VK_ADD_LAYER_PATH", NNVK_WEAK_DEVICE_LAYER_FOLDER, 1);
          ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_NNVK_weak_device", 1);
          ::setenv("NNVK_LOG", "error", 1);
          ::alarm(20);
          program();
          ::alarm(kSecondsToEnd);
          std::exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
};

constexpr uint32_t kGpu = 2;  // from the end: before the two CPU devices

// An execution that has missed its deadline on the GPU, which still works on it.
struct Late {
  Library nnapi;
  Relu relu;

  Late() {
    require(relu.make(nnapi, kGpu) == 0, "the model is compiled");
    require(compute(nnapi, relu.execution) && relu.is_right(), "the GPU computes");
    NN(nnapi, ANeuralNetworksExecution_free)(relu.execution);
    require(relu.make_execution(nnapi) == 0, "there is another execution");
    require(NN(nnapi, ANeuralNetworksExecution_setTimeout)(relu.execution, kTimeout) == 0, "it has a timeout");
    hang(true);
  }
  void compute_in_vain() {
    require(NN(nnapi, ANeuralNetworksExecution_compute)(relu.execution) == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
            "the deadline is missed");
  }
  void free() {
    at_once("ANeuralNetworksExecution_free", [&] { NN(nnapi, ANeuralNetworksExecution_free)(relu.execution); });
    at_once("ANeuralNetworksCompilation_free", [&] { NN(nnapi, ANeuralNetworksCompilation_free)(relu.compilation); });
    at_once("ANeuralNetworksModel_free", [&] { NN(nnapi, ANeuralNetworksModel_free)(relu.model); });
  }
};

TEST_F(HangingGpuDeathTest, AProgramThatHasFreedEverythingEndsAtOnce) {
  expect_ends_at_once([] {
    Late late;
    late.compute_in_vain();
    late.free();
  });
}

TEST_F(HangingGpuDeathTest, AProgramThatHasFreedNothingEndsAtOnce) {
  expect_ends_at_once([] {
    const MeantLeaks everything;
    auto* const late = new Late;
    late->compute_in_vain();
  });
}

TEST_F(HangingGpuDeathTest, EventsAreFreedAtOnce) {
  expect_ends_at_once([] {
    Late late;
    ANeuralNetworksEvent* event = nullptr;
    require(
        NN(late.nnapi, ANeuralNetworksExecution_startComputeWithDependencies)(late.relu.execution, nullptr, 0, 0, &event) == 0,
        "it starts");
    require(NN(late.nnapi, ANeuralNetworksEvent_wait)(event) == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
            "the deadline is missed");
    at_once("ANeuralNetworksEvent_free", [&] { NN(late.nnapi, ANeuralNetworksEvent_free)(event); });
    late.free();
  });
}

// If the program never waits, freeing an event waits until its computation's deadline, and no longer.
TEST_F(HangingGpuDeathTest, EventsThatNobodyWaitedForAreFreedAtTheDeadline) {
  expect_ends_at_once([] {
    Late late;
    ANeuralNetworksEvent* event = nullptr;
    require(NN(late.nnapi, ANeuralNetworksExecution_startCompute)(late.relu.execution, &event) == 0, "it starts");
    at_once("ANeuralNetworksEvent_free", [&] { NN(late.nnapi, ANeuralNetworksEvent_free)(event); });
    late.free();
  });
}

TEST_F(HangingGpuDeathTest, MemoriesThatItUsesAreFreedAtOnce) {
  expect_ends_at_once([] {
    Late late;
    NN(late.nnapi, ANeuralNetworksExecution_free)(late.relu.execution);
    require(NN(late.nnapi, ANeuralNetworksExecution_create)(late.relu.compilation, &late.relu.execution) == 0, "it is made");
    require(NN(late.nnapi, ANeuralNetworksExecution_setTimeout)(late.relu.execution, kTimeout) == 0, "it has a timeout");
    const int file = ::open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    require(::ftruncate(file, 8192) == 0, "there is shared memory");
    ANeuralNetworksMemory* memory = nullptr;
    require(NN(late.nnapi, ANeuralNetworksMemory_createFromFd)(8192, PROT_READ | PROT_WRITE, file, 0, &memory) == 0,
            "there is a memory");
    require(NN(late.nnapi, ANeuralNetworksExecution_setInputFromMemory)(late.relu.execution, 0, nullptr, memory, 0, 8) == 0,
            "it is the input");
    require(NN(late.nnapi, ANeuralNetworksExecution_setOutputFromMemory)(late.relu.execution, 0, nullptr, memory, 4096, 8) == 0,
            "it is the output");
    late.compute_in_vain();
    ::close(file);
    at_once("ANeuralNetworksExecution_free", [&] { NN(late.nnapi, ANeuralNetworksExecution_free)(late.relu.execution); });
    at_once("ANeuralNetworksMemory_free", [&] { NN(late.nnapi, ANeuralNetworksMemory_free)(memory); });
    at_once("ANeuralNetworksCompilation_free", [&] { NN(late.nnapi, ANeuralNetworksCompilation_free)(late.relu.compilation); });
    NN(late.nnapi, ANeuralNetworksModel_free)(late.relu.model);
  });
}

TEST_F(HangingGpuDeathTest, ACompilationThatMissedItsDeadlineIsFreedAtOnce) {
  expect_ends_at_once([] {
    Late late;
    late.free();
    ANeuralNetworksModel* model = nullptr;
    const uint32_t dims[] = {2};
    const ANeuralNetworksOperandType type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims, 0.0F, 0};
    const uint32_t in = 0;
    const uint32_t out = 1;
    ANeuralNetworksCompilation* compilation = nullptr;
    const Library& nn = late.nnapi;
    NN(nn, ANeuralNetworksModel_create)(&model);
    for (int i = 0; i < 2; ++i) NN(nn, ANeuralNetworksModel_addOperand)(model, &type);
    NN(nn, ANeuralNetworksModel_addOperation)(model, ANEURALNETWORKS_TANH, 1, &in, 1, &out);
    NN(nn, ANeuralNetworksModel_identifyInputsAndOutputs)(model, 1, &in, 1, &out);
    NN(nn, ANeuralNetworksModel_finish)(model);
    require(NN(nn, ANeuralNetworksCompilation_createForDevices)(model, &late.relu.device, 1, &compilation) == 0, "it is made");
    require(NN(nn, ANeuralNetworksCompilation_setTimeout)(compilation, kTimeout) == 0, "it has a timeout");
    require(NN(nn, ANeuralNetworksCompilation_finish)(compilation) == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, "it is late");
    at_once("ANeuralNetworksCompilation_free", [&] { NN(nn, ANeuralNetworksCompilation_free)(compilation); });
    NN(nn, ANeuralNetworksModel_free)(model);
  });
}

// The thread that waits for the GPU runs code of the library. So the library stays loaded until the GPU has answered.
TEST_F(HangingGpuDeathTest, TheLibraryIsUnloadedAtOnceAndGoesWhenTheGpuAnswers) {
  expect_ends_at_once([] {
    Late late;
    late.compute_in_vain();
    late.free();
    at_once("dlclose", [&] { late.nnapi.close(); });
    require(is_loaded(), "the library stays");
    hang(false);
    const auto end = Clock::now() + 10s;
    while (is_loaded() && Clock::now() < end) std::this_thread::sleep_for(1ms);
    require(!is_loaded(), "the library goes");
  });
}

TEST_F(HangingGpuDeathTest, AProgramThatHasUnloadedTheLibraryEndsAtOnce) {
  expect_ends_at_once([] {
    Late late;
    late.compute_in_vain();
    late.free();
    at_once("dlclose", [&] { late.nnapi.close(); });
  });
}

}  // namespace
}  // namespace nnvk::test
