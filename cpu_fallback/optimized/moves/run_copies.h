// Many short runs of bytes copied or filled, each by a few moves that overlap instead of a loop over its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nnvk::cpu {

// Where runs begin, and how many bytes their neighbours are apart.
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

// Copies the runs with these numbers, of those that lie dense at `from`, one behind the other.
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
