// A preparation cache for tests, in memory instead of a file.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/plan/plan_fingerprint.h"
#include "core/runtime/device.h"

namespace nnvk::test {

class MemoryCache final : public PreparationCache {
 public:
  std::span<const std::byte> find(const Plan& plan) override { return entries[plan_fingerprint(plan)]; }
  void keep(const Plan& plan, std::vector<std::byte> contents) override { fresh[plan_fingerprint(plan)] = std::move(contents); }
  // Makes the new entries visible to the next compilation.
  void reopen() {
    for (auto& [plan, contents] : fresh) entries[plan] = std::move(contents);
    fresh.clear();
  }
  std::map<uint64_t, std::vector<std::byte>> entries;
  std::map<uint64_t, std::vector<std::byte>> fresh;
};

}  // namespace nnvk::test
