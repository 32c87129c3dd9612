// The state of a foreign file descriptor as a sync fence: sync_files, eventfds, pipes, sockets, pidfds, anything pollable.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk {

// Duplicates the descriptor. Returns RESOURCE_EXHAUSTED_TRANSIENT if the process has no descriptor left, BAD_DATA for every other
// error.
Result<FileDescriptor> duplicate_sync_descriptor(int fd);

// The state of a descriptor after poll has reported it.
struct SyncAnswers {
  uint32_t poll_events = 0;
  bool nothing_to_read = false;         // known for pipes and sockets only
  std::optional<int> sync_file_status;  // 1 signalled, 0 active, negative: -errno; nothing for descriptors of other kinds
};
// Returns success if the fence is signalled, that is, readable. Returns OP_FAILED if poll reports an error, or if a sync_file's
// fence ended in an error, which poll hides. Returns OP_FAILED also if the other end was closed with nothing to read: its owner
// died before it could signal.
Status meaning_of(const SyncAnswers& answers);

// Makes earlier writes visible to a thread that finds the descriptor settled. Call it before settling a descriptor of nnvk's own.
// The kernel orders the writes already, but C++'s memory model knows only atomics: this is the release,
// status_of_sync_descriptor() the acquire.
void release_before_settling();

// Returns true for a sync_file: a fence of the kernel, for which GPUs wait themselves.
bool is_sync_file(int fd);

// Returns the meaning of the events that poll or epoll reported for `fd`.
Status status_of_sync_descriptor(int fd, uint32_t poll_events);

// Returns the status if `fd` has settled, else nothing. Never blocks.
std::optional<Status> poll_sync_descriptor(int fd);

// Blocks until `fd` has settled, and returns its status.
Status wait_for_sync_descriptor(int fd);

}  // namespace nnvk
