// How long a test with many threads runs: NNVK_TEST_SECONDS sets the seconds; without it, each thread makes `rounds` rounds.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>

namespace nnvk::test {

class Rounds {
 public:
  explicit Rounds(int rounds) : rounds_(rounds) {
    const char* const seconds = std::getenv("NNVK_TEST_SECONDS");
    if (seconds != nullptr) end_ = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(seconds));
  }

  // Whether a thread that has made `done` rounds makes another one.
  bool go_on(int done) const { return end_ ? std::chrono::steady_clock::now() < *end_ : done < rounds_; }

 private:
  const int rounds_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

}  // namespace nnvk::test
