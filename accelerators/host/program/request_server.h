// Serves a client's calls to a driver: decodes a request, checks it, makes the call, and sends the answer. The plugin receives
// only checked requests.
#pragma once

#include <functional>

#include "accelerators/driver.h"
#include "accelerators/protocol/messages.h"
#include "accelerators/protocol/packet.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

class RequestServer {
 public:
  // Sends an answer. The server calls it, possibly on several threads at once: within handle(), or later for executions.
  using Send = std::function<void(const Message& answer)>;

  // `driver` must outlive the server.
  RequestServer(Driver& driver, Send send) : driver_(driver), send_(std::move(send)) {}

  // Handles one message, which may take as long as the plugin computes. `packet` no longer holds the request's descriptors when
  // the client has the answer (executions have none). Thread-safe. DEAD_OBJECT if the message is no request: its sender does not
  // speak this protocol. Answers invalid requests with an error.
  Status handle(Packet& packet);

 private:
  template <class R>
  void serve(uint64_t id, R& request, Packet& packet);

  Driver& driver_;
  const Send send_;
};

}  // namespace nnvk::accelerators
