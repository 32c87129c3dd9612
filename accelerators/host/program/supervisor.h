// The supervisor is the process that the client starts; it stays outside the sandbox. It starts the plugin's process inside,
// passes on that process's output, and ends it when the client is gone or when it uses too much.
#pragma once

#include <string>
#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"
#include "accelerators/protocol/packet_socket.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Forks. On success, returns only in the new process, confined; the client has received the ConfinementReport before any code of
// the plugin can run. The calling process must have one thread; it supervises the new process and ends after it. `name`: the
// plugin's, for messages. OP_FAILED, in the calling process, if the new process cannot be made or confined.
Status enter_supervised_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible,
                                const PacketSocket& socket, const std::string& name);

}  // namespace nnvk::accelerators
