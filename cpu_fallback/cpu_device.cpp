// Prepared plans of the CPU device: one program (program.h) per set of shapes, or run_nodes() if tensor sizes depend on data.
#include "cpu_fallback/cpu_device.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>

#include "core/base/recently_used.h"
#include "core/base/run_deadline.h"
#include "core/plan/rewrites.h"
#include "core/runtime/owned_request.h"
#include "cpu_fallback/assumed_costs.h"
#include "cpu_fallback/host_device.h"
#include "cpu_fallback/host_plan.h"
#include "cpu_fallback/optimized/products/float_product.h"
#include "cpu_fallback/optimized/products/quant8_product.h"
#include "cpu_fallback/program_run.h"
#include "cpu_fallback/reference_device.h"

namespace nnvk::cpu {
namespace {

// The time that the submitting thread needs to wake a worker. A plan with a shorter predicted time runs on that thread itself.
constexpr double kSecondsToWakeAWorker = 10e-6;

// Memory of nnvk-cpu: host memory that passes data between executions.
class CpuMemory final : public DeviceMemory {
 public:
  // Allocates the memory; may throw std::bad_alloc. `owner` distinguishes the memories of several devices.
  CpuMemory(const MemoryRequest& request, const Device& owner) : bytes_(request.size), owner_(owner), grows_(request.grows) {}

  uint64_t size() const override { return bytes_.size(); }
  bool grows() const override { return grows_; }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override {
    if (offset > bytes_.size() || host.size() > bytes_.size() - offset)
      return fail(Code::kBadData, "more is read than the memory holds");
    std::copy_n(bytes_.data() + offset, host.size(), host.begin());
    return Fence::already_signalled();
  }
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override {
    if (grows_) bytes_.resize(host.size());
    if (offset > bytes_.size() || host.size() > bytes_.size() - offset)
      return fail(Code::kBadData, "more is written than the memory has room for");
    std::copy(host.begin(), host.end(), bytes_.data() + offset);
    return Fence::already_signalled();
  }

  bool belongs_to(const Device& device) const { return &owner_ == &device; }
  // Makes `binding` refer to this memory's bytes instead of to device memory.
  void bind(Binding& binding, bool is_output) {
    binding.device_memory = nullptr;
    if (is_output && grows_) {
      binding.growable = &bytes_;
      return;
    }
    const size_t offset = std::min(binding.device_offset, bytes_.size());
    binding.data = bytes_.data() + offset;
    binding.size = bytes_.size() - offset;
  }

 private:
  std::vector<std::byte> bytes_;
  const Device& owner_;
  const bool grows_;
};

struct ReadyProgram {
  std::vector<std::byte> key;  // append_resolution_key()
  std::unique_ptr<const Program> program;
  Workspaces workspaces;
};

// Resources that a device shares with its plans: a plan may outlive the device.
struct CpuResources {
  const Device* device = nullptr;  // never called
  std::shared_ptr<ThreadPool> threads;
  std::shared_ptr<WorkerPool> workers;
  bool use_optimized = true;
};

class CpuPlan final : public HostPlan {
 public:
  CpuPlan(PreparedNodes nodes, const CpuResources& resources, int32_t priority)
      : HostPlan(resources.workers, priority),
        nodes_(std::move(nodes)),
        plan_(nodes_.plan),
        resources_(resources),
        parameter_inputs_(parameter_inputs(*plan_)),
        packed_(plan_->nodes.size()) {}
  ~CpuPlan() override { wait_until_idle(); }

  bool takes_device_memory(const DeviceMemory& memory, bool /*is_input*/, size_t /*index*/) const override {
    const auto* const own = dynamic_cast<const CpuMemory*>(&memory);
    return own != nullptr && own->belongs_to(*resources_.device);
  }

  // Makes the program for the declared shapes if they are complete. Returns only OUT_OF_MEMORY; executions report other errors.
  Status prepare_declared_shapes(const CostModel& costs) {
    for (const PlanNode& node : plan_->nodes) depends_on_data_ = depends_on_data_ || has_data_dependent_shapes(node.code);
    const auto declared = declared_bindings(*plan_);
    if (depends_on_data_ || !declared) return {};
    auto resolution = resolve(*plan_, declared->inputs, declared->outputs, reference_evaluator());
    if (!resolution || !has_fixed_sizes(*plan_, *resolution)) return {};
    auto program = make_program(plan_, std::move(*resolution), packed());
    if (!program) return program.error().code == Code::kOutOfMemory ? Status(fail(program.error())) : Status();
    auto ready = std::make_shared<ReadyProgram>();
    ready->program = *std::move(program);
    declared_ = std::move(ready);
    if (seconds_of_declared_shapes(costs) < kSecondsToWakeAWorker) run_where_submitted();
    return {};
  }

