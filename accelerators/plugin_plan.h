// A plan prepared on a plugin's device. Executions pass client memory to the driver if it can be shared, else stand-in memory.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "accelerators/argument_layout.h"
#include "accelerators/constant_arena.h"
#include "accelerators/plugin_context.h"
#include "core/base/recently_used.h"
#include "core/runtime/device.h"
#include "core/runtime/owned_request.h"
#include "core/runtime/running_count.h"

namespace nnvk::accelerators {

class PluginPlan final : public PreparedPlan {
 public:
  // `request`: the compilation's request without the model; the plan compiles again with it after the driver has lost it.
  PluginPlan(std::shared_ptr<PluginContext> context, std::shared_ptr<const Plan> plan,
             std::shared_ptr<const ConstantArena> constants, CompilationRequest request);
  ~PluginPlan() override;

  // Compiles the plan. `cache`: files for this compilation; may be empty.
  Status compile(std::optional<CacheFiles> cache);

  // Returns the driver's present id of the compiled plan; compiles the plan again if the driver has lost it.
  Result<CompilationId> driver_id();

  Result<Submission> submit(const Request& request) override;
  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const override;
  Counters counters() const override;

 private:
  // One set of shapes, with everything that depends on them.
  struct KnownShapes {
    std::vector<std::byte> key;  // append_resolution_key()
    Resolution resolution;
    ArgumentLayouts layouts;
    std::mutex mutex;
    std::vector<std::shared_ptr<SharedBuffer>> free;  // stand-in memory that no execution uses
  };
  // One execution.
  struct Run;

  Result<std::shared_ptr<KnownShapes>> shapes_for(const Request& request);
  Status check_bindings(const Request& request, const KnownShapes& shapes) const;
  Result<std::shared_ptr<DriverCompilation>> compilation();
  void start(const std::shared_ptr<Run>& run);
  Status send(const std::shared_ptr<Run>& run);
  Result<ArgumentPlace> direct_place(const Binding& binding, const ArgumentLayout& layout, uint32_t alignment, bool to_write,
                                     Run& run) const;
  Result<ArgumentPlace> place_input(Run& run, size_t index);
  Result<ArgumentPlace> place_output(Run& run, size_t index);
  Status stand_in_for(Run& run);
  Status run_on_host(Run& run);
  void take_answer(const std::shared_ptr<Run>& run, ExecutionAnswer answer) noexcept;
  Status look_at(ExecutionAnswer& answer, const std::shared_ptr<Run>& run, bool& goes_on);
  bool needs_more_room(const Run& run, const ExecutionAnswer& answer) const;
  Status absorb(Run& run, ExecutionAnswer& answer);
  Status deliver_output(Run& run, size_t index, const OutputAnswer& answer, OutputReport& report);
  void finish(const std::shared_ptr<Run>& run, Status result) noexcept;
  void profile(const Run& run, uint64_t nanoseconds, ExecutionReport& report) const;

  const std::shared_ptr<PluginContext> context_;
  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<const ConstantArena> constants_;
  const CompilationRequest request_;
  const std::vector<bool> parameter_inputs_;
  std::vector<ModelOperand> outputs_;  // as declared
  CompiledModel preferences_;          // of the first compilation, for memory; its id is not used

  std::mutex compilation_mutex_;
  std::shared_ptr<DriverCompilation> compilation_;

  std::mutex shapes_mutex_;
  RecentlyUsed<std::shared_ptr<KnownShapes>> shapes_{8};

  std::atomic<uint64_t> executions_{0};
  std::atomic<uint64_t> compilations_{0};
  std::atomic<uint64_t> bytes_copied_in_{0};
  std::atomic<uint64_t> bytes_copied_out_{0};
  std::atomic<uint64_t> stand_in_allocations_{0};
  std::atomic<uint64_t> on_host_{0};
  RunningCount running_;
};

}  // namespace nnvk::accelerators
