// Uses inotify.
#include "tools/command/watched_folder.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/command/command.h"

namespace nnvk::tools {

Result<WatchedFolder> WatchedFolder::open(const std::filesystem::path& folder) {
  const auto problem = [&] { return fail(fmt::format("cannot watch the folder {}: {}", folder.string(), std::strerror(errno))); };
  const int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (descriptor < 0) return problem();
  WatchedFolder watched(folder, descriptor);
  constexpr uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  if (inotify_add_watch(descriptor, folder.c_str(), kEvents) < 0) return problem();
  return watched;
}

WatchedFolder::~WatchedFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

WatchedFolder::WatchedFolder(WatchedFolder&& other) noexcept
    : folder_(std::move(other.folder_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Result<std::vector<std::filesystem::path>> WatchedFolder::wait(int milliseconds) {
  std::vector<std::filesystem::path> files;
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, milliseconds) <= 0) return files;  // the time is over, or a signal arrived
  alignas(inotify_event) std::array<char, 16384> buffer{};
  const ssize_t size = read(descriptor_, buffer.data(), buffer.size());
  for (ssize_t at = 0; at < size;) {
    const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
    at += static_cast<ssize_t>(sizeof *event + event->len);
    if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) {
      return fail(fmt::format("the folder {} is gone, so that nothing can be watched there", folder_.string()));
    }
    if (event->mask & IN_Q_OVERFLOW) report_note("too many files came at once, and some were missed");
    if (event->len > 0 && !(event->mask & IN_ISDIR)) files.push_back(folder_ / event->name);
  }
  return files;
}

}  // namespace nnvk::tools
