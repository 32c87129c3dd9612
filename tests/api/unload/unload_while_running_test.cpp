// dlclose while computations run or wait: the library stays loaded as long as its threads work, and is unloaded after that.
#include <chrono>
#include <thread>

#include "tests/api/unload/loaded_library.h"
#include "tests/support/blocking_page.h"
#include "tests/support/meant_leaks.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

// Whether `value` becomes `wanted` within 20 seconds.
template <class Value>
bool comes_to(size_t wanted, const Value& value) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (value() != wanted && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return value() == wanted;
}
bool goes() {
  return comes_to(0, [] { return is_loaded() ? size_t{1} : size_t{0}; });
}

// Frees everything but the event, whose free would wait, while the execution waits for a fence.
TEST(UnloadWhileRunning, AFencedExecutionKeepsTheLibraryUntilItHasComputed) {
  const uint32_t devices = device_count();
  const size_t threads = running_threads();
  for (uint32_t device = 0; device < devices; ++device) {
    for (int round = 0; round < 5; ++round) {
      Library library;
      Relu relu;
      ASSERT_EQ(relu.make(library, device), 0);
      Gated gated;
      {
        const MeantLeaks event;
        ASSERT_TRUE(gated.start(library, relu.execution));
      }
      relu.free(library);
      library.close();
      EXPECT_TRUE(is_loaded());
      ASSERT_EQ(::write(gated.gate[1], "x", 1), 1);
      EXPECT_TRUE(goes()) << "device " << device;
      EXPECT_TRUE(relu.is_right());
      EXPECT_TRUE(comes_to(threads, [] { return running_threads(); }));
      if (gated.fence >= 0) {
        EXPECT_EQ(answer(gated.fence) & (POLLIN | POLLERR), POLLIN);
        ::close(gated.fence);
      }
      for (const int end : gated.gate) ::close(end);
    }
  }
}

TEST(UnloadWhileRunning, AsynchronousComputationsEndAndTheLibraryGoes) {
  const uint32_t devices = device_count();
  const size_t threads = running_threads();
  for (uint32_t device = 0; device < devices; ++device) {
    for (int round = 0; round < 20; ++round) {
      Library library;
      Relu relus[3];
      for (Relu& relu : relus) {
        ASSERT_EQ(relu.make(library, device), 0);
        ANeuralNetworksEvent* event = nullptr;
        {
          const MeantLeaks events;  // freeing them would wait
          ASSERT_EQ(NN(library, ANeuralNetworksExecution_startCompute)(relu.execution, &event), 0);
        }
        relu.free(library);
      }
      library.close();
      EXPECT_TRUE(goes()) << "device " << device;
      for (const Relu& relu : relus) EXPECT_TRUE(relu.is_right());
      EXPECT_TRUE(comes_to(threads, [] { return running_threads(); }));
    }
  }
}

// compute() on another thread returns into the program, which never frees its objects. So the library stays loaded.
TEST(UnloadWhileRunning, ACallOfAnotherThreadReturns) {
  const uint32_t devices = device_count();
  for (uint32_t device = 0; device < devices; ++device) {
    BlockingPage page;
    Relu relu;
    const float* const held = page.hold(relu.x.data(), sizeof relu.x);
    Library library;
    ASSERT_EQ(relu.make(library, device, held), 0);
    const auto compute_it = NN(library, ANeuralNetworksExecution_compute);
    int code = -1;
    std::thread thread([&] { code = compute_it(relu.execution); });
    page.await_reader();
    library.close();
    EXPECT_TRUE(is_loaded());
    page.open();
    thread.join();
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(relu.is_right());
    const Library again;  // for the next device, and to free the remaining objects
    relu.free(again);
  }
  EXPECT_TRUE(goes());
}

}  // namespace
}  // namespace nnvk::test
