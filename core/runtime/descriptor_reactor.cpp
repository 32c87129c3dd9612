// The epoll loop behind foreign sync fences.
#include "core/runtime/descriptor_reactor.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/trace.h"
#include "core/runtime/sync_descriptor.h"

namespace nnvk {
namespace {

constexpr uint64_t kStop = 0;

tl::unexpected<Error> exhausted(const char* what) {
  return fail(Code::kResourceExhaustedTransient, std::string(what) + " failed: " + std::strerror(errno));
}

// Signals of the process are for the threads of its owner: threads started meanwhile do not take them.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

class DescriptorReactor::Loop {
 public:
  static Result<std::unique_ptr<Loop>> start() {
    std::unique_ptr<Loop> loop(new Loop());
    if (loop->epoll_ < 0 || loop->stop_ < 0) return exhausted("making the descriptors of the fence thread");
    epoll_event event{EPOLLIN, {.u64 = kStop}};
    if (::epoll_ctl(loop->epoll_, EPOLL_CTL_ADD, loop->stop_, &event) != 0) return exhausted("epoll_ctl");
    const BlockedSignals blocked;
    try {
      loop->thread_ = std::thread([self = loop.get()] {
        trace::name_this_thread("nnvk reactor");
        self->run();
      });
    } catch (const std::system_error& error) {
      return fail(Code::kResourceExhaustedTransient, std::string("the fence thread could not be started: ") + error.what());
    }
    return loop;
  }

  ~Loop() {
    if (thread_.joinable()) {
      ::eventfd_write(stop_, 1);
      thread_.join();
    }
    for (const auto& [id, watched] : watched_) {
      ::close(watched.fd);
      watched.fence.fail({Code::kOpFailed, "the library was unloaded before the sync fence settled"});
    }
    if (stop_ >= 0) ::close(stop_);
    if (epoll_ >= 0) ::close(epoll_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  bool is_of_this_process() const { return owner_ == ::getpid(); }

  // Takes `fd`.
  Result<Fence> add(int fd) {
    const std::lock_guard lock(mutex_);
    const uint64_t id = ++last_id_;
    epoll_event event{EPOLLIN | EPOLLONESHOT, {.u64 = id}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) {
      const auto error = exhausted("watching the sync fence");
      ::close(fd);
      return error;
    }
    const Fence fence = Fence::pending();
    watched_.emplace(id, Watched{fd, fence});
    return fence;
  }

 private:
  struct Watched {
    int fd;
    Fence fence;
  };

  Loop() = default;

  void run() {
    std::array<epoll_event, 64> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        if (events[i].data.u64 == kStop) return;
        settle(events[i].data.u64, events[i].events);
      }
    }
  }

  void settle(uint64_t id, uint32_t poll_events) {
    Watched watched = [&] {
      const std::lock_guard lock(mutex_);
      auto node = watched_.extract(id);
      return std::move(node.mapped());
    }();
    const Status status = status_of_sync_descriptor(watched.fd, poll_events);
    // Closing is not enough to leave the epoll set: the client has other descriptors of the same file.
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, watched.fd, nullptr);
    ::close(watched.fd);
    if (status) {
      watched.fence.signal();
    } else {
      watched.fence.fail(status.error());
    }
  }

  const pid_t owner_ = ::getpid();
  const int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  const int stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::mutex mutex_;  // guards what follows
  std::unordered_map<uint64_t, Watched> watched_;
  uint64_t last_id_ = kStop;
  std::thread thread_;
};

DescriptorReactor::DescriptorReactor() = default;
DescriptorReactor::~DescriptorReactor() = default;

Result<Fence> DescriptorReactor::watch(int fd) {
  if (const auto settled = poll_sync_descriptor(fd)) {
    if (*settled) return Fence::already_signalled();
    const Fence failed = Fence::pending();
    failed.fail(settled->error());
    return failed;
  }
  const std::lock_guard lock(mutex_);
  if (loop_ != nullptr && !loop_->is_of_this_process()) {
    // A child of fork has the parent's loop without its thread, and its epoll set is the parent's: it is left alone.
    static_cast<void>(loop_.release());
  }
  if (loop_ == nullptr) {
    NNVK_ASSIGN(loop_, Loop::start());
  }
  NNVK_ASSIGN(const int copy, duplicate_sync_descriptor(fd));
  return loop_->add(copy);
}

}  // namespace nnvk
