// Splits work over threads: every part runs once, also while others use the pool, in children of fork, and if threads start late.
#include "cpu_fallback/optimized/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/run_deadline.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::cpu {
namespace {

std::vector<int> times_called(ThreadPool& pool, size_t count) {
  std::vector<std::atomic<int>> calls(count);
  pool.parallel_for(count, [&](size_t i) { ++calls[i]; });
  return {calls.begin(), calls.end()};
}

TEST(ThreadPool, EveryPartIsDoneOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    ThreadPool pool(threads);
    for (const size_t count : {0U, 1U, 2U, 3U, 7U, 100U, 5000U}) {
      EXPECT_EQ(times_called(pool, count), std::vector<int>(count, 1)) << count << " parts, " << threads << " threads";
    }
  }
}

// Pieces of work follow each other at once, pause in between, or arrive while the threads sleep.
TEST(ThreadPool, PiecesOfWorkDoNotMix) {
  ThreadPool pool(4);
  for (size_t round = 0; round < 20000; ++round) {
    const size_t count = 1 + round % 9;
    std::atomic<size_t> sum = 0;
    pool.parallel_for(count, [&, round](size_t i) { sum += round + i; });
    ASSERT_EQ(sum, round * count + count * (count - 1) / 2);
    if (round % 16 == 0) pool.rest();
    if (round % 2000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadPool, RowsAreCutAtMultiplesOfTheStep) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> rows(1000);
  pool.parallel_rows(rows.size(), 1e6, 24, [&](size_t first, size_t end) {
    EXPECT_EQ(first % 24, 0U);
    EXPECT_TRUE(end % 24 == 0 || end == rows.size());
    for (size_t row = first; row < end; ++row) ++rows[row];
  });
  for (const auto& row : rows) EXPECT_EQ(row, 1);
}

TEST(ThreadPool, RowsOfARunWithADeadlineAreCutInPartsOfMilliseconds) {
  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    const Deadline in_an_hour = std::chrono::steady_clock::now() + std::chrono::hours(1);
    const RunDeadline scope(in_an_hour);
    std::vector<std::atomic<int>> rows(1000);
    std::atomic<size_t> longest = 0;
    pool.parallel_rows(rows.size(), 1e6, 2, [&](size_t first, size_t end) {
      for (size_t row = first; row < end; ++row) ++rows[row];
      size_t seen = longest;
      while (seen < end - first && !longest.compare_exchange_weak(seen, end - first)) {
      }
    });
    for (const auto& row : rows) EXPECT_EQ(row, 1);
    EXPECT_LE(longest, 6U) << "rows of 1 ms";
  }
}

TEST(ThreadPool, NoPartBeginsAfterTheDeadline) {
  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    const Deadline past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    std::atomic<int> begun = 0;
    {
      const RunDeadline scope(past);
      EXPECT_THROW(pool.parallel_for(100, [&](size_t) { ++begun; }), DeadlinePassed);
    }
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(times_called(pool, 7), std::vector<int>(7, 1)) << "without a deadline";
  }
}

TEST(ThreadPool, ManyCallersShareIt) {
  ThreadPool pool(3);
  std::atomic<size_t> total = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) pool.parallel_for(5, [&](size_t i) { total += i; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 6U * 2000 * 10);
}

// While another thread works on a long part, the caller sleeps, and must wake up afterwards.
TEST(ThreadPool, TheCallerWaitsForPartsThatTakeLong) {
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> finished = 0;
    pool.parallel_for(2, [&](size_t) {
      if (std::this_thread::get_id() != caller) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++finished;
    });
    EXPECT_EQ(finished, 2);
  }
}

TEST(ThreadPool, ThreadsKeepOffTheProcessorOfTheirCaller) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "there is one processor";
  ThreadPool pool(2);
  EXPECT_EQ(times_called(pool, 2), std::vector<int>(2, 1)) << "the threads are there before the caller is bound";
  const auto caller = std::this_thread::get_id();
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    ASSERT_EQ(::sched_setaffinity(0, sizeof only, &only), 0);
    std::atomic<int> begun = 0;
    cpu_set_t of_helper;
    CPU_ZERO(&of_helper);
    pool.parallel_for(2, [&](size_t) {  // one part each
      if (std::this_thread::get_id() != caller) {
        EXPECT_EQ(::sched_getaffinity(0, sizeof of_helper, &of_helper), 0);
      }
      ++begun;
      while (begun < 2) std::this_thread::yield();
    });
    EXPECT_FALSE(CPU_ISSET(processor, &of_helper)) << processor;
    EXPECT_EQ(CPU_COUNT(&of_helper), CPU_COUNT(&allowed) - 1);
  }
  EXPECT_EQ(::sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

TEST(ThreadPool, ChildrenOfForkHaveThreadsOfTheirOwn) {
  if (!test::kChildrenMayStartThreads) GTEST_SKIP() << "ThreadSanitizer ends children that start threads";
  ThreadPool pool(3);
  EXPECT_EQ(times_called(pool, 50), std::vector<int>(50, 1));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(times_called(pool, 50) == std::vector<int>(50, 1) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(times_called(pool, 50), std::vector<int>(50, 1));
}

}  // namespace
}  // namespace nnvk::cpu
