// Children of fork can tell that they are children.
#include "core/base/process_generation.h"

#include <cstdlib>
#include <mutex>
#include <thread>

#include "tests/support/child_process.h"

namespace nnvk::test {
namespace {

MutexOfProcess mutex_of_process;

TEST(ProcessGeneration, IsOneMoreInAChildAndStaysInTheParent) {
  const uint32_t own = process_generation();
  EXPECT_GT(own, 0U);
  const auto require = [](bool holds) {
    if (!holds) std::_Exit(1);
  };
  EXPECT_EQ(in_child([&] {
              require(process_generation() == own + 1);
              require(in_child([&] { require(process_generation() == own + 2); }) == 0);
            }),
            0);
  EXPECT_EQ(process_generation(), own);
}

TEST(MutexOfProcess, IsFreeInAChildWhoeverHasItInTheParent) {
  const std::lock_guard lock(mutex_of_process);
  EXPECT_EQ(in_child([] {
              if (!mutex_of_process.try_lock()) std::_Exit(1);
              mutex_of_process.unlock();
            }),
            0);
  std::thread([] { EXPECT_FALSE(mutex_of_process.try_lock()); }).join();
}

}  // namespace
}  // namespace nnvk::test
