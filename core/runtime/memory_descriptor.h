// Memory domains: a descriptor collects the roles of a memory, then makes memories for them (docs/nnapi/memory.md#descriptors).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/operand.h"
#include "core/runtime/device.h"
#include "core/runtime/memory.h"

namespace nnvk {

class MemoryDescriptor {
 public:
  // Declares that the memory will be input (or output) `index` of executions of `compilation`, which is finished and outlives
  // this object.
  Status add_role(const Compilation& compilation, bool is_input, uint32_t index, float frequency);
  // Sets the dimensions of the memory, as NNAPI gives them: 0 is unknown; rank 0 adds no information.
  Status set_dimensions(std::span<const uint32_t> dimensions);
  Status finish();

  // Returns uninitialised memory for the roles (docs/nnapi/memory.md#memory-domains): on the device if all roles belong to one
  // that has memory of its own, else on the host. BAD_STATE before finish(). OP_FAILED if no memory serves all roles: host memory
  // is needed, but the size is unknown, or several devices share it and the client chose devices itself. If the device has no
  // memory left, host memory replaces it; if it may not, the function returns the device's error.
  Result<std::unique_ptr<Memory>> allocate() const;

 private:
  Status require_open() const;

  bool finished_ = false;
  std::vector<MemoryUse> roles_;
  std::vector<Device*> devices_;        // distinct devices of the roles' compilations
  std::vector<MemoryRole> plan_roles_;  // for a single device: the roles in models that run entirely on it
  bool client_chose_devices_ = false;   // for the compilation of at least one role
  std::optional<OperandInfo> info_;     // of the first role; its shape is not used
  bool is_scalar_ = false;
  Shape shape_ = Shape::unknown_rank();  // merged from roles and set_dimensions()
};

}  // namespace nnvk
