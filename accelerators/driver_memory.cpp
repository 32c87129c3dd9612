// Copies go through memory that is shared with the driver, always as a whole (NNAPI has no partial copies), on a device's thread.
#include "accelerators/driver_memory.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/runtime/launch_queue.h"

namespace nnvk::accelerators {

// The state that the memory shares with pending copies.
struct DriverMemory::State {
  ~State() {
    if (id != MemoryId::kNone && context->driver->generation() == generation) context->driver->free_memory(id);
  }
  Result<SharedRange> passage() {
    if (buffer == nullptr) {
      NNVK_ASSIGN(buffer, SharedBuffer::create(context->driver, size));
    }
    return buffer->range(0, size);
  }
  Status fetch() {
    NNVK_ASSIGN(const SharedRange range, passage());
    return context->driver->copy_from_memory(id, range);
  }

  std::shared_ptr<PluginContext> context;
  MemoryId id = MemoryId::kNone;
  uint64_t generation = 0;
  uint64_t size = 0;
  std::mutex mutex;  // one copy at a time
  std::shared_ptr<SharedBuffer> buffer;
};

Result<std::unique_ptr<DriverMemory>> DriverMemory::create(std::shared_ptr<PluginContext> context, uint64_t size, Roles roles) {
  auto state = std::make_shared<State>();
  state->context = std::move(context);
  state->size = size;
  state->generation = state->context->driver->generation();
  DeviceMemoryRequest request;
  for (const auto& [role, compilation] : roles) request.roles.push_back({compilation, role.is_input, role.index});
  NNVK_ASSIGN(state->id, state->context->driver->allocate(request));
  return std::unique_ptr<DriverMemory>(new DriverMemory(std::move(state), size, std::move(roles)));
}

bool DriverMemory::serves(const PreparedPlan& plan, bool is_input, size_t index) const {
  return std::ranges::any_of(roles_, [&](const auto& role) {
    return role.first.plan == &plan && role.first.is_input == is_input && role.first.index == index;
  });
}

Result<MemoryId> DriverMemory::id() const {
  if (state_->context->driver->generation() == state_->generation) return state_->id;
  return fail(Code::kDeadObject, "the plugin that had the memory is gone, and its contents with it");
}

Fence DriverMemory::run(std::function<Status(State& state)> copy) const {
  Fence done = Fence::pending();
  auto task = [state = state_, copy = std::move(copy), done] {
    Status status = catch_out_of_memory([&] {
      const std::lock_guard lock(state->mutex);
      return copy(*state);
    });
    done.settle(std::move(status));
  };
  if (!state_->context->workers.enqueue(kDefaultPriority, task)) task();
  return done;
}

Result<Fence> DriverMemory::read_from(uint64_t offset, std::span<std::byte> host) const {
  if (offset > size_ || host.size() > size_ - offset) return fail(Code::kBadData, "more is read than the memory holds");
  NNVK_TRY(id());
  return run([offset, host](State& state) -> Status {
    NNVK_TRY(state.fetch());
    std::memcpy(host.data(), state.buffer->bytes().data() + offset, host.size());
    return {};
  });
}

Result<Fence> DriverMemory::write_to(uint64_t offset, std::span<const std::byte> host) {
  if (offset > size_ || host.size() > size_ - offset) {
    return fail(Code::kBadData, "more is written than the memory has room for");
  }
  NNVK_TRY(id());
  return run([offset, host](State& state) -> Status {
    if (host.size() < state.size) NNVK_TRY(state.fetch());  // the other bytes stay
    NNVK_ASSIGN(const SharedRange range, state.passage());
    std::memcpy(state.buffer->bytes().data() + offset, host.data(), host.size());
    return state.context->driver->copy_to_memory(range, state.id);
  });
}

}  // namespace nnvk::accelerators
