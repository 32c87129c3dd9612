// A progress bar on stderr. On a terminal it is redrawn and finally erased; elsewhere nothing is printed, or a line now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace nnvk::tools {

class Progress {
 public:
  // Shows "label [####    ] 12/40, about 5 s left `what`" (see update()). If `output` is no terminal and `line_every` is set,
  // prints a line at this interval, so that a long run does not seem to hang.
  Progress(std::string label, size_t total, std::optional<std::chrono::milliseconds> line_every = std::nullopt,
           std::FILE* output = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(size_t done, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  size_t total_;
  std::FILE* output_;
  bool is_terminal_;
  std::optional<std::chrono::milliseconds> pause_;  // between two updates; nothing: none are shown
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

// Draws a bar such as "[#####     ]" for a share of 0 to 1.
std::string progress_bar(double share, size_t width);

}  // namespace nnvk::tools
