// Waits for fences by poll(). A sync_file becomes readable even if its work failed, so the function also reads its status.
#include "nativewindow/fence_wait.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace nnvk::nativewindow {

int wait_for_fence(int fd) {
  pollfd entry{fd, POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0) {
    if (errno != EINTR && errno != EAGAIN) return -errno;
  }
  if ((entry.revents & (POLLERR | POLLNVAL)) != 0 || (entry.revents & POLLIN) == 0) return -EINVAL;
  sync_file_info info{};
  if (::ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0 && info.status < 0) return -EINVAL;
  return 0;
}

}  // namespace nnvk::nativewindow
