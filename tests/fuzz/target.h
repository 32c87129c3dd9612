// A fuzz target: a function that processes an input, and inputs to start with. It is built with libFuzzer, which searches for
// inputs that break it (tools/fuzz), and as a test that replays the kept corpus and fixed mutations of it (replay.cpp).
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace nnvk::fuzz {

using Input = std::vector<std::byte>;

// Each target defines this. Anything that ends the process, and any sanitizer report, is a finding.
void run(std::span<const std::byte> input);
// Well-formed inputs of every kind. The code itself makes them, so they stay up to date.
std::vector<Input> seeds();

// Ends the process unless `condition` holds.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace nnvk::fuzz
