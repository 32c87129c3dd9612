// The source of a random model's decisions: a seed, or the input of a fuzzer.
#pragma once

#include <cstdint>
#include <string_view>

namespace nnvk::tools::conformance {

class Decisions {
 public:
  virtual ~Decisions() = default;
  // Returns a number from 0 to limit - 1; `limit` must not be 0.
  virtual uint32_t below(uint32_t limit) = 0;

  bool one_in(uint32_t count) { return below(count) == 0; }
  template <class List>
  decltype(auto) pick(const List& list) {
    return list[below(static_cast<uint32_t>(list.size()))];
  }
};

// Makes the same decisions for the same name and seed on every machine.
class SeededDecisions : public Decisions {
 public:
  SeededDecisions(std::string_view name, uint64_t seed) : state_(seed) {
    for (const char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  }

  uint32_t below(uint32_t limit) override {  // splitmix64
    uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>(((x ^ x >> 31) >> 32) * limit >> 32);
  }

 private:
  uint64_t state_;
};

}  // namespace nnvk::tools::conformance
