// A set of the values of a small enumeration that starts at 0 without gaps.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace nnvk::vulkan {

template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> values) {
    for (const Enum value : values) insert(value);
  }

  constexpr void insert(Enum value) { bits_ |= bit(value); }
  constexpr bool contains(Enum value) const { return (bits_ & bit(value)) != 0; }
  constexpr bool contains(EnumSet other) const { return (bits_ & other.bits_) == other.bits_; }
  // Returns the intersection.
  constexpr EnumSet operator&(EnumSet other) const { return EnumSet(bits_ & other.bits_); }
  // Returns the values that are not in `other`.
  constexpr EnumSet operator-(EnumSet other) const { return EnumSet(bits_ & ~other.bits_); }
  constexpr uint32_t bits() const { return bits_; }
  constexpr bool operator==(const EnumSet&) const = default;

 private:
  constexpr explicit EnumSet(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t bit(Enum value) { return 1U << static_cast<uint32_t>(value); }

  uint32_t bits_ = 0;
};

// Returns the names (name_of()) of the values in the set, in the order of `all`: "float16, int8"; empty for none.
template <class Enum, class Values>
std::string names_of(EnumSet<Enum> set, const Values& all) {
  std::string names;
  for (const Enum value : all) {
    if (set.contains(value)) names += (names.empty() ? "" : ", ") + std::string(name_of(value));
  }
  return names;
}

}  // namespace nnvk::vulkan
