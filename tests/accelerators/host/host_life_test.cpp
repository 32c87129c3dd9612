// Plugin hosts that are killed in the middle of work, meet forked children, or see the program end. They leave nothing behind.
#include <dirent.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "tests/accelerators/host/hosted_driver_fixture.h"
#include "tests/support/child_process.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

// Resident memory of this process in KiB.
[[maybe_unused]] size_t memory_kib() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  file >> total >> resident;
  return resident * 4;
}

// Resources that this process holds.
struct Holdings {
  size_t descriptors = open_descriptors();
  size_t threads = running_threads();
};

// Kills the driver's host `kills` times at random moments, fewer if this object is destroyed before.
class Killer {
 public:
  Killer(const Driver& driver, unsigned kills, unsigned seed) : driver_(driver) {
    thread_ = std::thread([this, kills, seed] {
      std::mt19937 random(seed);
      for (unsigned i = 0; i < kills && !stop_;) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
        const pid_t host = process_of_hosted_driver(driver_);
        if (host <= 0) continue;
        ::kill(host, SIGKILL);
        killed_ = ++i;
      }
    });
  }
  ~Killer() {
    stop_ = true;
    thread_.join();
  }
  unsigned killed() const { return killed_; }

 private:
  const Driver& driver_;
  std::atomic<bool> stop_ = false;
  std::atomic<unsigned> killed_ = 0;
  std::thread thread_;
};

class HostLife : public HostedDriverTest {
 protected:
  // Executes on this thread until `wanted` executions have succeeded and all kills have happened. Each execution returns the
  // right sum or DEAD_OBJECT.
  void run_among_kills(size_t wanted, unsigned kills) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    Killer killer(*driver_, kills, 14);
    size_t good = 0;
    for (size_t i = 0; good < wanted || killer.killed() < kills; ++i) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << good << " executions, " << killer.killed() << " kills";
      const ExecutionAnswer answer = adder_.run(static_cast<float>(i % 1000), i % 2 == 0);
      if (answer.code == Code::kNoError) {
        ++good;
        ASSERT_EQ(adder_.sum(0), static_cast<float>(i % 1000) + 10);
      } else {
        ASSERT_EQ(answer.code, Code::kDeadObject) << answer.message;
      }
    }
  }
};

TEST_F(HostLife, KillsAmongAThousandExecutionsCostOnlyThose) {
  run_among_kills(1000, 20);
  expect_back_again();
}

// With NNVK_LONG_TESTS=1 it is ten times as long: 10 000 executions and a hundred kills.
TEST_F(HostLife, AHundredKillsLeaveNothingBehind) {
  const bool is_long = std::getenv("NNVK_LONG_TESTS") != nullptr;
  const size_t executions = is_long ? 10'000 : 1'000;
  const auto settle = [this] {
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    wait();  // a host may answer for a moment after it was killed
    expect_back_again();
    EXPECT_EQ(adder_.run(1, false).code, Code::kNoError);  // makes sure that the current host's reading thread exists
    wait();                                                // lets the reading threads of lost hosts end
    const ExecutionAnswer answer = adder_.run(1);
    EXPECT_EQ(answer.code, Code::kNoError) << answer.message;
  };
  run_among_kills(executions / 10, is_long ? 10 : 3);
  settle();
  const Holdings before;
  [[maybe_unused]] const size_t memory_before = memory_kib();
  run_among_kills(executions, is_long ? 100 : 10);
  settle();
  const Holdings after;
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
#ifndef __SANITIZE_ADDRESS__  // it keeps freed memory, and finds leaks itself
  EXPECT_LT(memory_kib(), memory_before + 4096);
#endif
}

TEST_F(HostLife, ADriverThatGoesTakesItsHostThreadAndDescriptorsAlong) {
  adder_.run(1, false);
  const Holdings before;
  pid_t host = 0;
  {
    const auto driver = make_hosted_driver(test_host());
    Adder adder(*driver);
    EXPECT_EQ(adder.run(1, false).code, Code::kNoError);  // which starts the thread that reads
    host = process_of_hosted_driver(*driver);
    EXPECT_EQ(::kill(host, 0), 0);
    EXPECT_GT(Holdings().threads, before.threads);
  }
  EXPECT_TRUE(::kill(host, 0) != 0 ||
              std::ifstream("/proc/" + std::to_string(host) + "/cmdline").get() == EOF);  // a zombie at most
  const Holdings after;
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
}

