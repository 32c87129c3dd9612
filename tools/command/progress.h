// Progress on stderr. On a terminal, a bar that is redrawn and finally erased; elsewhere, a line every five seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace nnvk::tools {

// When progress is shown.
enum class Beat {
  kThread,   // also while no update() comes: a thread shows it. Not for processes that fork.
  kUpdates,  // by update() alone
};

class Progress {
 public:
  static constexpr std::chrono::milliseconds kLineEvery{5'000};
  static constexpr size_t kUnknown = 0;  // a total

  // Shows "label [####    ] 12/40, about 5 s left `what`" (see update()); with an unknown total, "label, 20 s so far `what`". If
  // `output` is no terminal, prints a line at the interval `line_every`, so that a long run does not seem to hang.
  Progress(std::string label, size_t total, Beat beat = Beat::kThread, std::chrono::milliseconds line_every = kLineEvery,
           std::FILE* output = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(size_t done, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  void show_when_due();  // with mutex_ locked
  void beat();

  std::string label_;
  size_t total_;
  std::FILE* output_;
  bool is_terminal_;
  std::chrono::milliseconds pause_;  // between two updates
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
  bool is_drawn_ = false;
  size_t done_ = 0;
  std::string what_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

// Draws a bar such as "[#####     ]" for a share of 0 to 1.
std::string progress_bar(double share, size_t width);

}  // namespace nnvk::tools
