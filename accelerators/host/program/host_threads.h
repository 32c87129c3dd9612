// The threads of a plugin host: each takes the next message from the socket and handles it, so that between a request and its
// execution there is no change of threads.
#pragma once

#include "accelerators/host/program/request_server.h"
#include "accelerators/protocol/packet_socket.h"

namespace nnvk::accelerators {

// Messages that are handled at once. Further ones wait in the socket.
inline constexpr unsigned kMostHostThreads = 32;

// Ends this process when the client is gone, whatever the plugin is doing then. To be called before its library is loaded.
void end_with_client(const PacketSocket& socket);

// Serves until the client is gone or talks nonsense; then the process ends. Sends Hello first.
[[noreturn]] void serve_client(const PacketSocket& socket, Driver& driver);

}  // namespace nnvk::accelerators
