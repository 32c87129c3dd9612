// A fuzz target: what is done with an input, and inputs to begin with. Built twice: with libFuzzer, which looks for inputs that
// break it (tools/fuzz), and as a test that runs it on the kept corpus and on mutations that are the same each time (replay.cpp).
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace nnvk::fuzz {

using Input = std::vector<std::byte>;

// Defined by each target. Anything that ends the process, or a sanitizer, is a finding.
void run(std::span<const std::byte> input);
// Well-formed inputs of every kind, made by the code itself: they never go out of date.
std::vector<Input> seeds();

// What must be true of any input.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace nnvk::fuzz
