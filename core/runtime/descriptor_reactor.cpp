// The epoll loop behind foreign sync fences and deadlines.
#include "core/runtime/descriptor_reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/file_descriptor.h"
#include "core/base/out_of_memory.h"
#include "core/base/process_generation.h"
#include "core/base/thread.h"
#include "core/runtime/sync_descriptor.h"

namespace nnvk {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

constexpr uint64_t kStop = 0;  // epoll data of an event: kStop, kTimer, or the id of a watched descriptor
constexpr uint64_t kTimer = 1;

tl::unexpected<Error> exhausted(const char* what) {
  return fail(Code::kResourceExhaustedTransient, std::string(what) + " failed: " + std::strerror(errno));
}

}  // namespace

// The reactor, its thread, and all owners of a fence or a timer share this state.
struct DescriptorReactor::State : std::enable_shared_from_this<State> {
  struct Watched {
    FileDescriptor fd;
    Fence::Weak fence;
  };
  using TimerKey = std::pair<Clock::time_point, uint64_t>;

  const uint32_t generation = process_generation();
  const FileDescriptor epoll{::epoll_create1(EPOLL_CLOEXEC)};
  const FileDescriptor stop{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  const FileDescriptor timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
  std::mutex mutex;  // guards the following members
  std::unordered_map<uint64_t, Watched> watched;
  std::map<TimerKey, std::function<void()>> timers;
  uint64_t last_id = kTimer;
  Thread thread;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Returns false in a child of fork: it has the state but no thread, and must not change the epoll set that it shares with its
  // parent.
  bool is_of_this_process() const { return generation == process_generation(); }

  bool listen(int fd, uint64_t id, uint32_t events) const {
    epoll_event event{events, {.u64 = id}};
    return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
  }

  Result<Fence> add(FileDescriptor fd) {
    uint64_t id = 0;
    {
      const std::lock_guard lock(mutex);
      id = ++last_id;
    }
    // Made without the lock: if anything here fails, the fence is destroyed, and extract() takes the lock.
    const Fence fence = Fence::pending_until_gone([state = weak_from_this(), id] {
      if (const auto self = state.lock(); self != nullptr && self->is_of_this_process()) static_cast<void>(self->extract(id));
    });
    const int watched_fd = fd.get();
    {
      const std::lock_guard lock(mutex);
      watched.emplace(id, Watched{std::move(fd), fence.weak()});
      if (listen(watched_fd, id, EPOLLIN | EPOLLONESHOT)) return fence;
    }
    return exhausted("watching the sync fence");
  }

  // Removes the descriptor from the epoll set. Returns nullopt if that has happened already.
  std::optional<Watched> extract(uint64_t id) {
    const std::lock_guard lock(mutex);
    auto node = watched.extract(id);
    if (!node) return std::nullopt;
    // Closing the descriptor does not remove it, because the client has other descriptors of the same file.
    ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, node.mapped().fd.get(), nullptr);
    return std::move(node.mapped());
  }

  void settle(uint64_t id, uint32_t poll_events) {
    auto settled = extract(id);
    if (!settled) return;  // the last copy of its fence is gone
    const Status status = catch_out_of_memory([&] { return status_of_sync_descriptor(settled->fd.get(), poll_events); });
    settled->fd = FileDescriptor();  // callbacks find it closed
    if (const auto fence = settled->fence.lock()) fence->settle(status);
  }

  void fail_all() {
    std::unordered_map<uint64_t, Watched> pending;
    {
      const std::lock_guard lock(mutex);
      pending.swap(watched);
    }
    for (auto& [id, item] : pending) {
      item.fd = FileDescriptor();  // callbacks find it closed
      if (const auto fence = item.fence.lock()) {
        fence->settle(catch_out_of_memory(
            []() -> Status { return nnvk::fail(Code::kOpFailed, "the library was unloaded before the sync fence settled"); }));
      }
    }
  }

