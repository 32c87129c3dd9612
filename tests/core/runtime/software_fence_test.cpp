// Software fences: results of poll() for the holder of a descriptor, in this and in other processes.
#include "core/runtime/software_fence.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "core/runtime/sync_descriptor.h"
#include "tests/support/descriptors.h"
#include "tests/support/process_usage.h"

namespace nnvk::test {
namespace {

// The events that poll() reports within `milliseconds`; 0: none.
int answer(int fd, int milliseconds = 0) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, milliseconds) > 0 ? entry.revents : 0;
}

Status failed() { return fail(Code::kOpFailed, "the test wants this"); }

std::shared_ptr<SoftwareFence> make_fence() {
  auto fence = SoftwareFence::create();
  EXPECT_TRUE(fence);
  return *fence;
}

TEST(SoftwareFence, IsReadableOnSuccessAndTellsWhen) {
  const auto fence = make_fence();
  const int fd = fence->duplicate()->release();
  EXPECT_EQ(answer(fd), 0);
  fence->settle({});
  EXPECT_EQ(answer(fd), POLLIN | POLLHUP);
  for (int i = 0; i < 2; ++i) {
    FenceRecord record{0, -1, 0};
    ASSERT_EQ(::recv(fd, &record, sizeof record, MSG_PEEK), 16);
    EXPECT_EQ(record.magic, kFenceRecordMagic);
    EXPECT_EQ(record.code, 0);
    EXPECT_GT(record.signalled_nanoseconds, 0U);
    EXPECT_TRUE(wait_for_sync_descriptor(fd));
  }
  ::close(fd);
}

TEST(SoftwareFence, IsInErrorOnFailureForEveryHolder) {
  const auto fence = make_fence();
  const int before = fence->duplicate()->release();
  fence->settle(failed());
  fence->settle({});  // too late
  const int after = fence->duplicate()->release();
  for (const int fd : {before, after}) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(answer(fd), POLLIN | POLLHUP | POLLERR);
    EXPECT_FALSE(wait_for_sync_descriptor(fd));
    ::close(fd);
  }
}

TEST(SoftwareFence, EndsInAnErrorWhenNobodySettlesIt) {
  auto fence = make_fence();
  const int fd = fence->duplicate()->release();
  fence.reset();
  EXPECT_NE(answer(fd) & POLLERR, 0);
  ::close(fd);
}

TEST(SoftwareFence, DescriptorsCloseOnExecAndLeaveTheStandardStreamsAlone) {
  const auto fence = make_fence();
  const int saved = ::fcntl(0, F_DUPFD_CLOEXEC, 3);
  ::close(0);
  const int fd = fence->duplicate()->release();
  EXPECT_GE(fd, 3);
  EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ::dup2(saved, 0);
  ::close(saved);
  ::close(fd);
}

TEST(SoftwareFence, ItsHoldersCannotSignalIt) {
  const auto fence = make_fence();
  const int fd = fence->duplicate()->release();
  EXPECT_LT(::send(fd, "x", 1, MSG_NOSIGNAL), 0);
  ::shutdown(fd, SHUT_WR);
  EXPECT_EQ(answer(fd), 0);
  fence->settle({});
  EXPECT_NE(answer(fd) & POLLIN, 0);
  ::close(fd);
}

TEST(SoftwareFence, WakesWaitersInOtherThreadsAndProcesses) {
  for (const bool success : {true, false}) {
    const auto fence = make_fence();
    const int fd = fence->duplicate()->release();
    int in_thread = 0;
    std::thread thread([&] { in_thread = answer(fd, 60'000); });
    const pid_t child = ::fork();
    if (child == 0) ::_exit(answer(fd, 60'000));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    fence->settle(success ? Status() : failed());
    thread.join();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    for (const int events : {in_thread, WEXITSTATUS(status)}) {
      EXPECT_NE(events & POLLIN, 0);
      EXPECT_EQ((events & POLLERR) != 0, !success);
    }
    ::close(fd);
  }
}

TEST(SoftwareFence, AKilledProcessLeavesAnErrorEvenWhenItsChildLivesOn) {
  std::array<int, 2> channel{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()), 0);
  const pid_t producer = ::fork();
  if (producer == 0) {
    ::close(channel[0]);
    const auto fence = make_fence();
    const int fd = fence->duplicate()->release();
    if (::fork() == 0) {
      ::alarm(60);
      char byte = 0;
      static_cast<void>(::read(channel[1], &byte, 1));  // until the test is over
      ::_exit(0);
    }
    send_descriptor(channel[1], fd);
    for (;;) ::pause();
  }
  ::close(channel[1]);
  const int fd = receive_descriptor(channel[0]);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(answer(fd), 0);
  ASSERT_EQ(::kill(producer, SIGKILL), 0);
  EXPECT_NE(answer(fd, 60'000) & POLLERR, 0);
  EXPECT_EQ(::waitpid(producer, nullptr, 0), producer);
  ::close(fd);
  ::close(channel[0]);
}

TEST(SoftwareFence, AChildOfForkNeitherSettlesNorHoldsBack) {
  const auto fence = make_fence();
  const int fd = fence->duplicate()->release();
  const pid_t child = ::fork();
  if (child == 0) {
    fence->settle({});  // not its fence any more
    for (;;) ::pause();
  }
  EXPECT_EQ(answer(fd, 5), 0);
  fence->settle(failed());
  EXPECT_NE(answer(fd, 10000) & POLLERR, 0);  // the child closes its end as soon as it runs
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(fd);
}

TEST(SoftwareFence, ClosesWhatItOpened) {
  const size_t descriptors = open_descriptors();
  for (int i = 0; i < 30; ++i) {
    const auto fence = make_fence();
    ::close(fence->duplicate()->release());
    if (i % 3 == 0) fence->settle({});
    if (i % 3 == 1) fence->settle(failed());
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace nnvk::test
