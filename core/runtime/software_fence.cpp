// Makes and closes the socket pair behind a software fence.
#include "core/runtime/software_fence.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>

#include "core/runtime/sync_descriptor.h"

namespace nnvk {

// The unsettled fences of the process. No member has a destructor, because a process may exit or fork at any time.
struct SoftwareFence::Pending {
  static inline std::mutex mutex;
  static inline SoftwareFence* first = nullptr;
  static inline bool fork_is_handled = false;

  static void add(SoftwareFence* fence) {
    if (!fork_is_handled) {
      fork_is_handled = ::pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, close_in_child) == 0;
    }
    fence->next_ = first;
    if (first != nullptr) first->previous_ = fence;
    first = fence;
  }

  static void close_end(SoftwareFence* fence) {
    ::close(fence->producer_);
    fence->producer_ = -1;
    (fence->previous_ == nullptr ? first : fence->previous_->next_) = fence->next_;
    if (fence->next_ != nullptr) fence->next_->previous_ = fence->previous_;
    fence->previous_ = fence->next_ = nullptr;
  }

  static void close_in_child() {
    while (first != nullptr) close_end(first);
    mutex.unlock();
  }
};

Result<std::shared_ptr<SoftwareFence>> SoftwareFence::create() {
  // Made before the code takes the lock: without memory for the shared pointer, the fence's destructor runs and takes the lock.
  std::shared_ptr<SoftwareFence> fence(new SoftwareFence());
  const std::lock_guard lock(Pending::mutex);  // no fork before the fence is in the list
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Code::kResourceExhaustedTransient, std::string("no socket pair for a sync fence: ") + std::strerror(errno));
  }
  const char unread = 0;
  // shutdown() lets nothing follow the byte: holders of the client's end can neither write nor take it back.
  if (::send(ends[0], &unread, 1, MSG_NOSIGNAL) != 1 || ::shutdown(ends[0], SHUT_WR) != 0) {
    const int reason = errno;
    for (const int end : ends) ::close(end);
    return fail(Code::kResourceExhaustedTransient, std::string("a sync fence could not be armed: ") + std::strerror(reason));
  }
  fence->client_ = ends[0];
  fence->producer_ = ends[1];
  Pending::add(fence.get());
  return fence;
}

SoftwareFence::~SoftwareFence() { retire(); }

void SoftwareFence::retire() {
  const std::lock_guard lock(Pending::mutex);
  if (producer_ >= 0) Pending::close_end(this);
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

void SoftwareFence::settle(const Status& status) {
  const std::lock_guard lock(Pending::mutex);
  if (producer_ < 0) return;
  release_before_settling();
  char unread = 0;
  if (status && ::recv(producer_, &unread, 1, MSG_DONTWAIT) == 1) {
    FenceRecord record;
    record.signalled_nanoseconds =
        static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
    ::send(producer_, &record, sizeof record, MSG_NOSIGNAL | MSG_DONTWAIT);  // this process holds the other end: it arrives
  }
  Pending::close_end(this);
}

Result<FileDescriptor> SoftwareFence::duplicate() const {
  const std::lock_guard lock(Pending::mutex);
  return duplicate_sync_descriptor(client_);
}

}  // namespace nnvk