TEST_F(HostLife, TheLastOneToLetGoOfADriverMayBeTheThreadThatReads) {
  for (const Order order : {kSleep, kCrash}) {
    std::shared_ptr<Driver> driver = make_hosted_driver(test_host());
    Adder adder(*driver);
    ASSERT_TRUE(adder.prepare());
    AwaitedAnswer awaited;
    const std::weak_ptr<Driver> watched = driver;
    Driver& running = *driver;
    running.execute(adder.request(static_cast<float>(order), false),
                    [own = std::move(driver), done = awaited.done()](ExecutionAnswer answer) mutable {
                      own = nullptr;
                      done(std::move(answer));
                    });
    awaited.get();
    EXPECT_TRUE(watched.expired());
  }
}

TEST_F(HostLife, TheHostIsNoChildThatTheProgramCouldWaitFor) {
  EXPECT_EQ(adder_.run().code, Code::kNoError);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(HostLife, WhoeverTakesOrphansHasNoZombiesOfIt) {
  // In a child, so that this process does not become a subreaper.
  EXPECT_EQ(in_child([] {
              ::prctl(PR_SET_CHILD_SUBREAPER, 1);
              const auto driver = make_hosted_driver(test_host());
              Adder adder(*driver);
              if (adder.run().code != Code::kNoError || adder.run(kCrash).code != Code::kDeadObject) ::_exit(1);
              // Dead and reaped: there is no child any more.
              if (::waitpid(-1, nullptr, WNOHANG) != -1) ::_exit(2);
            }),
            0);
}

// Waits for the end of a process that is no child.
bool ends_soon(pid_t process) {
  const FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!handle) return true;
  pollfd entry{handle.get(), POLLIN, 0};
  return ::poll(&entry, 1, 5000) == 1;
}

// Forks a child that runs `body`, and returns the process id that the child sends through a pipe.
template <class F>
pid_t told_by_child(F body, int signal) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    const pid_t told = body();
    static_cast<void>(!::write(ends[1], &told, sizeof told));
    if (signal == 0) ::_exit(0);
    for (;;) ::pause();
  }
  pid_t told = 0;
  EXPECT_EQ(::read(ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
  if (signal != 0) ::kill(child, signal);
  ::waitpid(child, nullptr, 0);
  for (const int end : ends) ::close(end);
  return told;
}

pid_t run_and_keep(Order order) {
  Driver* const driver = make_hosted_driver(test_host()).release();
  auto* const adder = new Adder(*driver);
  if (adder->run().code != Code::kNoError) return 0;
  if (order == kHang) driver->execute(adder->request(kHang, false), [](const ExecutionAnswer&) {});
  return process_of_hosted_driver(*driver);
}

TEST(PluginHost, EndsWithItsClientHoweverThatEnds) {
  for (const int signal : {0, SIGKILL}) {
    const pid_t host = told_by_child([] { return run_and_keep(kSleep); }, signal);
    ASSERT_GT(host, 0);
    EXPECT_TRUE(ends_soon(host)) << "signal " << signal;
  }
}

TEST(PluginHost, EndsWithItsClientEvenWhenThePluginHangs) {
  const pid_t host = told_by_child([] { return run_and_keep(kHang); }, SIGKILL);
  ASSERT_GT(host, 0);
  EXPECT_TRUE(ends_soon(host));
}

TEST_F(HostLife, AChildOfForkGetsAHostOfItsOwn) {
  ASSERT_EQ(adder_.run(1, false).code, Code::kNoError);
  const pid_t parents = process_of_hosted_driver(*driver_);
  const int status = in_child([&] {
    const uint64_t generation = driver_->generation();
    AwaitedAnswer stale;
    driver_->execute(adder_.request(1, true), stale.done());
    if (generation < 2 || stale.get().code != Code::kDeadObject) ::_exit(1);
    if (adder_.run(2).code != Code::kNoError || adder_.sum(0) != 12) ::_exit(2);
    const pid_t own = process_of_hosted_driver(*driver_);
    if (own == parents || own == 0) ::_exit(3);
    ::_exit(0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(process_of_hosted_driver(*driver_), parents);
  EXPECT_EQ(adder_.run(3).code, Code::kNoError);
}

TEST_F(HostLife, AChildOfForkThatLivesOnDoesNotKeepTheHostAlive) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  // The child uses the driver, and has a child of its own that outlives it.
  const pid_t host = told_by_child(
      [&] {
        const pid_t own = run_and_keep(kSleep);
        if (::fork() == 0) {
          ::close(ends[1]);
          char byte = 0;
          static_cast<void>(!::read(ends[0], &byte, 1));  // until the test is over
          ::_exit(0);
        }
        return own;
      },
      SIGKILL);
  ASSERT_GT(host, 0);
  EXPECT_TRUE(ends_soon(host));
  for (const int end : ends) ::close(end);
}

TEST_F(HostLife, TheHostHasNoTerminalOfOurs) {
  EXPECT_EQ(adder_.run().code, Code::kNoError);
  EXPECT_NE(::getsid(process_of_hosted_driver(*driver_)), ::getsid(0));
}

}  // namespace
}  // namespace nnvk::test
