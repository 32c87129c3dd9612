// Threads that receive and handle messages, and a thread that only watches for the client's end.
#include "accelerators/host/program/host_threads.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/log.h"

namespace nnvk::accelerators {
namespace {

using Blocking = PacketSocket::Blocking;

class HostThreads {
 public:
  HostThreads(const PacketSocket& socket, Driver& driver)
      : socket_(socket), server_(driver, [this](const Message& answer) { send(answer); }) {}

  [[noreturn]] void run() {
    send(encode_answer<Done>(kHelloId, Done{}));
    handle_messages();
  }

 private:
  void send(const Message& answer) {
    const std::lock_guard lock(send_mutex_);  // keeps the parts of a long answer together
    const auto sent = socket_.send(answer.body, answer.descriptors, Blocking::kYes);
    if (!sent) ::_exit(1);
  }

  [[noreturn]] void handle_messages() {
    Packet packet;
    ++idle_;
    for (;;) {
      if (!socket_.receive(packet, Blocking::kYes)) ::_exit(0);
      // One thread always listens, unless kMostHostThreads are busy, so that messages do not wait for each other.
      if (--idle_ == 0) add_thread();
      if (const Status handled = server_.handle(packet); !handled) {
        log_line(LogLevel::kError, "PluginHost", handled.error().text());
        ::_exit(1);
      }
      ++idle_;
    }
  }

  void add_thread() {
    if (threads_.fetch_add(1) >= kMostHostThreads) {
      --threads_;
      return;
    }
    try {
      std::thread([this] { handle_messages(); }).detach();
    } catch (const std::system_error&) {
      --threads_;  // messages wait for this thread then
    }
  }

  const PacketSocket& socket_;
  RequestServer server_;
  std::mutex send_mutex_;
  std::atomic<unsigned> idle_ = 0;     // threads that listen
  std::atomic<unsigned> threads_ = 1;  // all that handle messages
};

}  // namespace

void end_with_client(const PacketSocket& socket) {
  std::thread([fd = socket.descriptor()] {
    for (;;) {
      pollfd entry{fd, POLLRDHUP, 0};
      if (::poll(&entry, 1, -1) > 0) ::_exit(0);
    }
  }).detach();
}

void serve_client(const PacketSocket& socket, Driver& driver) { HostThreads(socket, driver).run(); }

}  // namespace nnvk::accelerators
