#include "accelerators/host/host_connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/out_of_memory.h"

namespace nnvk::accelerators {
namespace {

using Blocking = PacketSocket::Blocking;

// Returns the timeout for poll() in milliseconds, rounded up; -1 means for ever.
int milliseconds_until(HostConnection::Clock::time_point when) {
  if (when == HostConnection::Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - HostConnection::Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 3'600'000));
}

}  // namespace

Result<std::shared_ptr<HostConnection>> HostConnection::start(const HostCommand& command, Clock::time_point deadline) {
  std::shared_ptr<HostConnection> connection(new HostConnection);
  NNVK_TRY(connection->start_process(command));
  NNVK_TRY(connection->wait_for_hello(deadline));
  return connection;
}

Status HostConnection::start_process(const HostCommand& command) {
  const auto held = ClosedInChildren::hold_off_fork();
  NNVK_ASSIGN(auto ends, PacketSocket::pair());
  wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) return fail(Code::kResourceExhaustedTransient, "no descriptor is left for a plugin host");
  NNVK_ASSIGN(process_, HostProcess::start(command, ends.second.descriptor()));
  socket_ = std::move(ends.first);
  closed_in_children_ = std::make_unique<ClosedInChildren>(held, socket_.descriptor(), process_->descriptor());
  return {};  // closes the host's end in this process: the socket hangs up when the host ends
}

Status HostConnection::wait_for_hello(Clock::time_point deadline) {
  NNVK_ASSIGN(ConfinementReport report, first_answer<ConfinementReport>(deadline));
  confinement_ = std::move(report.in_force);
  NNVK_TRY(first_answer<Done>(deadline));
  return {};
}

// Receives one of the messages that the host sends before any request.
template <class T>
Result<T> HostConnection::first_answer(Clock::time_point deadline) {
  pollfd entry{socket_.descriptor(), POLLIN, 0};
  const int ready = uninterrupted([&] { return ::poll(&entry, 1, milliseconds_until(deadline)); });
  if (ready <= 0) return fail(Code::kUnavailableDevice, "the plugin host did not finish loading the plugin in time");
  const auto received = socket_.receive(packet_, Blocking::kNo);
  if (!received || !*received) return fail(Code::kUnavailableDevice, "the plugin host ended while it loaded the plugin");
  NNVK_ASSIGN(const uint64_t id, decode_answer_id(packet_.body));
  auto answer = decode_answer<T>(packet_.body);
  if (id != kHelloId || !answer || !packet_.descriptors.empty()) {
    return fail(Code::kUnavailableDevice, "the plugin host began with something else than a Hello");
  }
  return *std::move(answer);
}

HostConnection::~HostConnection() { close(); }

void HostConnection::close() {
  lose("the plugin is closed");
  Thread thread;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    thread_is_needed_.notify_all();
    thread = std::exchange(thread_, {});
  }
  if (!thread.joinable()) return;
  thread.is_calling() ? thread.detach() : thread.join();
}

std::string HostConnection::loss() {
  {
    const std::lock_guard lock(mutex_);
    // If there is a reader, it detects the loss.
    if (!loss_.empty() || has_reader_) return loss_;
  }
  pollfd entry{socket_.descriptor(), 0, 0};
  if (::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) lose("the plugin host has ended");
  const std::lock_guard lock(mutex_);
  return loss_;
}

void HostConnection::request(uint64_t id, const Message& message, Limit limit, OnAnswer on_answer, bool wait) {
  Waiter waiter;
  std::list<Waiter*> place{&waiter};
  if (wait) {
    // Holds the lock, so that no other thread touches the waiter once it sees is_over.
    on_answer = [this, &waiter, inner = std::move(on_answer)](const Result<std::span<const std::byte>>& answer) {
      if (!inner(answer)) return false;
      const std::lock_guard lock(mutex_);
      waiter.is_over = true;
      waiter.changed.notify_all();
      return true;
    };
  }
  Lock lock(mutex_);
  if (!loss_.empty()) {
    const std::string loss = loss_;
    lock.unlock();
    on_answer(fail(Code::kDeadObject, loss));
    return;
  }
  if (pending_.empty()) looked_at_ = Clock::now();
  pending_.emplace(id, Pending{limit, std::move(on_answer)});
  if (limit.at < limits_checked_at_) {
    limits_checked_at_ = limit.at;
    if (has_reader_) wake_reader();
  }
  lock.unlock();
  send(message);
  if (wait) {
    wait_for(waiter, place);
    return;
  }
  lock.lock();
  need_reader(lock);
}

void HostConnection::wake_reader() const { static_cast<void>(::eventfd_write(wake_.get(), 1)); }

