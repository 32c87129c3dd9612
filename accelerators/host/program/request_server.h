// Serves a client's calls to a driver: decodes a request, makes the call, sends its answer. Checks everything from the client
// before the plugin receives it.
#pragma once

#include <functional>

#include "accelerators/driver.h"
#include "accelerators/protocol/messages.h"
#include "accelerators/protocol/packet.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

class RequestServer {
 public:
  // Thread-safe; called from within handle() or, for executions, later and on any thread.
  using Send = std::function<void(const Message& answer)>;

  // `driver` outlives it.
  RequestServer(Driver& driver, Send send) : driver_(driver), send_(std::move(send)) {}

  // Handles one message; runs in the plugin as long as that takes. When the client has the answer, `packet` no longer holds the
  // request's descriptors (executions have none). Thread-safe. DEAD_OBJECT if it is no request: its sender does not speak this
  // protocol. Answers invalid requests with an error.
  Status handle(Packet& packet);

 private:
  template <class R>
  void serve(uint64_t id, R& request, Packet& packet);

  Driver& driver_;
  const Send send_;
};

}  // namespace nnvk::accelerators
