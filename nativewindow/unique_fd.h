// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace nnvk::nativewindow {

class UniqueFd {
 public:
  UniqueFd() = default;
  // Negative: none.
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool holds() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace nnvk::nativewindow
