// Foreign descriptors as fences: when they count as signalled or failed, and the thread that watches them.
#include "core/runtime/descriptor_reactor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/runtime/sync_descriptor.h"
#include "tests/support/child_process.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

using State = Fence::State;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  void signal() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
  void abandon() { close_end(1); }

 private:
  void close_end(size_t i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }
  std::array<int, 2> ends_{};
};

TEST(SyncDescriptor, APipeIsSignalledByAByteAndFailsWhenItsWriterGoesWithoutOne) {
  Pipe pipe;
  EXPECT_FALSE(poll_sync_descriptor(pipe.reading()));
  pipe.signal();
  EXPECT_TRUE(*poll_sync_descriptor(pipe.reading()));
  pipe.abandon();
  EXPECT_TRUE(*poll_sync_descriptor(pipe.reading()));  // the byte is still there
  Pipe abandoned;
  abandoned.abandon();
  EXPECT_EQ(poll_sync_descriptor(abandoned.reading())->error().code, Code::kOpFailed);
}

TEST(SyncDescriptor, ASocketThatIsClosedWithoutDataFailsThoughPollCallsItReadable) {
  for (const bool writes : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (writes) {
      EXPECT_EQ(::write(ends[1], "x", 1), 1);
    }
    ::close(ends[1]);
    EXPECT_EQ(wait_for_sync_descriptor(ends[0]).has_value(), writes);
    ::close(ends[0]);
  }
}

TEST(SyncDescriptor, AnEventfdIsSignalledAndAClosedDescriptorFails) {
  const int fd = ::eventfd(0, EFD_CLOEXEC);
  EXPECT_FALSE(poll_sync_descriptor(fd));
  ::eventfd_write(fd, 1);
  EXPECT_TRUE(*poll_sync_descriptor(fd));
  ::close(fd);
  EXPECT_FALSE(*poll_sync_descriptor(fd));
}

TEST(SyncDescriptor, ASyncFileIsAskedForTheErrorThatPollHides) {
  const auto with_status = [](uint32_t events, std::optional<int> status) { return meaning_of({events, false, status}); };
  EXPECT_TRUE(with_status(POLLIN, 1));
  EXPECT_TRUE(with_status(POLLIN, std::nullopt));  // not a sync_file
  const Status failed = with_status(POLLIN, -EIO);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kOpFailed);
  EXPECT_NE(failed.error().message.find(std::strerror(EIO)), std::string::npos) << failed.error().message;
  EXPECT_FALSE(with_status(POLLIN | POLLERR, 1));
  EXPECT_FALSE(with_status(POLLNVAL, std::nullopt));
}

TEST(SyncDescriptor, AHangUpIsAnErrorUnlessSomethingCanBeRead) {
  EXPECT_TRUE(meaning_of({POLLIN | POLLHUP, false, std::nullopt}));
  EXPECT_FALSE(meaning_of({POLLIN | POLLHUP, true, std::nullopt}));
  EXPECT_FALSE(meaning_of({POLLHUP, false, std::nullopt}));
  EXPECT_TRUE(meaning_of({POLLIN, true, std::nullopt}));  // a socket whose ends are open
}

TEST(DescriptorReactor, FencesFollowTheirDescriptors) {
  DescriptorReactor reactor;
  Pipe signalled;
  Pipe abandoned;
  const auto first = reactor.watch(signalled.reading());
  const auto again = reactor.watch(signalled.reading());
  const auto second = reactor.watch(abandoned.reading());
  ASSERT_TRUE(first && again && second);
  EXPECT_EQ(first->state(), State::kPending);
  signalled.signal();
  EXPECT_TRUE(first->wait());
  EXPECT_TRUE(again->wait());
  EXPECT_EQ(second->state(), State::kPending);
  abandoned.abandon();
  EXPECT_FALSE(second->wait());
}

TEST(DescriptorReactor, WhatHasSettledAlreadyNeedsNoThread) {
  const size_t threads = running_threads();
  DescriptorReactor reactor;
  Pipe signalled;
  signalled.signal();
  Pipe abandoned;
  abandoned.abandon();
  std::FILE* file = std::tmpfile();  // epoll does not take files; they are always readable
  EXPECT_EQ(reactor.watch(signalled.reading())->state(), State::kSignalled);
  EXPECT_EQ(reactor.watch(abandoned.reading())->state(), State::kError);
  EXPECT_EQ(reactor.watch(::fileno(file))->state(), State::kSignalled);
  EXPECT_EQ(running_threads(), threads);
  std::fclose(file);
}

TEST(DescriptorReactor, AnEpollDescriptorIsPollableLikeAnyOtherAndAClosedOneFails) {
  DescriptorReactor reactor;
  const int nested = ::epoll_create1(EPOLL_CLOEXEC);
  EXPECT_EQ(reactor.watch(nested)->state(), State::kPending);
  ::close(nested);
  EXPECT_EQ(reactor.watch(nested)->state(), State::kError);
}