  // Returns whether there is a program for the declared shapes.
  bool has_program() const { return declared_ != nullptr; }

 private:
  ExecutionReport run(const Request& request, RunCounts& counts) override {
    const auto start = request.measure_timing ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    ExecutionReport report;
    try {
      const auto has_device_memory = [](const Binding& binding) { return binding.device_memory != nullptr; };
      if (std::ranges::any_of(request.inputs, has_device_memory) || std::ranges::any_of(request.outputs, has_device_memory)) {
        OwnedRequest on_host(request);
        report.result = bind_memory(on_host.inputs, false);
        if (report.result) report.result = bind_memory(on_host.outputs, true);
        if (report.result) report = run_on_host(on_host.request, counts);
      } else {
        report = run_on_host(request, counts);
      }
    } catch (const std::bad_alloc&) {
      report.result = fail_out_of_memory();
    }
    if (request.measure_timing) {
      report.hardware_nanoseconds = report.driver_nanoseconds = nanoseconds_since(start);
    }
    return report;
  }

  ExecutionReport run_on_host(const Request& request, RunCounts& counts) {
    if (has_declared_shapes(request)) {
      return run_program(*declared_->program, request, *resources_.threads, declared_->workspaces, counts);
    }
    const bool is_complete = request.inputs.size() == plan_->inputs.size() && request.outputs.size() == plan_->outputs.size();
    if (depends_on_data_ || !is_complete) return run_all_nodes(request, counts);
    ExecutionReport report;
    auto ready = find_program(request, report.outputs);
    if (!ready) {
      report.result = fail(ready.error());
      return report;
    }
    if (*ready == nullptr) return run_all_nodes(request, counts);
    return run_program(*(*ready)->program, request, *resources_.threads, (*ready)->workspaces, counts);
  }

  ExecutionReport run_all_nodes(const Request& request, RunCounts& counts) const {
    const PlanPointer complete = with_all_bytes(plan_);
    if (complete == plan_) return run_nodes(nodes_, request, counts);
    ExecutionReport report;
    const auto nodes = prepare_nodes(complete);
    if (nodes) return run_nodes(*nodes, request, counts);
    report.result = fail(nodes.error());
    return report;
  }

  // Replaces the device memory in `bindings` by its host memory; BAD_DATA for memory of another device.
  Status bind_memory(std::vector<Binding>& bindings, bool is_output) const {
    for (Binding& binding : bindings) {
      if (binding.device_memory == nullptr) continue;
      if (!takes_device_memory(*binding.device_memory, !is_output, 0)) {
        return fail(Code::kBadData, "an input or output lies in the memory of another device");
      }
      static_cast<CpuMemory&>(*binding.device_memory).bind(binding, is_output);
    }
    return {};
  }

  // Finds or makes the program for the request's shapes. Returns null if a tensor's size depends on data. If an output does not
  // fit, `told` receives a report about each output.
  Result<std::shared_ptr<ReadyProgram>> find_program(const Request& request, std::vector<OutputReport>& told) {
    const auto bound = [](std::span<const Binding> bindings) {
      std::vector<BoundTensor> tensors;
      for (const Binding& b : bindings) tensors.push_back({b.shape, {b.data, b.data != nullptr ? b.size : 0}, b.omitted});
      return tensors;
    };
    const std::vector<BoundTensor> inputs = bound(request.inputs);
    const std::vector<BoundTensor> outputs = bound(request.outputs);
    std::vector<std::byte> key;
    append_resolution_key(*plan_, parameter_inputs_, inputs, outputs, key);
    const std::lock_guard lock(mutex_);
    if (const auto* const known = programs_.find([&](const auto& ready) { return ready->key == key; })) return *known;
    NNVK_ASSIGN(Resolution resolution, resolve(*plan_, inputs, outputs, reference_evaluator()));
    if (!has_fixed_sizes(*plan_, resolution)) return std::shared_ptr<ReadyProgram>();
    // A kernel's tables may be as large as its output, so no kernels are made for outputs that do not fit.
    NNVK_TRY(check_room_of_outputs(*plan_, resolution, request, told));
    auto ready = std::make_shared<ReadyProgram>();
    ready->key = std::move(key);
    {
      const Deadline none;
      const RunDeadline made_for_later_runs_too(none);
      NNVK_ASSIGN(ready->program, make_program(plan_, std::move(resolution), packed()));
    }
    programs_.add(ready);
    return ready;
  }

