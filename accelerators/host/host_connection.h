// One life of a plugin host: its process, the socket to it, and the requests that are on their way. Ends for good with the first
// thing that goes wrong; hosted_driver.h starts the next one.
//
// Answers are read by whoever has something to wait for: a thread that waits for an answer takes the reader's role if nobody has
// it, so that a blocking call costs two changes of threads and none in this process. A thread of our own reads while nobody who
// waits does it and requests are on their way; it is started by the first of these. Whoever is told of an answer may make further
// requests from there, and wait for them: the reader reads on within.
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

  // Called once, on any thread and without locks: with the bytes of an answer, or with why there is none (DEAD_OBJECT, or
  // MISSED_DEADLINE_TRANSIENT for a request whose own deadline is why the host was ended). False: the bytes are no answer to this
  // request. Then the host is ended, and it is called again, with an error.
  using OnAnswer = std::function<bool(const Result<std::span<const std::byte>>& answer)>;

  // Starts the host and waits for its Hello, until `deadline` at most. UNAVAILABLE_DEVICE, or the error that the Hello tells.
  static Result<std::shared_ptr<HostConnection>> start(const HostCommand& command, Clock::time_point deadline);
  ~HostConnection();
  HostConnection(const HostConnection&) = delete;
  HostConnection& operator=(const HostConnection&) = delete;

  pid_t pid() const { return process_->pid(); }
  // What keeps the plugin's code from the rest of the machine, as the host said before it loaded any.
  const std::string& confinement() const { return confinement_; }
  // Why the host is lost; empty as long as it is not. Looks at the socket. Never waits for long.
  std::string loss();
  // It is lost, and nobody of those who were told is still busy: it can be destroyed at any time, by anybody.
  bool has_settled();

  // When the host counts as hung, and whether the caller's own deadline made it so.
  struct Limit {
    Clock::time_point at;
    bool is_of_caller = false;
  };
  // A number for the next request.
  uint64_t next_id() { return last_id_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Sends a request that will be answered. `wait`: returns when it has been.
  // Where memory runs out before it is sent, std::bad_alloc is thrown and `on_answer` is not called.
  void request(uint64_t id, const Message& message, Limit limit, OnAnswer on_answer, bool wait);
  // Sends one that has no answer.
  void post(const Message& message);
  // Ends the host because of `reason`; requests on their way end in errors.
  void lose(const std::string& reason) noexcept;
  // Ends the host for good, with the thread that reads; when it is that thread which calls, it ends on its own afterwards.
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
  void send(const Message& message) noexcept;
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
  FileDescriptor wake_;  // eventfd: whoever reads looks at the limits, and at what is unsent, again
  std::unique_ptr<ClosedInChildren> closed_in_children_;
  std::atomic<uint64_t> last_id_{kHelloId};
  Packet packet_;  // of the reader

  std::mutex mutex_;  // guards what follows
  std::map<uint64_t, Pending> pending_;
  std::deque<Unsent> unsent_;  // for which the socket had no room
  std::string loss_;
  std::list<Waiter*> waiters_;
  bool has_reader_ = false;
  pthread_t reader_{};                                              // if there is one
  Clock::time_point limits_checked_at_ = Clock::time_point::max();  // when the reader looks at them next: no limit is earlier
  Clock::time_point looked_at_;                                     // when it did last, or when the first request was made
  bool all_are_told_ = false;                                       // of the loss
  bool is_ending_ = false;
  bool thread_is_over_ = false;
  std::condition_variable thread_is_needed_;
  Thread thread_;
};

}  // namespace nnvk::accelerators
