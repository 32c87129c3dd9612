// Memory of a plugin's device, made for inputs and outputs of its compilations. The chip accesses it directly, the host by
// copies. Its contents are lost with the driver.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "accelerators/plugin_context.h"
#include "accelerators/shared_memory.h"
#include "core/runtime/device.h"

namespace nnvk::accelerators {

class DriverMemory final : public DeviceMemory {
 public:
  using Roles = std::vector<std::pair<nnvk::MemoryRole, CompilationId>>;  // with the driver's ids of their plans

  // Allocates `size` bytes for these roles (at least one role). Returns the driver's error if the driver has no such memory.
  static Result<std::unique_ptr<DriverMemory>> create(std::shared_ptr<PluginContext> context, uint64_t size, Roles roles);

  uint64_t size() const override { return size_; }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;

  bool serves(const PreparedPlan& plan, bool is_input, size_t index) const;
  // Returns the memory's id, or DEAD_OBJECT if the driver that made it is lost.
  Result<MemoryId> id() const;

 private:
  struct State;

  DriverMemory(std::shared_ptr<State> state, uint64_t size, Roles roles)
      : state_(std::move(state)), size_(size), roles_(std::move(roles)) {}
  Fence run(std::function<Status(State& state)> copy) const;

  const std::shared_ptr<State> state_;
  const uint64_t size_;
  const Roles roles_;
};

}  // namespace nnvk::accelerators
