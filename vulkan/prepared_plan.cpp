#include "vulkan/prepared_plan.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "core/operations/operation_definition.h"
#include "core/plan/named_shapes.h"
#include "core/runtime/running_count.h"
#include "core/runtime/shape_preparation.h"
#include "vulkan/execution_io.h"
#include "vulkan/queue/semaphore_sync.h"
#include "vulkan/recording/at_once.h"
#include "vulkan/recording/by_shapes.h"
#include "vulkan/recording/image_memory.h"
#include "vulkan/recording/recording.h"
#include "vulkan/recording/resident_memory.h"
#include "vulkan/recording/restore_preparation.h"
#include "vulkan/recording/run.h"
#include "vulkan/run_reports.h"

namespace nnvk::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// The state of one execution from submit() to its fence.
struct Execution {
  ExecutionIo io;
  RunOptions options;
  bool measure_timing = false;
  bool profile = false;
  std::shared_ptr<SemaphoreSync> sync = nullptr;  // null: none
  bool must_follow = false;                       // the device must run it after others, without a wait of the host
  std::shared_ptr<const QueuePosition> position = {};
  Clock::time_point submitted = Clock::now();
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
  Fence done = Fence::pending();
};

// Waits for a fence, or fails at the compilation's deadline. The device's work then continues.
Status wait_until(Gpu& gpu, const Fence& fence, const Deadline& deadline) {
  if (!deadline || fence.wait_until(*deadline)) {
    NNVK_TRY(fence.wait());
    if (!has_passed(deadline)) return {};
  }
  if (gpu.submits()) gpu.completions->leave_to_device();
  return fail(Code::kMissedDeadlineTransient, "compilation took longer than its deadline");
}

// Running executions share this state. They outlive the prepared plan if a completion callback destroys the plan.
class PlanState : public std::enable_shared_from_this<PlanState> {
 public:
  struct Order {
    std::shared_ptr<const Plan> plan;
    HostEvaluator evaluator;
    int32_t priority = 100;
  };

  PlanState(std::shared_ptr<Gpu> gpu, const Order& order, std::shared_ptr<Activity> activity = std::make_shared<Activity>())
      : gpu_(std::move(gpu)),
        plan_(order.plan),
        evaluator_(order.evaluator),
        priority_(order.priority),
        activity_(std::move(activity)),
        parameter_inputs_(parameter_inputs(*plan_)),
        has_data_dependent_outputs_(std::ranges::any_of(plan_->nodes, has_data_dependent_shapes, &PlanNode::code)) {}

  // Options for making a recording. Preparations set a deadline and the emissions of their compilation; executions set neither.
  struct Making {
    Deadline deadline = {};
    KeptEmissions* emissions = nullptr;
  };

  // Makes everything that does not depend on executions, with copies of `kept`, the cache's data for this plan. Stores in `cache`
  // (null: none) the parts that it had to make.
  Status prepare(const Making& making, PreparationCache* cache, const std::optional<KeptPreparation>& kept) {
    if (kept) NNVK_TRY(restore_preparation(*kept, *gpu_, constants_, *activity_, {shared_from_this(), making.deadline}));
    if (cache != nullptr) (kept ? activity_->cache_hits : activity_->cache_misses).fetch_add(1, std::memory_order_relaxed);
    NNVK_ASSIGN(const auto warm, warm_up(making));
    const bool made_something = activity_->pipelines_created > 0 || activity_->weights_packed > 0;
    if (cache != nullptr && (made_something || !kept)) keep(*cache, warm.get(), making.deadline);
    return {};
  }

  // Makes what prepare() makes for declared shapes, for these.
  Status prepare_shapes(std::span<const Shape> inputs, const Deadline& deadline) {
    const auto named = named_bindings(*plan_, inputs);
    if (!named || recordings_.find(key_of(named->inputs, named->outputs)) != nullptr) return {};
    NNVK_ASSIGN(const auto recording, recording_for(named->inputs, named->outputs, deadline));
    return run_first(recording, deadline);
  }

  Result<Submission> submit(const Request& request) {
    NNVK_ASSIGN(const auto execution, make_execution(request));
    NNVK_TRY(start(execution));
    return Submission{execution->done, execution->report, execution->position};
  }