  bool has_declared_shapes(const Request& request) const {
    if (declared_ == nullptr) return false;
    const auto& infos = declared_->program->resolution.infos;
    if (request.inputs.size() != plan_->inputs.size() || request.outputs.size() != plan_->outputs.size()) return false;
    for (size_t i = 0; i < request.inputs.size(); ++i) {
      const Binding& binding = request.inputs[i];
      if (binding.omitted || binding.shape != infos[plan_->inputs[i]].shape) return false;
    }
    for (size_t i = 0; i < request.outputs.size(); ++i) {
      const Binding& binding = request.outputs[i];
      if (!binding.omitted && binding.shape != infos[plan_->outputs[i]].shape) return false;
    }
    return true;
  }

  double seconds_of_declared_shapes(const CostModel& costs) const {
    double seconds = 0;
    for (const Step& step : declared_->program->steps) {
      const NodeView view = declared_->program->resolution.view(plan_->nodes[step.node]);
      seconds += costs.predicted_seconds(view.view(), step.kernel != nullptr ? KernelKind::kOwn : KernelKind::kReference);
    }
    return seconds;
  }

  std::vector<PackedConstants>* packed() { return resources_.use_optimized ? &packed_ : nullptr; }

  const PreparedNodes nodes_;
  const std::shared_ptr<const Plan> plan_;
  const CpuResources resources_;
  const std::vector<bool> parameter_inputs_;
  std::shared_ptr<ReadyProgram> declared_;  // immutable once prepared
  bool depends_on_data_ = false;
  std::mutex mutex_;
  std::vector<PackedConstants>
      packed_;  // per node; all programs share them, even those that were dropped; changes under the mutex
  RecentlyUsed<std::shared_ptr<ReadyProgram>> programs_{8};
};

class CpuDevice final : public HostDevice {
 public:
  explicit CpuDevice(const CpuDeviceOptions& options)
      : CpuDevice(options, options.threads != 0 ? options.threads : default_threads()) {}

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override {
    try {
      return std::unique_ptr<DeviceMemory>(std::make_unique<CpuMemory>(request, *this));
    } catch (const std::exception&) {  // bad_alloc or length_error
      return fail(Code::kOutOfMemory, "not enough memory for " + std::to_string(request.size) + " bytes");
    }
  }

  unsigned threads() const override { return resources_.threads->threads(); }

 private:
  CpuDevice(const CpuDeviceOptions& options, unsigned threads)
      : HostDevice("nnvk-cpu", "nnvk cpu 1", options.use_optimized,
                   options.use_optimized ? assumed_costs(ProcessorTraits{float_lanes(), quant8_form().has_bytes(), threads})
                                         : assumed_reference_costs()),
        resources_{this, std::make_shared<ThreadPool>(threads), workers_, options.use_optimized} {
    const std::string kernels = options.use_optimized ? optimized_kernel_traits() : "reference (scalar)";
    info_.cache_identity = kernels + ", threads " + std::to_string(threads);
    info_.puts_filters_in_order = true;
    info_.properties = {{"features", "kernels", kernels},
                        {"limits", "threads per operation", std::to_string(resources_.threads->threads())},
                        {"limits", "executions at once", std::to_string(default_threads())}};
  }

  Result<std::unique_ptr<PreparedPlan>> make_plan(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    const PlanPointer rewritten = fuse(keep_channels_last(plan));
    NNVK_ASSIGN(auto prepared, prepared_plan(rewritten, options));
    // Only programs put filters in order. Without one for the declared shapes, executions may go through the nodes.
    if (!prepared->has_program()) {
      const PlanPointer complete = with_all_bytes(rewritten);
      if (complete != rewritten) {
        NNVK_ASSIGN(prepared, prepared_plan(complete, options));
      }
    }
    return std::unique_ptr<PreparedPlan>(std::move(prepared));
  }

  Result<std::unique_ptr<CpuPlan>> prepared_plan(const PlanPointer& plan, const PrepareOptions& options) {
    NNVK_ASSIGN(PreparedNodes nodes, prepare_nodes(plan));
    auto prepared = std::make_unique<CpuPlan>(std::move(nodes), resources_, options.priority);
    NNVK_TRY(prepared->prepare_declared_shapes(costs_));
    return prepared;
  }

  const CpuResources resources_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(const CpuDeviceOptions& options) { return std::make_unique<CpuDevice>(options); }

}  // namespace nnvk::cpu
