// What a foreign file descriptor says as a sync fence. Any pollable descriptor is one: sync_files, eventfds, pipes, sockets,
// pidfds.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk {

// RESOURCE_EXHAUSTED_TRANSIENT when no descriptor is left, else BAD_DATA.
Result<FileDescriptor> duplicate_sync_descriptor(int fd);

// What a descriptor that poll has woken up for answers.
struct SyncAnswers {
  uint32_t poll_events = 0;
  bool nothing_to_read = false;         // known for pipes and sockets only
  std::optional<int> sync_file_status;  // 1 signalled, 0 active, negative: -errno; nothing for descriptors of other kinds
};
// Their meaning. Signalled: readable. OP_FAILED: an error, a sync_file whose fence ended in an error (poll hides that one), or
// the other end was closed with nothing to read: its owner died before it could signal.
Status meaning_of(const SyncAnswers& answers);

// To be called before a descriptor of our own is settled. The kernel orders what happened before with what follows where the
// descriptor is found settled, but the memory model of C++ does not know that: this, with status_of_sync_descriptor(), says it.
void release_before_settling();

// Whether it is a sync_file: a fence of the kernel, which GPUs wait for themselves.
bool is_sync_file(int fd);

// The meaning of what poll or epoll told about `fd`.
Status status_of_sync_descriptor(int fd, uint32_t poll_events);

// The status if `fd` has settled. Never blocks.
std::optional<Status> poll_sync_descriptor(int fd);

// Blocks until `fd` has settled.
Status wait_for_sync_descriptor(int fd);

}  // namespace nnvk