  Result<std::optional<Submission>> submit_behind(const Request& request) {
    const std::optional<Submission> needs_host;
    if (!gpu_->submits() || request.sync != nullptr) return needs_host;
    if (has_data_dependent_outputs_ || std::ranges::find(parameter_inputs_, true) != parameter_inputs_.end()) return needs_host;
    NNVK_ASSIGN(const auto execution, make_execution(request));
    if (execution->io.has_growing_memory()) return needs_host;
    for (const auto& place : request.behind) {
      if (const SyncFilePlace* const file = place->as_sync_file()) {
        execution->options.sync_files.emplace_back(place, file);
      } else if (place->queue() == gpu_->completions->id()) {
        execution->options.behind.push_back(std::static_pointer_cast<const QueuePosition>(place));
      } else {
        return needs_host;
      }
    }
    // An execution with sync files starts when a kernel fence is signalled. The host does not learn when, so it can measure and
    // limit nothing.
    const bool is_timed = request.measure_timing || request.deadline || request.duration.count() > 0;
    if (!execution->options.sync_files.empty() && (!gpu_->context->plan().sync_files || is_timed)) return needs_host;
    execution->must_follow = true;
    execution->options.duration = request.duration;
    NNVK_ASSIGN(const bool started, start(execution));
    if (!started) return needs_host;
    activity_->queued_behind.fetch_add(1, std::memory_order_relaxed);
    activity_->sync_files_waited_for.fetch_add(execution->options.sync_files.size(), std::memory_order_relaxed);
    const bool is_with_driver = execution->position != nullptr && execution->position->lets_others_follow();
    if (is_with_driver) activity_->queued_behind_at_once.fetch_add(1, std::memory_order_relaxed);
    return Submission{execution->done, execution->report, execution->position};
  }

  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const {
    const bool is_ours =
        own_memory<const ResidentMemory>(&memory, *gpu_) != nullptr || own_memory<const ImageMemory>(&memory, *gpu_) != nullptr;
    if (!is_ours) return false;
    return is_input ? !parameter_inputs_[index] : !has_data_dependent_outputs_;
  }

  bool takes_sync(const DeviceSync& sync) const {
    const auto* semaphores = dynamic_cast<const SemaphoreSync*>(&sync);
    return semaphores != nullptr && semaphores->belongs_to(gpu_->completions->id());
  }

  Counters counters() const {
#define NNVK_COUNT(name) {#name, activity_->name},
    return {NNVK_ACTIVITY(NNVK_COUNT)};
#undef NNVK_COUNT
  }

  Result<RecordingNeeds> recording_needs() {
    NNVK_ASSIGN(const auto recording, recording_of_declared_shapes({}));
    const DispatchProgram& program = recording->program();
    return RecordingNeeds{program.arena_size, Buffer::kernel_usage(*gpu_->context), program.dispatches.size()};
  }

  Result<std::unique_ptr<ApplicationRecording>> make_recording(const Request& request, const ConstantPlace& scratch,
                                                               bool may_compile) {
    const Deadline deadline = may_compile ? Deadline() : kAtOnce;
    ExecutionIo io{*plan_, *gpu_, *activity_, request.inputs, request.outputs};
    NNVK_TRY(io.check());
    NNVK_ASSIGN(auto recording, recording_for(io.bound_inputs(), io.bound_outputs(), deadline));
    const DispatchProgram& program = recording->program();
    NNVK_TRY(check_scratch(scratch, program, deadline));
    NNVK_TRY(io.grow_outputs(program));
    ExecutionReport report;
    NNVK_TRY(io.check_sizes(program, report));
    NNVK_TRY(io.choose_places(program));
    if (!may_compile && recording->prepared().state() == Fence::State::kPending) {
      return fail(Code::kNotPrepared, "the device has yet to pack the weights: try again in a later frame");
    }
    NNVK_TRY(recording->prepared().wait());
    return ApplicationRecording::create(blueprint_of(std::move(recording)), {shared_from_this(), &is_packed_},
                                        {io.places(), scratch});
  }

  Result<std::function<Status()>> preparation(const Request& request) {
    const ExecutionIo io{*plan_, *gpu_, *activity_, request.inputs, request.outputs};
    NNVK_TRY(io.check());
    const auto without_memory = [](std::vector<BoundTensor> tensors) {
      for (BoundTensor& tensor : tensors) tensor.data = {};  // no input of a plan that can be recorded is a parameter
      return tensors;
    };
    return [self = shared_from_this(), inputs = without_memory(io.bound_inputs()),
            outputs = without_memory(io.bound_outputs())]() -> Status {
      NNVK_ASSIGN(const auto recording, self->recording_for(inputs, outputs, {}));
      return recording->prepared().wait();
    };
  }

