// The process that the client starts is not the one that a plugin's code runs in: it stays outside the sandbox, starts the other
// inside, passes on what that prints, and ends it when the client goes or when it uses too much.
#pragma once

#include <string>
#include <vector>

#include "accelerators/host/program/own_root.h"
#include "accelerators/host/program/protections.h"
#include "accelerators/protocol/packet_socket.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

// Forks. Returns in the new process alone, which is confined then; the client has been told by what (ConfinementReport), before
// any code of the plugin can run. The calling process supervises the new one and ends after it. It has one thread. `name`: of the
// plugin, for messages. OP_FAILED, in the calling process, when there can be no such process or it cannot be confined.
Status enter_supervised_sandbox(const Protections& protections, const std::vector<VisiblePath>& visible,
                                const PacketSocket& socket, const std::string& name);

}  // namespace nnvk::accelerators
