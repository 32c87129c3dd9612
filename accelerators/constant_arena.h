// The long constants of a plan in memory that a driver can read. They are copied once; every description of the plan, or of a
// part of it, refers to them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "accelerators/plan_description.h"
#include "accelerators/shared_memory.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

// Immutable once made.
class ConstantArena {
 public:
  static Result<std::shared_ptr<const ConstantArena>> create(const std::shared_ptr<Driver>& driver, const Plan& plan);

  // Whether it has all long constants of the plan, and little else.
  bool suits(const Plan& plan) const;
  // The range that holds the constant, for the driver's present generation.
  Result<SharedRange> place(const PlanTensor& constant) const;

 private:
  using Key = std::pair<const std::byte*, size_t>;

  std::map<Key, uint64_t> offsets_;
  std::vector<std::shared_ptr<const void>> owners_;  // so that no other constant gets the same address
  std::shared_ptr<SharedBuffer> buffer_;             // null without long constants
  uint64_t size_ = 0;
};

// The arenas of one compilation: a model is placed as a whole, then part by part, then prepared.
class ConstantArenas final : public Groundwork {
 public:
  Result<std::shared_ptr<const ConstantArena>> of(const std::shared_ptr<Driver>& driver, const Plan& plan);

  // Set when the driver did not answer. It is not asked again for the same compilation, as each try may take long.
  std::optional<Error> no_answer;

 private:
  std::vector<std::shared_ptr<const ConstantArena>> arenas_;
};

// The arena for `plan`: from `groundwork` (may be null), or a new one.
Result<std::shared_ptr<const ConstantArena>> arena_for(const std::shared_ptr<Driver>& driver, const Plan& plan,
                                                       Groundwork* groundwork);

// Describes `plan` for the driver.
Result<ModelDescription> describe_plan(const Plan& plan, const ConstantArena& constants);

}  // namespace nnvk::accelerators