  bool has_packing() const {
    const std::lock_guard building(build_mutex_);
    return !unpacked_.empty();
  }

  void record_packing(VkCommandBuffer commands) {
    const std::lock_guard building(build_mutex_);
    for (const auto& recording : unpacked_) recording->record_packing(commands);
    is_packed_.store(true, std::memory_order_release);
  }

  Status finish_packing() {
    const std::lock_guard building(build_mutex_);
    if (!is_packed_)
      return fail(
          Code::kBadState,
          "the application must record the preparation before it reports it as done, because the device needs it (again)");
    for (const auto& recording : unpacked_) recording->finish_packing();
    unpacked_.clear();
    return {};
  }

  bool is_lost() const { return gpu_->context->is_lost(); }
  const std::shared_ptr<Activity>& activity() const { return activity_; }

  void wait_until_idle() {
    if (gpu_->submits() && gpu_->completions->is_completion_thread())
      return;  // the thread would wait for itself. Executions keep this state alive
    running_.wait_until_none();
  }

 private:
  // Finds or makes the recording for the shapes of an execution. Writes the time for making it to `nanoseconds` (null: nowhere).
  Result<std::shared_ptr<Recording>> recording_for(std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs,
                                                   const Deadline& deadline, uint64_t* nanoseconds = nullptr) {
    const auto began = Clock::now();
    const std::vector<std::byte> key = key_of(inputs, outputs);
    if (auto known = recordings_.find(key)) return known;
    NNVK_ASSIGN(const Resolution resolution, resolve(*plan_, inputs, outputs, evaluator_));
    const std::vector<std::byte> settled = key_of(inputs, settled_outputs(outputs, resolution));
    if (auto known = recordings_.find(settled, key)) return known;
    std::unique_lock building(build_mutex_, std::defer_lock);
    if (!is_at_once(deadline)) building.lock();
    if (is_at_once(deadline) && !building.try_lock()) {
      return fail(Code::kNotPrepared, "another thread prepares the plan for some shapes: try again in a later frame");
    }
    if (auto known = recordings_.find(settled, key)) return known;
    NNVK_ASSIGN(auto recording, make(settled, resolution, {deadline}));
    (void)recordings_.find(settled, key);  // executions with this key find it as well
    if (nanoseconds != nullptr) *nanoseconds = nanoseconds_since(began);
    return recording;
  }

  // Returns the outputs with the shapes that follow from the inputs, so that executions which leave these shapes open have the
  // recording of those which give them.
  std::vector<BoundTensor> settled_outputs(std::span<const BoundTensor> outputs, const Resolution& resolution) const {
    std::vector<BoundTensor> settled(outputs.begin(), outputs.end());
    for (size_t i = 0; i < settled.size(); ++i) {
      const TensorId id = plan_->outputs[i];
      if (resolution.data_dependent[id] == nullptr) settled[i].shape = resolution.infos[id].shape;
    }
    return settled;
  }

  std::vector<std::byte> key_of(std::span<const BoundTensor> inputs, std::span<const BoundTensor> outputs) const {
    std::vector<std::byte> key;
    append_resolution_key(*plan_, parameter_inputs_, inputs, outputs, key);
    return key;
  }

  // Makes a recording; `key` has settled outputs. Only one thread at a time may call it: under build_mutex_, or before the first
  // execution.
  Result<std::shared_ptr<Recording>> make(std::vector<std::byte> key, const Resolution& resolution, const Making& making) {
    NNVK_ASSIGN(auto recording, Recording::build(gpu_, activity_, {*plan_, resolution, making.emissions},
                                                 {constants_, shared_from_this()}, making.deadline));
    if (recording->has_packing()) {
      unpacked_.push_back(recording);
      is_packed_ = false;
    }
    recordings_.add(std::move(key), recording);
    return recording;
  }