  std::shared_ptr<void> add_timer(Clock::time_point when, std::function<void()> callback) {
    TimerKey key{when, 0};
    {
      const std::lock_guard lock(mutex);
      key.second = ++last_id;
    }
    // Made before the code takes the lock, because its deleter takes the lock.
    std::shared_ptr<void> cancels(nullptr, [state = weak_from_this(), key](void*) {
      const auto self = state.lock();
      if (self == nullptr || !self->is_of_this_process()) return;
      std::function<void()> dropped;  // destroyed after the lock is released
      const std::lock_guard lock_timers(self->mutex);
      if (auto node = self->timers.extract(key)) dropped.swap(node.mapped());
    });
    const std::lock_guard lock(mutex);
    timers.emplace(key, std::move(callback));
    if (timers.begin()->first == key) arm();
    return cancels;
  }

  // Sets the timer to the earliest deadline. If that deadline is cancelled, the thread wakes up once for nothing.
  void arm() const {
    itimerspec time{};
    if (!timers.empty()) {
      const auto at = std::max(timers.begin()->first.first.time_since_epoch(), Clock::duration(1));
      time.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(at).count();
      time.it_value.tv_nsec = (at % std::chrono::seconds(1)).count();
    }
    ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &time, nullptr);
  }

  void call_due_timers() {
    uint64_t expirations = 0;
    static_cast<void>(!::read(timer.get(), &expirations, sizeof expirations));
    while (true) {
      std::map<TimerKey, std::function<void()>>::node_type due;
      {
        const std::lock_guard lock(mutex);
        if (timers.empty() || timers.begin()->first.first > Clock::now()) return arm();
        due = timers.extract(timers.begin());
      }
      due.mapped()();
    }
  }

  void run() {
    std::array<epoll_event, 64> events;
    for (;;) {
      const int count = ::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const uint64_t id = events[i].data.u64;
        if (id == kStop) return;
        id == kTimer ? call_due_timers() : settle(id, events[i].events);
      }
    }
  }

  Status start() {
    if (!epoll || !stop || !timer) return exhausted("making the descriptors of the fence thread");
    if (!listen(stop.get(), kStop, EPOLLIN) || !listen(timer.get(), kTimer, EPOLLIN)) return exhausted("epoll_ctl");
    NNVK_ASSIGN(thread, Thread::start("nnvk reactor", [self = shared_from_this()] { self->run(); }));
    return {};
  }

  void end() {
    ::eventfd_write(stop.get(), 1);
    thread.join();
    fail_all();
  }
};

DescriptorReactor::DescriptorReactor() = default;

DescriptorReactor::~DescriptorReactor() {
  if (state_ != nullptr) state_->end();
}

// Returns the state of a running thread, which the first call starts. Callers hold mutex_. A child of fork leaks its parent's
// state: destroying it would join a thread that does not exist here.
Result<DescriptorReactor::State*> DescriptorReactor::running() {
  if (state_ != nullptr && !state_->is_of_this_process()) new std::shared_ptr<State>(std::move(state_));
  if (state_ == nullptr) {
    auto started = std::make_shared<State>();
    NNVK_TRY(started->start());
    state_ = std::move(started);
  }
  return state_.get();
}

Result<Fence> DescriptorReactor::watch(int fd) {
  if (const auto status = poll_sync_descriptor(fd)) {
    const Fence settled = Fence::pending();
    settled.settle(*status);
    return settled;
  }
  const std::lock_guard lock(mutex_);
  NNVK_ASSIGN(State* const state, running());
  NNVK_ASSIGN(FileDescriptor copy, duplicate_sync_descriptor(fd));
  return state->add(std::move(copy));
}

Result<std::shared_ptr<void>> DescriptorReactor::call_at(Clock::time_point when, std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  NNVK_ASSIGN(State* const state, running());
  return state->add_timer(when, std::move(callback));
}

}  // namespace nnvk
