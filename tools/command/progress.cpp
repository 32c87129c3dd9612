// Drawing of the progress bar.
#include "tools/command/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace nnvk::tools {

std::string progress_bar(double share, size_t width) {
  const auto filled = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
  return "[" + std::string(filled, '#') + std::string(width - filled, ' ') + "]";
}

Progress::Progress(std::string label, size_t total)
    : label_(std::move(label)), total_(std::max<size_t>(1, total)), visible_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(size_t done, const std::string& what) {
  const auto now = Clock::now();
  if (!visible_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto left = share > 0 ? fmt::format(", about {:.0f} s left", elapsed / share - elapsed) : "";
  fmt::print(stderr, "\r\033[K{} {} {}/{}{} {:.40}", label_, progress_bar(share, 24), done, total_, left, what);
  std::fflush(stderr);
}

}  // namespace nnvk::tools
