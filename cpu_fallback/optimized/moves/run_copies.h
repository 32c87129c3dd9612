// Copies or fills many short runs of bytes, each by a few overlapping moves instead of a loop over its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nnvk::cpu {

// The beginning of the first run, and the distance between neighbouring runs in bytes.
struct RunsToRead {
  const std::byte* first = nullptr;
  ptrdiff_t step = 0;
};
struct RunsToWrite {
  std::byte* first = nullptr;
  ptrdiff_t step = 0;
};

// Copies `count` runs of `bytes` bytes. Touches no byte outside of them.
void copy_runs(RunsToRead from, RunsToWrite to, size_t bytes, size_t count);

// Copies the runs with the given numbers from the dense array of runs at `from` to `to`, one after the other.
void gather_runs(const std::byte* from, std::span<const uint32_t> numbers, std::byte* to, size_t bytes);

// One element of 1, 2, 4, 8 or 16 bytes, repeated.
class FillPattern {
 public:
  FillPattern() = default;
  FillPattern(const void* element, size_t width);
  const std::byte* bytes() const { return bytes_.data(); }

 private:
  std::array<std::byte, 16> bytes_{};
};

// Fills `count` runs of whole elements, `bytes` bytes each.
void fill_runs(const FillPattern& pattern, RunsToWrite to, size_t bytes, size_t count);

}  // namespace nnvk::cpu
