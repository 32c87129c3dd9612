// The connection to one plugin host: its process, the socket, and the pending requests. It ends for good at the first error;
// hosted_driver.h makes the next one. A thread that waits for an answer becomes the reader of the socket if there is none, so
// that a blocking call needs no change of threads in this process. If requests are pending and no waiting thread reads, a thread
// of the connection reads; the first such request starts it. A callback that receives an answer may make further requests and
// wait for them: the reader continues within the callback.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "accelerators/host/closed_in_children.h"
#include "accelerators/host/host_process.h"
#include "accelerators/protocol/messages.h"
#include "accelerators/protocol/packet_socket.h"
#include "core/base/deadline.h"
#include "core/base/result.h"
#include "core/base/thread.h"

namespace nnvk::accelerators {

class HostConnection : public std::enable_shared_from_this<HostConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  // Takes the answer of a request. The connection calls it once, on any thread and without locks, with the bytes of an answer or
  // an error. The error is MISSED_DEADLINE_TRANSIENT if the request's own deadline ended the host, else DEAD_OBJECT. The function
  // returns false if the bytes are no answer to this request: the connection then ends the host and calls the function again,
  // with an error.
  using OnAnswer = std::function<bool(const Result<std::span<const std::byte>>& answer)>;

  // Starts the host and waits for its Hello, until `deadline`. Fails with UNAVAILABLE_DEVICE, or with the error in the Hello.
  static Result<std::shared_ptr<HostConnection>> start(const HostCommand& command, Clock::time_point deadline);
  ~HostConnection();
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;

  pid_t pid() const { return process_->pid(); }
  // Describes the isolation of the plugin's code, as the host reported it before it loaded that code.
  const std::string& confinement() const { return confinement_; }
  // Returns the reason for the loss of the host; empty if it lives. Checks the socket. Never waits for long.
  std::string loss();
  // Returns whether the host is lost and no callback for the loss still runs: then any thread may destroy this object.
  bool has_settled();

  // The time when the host counts as hung, and whether the caller's own deadline set it.
  struct Limit {
    Clock::time_point at;
    bool is_of_caller = false;
  };
  // Returns a number for the next request.
  uint64_t next_id() { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Sends a request that has an answer. With `wait`, the call returns after the answer. It throws std::bad_alloc only before it
  // has registered the request, and then never calls `on_answer`. If it cannot send the request, the host counts as lost, and
  // `on_answer` gets an error.
  void request(uint64_t id, const Message& message, Limit limit, OnAnswer on_answer, bool wait);
  // Sends a message, such as a request without an answer. If that is impossible, the host counts as lost, and pending requests
  // end in errors.
  void send(const Message& message) noexcept;
  // Ends the host because of `reason`; pending requests end in errors.
  void lose(const std::string& reason) noexcept;
  // Ends the host for good, and the reader thread. If the reader thread itself calls, it ends after this call.
  void close();

 private:
  struct Pending {
    Limit limit;
    OnAnswer on_answer;
  };
  struct Waiter {
    bool is_over = false;
    std::condition_variable changed;
  };
  struct Unsent {
    std::vector<std::byte> body;
    std::vector<FileDescriptor> descriptors;
  };

  HostConnection() = default;
  using Lock = std::unique_lock<std::mutex>;  // of mutex_

  Status start_process(const HostCommand& command);
  Status wait_for_hello(Clock::time_point deadline);
  template <class T>
  Result<T> first_answer(Clock::time_point deadline);
  void wake_reader() const;
  void end_process() const;
  Status try_send(const Message& message);
  void send_unsent();
  void wait_for(Waiter& waiter, std::list<Waiter*>& place);
  void need_reader(Lock& lock);
  void read_until(const bool* is_over, Lock& lock);
  void dispatch();
  static bool tell(const OnAnswer& on_answer, const Result<std::span<const std::byte>>& answer);
  bool is_overdue();
  void run_thread();

  std::unique_ptr<HostProcess> process_;
  PacketSocket socket_;
  std::string confinement_;
  FileDescriptor wake_;  // eventfd: makes the reader check the limits and the unsent messages again
  std::unique_ptr<ClosedInChildren> closed_in_children_;
  std::atomic<uint64_t> last_id_{kHelloId};
  Packet packet_;  // of the reader

  std::mutex mutex_;  // guards the members below
  std::map<uint64_t, Pending> pending_;
  std::deque<Unsent> unsent_;  // the socket had no room for them
  std::string loss_;
  std::list<Waiter*> waiters_;
  bool has_reader_ = false;
  pthread_t reader_{};                                              // if there is one
  Clock::time_point limits_checked_at_ = Clock::time_point::max();  // the reader's next check: no limit is earlier
  Clock::time_point looked_at_;                                     // its last check, or the first request
  bool all_are_told_ = false;                                       // all callbacks have received the loss
  bool is_ending_ = false;
  bool thread_is_over_ = false;
  std::condition_variable thread_is_needed_;
  Thread thread_;
};

}  // namespace nnvk::accelerators
