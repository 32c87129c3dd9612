// Waiting for computations and for foreign file descriptors.
#include "core/runtime/event.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/runtime/execution.h"

namespace nnvk {

Code asynchronous_code(Code code) {
  switch (code) {
    case Code::kUnexpectedNull:
      return Code::kBadData;
    case Code::kOutOfMemory:
    case Code::kIncomplete:
    case Code::kBadState:
    case Code::kUnmappable:
    case Code::kDeadObject:
      return Code::kOpFailed;
    default:
      return code;
  }
}

Event::Event(Fence done, std::shared_ptr<Execution> execution, int fd)
    : done_(std::move(done)), execution_(std::move(execution)), is_fenced_(execution_ != nullptr), fd_(fd) {}

std::unique_ptr<Event> Event::of_computation(Fence done) {
  return std::unique_ptr<Event>(new Event(std::move(done), nullptr, -1));
}

std::unique_ptr<Event> Event::of_fenced_computation(Fence done, std::shared_ptr<Execution> execution) {
  return std::unique_ptr<Event>(new Event(std::move(done), std::move(execution), -1));
}

Result<std::unique_ptr<Event>> Event::from_sync_fence(int fd) {
  if (fd <= 0) return fail(Code::kBadData, "sync fence " + std::to_string(fd) + " is not above 0");
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 1);
  if (copy < 0) {
    return fail(Code::kBadData, "sync fence " + std::to_string(fd) + " cannot be duplicated: " + std::strerror(errno));
  }
  return std::unique_ptr<Event>(new Event(Fence::already_signalled(), nullptr, copy));
}

Event::~Event() {
  if (is_foreign()) {
    ::close(fd_);
  } else {
    static_cast<void>(wait());
  }
}

Status Event::wait() {
  if (is_foreign()) return wait_for_descriptor();
  Status result = done_.wait();
  std::shared_ptr<Execution> execution;
  {
    const std::lock_guard lock(mutex_);
    execution.swap(execution_);
    if (execution != nullptr) execution->acknowledge();
  }
  if (!result) result.error().code = asynchronous_code(result.error().code);
  return result;
}

Status Event::wait_for_descriptor() const {
  pollfd entry{fd_, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&entry, 1, -1);
    if (ready > 0) break;
    if (ready < 0 && errno != EINTR && errno != EAGAIN) {
      return fail(Code::kOpFailed, std::string("poll of the sync fence failed: ") + std::strerror(errno));
    }
  }
  if ((entry.revents & (POLLERR | POLLNVAL)) != 0) return fail(Code::kOpFailed, "the sync fence signalled an error");
  return {};
}

Fence Event::dependency() const {
  if (is_fenced_) return done_;
  const Fence finished = Fence::pending();
  done_.on_settled([finished](const Status&) { finished.signal(); });
  return finished;
}

Result<int> Event::duplicate_descriptor() const {
  if (!is_foreign()) {
    return fail(Code::kBadData, "this event has no sync fence; only events of fenced computations on capable devices have one");
  }
  const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 1);
  if (copy < 0) return fail(Code::kBadData, std::string("the sync fence cannot be duplicated: ") + std::strerror(errno));
  return copy;
}

}  // namespace nnvk
