// Drawing of the progress bar.
#include "tools/command/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace nnvk::tools {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::chrono::milliseconds kTickOnTerminal{500};  // of the thread

}  // namespace

std::string progress_bar(double share, size_t width) {
  const auto filled = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
  return "[" + std::string(filled, '#') + std::string(width - filled, ' ') + "]";
}

Progress::Progress(std::string label, size_t total, Beat beat, std::chrono::milliseconds line_every, std::FILE* output)
    : label_(std::move(label)),
      total_(total),
      output_(output),
      is_terminal_(isatty(fileno(output)) != 0),
      pause_(is_terminal_ ? kRedrawEvery : line_every),
      drawn_(is_terminal_ ? Clock::time_point() : start_) {
  if (beat == Beat::kThread) thread_ = std::thread([this] { this->beat(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (is_terminal_ && is_drawn_) fmt::print(output_, "\r\033[K");
}

void Progress::update(size_t done, const std::string& what) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  what_ = what;
  show_when_due();
}

void Progress::beat() {
  std::unique_lock lock(mutex_);
  const auto tick = is_terminal_ ? kTickOnTerminal : std::max(pause_, std::chrono::milliseconds(1));
  while (!ending_.wait_for(lock, tick, [this] { return ends_; })) show_when_due();
}

void Progress::show_when_due() {
  const auto now = Clock::now();
  if (now - drawn_ < pause_) return;
  drawn_ = now;
  is_drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string line;
  if (total_ == kUnknown) {
    line = fmt::format("{}, {:.0f} s so far {:.40}", label_, elapsed, what_);
  } else {
    const double share = static_cast<double>(done_) / static_cast<double>(total_);
    const auto left = share > 0 ? fmt::format(", about {:.0f} s left", elapsed / share - elapsed) : "";
    line = fmt::format("{} {} {}/{}{} {:.40}", label_, progress_bar(share, 24), done_, total_, left, what_);
  }
  while (line.ends_with(' ')) line.pop_back();
  is_terminal_ ? fmt::print(output_, "\r\033[K{}", line) : fmt::print(output_, "{}\n", line);
  std::fflush(output_);
}

}  // namespace nnvk::tools
