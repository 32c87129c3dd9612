// The threads of a plugin host. Each takes the next message from the socket and handles it, so that a request needs no change of
// threads before its execution.
#pragma once

#include "accelerators/host/program/request_server.h"
#include "accelerators/protocol/packet_socket.h"

namespace nnvk::accelerators {

// The most messages handled at once. Further ones wait in the socket.
inline constexpr unsigned kMostHostThreads = 32;

// Ends this process when the client is gone, whatever the plugin is doing then. Call it before the plugin's library is loaded.
void end_with_client(const PacketSocket& socket);

// Serves until the client is gone or breaks the protocol; then the process ends. Sends Hello first.
[[noreturn]] void serve_client(const PacketSocket& socket, Driver& driver);

}  // namespace nnvk::accelerators
