// Reads foreign sync fences: by poll, then by the questions that poll does not answer.
#include "core/runtime/sync_descriptor.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace nnvk {
namespace {

std::atomic<uint32_t> settled_descriptors{0};

std::optional<int> sync_file_status(int fd) {
  sync_file_info info{};
  if (::ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0) return std::nullopt;
  return info.status;
}

// Returns true for a pipe or socket without unread data, false for other kinds, which do not support FIONREAD.
bool is_known_empty(int fd) {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes == 0;
}

std::optional<Status> poll_for(int fd, int milliseconds) {
  pollfd entry{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, milliseconds);
  } while (ready < 0 && (errno == EINTR || errno == EAGAIN));
  if (ready < 0) return fail(Code::kOpFailed, std::string("poll of the sync fence failed: ") + std::strerror(errno));
  if (ready == 0) return std::nullopt;
  return status_of_sync_descriptor(fd, static_cast<uint32_t>(entry.revents));
}

}  // namespace

Result<FileDescriptor> duplicate_sync_descriptor(int fd) {
  FileDescriptor copy = FileDescriptor::duplicate(fd);
  if (copy) return copy;
  return fail(errno == EMFILE ? Code::kResourceExhaustedTransient : Code::kBadData,
              "sync fence " + std::to_string(fd) + " cannot be duplicated: " + std::strerror(errno));
}

Status meaning_of(const SyncAnswers& answers) {
  if ((answers.poll_events & (POLLERR | POLLNVAL)) != 0) return fail(Code::kOpFailed, "the sync fence signalled an error");
  const bool hung_up = (answers.poll_events & POLLHUP) != 0;
  if ((answers.poll_events & POLLIN) == 0 || (hung_up && answers.nothing_to_read)) {
    return fail(Code::kOpFailed, "the other end of the sync fence was closed before it was signalled");
  }
  if (answers.sync_file_status && *answers.sync_file_status < 0) {
    return fail(Code::kOpFailed, std::string("the fence of the sync_file failed: ") + std::strerror(-*answers.sync_file_status));
  }
  return {};
}

void release_before_settling() { settled_descriptors.fetch_add(1, std::memory_order_release); }

Status status_of_sync_descriptor(int fd, uint32_t poll_events) {
  static_cast<void>(settled_descriptors.load(std::memory_order_acquire));
  return meaning_of({poll_events, is_known_empty(fd), sync_file_status(fd)});
}

bool is_sync_file(int fd) { return sync_file_status(fd).has_value(); }

std::optional<Status> poll_sync_descriptor(int fd) { return poll_for(fd, 0); }

Status wait_for_sync_descriptor(int fd) { return *poll_for(fd, -1); }

}  // namespace nnvk