  // Checks `scratch`, whose size recording_needs() reported to the application. BAD_DATA if the recording needs more, or if that
  // size was unknown because a shape was.
  Status check_scratch(const ConstantPlace& scratch, const DispatchProgram& program, const Deadline& deadline) {
    if (scratch.buffer == VK_NULL_HANDLE) return {};
    if (scratch.offset > kMostBytes - program.arena_size) {
      return fail(Code::kBadData, "the scratch memory begins at " + std::to_string(scratch.offset) + " and needs " +
                                      std::to_string(program.arena_size) + " bytes from there: no buffer is so large");
    }
    for (const TensorId id : plan_->inputs) {
      if (plan_->tensors[id].info.shape.fully_known()) continue;
      return fail(Code::kBadData, "the model leaves shapes open, so the size of the scratch memory is unknown: pass none");
    }
    NNVK_ASSIGN(const auto declared, recording_of_declared_shapes(deadline));
    if (program.arena_size <= declared->program().arena_size) return {};
    return fail(Code::kBadData, "with these inputs the plan needs more scratch memory than the compilation reported: pass none");
  }

  Result<std::shared_ptr<Recording>> recording_of_declared_shapes(const Deadline& deadline) {
    const auto declared = declared_bindings(*plan_);
    if (!declared) return fail(Code::kBadData, "the model leaves the shape or the value of an input open");
    return recording_for(declared->inputs, declared->outputs, deadline);
  }

  // Builds and runs the recording if the plan alone determines it: all input shapes are known, and no input is a parameter.
  // Otherwise, or after an error in values, returns null. Executions report such errors; but they may omit inputs that are
  // present here, or never happen, as in a branch that is never taken.
  Result<std::shared_ptr<Recording>> warm_up(const Making& making) {
    const auto declared = declared_bindings(*plan_);
    if (!declared) return nullptr;
    const auto resolution = resolve(*plan_, declared->inputs, declared->outputs, evaluator_);
    if (!resolution) return nullptr;
    NNVK_ASSIGN(auto recording,
                make(key_of(declared->inputs, settled_outputs(declared->outputs, *resolution)), *resolution, making));
    NNVK_TRY(run_first(recording, making.deadline));
    return recording;
  }

  // Runs a new recording, so that no execution pays for what drivers do at the first run.
  Status run_first(const std::shared_ptr<Recording>& recording, const Deadline& deadline) {
    NNVK_TRY(wait_until(*gpu_, recording->prepared(), deadline));
    if (!gpu_->submits()) return {};
    // Repeats a long first run, in which drivers compile. The second decides the cuts, so that executions need not record again.
    const auto zero_status = [&](std::span<std::byte> io) { clear_status_words(recording->program(), io); };
    do {
      const Fence warm = Fence::pending();
      start_run(recording, {measure_for({}), priority_, {}},
                {{}, zero_status, {}, [warm, self = shared_from_this(), recording](const Status& result, const RunTimes& times) {
                   const Status told = catch_out_of_memory([&] { trace_run(*self->gpu_, *recording, times, "[NN_LD_PC]"); });
                   warm.settle(result ? told : result);
                 }});
      NNVK_TRY(wait_until(*gpu_, warm, deadline));
    } while (!recording->cuts().are_known());
    return {};
  }

  // Stores the results of the preparation in `cache`. `recording`: the recording that the preparation made; null: none.
  void keep(PreparationCache& cache, const Recording* recording, const Deadline& deadline) const {
    auto kept = keep_preparation(*gpu_, recording, constants_, *activity_, {shared_from_this(), deadline});
    if (kept) return cache.keep(*plan_, std::move(*kept));
    log_line(LogLevel::kInfo, "Vulkan", "nothing is kept for later compilations: " + kept.error().text());
  }

  // Returns the measurement for a request. While a trace is written, nnvk measures every dispatch, because the trace shows it.
  Measure measure_for(const Request& request) const {
    if (!gpu_->context->plan().timestamps) return Measure::kNothing;
    if (request.profile || (trace::may_be_on() && trace::writes_file())) return Measure::kEachDispatch;
    return request.measure_timing ? Measure::kWhole : Measure::kNothing;
  }

  Result<std::shared_ptr<Execution>> make_execution(const Request& request) {
    if (!gpu_->submits()) return fail(Code::kBadState, "the device has no queue: executions on it are only recorded");
    auto execution = std::make_shared<Execution>(Execution{{*plan_, *gpu_, *activity_, request.inputs, request.outputs},
                                                           {measure_for(request), priority_, request.deadline}});
    NNVK_TRY(execution->io.check());
    execution->measure_timing = request.measure_timing;
    execution->profile = request.profile;
    execution->sync = std::dynamic_pointer_cast<SemaphoreSync>(request.sync);
    return execution;
  }

