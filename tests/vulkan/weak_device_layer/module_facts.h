// Device requirements of a SPIR-V module: capabilities, size of a work group, shared memory. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace nnvk::weak_device {

struct ModuleFacts {
  std::set<uint32_t> capabilities;  // SpvCapability
  // Size of the work group. If a specialization constant sets it: the constant's id, and its default value.
  struct Extent {
    uint32_t value = 1;
    std::optional<uint32_t> constant;
  };
  std::array<Extent, 3> group;
  uint64_t shared_bytes = 0;  // of a work group; constants have their default values

  // Invocations of a work group with these specialization constants, by their ids.
  uint64_t invocations(const std::map<uint32_t, uint32_t>& constants) const;
};

ModuleFacts read_module(std::span<const uint32_t> words);

}  // namespace nnvk::weak_device