void HostConnection::send(const Message& message) noexcept {
  const Status sent = catch_out_of_memory([&] { return try_send(message); });
  if (!sent) lose(sent.error().message);
}

// Sends a message in the order of calls: if the socket is full, the message waits in unsent_.
Status HostConnection::try_send(const Message& message) {
  Lock lock(mutex_);
  if (!loss_.empty()) return {};
  if (unsent_.empty()) {
    const auto sent = socket_.send(message.body, message.descriptors, Blocking::kNo);
    if (sent && *sent) return {};
    if (!sent) return fail(Code::kDeadObject, "the request to the plugin host failed: " + sent.error().text());
  }
  Unsent unsent{message.body, {}};
  for (const int fd : message.descriptors) {
    unsent.descriptors.push_back(FileDescriptor::duplicate(fd));
    if (!unsent.descriptors.back()) {
      return fail(Code::kDeadObject, "the request to the plugin host failed: no descriptor is left");
    }
  }
  unsent_.push_back(std::move(unsent));
  if (has_reader_) wake_reader();
  need_reader(lock);
  return {};
}

// Sends the messages in unsent_. Only the reader calls it, with the lock.
void HostConnection::send_unsent() {
  while (!unsent_.empty()) {
    std::vector<int> descriptors;
    for (const FileDescriptor& fd : unsent_.front().descriptors) descriptors.push_back(fd.get());
    const auto sent = socket_.send(unsent_.front().body, descriptors, Blocking::kNo);
    if (!sent || !*sent) return;  // if the other end is closed, the reader detects it
    unsent_.pop_front();
  }
}

void HostConnection::wait_for(Waiter& waiter, std::list<Waiter*>& place) {
  Lock lock(mutex_);
  waiters_.splice(waiters_.end(), place);
  while (!waiter.is_over) {
    const bool others_read = has_reader_ && ::pthread_equal(reader_, ::pthread_self()) == 0;
    if (others_read || !loss_.empty()) {
      waiter.changed.wait(lock);
    } else {
      read_until(&waiter.is_over, lock);
    }
  }
  waiters_.remove(&waiter);
  need_reader(lock);
}

// Ensures that a thread acts as the reader, which also sends unsent messages, if there is anything to read or to send. This is a
// waiting thread, else the connection's own; if that cannot start, the calling one.
void HostConnection::need_reader(Lock& lock) {
  if (has_reader_ || !loss_.empty() || (pending_.empty() && unsent_.empty())) return;
  if (!waiters_.empty()) {
    waiters_.front()->changed.notify_all();
    return;
  }
  if (!thread_.joinable() && !is_ending_) {
    auto thread = Thread::start("nnvk plugin host", [self = shared_from_this()] { self->run_thread(); });
    if (!thread) {
      read_until(nullptr, lock);  // no thread could start, so this one reads
      return;
    }
    thread_ = *std::move(thread);
  }
  thread_is_needed_.notify_one();
}

void HostConnection::run_thread() {
  Lock lock(mutex_);
  const auto is_over = [this] { return is_ending_ || !loss_.empty(); };
  const auto is_needed = [this] { return !has_reader_ && waiters_.empty() && !(pending_.empty() && unsent_.empty()); };
  while (!is_over()) {
    if (is_needed()) read_until(nullptr, lock);
    thread_is_needed_.wait(lock, [&] { return is_over() || is_needed(); });
  }
  thread_is_over_ = true;
}