  // Starts an execution. If the execution must follow others without the host but needs the host, it starts nothing and returns
  // false.
  Result<bool> start(const std::shared_ptr<Execution>& execution) {
    const trace::Section section("[NN_LD_PE]start");
    if (has_passed(execution->options.deadline)) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution started");
    }
    ExecutionIo& io = execution->io;
    uint64_t& making = execution->report->preparation_nanoseconds;
    NNVK_ASSIGN(const auto recording, recording_for(io.bound_inputs(), io.bound_outputs(), {}, &making));
    const DispatchProgram& program = recording->program();
    NNVK_TRY(io.grow_outputs(program));
    if (execution->must_follow && (!io.choose_places(program) || io.host_fills_inputs(program))) return false;
    Status sizes = io.check_sizes(program, *execution->report);
    if (!sizes && sizes.error().code != Code::kOutputInsufficientSize) return fail(std::move(sizes).error());
    if (!sizes) {
      settle(*execution, sizes);
      return true;
    }
    if (!execution->must_follow) NNVK_TRY(io.choose_places(program));
    RunHooks hooks;
    hooks.places = io.places();
    if (io.needs_host(program)) {
      hooks.fill = [execution, recording](std::span<std::byte> bytes) { execution->io.fill_inputs(recording->program(), bytes); };
      hooks.drain = [execution, recording](std::span<const std::byte> bytes) {
        return execution->io.drain_outputs(recording->program(), bytes, *execution->report);
      };
    }
    hooks.done = [self = shared_from_this(), execution, recording](const Status& result, const RunTimes& times) {
      ExecutionReport& report = *execution->report;
      if (!result && result.error().code != Code::kOutputInsufficientSize) report.outputs.clear();
      if (execution->measure_timing) {
        report.hardware_nanoseconds = times.hardware_nanoseconds;
        report.driver_nanoseconds = nanoseconds_since(begin_of(*execution));
      }
      const Status told = catch_out_of_memory([&] {
        if (result) trace_run(*self->gpu_, *recording, times, "[NN_LD_PCO]");
        if (result && execution->profile) report.profile = node_profiles(*self->plan_, *recording, times);
      });
      if (result) self->activity_->executions.fetch_add(1, std::memory_order_relaxed);
      self->running_.leave();  // from here on nnvk does not touch the client's memory
      settle(*execution, result ? told : result);
    };
    RunningCount::Entry running(running_);
    if (execution->sync == nullptr) {
      execution->position = start_run(recording, execution->options, std::move(hooks));
      running.release();
      if (execution->position->has_kernel_fence()) activity_->kernel_fences.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    execution->sync->set_taken(true);  // before the start, because the execution may end first
    auto position = catch_out_of_memory(
        [&] { return start_run_at_once(recording, execution->options, std::move(hooks), execution->sync->points()); });
    if (!position) {
      execution->sync->set_taken(false);
      return fail(std::move(position).error());
    }
    running.release();
    execution->position = *std::move(position);
    return true;
  }

  // Returns the later of two times: the submission of the execution, and the end of the last execution that it follows.
  static Clock::time_point begin_of(const Execution& execution) {
    Clock::time_point begin = execution.submitted;
    for (const auto& other : execution.options.behind) {
      if (const auto end = other->end()) begin = std::max(begin, end->when);
    }
    return begin;
  }

  static void settle(Execution& execution, Status result) {
    execution.report->result = std::move(result);
    const Status& final_result = execution.report->result;
    execution.done.settle(final_result);
  }

  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<const Plan> plan_;
  HostEvaluator evaluator_;
  int32_t priority_;
  std::shared_ptr<Activity> activity_;
  std::vector<bool> parameter_inputs_;
  bool has_data_dependent_outputs_;

  mutable std::mutex build_mutex_;  // one recording is built at a time
  ConstantStore constants_{gpu_->context, activity_};
  ByShapes<Recording> recordings_{kPreparedShapes};
  std::vector<std::shared_ptr<Recording>> unpacked_;  // without a queue: those whose packing has possibly not run yet
  std::atomic<bool> is_packed_{true};                 // the application has recorded the packing of all of them

  RunningCount running_;  // executions handed to a recording whose outputs are not written yet
};

// Forwards every call to the PlanState on the device that is open now.
class VulkanPreparedPlan final : public PreparedPlan, public RecordablePlan, public PreparesShapes {
 public:
  VulkanPreparedPlan(std::shared_ptr<LivingGpu> gpu, PlanState::Order order, std::shared_ptr<PlanState> state)
      : gpu_(std::move(gpu)), order_(std::move(order)), state_(std::move(state)) {}
  ~VulkanPreparedPlan() override {
    state_->wait_until_idle();
    for (const auto& weak : lost_) {
      if (const auto lost = weak.lock()) lost->wait_until_idle();
    }
  }