TEST(DescriptorReactor, AKilledProducerIsAnErrorAtOnce) {
  DescriptorReactor reactor;
  Pipe pipe;
  const pid_t producer = ::fork();
  if (producer == 0) {
    for (;;) ::pause();
  }
  pipe.abandon();  // only the producer holds the writing end now
  const auto fence = reactor.watch(pipe.reading());
  ASSERT_TRUE(fence);
  EXPECT_EQ(fence->state(), State::kPending);
  ASSERT_EQ(::kill(producer, SIGKILL), 0);
  EXPECT_FALSE(fence->wait());
  EXPECT_EQ(::waitpid(producer, nullptr, 0), producer);
}

TEST(DescriptorReactor, ItsEndFailsWhatIsPendingAndLeavesNothingOpen) {
  const size_t descriptors = open_descriptors();
  const size_t threads = running_threads();
  {
    std::vector<Pipe> pipes(20);
    std::vector<Fence> fences;
    {
      DescriptorReactor reactor;
      for (const Pipe& pipe : pipes) fences.push_back(*reactor.watch(pipe.reading()));
      for (size_t i = 0; i < 10; ++i) pipes[i].signal();
      for (size_t i = 0; i < 10; ++i) EXPECT_TRUE(fences[i].wait());
    }
    for (size_t i = 10; i < 20; ++i) EXPECT_EQ(fences[i].state(), State::kError);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(running_threads(), threads);
}

TEST(DescriptorReactor, AChildOfForkWatchesWithAThreadOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
#endif
  DescriptorReactor reactor;
  Pipe pending;
  const auto parents = reactor.watch(pending.reading());
  EXPECT_EQ(in_child([&] {
              Pipe pipe;
              const auto fence = reactor.watch(pipe.reading());
              pipe.signal();
              ::_exit(fence && fence->wait() ? 0 : 1);
            }),
            0);
  pending.signal();  // the parent's watch is untouched
  EXPECT_TRUE(parents->wait());
}

TEST(DescriptorReactor, ADescriptorIsLetGoWithTheLastCopyOfItsFence) {
  DescriptorReactor reactor;
  Pipe pending;
  { const auto starts_the_thread = reactor.watch(pending.reading()); }
  const size_t descriptors = open_descriptors();
  int calls = 0;
  {
    const auto fence = reactor.watch(pending.reading());
    ASSERT_TRUE(fence);
    fence->on_settled([&calls](const Status&) { ++calls; });
    EXPECT_EQ(open_descriptors(), descriptors + 1);
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  pending.signal();
  EXPECT_TRUE(reactor.watch(pending.reading())->wait());
  EXPECT_EQ(calls, 0);
}

TEST(DescriptorReactor, CallsBackInTheOrderOfTheDeadlines) {
  DescriptorReactor reactor;
  const auto now = std::chrono::steady_clock::now();
  const auto base = now + std::chrono::milliseconds(200);  // all are set before the first is due, also on slow machines
  std::mutex mutex;
  std::vector<int> order;
  const Fence last = Fence::pending();
  const auto note = [&](int which) {
    const std::lock_guard lock(mutex);
    order.push_back(which);
    if (order.size() == 4) last.signal();
  };
  std::vector<std::shared_ptr<void>> timers;
  for (const int which : {3, 1, 2}) {
    timers.push_back(*reactor.call_at(base + std::chrono::milliseconds(which), [&note, which] { note(which); }));
  }
  timers.push_back(*reactor.call_at(now + std::chrono::hours(1), [&note] { note(100); }));
  timers.back().reset();  // never called
  timers.push_back(*reactor.call_at(base + std::chrono::milliseconds(4), [&note] { note(4); }));
  EXPECT_TRUE(last.wait());
  EXPECT_GE(std::chrono::steady_clock::now(), base + std::chrono::milliseconds(4));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
  const auto past = Fence::pending();
  const auto timer = reactor.call_at(now - std::chrono::hours(1), [past] { past.signal(); });
  EXPECT_TRUE(past.wait());
}

TEST(DescriptorReactor, ACancelledDeadlineLetsGoOfItsCallback) {
  DescriptorReactor reactor;
  const auto held = std::make_shared<int>(0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(reactor.call_at(std::chrono::steady_clock::now() + std::chrono::hours(1), [held] { ++*held; }));
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST(DescriptorReactor, ManyThreadsWatchAtTheSameTime) {
  DescriptorReactor reactor;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&reactor, t] {
      for (int i = 0; i < 50; ++i) {
        Pipe pipe;
        const auto fence = reactor.watch(pipe.reading());
        ASSERT_TRUE(fence);
        if ((i + t) % 2 == 0) {
          pipe.signal();
        } else {
          pipe.abandon();
        }
        EXPECT_EQ(fence->wait().has_value(), (i + t) % 2 == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nnvk::test
