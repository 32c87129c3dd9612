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

Progress::Progress(std::string label, size_t total, std::optional<std::chrono::milliseconds> line_every, std::FILE* output)
    : label_(std::move(label)),
      total_(std::max<size_t>(1, total)),
      output_(output),
      is_terminal_(isatty(fileno(output)) != 0),
      pause_(is_terminal_ ? std::chrono::milliseconds(100) : line_every),
      drawn_(is_terminal_ ? Clock::time_point() : start_) {}

Progress::~Progress() {
  if (is_terminal_) fmt::print(output_, "\r\033[K");
}

void Progress::update(size_t done, const std::string& what) {
  const auto now = Clock::now();
  if (!pause_ || now - drawn_ < *pause_) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto left = share > 0 ? fmt::format(", about {:.0f} s left", elapsed / share - elapsed) : "";
  const auto line = fmt::format("{} {} {}/{}{} {:.40}", label_, progress_bar(share, 24), done, total_, left, what);
  is_terminal_ ? fmt::print(output_, "\r\033[K{}", line) : fmt::print(output_, "{}\n", line);
  std::fflush(output_);
}

}  // namespace nnvk::tools
