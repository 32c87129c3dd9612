// Children of fork. The library refuses or ignores objects of the parent; objects of the child work. Nothing waits for threads
// that exist only in the parent.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/api/unload/loaded_library.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::test {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "in the child: %s\n", what);
  std::_Exit(1);
}

// Every kind of object of the parent.
void check_that_parents_objects_are_refused(const Library& nn, const Relu& relu, ANeuralNetworksEvent* event,
                                            ANeuralNetworksBurst* burst, ANeuralNetworksMemory* memory) {
  const int refused = ANEURALNETWORKS_BAD_STATE;
  const char* name = nullptr;
  ANeuralNetworksExecution* execution = nullptr;
  ANeuralNetworksCompilation* compilation = nullptr;
  ANeuralNetworksEvent* made = nullptr;
  require(NN(nn, ANeuralNetworksDevice_getName)(relu.device, &name) == refused, "device");
  require(NN(nn, ANeuralNetworksModel_finish)(relu.model) == refused, "model");
  require(NN(nn, ANeuralNetworksCompilation_create)(relu.model, &compilation) == refused, "compilation of a model");
  require(NN(nn, ANeuralNetworksCompilation_finish)(relu.compilation) == refused, "compilation");
  require(NN(nn, ANeuralNetworksExecution_create)(relu.compilation, &execution) == refused, "execution of a compilation");
  require(NN(nn, ANeuralNetworksExecution_compute)(relu.execution) == refused, "execution");
  require(NN(nn, ANeuralNetworksExecution_startCompute)(relu.execution, &made) == refused, "asynchronous execution");
  require(NN(nn, ANeuralNetworksExecution_burstCompute)(relu.execution, burst) == refused, "burst");
  require(NN(nn, ANeuralNetworksEvent_wait)(event) == refused, "event");
  require(NN(nn, ANeuralNetworksMemory_copy)(memory, memory) == refused, "memory");
}

// The child runs while the parent computes on all devices.
TEST(Fork, AChildMakesItsObjectsAnewOnEveryDevice) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  if (!kParentsMayAllocateAtFork) GTEST_SKIP() << "the address sanitizer's allocator may be locked in a child of fork";
  // With fine-grained locks, validation layers 1.3.239 damage a table of their own while several threads destroy objects.
  ::setenv("VK_LAYER_FINE_GRAINED_LOCKING", "0", 1);
  const Library library;
  const uint32_t devices = device_count();
  std::vector<Relu> relus(devices);
  std::vector<ANeuralNetworksEvent*> events(devices);
  std::vector<ANeuralNetworksBurst*> bursts(devices);
  ANeuralNetworksMemory* memory = nullptr;
  const int file = ::memfd_create("fork_test", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(file, 8), 0);
  ASSERT_EQ(NN(library, ANeuralNetworksMemory_createFromFd)(8, PROT_READ | PROT_WRITE, file, 0, &memory), 0);
  ::close(file);
  std::atomic<bool> goes_on{true};
  std::vector<std::thread> threads;
  for (uint32_t device = 0; device < devices; ++device) {
    ASSERT_EQ(relus[device].make(library, device), 0);
    ASSERT_EQ(NN(library, ANeuralNetworksBurst_create)(relus[device].compilation, &bursts[device]), 0);
    ASSERT_EQ(NN(library, ANeuralNetworksExecution_startCompute)(relus[device].execution, &events[device]), 0);
    threads.emplace_back([&, device] {
      while (goes_on) EXPECT_TRUE(infer(library, device));
    });
    threads.emplace_back([&, device] {
      while (goes_on) {
        EXPECT_TRUE(infer(library, device, [](const Library& nn, ANeuralNetworksExecution* execution) {
          ANeuralNetworksEvent* event = nullptr;
          const bool ok = NN(nn, ANeuralNetworksExecution_startComputeWithDependencies)(execution, nullptr, 0, 0, &event) == 0 &&
                          NN(nn, ANeuralNetworksEvent_wait)(event) == 0;
          NN(nn, ANeuralNetworksEvent_free)(event);
          return ok;
        }));
      }
    });
  }
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(in_child([&] {
                for (uint32_t device = 0; device < devices; ++device) {
                  check_that_parents_objects_are_refused(library, relus[device], events[device], bursts[device], memory);
                }
                for (uint32_t device = 0; device < devices; ++device) {
                  Relu own;
                  const int code = own.make(library, device);
                  require(code == 0 || code == ANEURALNETWORKS_UNAVAILABLE_DEVICE, "making own objects");
                  if (code == 0) require(compute(library, own.execution) && own.is_right(), "computing");
                  own.free(library);
                }
                for (uint32_t device = 0; device < devices; ++device) {
                  relus[device].free(library);
                  NN(library, ANeuralNetworksEvent_free)(events[device]);
                  NN(library, ANeuralNetworksBurst_free)(bursts[device]);
                }
                NN(library, ANeuralNetworksMemory_free)(memory);
              }),
              0)
        << "round " << round;
  }
  goes_on = false;
  for (std::thread& thread : threads) thread.join();
  for (uint32_t device = 0; device < devices; ++device) {  // the children did not affect them
    EXPECT_EQ(NN(library, ANeuralNetworksEvent_wait)(events[device]), 0);
    EXPECT_TRUE(relus[device].is_right());
    NN(library, ANeuralNetworksEvent_free)(events[device]);
    NN(library, ANeuralNetworksBurst_free)(bursts[device]);
    relus[device].free(library);
  }
  NN(library, ANeuralNetworksMemory_free)(memory);
  ::unsetenv("VK_LAYER_FINE_GRAINED_LOCKING");
}

TEST(Fork, GrandchildrenAreNoDifferent) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  const Library library;
  Relu relu;
  ASSERT_EQ(relu.make(library, 0), 0);
  EXPECT_EQ(in_child([&] {
              Relu own;
              require(own.make(library, 0) == 0, "child");
              require(in_child([&] {
                        require(!compute(library, relu.execution), "execution of the grandparent");
                        const char* name = nullptr;
                        require(NN(library, ANeuralNetworksDevice_getName)(relu.device, &name) == ANEURALNETWORKS_BAD_STATE,
                                "device of the grandparent");
                        require(!compute(library, own.execution), "execution of the parent");
                        require(infer(library, 0), "grandchild");
                      }) == 0,
                      "grandchild");
              require(compute(library, own.execution), "child, after its own fork");
            }),
            0);
  EXPECT_TRUE(compute(library, relu.execution));
  relu.free(library);
}

// The child never uses the library, and unloads the inherited one.
TEST(Fork, AChildUnloadsTheLibraryOfItsParent) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  Library library;
  Relu relu;
  ASSERT_EQ(relu.make(library, 0), 0);
  EXPECT_EQ(in_child([&] {
              library.close();
              const Library again;
              require(infer(again, 0), "after loading it once more");
            }),
            0);
  relu.free(library);
}

}  // namespace
}  // namespace nnvk::test
