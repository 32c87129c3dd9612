// Threads of the library: names, ends, and their limits in a child of fork.
#include "core/base/thread.h"

#include <signal.h>
#include <sys/prctl.h>

#include <atomic>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::test {
namespace {

TEST(Thread, HasItsNameAndTakesNoSignals) {
  std::string name;
  bool takes_signals = true;
  auto thread = Thread::start("nnvk test", [&] {
    char text[16] = {};
    ::prctl(PR_GET_NAME, text);
    name = text;
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    takes_signals = ::sigismember(&blocked, SIGTERM) == 0;
  });
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->joinable());
  EXPECT_FALSE(thread->is_calling());
  thread->join();
  EXPECT_FALSE(thread->joinable());
  EXPECT_EQ(name, "nnvk test");
  EXPECT_FALSE(takes_signals);
}

TEST(Thread, KnowsThatItCalls) {
  Thread thread;
  std::atomic<bool> is_known{false};
  bool is_calling = false;
  auto started = Thread::start("nnvk test", [&] {
    is_known.wait(false);
    is_calling = thread.is_calling();
  });
  ASSERT_TRUE(started);
  thread = *std::move(started);
  is_known = true;
  is_known.notify_one();
  thread.join();
  EXPECT_TRUE(is_calling);
}

// Thousands, because each allocates memory of its own there.
TEST(Thread, ManyComeAndGoInAChildOfFork) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              std::atomic<int> ran{0};
              for (int i = 0; i < 3000; ++i) {
                auto thread = Thread::start("nnvk test", [&] { ++ran; });
                if (!thread) std::_Exit(1);
                thread->join();
              }
              if (ran != 3000) std::_Exit(2);
            }),
            0);
}

}  // namespace
}  // namespace nnvk::test
