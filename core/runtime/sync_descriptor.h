// What a foreign file descriptor says as a sync fence. Any pollable descriptor is one: sync_files, eventfds, pipes, sockets,
// pidfds.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"

namespace nnvk {

// A duplicate with close-on-exec, above the standard streams. RESOURCE_EXHAUSTED_TRANSIENT when no descriptor is left, else
// BAD_DATA.
Result<int> duplicate_sync_descriptor(int fd);

// The meaning of what poll or epoll told about `fd`. Signalled: readable. OP_FAILED: an error, a sync_file whose fence ended in
// an error (poll hides that one), or the other end was closed with nothing to read: its owner died before it could signal.
Status status_of_sync_descriptor(int fd, uint32_t poll_events);

// The status if `fd` has settled. Never blocks.
std::optional<Status> poll_sync_descriptor(int fd);

// Blocks until `fd` has settled.
Status wait_for_sync_descriptor(int fd);

}  // namespace nnvk
