// A progress bar on stderr: only on a terminal, erased at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace nnvk::tools {

class Progress {
 public:
  // Shows "label [####    ] 12/40 what, about 5 s left".
  Progress(std::string label, size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(size_t done, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  size_t total_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

// "[#####     ]" for a share of 0 to 1.
std::string progress_bar(double share, size_t width);

}  // namespace nnvk::tools