// Acts as the reader until `is_over` is true (null: until nothing is pending) or the host is lost.
void HostConnection::read_until(const bool* is_over, Lock& lock) {
  const bool is_within = has_reader_;  // within a call of OnAnswer by this thread
  has_reader_ = true;
  reader_ = ::pthread_self();
  while (loss_.empty() && !(is_over != nullptr ? *is_over : pending_.empty() && unsent_.empty())) {
    std::array<pollfd, 2> entries{pollfd{socket_.descriptor(), POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
    if (!unsent_.empty()) entries[0].events |= POLLOUT;
    const int timeout = pending_.empty() ? -1 : milliseconds_until(limits_checked_at_);
    lock.unlock();
    const int ready = ::poll(entries.data(), entries.size(), timeout);
    if (ready > 0 && (entries[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const Status dispatched = catch_out_of_memory([this] { dispatch(); });
      if (!dispatched) lose(dispatched.error().message);  // the message is lost, so later ones are useless
    }
    eventfd_t ignored = 0;
    if (ready > 0 && entries[1].revents != 0) static_cast<void>(::eventfd_read(wake_.get(), &ignored));
    lock.lock();
    const Status sent = catch_out_of_memory([this] { send_unsent(); });
    if (!sent) {
      lock.unlock();
      lose(sent.error().message);
      lock.lock();
      continue;
    }
    if (!is_overdue()) continue;
    lock.unlock();
    lose("the plugin has not answered for too long");
    lock.lock();
  }
  has_reader_ = is_within;
}

// Receives one message and passes it to its request. Do not use the packet afterwards: the callback may have received more.
void HostConnection::dispatch() {
  const auto received = socket_.receive(packet_, Blocking::kNo);
  if (!received) return lose("the plugin host has ended: " + received.error().text());
  if (!*received) return;
  const auto id = decode_answer_id(packet_.body);
  if (!id) return lose(id.error().text());
  if (!packet_.descriptors.empty()) return lose("the plugin host sent descriptors without a request");
  std::map<uint64_t, Pending>::node_type asked;
  {
    const std::lock_guard lock(mutex_);
    asked = pending_.extract(*id);
  }
  if (!asked) return lose("the plugin host sent an answer without a request");
  if (tell(asked.mapped().on_answer, std::span<const std::byte>(packet_.body))) return;
  {
    const std::lock_guard lock(mutex_);
    if (loss_.empty()) {
      pending_.insert(std::move(asked));
      asked = {};
    }
  }
  // A thread that lost the host meanwhile did not see this request, so report the loss here.
  if (asked) tell(asked.mapped().on_answer, fail(Code::kDeadObject, "host has ended"));  // so short that it needs no allocation
  lose("the plugin host sent an answer that does not belong to the request");
}

// Calls `on_answer`. If the callback runs out of memory, calls it again with that error.
bool HostConnection::tell(const OnAnswer& on_answer, const Result<std::span<const std::byte>>& answer) {
  try {
    return on_answer(answer);
  } catch (const std::bad_alloc&) {
    return on_answer(fail_out_of_memory());
  }
}

// Checks all limits when the earliest may have passed, and returns whether the host is overdue. The caller holds the lock. A
// check that is much too late means that this process was stopped, perhaps with the host by a terminal: limits then move by that
// time, except callers' deadlines.
bool HostConnection::is_overdue() {
  constexpr std::chrono::seconds kStop{1};
  const auto now = Clock::now();
  const auto unwatched = now - std::exchange(looked_at_, now);
  if (now < limits_checked_at_) return false;
  if (now - limits_checked_at_ >= kStop) {
    for (auto& [id, pending] : pending_) {
      if (!pending.limit.is_of_caller) pending.limit.at += unwatched;
    }
  }
  limits_checked_at_ = Clock::time_point::max();
  for (const auto& [id, pending] : pending_) limits_checked_at_ = std::min(limits_checked_at_, pending.limit.at);
  return limits_checked_at_ <= now;
}

void HostConnection::lose(const std::string& reason) noexcept {
  std::map<uint64_t, Pending> unanswered;
  {
    const std::lock_guard lock(mutex_);
    if (!loss_.empty()) return;
    // If there is no memory for the text, stores another text: only the fact of the loss matters.
    const Status told = catch_out_of_memory([&] { loss_ = reason; });
    if (!told) loss_ = told.error().message;
    unanswered.swap(pending_);
    unsent_.clear();
    if (has_reader_) wake_reader();
    thread_is_needed_.notify_all();
  }
  // Ends the host before any callback, so that it no longer writes to any memory when callbacks run.
  if (process_ != nullptr) end_process();
  const auto now = Clock::now();
  for (const auto& [id, pending] : unanswered) {
    const bool missed_deadline = pending.limit.is_of_caller && pending.limit.at <= now;
    const Status lost = catch_out_of_memory([&]() -> Status {
      if (missed_deadline) return fail(Code::kMissedDeadlineTransient, "the plugin did not keep to the deadline, and was ended");
      return fail(Code::kDeadObject, reason);
    });
    tell(pending.on_answer, fail(lost.error()));
  }
  const std::lock_guard lock(mutex_);
  all_are_told_ = true;
}

// Ends the host's two processes. We know the supervisor, which ends the plugin's process: if asked to end, it also reaps that
// process; if killed, the kernel does so. In both cases the socket hangs up when both processes are gone.
void HostConnection::end_process() const {
  constexpr int kToGo = 1000;  // milliseconds
  constexpr int kToHangUp = 5000;
  const auto wait = [](pollfd entry, int milliseconds) { uninterrupted([&] { return ::poll(&entry, 1, milliseconds); }); };
  ::shutdown(socket_.descriptor(), SHUT_WR);
  wait({process_->descriptor(), POLLIN, 0}, kToGo);
  process_->end();
  wait({socket_.descriptor(), 0, 0}, kToHangUp);
}

bool HostConnection::has_settled() {
  const std::lock_guard lock(mutex_);
  return all_are_told_ && !has_reader_ && (!thread_.joinable() || thread_is_over_);
}

}  // namespace nnvk::accelerators
