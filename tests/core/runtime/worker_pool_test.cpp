// Threads for executions without a waiting client.
#include "core/runtime/worker_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <string>

namespace nnvk::test {
namespace {

TEST(WorkerPool, HigherPrioritiesGoFirstAndEqualOnesInOrder) {
  std::string order;
  {
    std::promise<void> gate;
    std::promise<void> busy;
    WorkerPool pool(1, "test");  // declared last: its tasks use the other objects until its destructor returns
    ASSERT_TRUE(pool.enqueue(90, [&] {
      busy.set_value();
      gate.get_future().wait();
    }));
    busy.get_future().wait();  // no other task runs now
    const std::pair<int, char> tasks[] = {{90, 'l'}, {100, 'm'}, {110, 'h'}, {100, 'n'}, {90, 'k'}, {110, 'i'}};
    for (const auto& [priority, name] : tasks) {
      ASSERT_TRUE(pool.enqueue(priority, [&order, letter = name] { order += letter; }));
    }
    gate.set_value();
  }  // finishes all tasks
  EXPECT_EQ(order, "himnlk");
}

// The next pool often lies at the same address.
TEST(WorkerPool, NoPoolHasTheIdOfOneThatIsGone) {
  std::set<QueueId> ids{QueueId::kNone};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(ids.insert(std::make_unique<WorkerPool>(1, "test")->id()).second);
}

}  // namespace
}  // namespace nnvk::test
