// The threads of a plugin host. Each receives the next message and handles it, so a request needs no change of threads to run.
#pragma once

#include "accelerators/host/program/request_server.h"
#include "accelerators/protocol/packet_socket.h"

namespace nnvk::accelerators {

// The host handles at most this many messages at once; further messages wait in the socket.
inline constexpr unsigned kMostHostThreads = 32;

// Ends this process when the client is gone, even if the plugin is busy. Call it before loading the plugin's library.
void end_with_client(const PacketSocket& socket);

// Sends Hello, then serves until the client is gone or breaks the protocol, and ends the process.
[[noreturn]] void serve_client(const PacketSocket& socket, Driver& driver);

}  // namespace nnvk::accelerators
