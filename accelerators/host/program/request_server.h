// Serves the calls of a driver to a client: a request in, the call, its answer out. What the client says is checked before the
// plugin sees it.
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

  // Handles one message, in the plugin for as long as that takes; whoever gets the answer may rely on it that `packet` holds none
  // of the request's descriptors any more (executions have none). Thread-safe. DEAD_OBJECT when it is no request: its sender does
  // not speak this protocol. Requests that are wrong in themselves are answered with an error.
  Status handle(Packet& packet);

 private:
  template <class R>
  void serve(uint64_t id, R& request, Packet& packet);

  Driver& driver_;
  const Send send_;
};

}  // namespace nnvk::accelerators
