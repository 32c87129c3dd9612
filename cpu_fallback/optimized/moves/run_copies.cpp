// Copies runs of up to 32 bytes by two moves of a power of two, one from each end. Longer runs end with such a move.
#include "cpu_fallback/optimized/moves/run_copies.h"

#include <bit>
#include <cstring>

namespace nnvk::cpu {
namespace {

constexpr size_t kPiece = 16;        // the longest move
constexpr size_t kWorthACall = 256;  // bytes from which on the C library copies faster

template <size_t kBytes>
struct Bytes {
  std::array<std::byte, kBytes> values;
};

// Calls action(Bytes<p>{}) for the largest power of two p <= bytes, at most kPiece.
template <class Action>
void with_piece(size_t bytes, const Action& action) {
  switch (std::bit_floor(bytes < kPiece ? bytes : kPiece)) {
    case 1:
      return action(Bytes<1>{});
    case 2:
      return action(Bytes<2>{});
    case 4:
      return action(Bytes<4>{});
    case 8:
      return action(Bytes<8>{});
    default:
      return action(Bytes<kPiece>{});
  }
}

template <class Piece>
Piece load(const std::byte* from) {
  Piece piece;
  std::memcpy(&piece, from, sizeof piece);
  return piece;
}
template <class Piece>
void store(const Piece& piece, std::byte* to) {
  std::memcpy(to, &piece, sizeof piece);
}

// Calls each(copy): copy(from, to) copies one run, and is specialized for runs of `bytes` bytes.
template <class Each>
void with_copy(size_t bytes, const Each& each) {
  if (bytes >= kWorthACall) return each([bytes](const std::byte* from, std::byte* to) { std::memcpy(to, from, bytes); });
  with_piece(bytes, [&](auto piece) {
    using Piece = decltype(piece);
    const size_t last = bytes - sizeof(Piece);
    if (last == 0) return each([](const std::byte* from, std::byte* to) { store(load<Piece>(from), to); });
    if (last <= sizeof(Piece)) {
      return each([last](const std::byte* from, std::byte* to) {
        const auto head = load<Piece>(from);
        const auto tail = load<Piece>(from + last);
        store(head, to);
        store(tail, to + last);
      });
    }
    each([last](const std::byte* from, std::byte* to) {
      for (size_t at = 0; at < last; at += sizeof(Piece)) store(load<Piece>(from + at), to + at);
      store(load<Piece>(from + last), to + last);
    });
  });
}

}  // namespace

void copy_runs(RunsToRead from, RunsToWrite to, size_t bytes, size_t count) {
  if (bytes == 0) return;
  with_copy(bytes, [&](const auto& copy) {
    for (size_t i = 0; i < count; ++i, from.first += from.step, to.first += to.step) copy(from.first, to.first);
  });
}

void gather_runs(const std::byte* from, std::span<const uint32_t> numbers, std::byte* to, size_t bytes) {
  if (bytes == 0) return;
  with_copy(bytes, [&](const auto& copy) {
    for (const uint32_t number : numbers) {
      copy(from + number * bytes, to);
      to += bytes;
    }
  });
}

FillPattern::FillPattern(const void* element, size_t width) {
  for (size_t at = 0; at < bytes_.size(); at += width) std::memcpy(bytes_.data() + at, element, width);
}

// Fills the runs. Moves begin at whole elements: run and move are multiples of an element.
void fill_runs(const FillPattern& pattern, RunsToWrite to, size_t bytes, size_t count) {
  if (bytes == 0) return;
  std::byte* write = to.first;
  with_piece(bytes, [&](auto piece) {
    using Piece = decltype(piece);
    const auto filling = load<Piece>(pattern.bytes());
    const size_t last = bytes - sizeof(Piece);
    for (size_t i = 0; i < count; ++i, write += to.step) {
      for (size_t at = 0; at < last; at += sizeof(Piece)) store(filling, write + at);
      store(filling, write + last);
    }
  });
}

}  // namespace nnvk::cpu
