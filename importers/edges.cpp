#include "importers/edges.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace nnvk::importers {

uint64_t framework_bytes(const Port& port) { return port.wide ? port.info.elements() * sizeof(int64_t) : port.info.bytes(); }

std::vector<int64_t> framework_shape(const Port& port) {
  if (port.scalar) return {};
  return {port.info.dimensions.begin(), port.info.dimensions.end()};
}

Status narrow(const Port& port, std::span<const int64_t> from, std::span<int32_t> to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t value = from[i];
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
      return fail("input '" + port.name + "' has the value " + std::to_string(value) + " at element " + std::to_string(i) +
                  "; NNAPI computes INT64 tensors in 32 bits");
    }
    to[i] = static_cast<int32_t>(value);
  }
  return {};
}

void widen(std::span<const int32_t> from, std::span<int64_t> to) { std::ranges::copy(from, to.begin()); }

std::vector<uint8_t> in_framework_type(std::span<const uint8_t> bytes, const Port& port) {
  if (!port.wide) return {bytes.begin(), bytes.end()};
  std::vector<int32_t> values(bytes.size() / sizeof(int32_t));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(int32_t));
  std::vector<int64_t> wide(values.size());
  widen(values, wide);
  const auto* const begin = reinterpret_cast<const uint8_t*>(wide.data());
  return {begin, begin + wide.size() * sizeof(int64_t)};
}

}  // namespace nnvk::importers