  Result<Submission> submit(const Request& request) override {
    NNVK_ASSIGN(const auto state, alive());
    return state->submit(request);
  }
  // Returns no submission if the host must read values or copy inputs before the run. nnvk cannot tell which inputs earlier runs
  // write, because clients may map memory twice.
  Result<std::optional<Submission>> submit_behind(const Request& request) override {
    NNVK_ASSIGN(const auto state, alive());
    return state->submit_behind(request);
  }
  // True for memory of this device, unless the host needs its values: inputs that decide shapes, and outputs of plans with
  // data-dependent sizes.
  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const override {
    return current()->takes_device_memory(memory, is_input, index);
  }
  bool takes_sync(const DeviceSync& sync) const override { return current()->takes_sync(sync); }
  Counters counters() const override { return current()->counters(); }

  Status prepare_shapes(std::span<const Shape> inputs, const Deadline& deadline) override {
    return current()->prepare_shapes(inputs, deadline);
  }

  Result<RecordingNeeds> recording_needs() override { return current()->recording_needs(); }
  Result<std::unique_ptr<ApplicationRecording>> make_recording(const Request& request, const ConstantPlace& scratch,
                                                               bool may_compile) override {
    return current()->make_recording(request, scratch, may_compile);
  }
  Result<std::function<Status()>> preparation(const Request& request) override { return current()->preparation(request); }
  bool has_packing() const override { return current()->has_packing(); }
  void record_packing(VkCommandBuffer commands) override { current()->record_packing(commands); }
  Status finish_packing() override { return current()->finish_packing(); }

 private:
  std::shared_ptr<PlanState> current() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

  // Returns the current state; first replaces a state on a lost device by one on the reopened device. The next executions build
  // recordings, pipelines and weights anew on their own threads, without waiting for the device.
  Result<std::shared_ptr<PlanState>> alive() {
    const std::lock_guard lock(mutex_);
    if (!state_->is_lost()) return state_;
    NNVK_ASSIGN(auto gpu, gpu_->alive());
    std::erase_if(lost_, [](const auto& weak) { return weak.expired(); });
    lost_.push_back(state_);
    state_ = std::make_shared<PlanState>(std::move(gpu), order_, state_->activity());
    state_->activity()->rebuilt_after_loss.fetch_add(1, std::memory_order_relaxed);
    return state_;
  }

  const std::shared_ptr<LivingGpu> gpu_;
  const PlanState::Order order_;
  mutable std::mutex mutex_;
  std::shared_ptr<PlanState> state_;
  std::vector<std::weak_ptr<PlanState>> lost_;  // while their executions are in progress
};

}  // namespace

Result<std::unique_ptr<PreparedPlan>> prepare_plan(std::shared_ptr<LivingGpu> gpu, std::shared_ptr<const Plan> plan,
                                                   HostEvaluator evaluator, const PrepareOptions& options,
                                                   KeptEmissions* emissions) {
  const trace::Section section("[NN_LD_PC]prepare");
  if (has_passed(options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed before compilation started");
  }
  PlanState::Order order{std::move(plan), std::move(evaluator), options.priority};
  NNVK_ASSIGN(const auto opened, gpu->alive());
  const PlanState::Making making{options.deadline, emissions};
  PreparationCache* const cache = opened->submits() ? options.cache : nullptr;  // packed weights are read back from the device
  std::optional<KeptPreparation> kept;
  if (cache != nullptr) kept = decode(cache->find(*order.plan), opened->context->snapshot());
  auto state = std::make_shared<PlanState>(opened, order);
  Status ready = state->prepare(making, cache, kept);
  if (!ready && kept && !has_passed(options.deadline) && !state->is_lost()) {
    log_line(LogLevel::kInfo, "Vulkan", "compiling again without the cached data: " + ready.error().text());
    state = std::make_shared<PlanState>(opened, order);
    ready = state->prepare(making, cache, std::nullopt);
  }
  NNVK_TRY(std::move(ready));
  return std::make_unique<VulkanPreparedPlan>(std::move(gpu), std::move(order), std::move(state));
}

}  // namespace nnvk::vulkan
