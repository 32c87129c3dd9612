// The long constants of a plan, copied once to memory that a driver can read. Every description of the plan or of a part of it
// refers to this copy.
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

// The long constants of a plan, in memory that is shared with the driver. Immutable once made.
class ConstantArena {
 public:
  static Result<std::shared_ptr<const ConstantArena>> create(const std::shared_ptr<Driver>& driver, const Plan& plan);

  // Returns whether the arena has all long constants of the plan, and not much more.
  bool suits(const Plan& plan) const;
  // Returns the range of the arena that holds the constant, for the driver's present generation.
  Result<SharedRange> place(const PlanTensor& constant) const;

 private:
  using Key = std::pair<const std::byte*, size_t>;

  std::map<Key, uint64_t> offsets_;
  std::vector<std::shared_ptr<const void>> owners_;  // keep the constants alive, so that no other constant gets the same address
  std::shared_ptr<SharedBuffer> buffer_;             // null without long constants
  uint64_t size_ = 0;
};

// The arenas of one compilation, which describes its model as a whole and in parts for placement, and again to prepare it.
class ConstantArenas final : public Groundwork {
 public:
  Result<std::shared_ptr<const ConstantArena>> of(const std::shared_ptr<Driver>& driver, const Plan& plan);

  // The error if the driver did not answer. The compilation then does not ask the driver again, because each try may take long.
  std::optional<Error> no_answer;

 private:
  std::vector<std::shared_ptr<const ConstantArena>> arenas_;
};

// Returns the arena for `plan`: one from `groundwork` (may be null), or a new one.
Result<std::shared_ptr<const ConstantArena>> arena_for(const std::shared_ptr<Driver>& driver, const Plan& plan,
                                                       Groundwork* groundwork);

// Describes `plan` for the driver of `constants`.
Result<ModelDescription> describe_plan(const Plan& plan, const ConstantArena& constants);

}  // namespace nnvk::accelerators
