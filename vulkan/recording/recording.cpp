// Builds recordings and runs them on their slots.
#include "vulkan/recording/recording.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "vulkan/recording/device_clock.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

// Uploads the constants of one program.
Result<Buffer> upload_local(const DispatchProgram& program, Uploads& uploads, Activity& activity) {
  if (program.local_size == 0) return Buffer();
  return uploads.make(program.local_size, program.local, activity, "constants of one shape");
}

// When a run with these timestamps began. Without the driver's calibration, assumes that it ended when the host noticed.
uint64_t began_at(const Context& context, const Slot::Timestamps& stamps, uint64_t noticed) {
  if (const auto calibration = calibrate(context)) {
    return host_time(stamps.first_tick, *calibration, context.plan().timestamp_valid_bits, context.snapshot().timestamp_period);
  }
  return noticed - stamps.nanoseconds.back();
}

// When the last of these runs ended; nothing if one of them has not ended.
std::optional<CompletionQueue::Clock::time_point> ready_time(std::span<const std::shared_ptr<const QueuePosition>> behind) {
  std::optional<CompletionQueue::Clock::time_point> ready;
  for (const auto& other : behind) {
    const auto end = other->end();
    if (!end) return std::nullopt;
    ready = ready ? std::max(*ready, end->when) : end->when;
  }
  return ready;
}

Deadline saturated_sum(CompletionQueue::Clock::time_point time, std::chrono::nanoseconds more) {
  if (more >= CompletionQueue::Clock::time_point::max() - time) return std::nullopt;
  return time + more;
}

// Keeps everything alive that uploads and packing use, until they have completed.
struct Preparation {
  Preparation(std::shared_ptr<Context> context, DispatchProgram packing)
      : uploads(std::move(context)), program(std::move(packing)) {}
  Uploads uploads;
  DispatchProgram program;
  Buffer local;  // raw weights that only packing reads
  Buffer arena;
  std::vector<const Pipeline*> pipelines;
  std::unique_ptr<Descriptors> descriptors;
  std::vector<VkDescriptorSet> sets;

  RunnableProgram runnable() const { return {program, pipelines}; }
};

// The commands for uploads and packing, which own all that they use; null if there is nothing to do.
Result<std::function<void(VkCommandBuffer)>> packing_commands(Gpu& gpu, Activity& activity,
                                                              std::span<const ConstantPlace> constants,
                                                              std::shared_ptr<Preparation> work, const Deadline& deadline) {
  const DispatchProgram& program = work->program;
  if (program.dispatches.empty() && work->uploads.empty()) return nullptr;
  NNVK_ASSIGN(work->pipelines, gpu.pipelines.get(program, activity, deadline));
  if (program.arena_size > 0) {
    NNVK_ASSIGN(work->arena, Buffer::create(gpu.context, program.arena_size, MemoryUse::kDevice, activity, "packing of weights"));
  }
  work->sets.resize(program.dispatches.size());
  const DescriptorTargets targets{{work->arena.handle(), VK_NULL_HANDLE, work->local.handle()}, constants, {}};
  NNVK_ASSIGN(work->descriptors, Descriptors::create(gpu.context, work->runnable(), all_dispatches(program), targets, activity));
  work->descriptors->fill(work->sets);
  return [work = std::move(work), context = gpu.context](VkCommandBuffer commands) {
    work->uploads.record(commands);
    record_dispatches(*context, commands, work->runnable(), work->sets, {0, work->program.dispatches.size()});
    record_barrier(*context, commands, kBetweenDispatches);  // for submissions after this one
  };
}

}  // namespace

struct Recording::Run {
  Run(RunOptions o, RunHooks h, std::shared_ptr<QueuePosition> p)
      : options(std::move(o)), hooks(std::move(h)), position(std::move(p)) {}

  RunOptions options;
  RunHooks hooks;
  std::shared_ptr<QueuePosition> position;
  uint64_t watch_id = 0;             // its id in the queue's deadlines; 0: the run has none
  std::vector<size_t> cuts = {};     // copied when the run starts, as later runs may be cut differently
  size_t submission = 0;             // which of the run's submissions was enqueued last
  std::chrono::nanoseconds busy{0};  // of the submissions that have completed
  std::optional<CompletionQueue::Clock::time_point> began = {};  // on the device, if some of it has completed
  Slot::SharedRun shared = {};                                   // in a shared slot
  bool waits_for_others = false;  // for semaphores or sync_files: its duration says nothing about the recording

  // Whether the host is reading or writing the client's memory for the run, and whether the run has ended. A run may end at its
  // deadline while the device still works on it; from then on the host does not touch that memory.
  enum class Phase : uint8_t { kOpen, kHostIsAtIt, kEnded };
  std::atomic<Phase> phase = Phase::kOpen;
  std::atomic<bool> has_begun = false;     // its first submission was enqueued
  std::atomic<bool> may_end_early = true;  // false until the starting thread knows that the run has started
  bool begin_touching() { return move(Phase::kOpen, Phase::kHostIsAtIt); }
  void end_touching() { move(Phase::kHostIsAtIt, Phase::kOpen); }
  bool move(Phase from, Phase to) { return phase.compare_exchange_strong(from, to); }
};

Recording::Recording(std::shared_ptr<Gpu> gpu, SlotBlueprint blueprint)
    : gpu_(std::move(gpu)), blueprint_(std::move(blueprint)), slots_(kMaxSlots) {
  for (const ProgramDispatch& dispatch : blueprint_.program.dispatches) {
    uint64_t bytes = 0;
    for (size_t b = 0; b < dispatch.locations.size(); ++b) {
      bytes += dispatch.locations[b].size * (dispatch.dispatch.bindings[b].access == Access::kReadWrite ? 2 : 1);
    }
    dispatch_bytes_.push_back(bytes);
  }
  if (blueprint_.context->plan().one_dispatch_per_submission) {
    for (size_t d = 1; d < dispatch_bytes_.size(); ++d) cuts_.push_back(d);
  }
}

Result<std::shared_ptr<Recording>> Recording::build(std::shared_ptr<Gpu> gpu, const std::shared_ptr<Activity>& activity,
                                                    const ResolvedPlan& resolved, const Constants& constants,
                                                    const Deadline& deadline) {
  ConstantStore& store = constants.store;
  const trace::Section section("[SUB][NN_LD_PC]record");
  NNVK_ASSIGN(BuiltPrograms built, build_programs(resolved, gpu->context->plan().traits, store.index(), store.next_id()));
  auto preparation = std::make_shared<Preparation>(gpu->context, std::move(built.preparation));
  NNVK_TRY(store.add(built.constants, preparation->uploads));
  NNVK_TRY(store.check(built.main));
  NNVK_ASSIGN(preparation->local, upload_local(preparation->program, preparation->uploads, *activity));

  SlotBlueprint blueprint;
  blueprint.context = gpu->context;
  blueprint.activity = activity;
  NNVK_ASSIGN(blueprint.local, upload_local(built.main, preparation->uploads, *activity));
  NNVK_ASSIGN(blueprint.pipelines, gpu->pipelines.get(built.main, *activity, deadline));
  blueprint.constants = store.places();
  for (PlacedBytes& constant : built.main.local) constant.bytes = {};  // uploaded; the source may be freed
  blueprint.program = std::move(built.main);

  NNVK_ASSIGN(auto packing, packing_commands(*gpu, *activity, store.places(), std::move(preparation), deadline));
  std::shared_ptr<Recording> recording(new Recording(std::move(gpu), std::move(blueprint)));
  if (packing) NNVK_TRY(recording->pack(activity, std::move(packing), constants.owner));
  store.commit(built.constants);
  activity->recordings_built.fetch_add(1, std::memory_order_relaxed);
  return recording;
}

// Submits the packing at once if there is a queue, else keeps it for record_packing().
Status Recording::pack(const std::shared_ptr<Activity>& activity, RecordPacking packing, std::shared_ptr<const void> owner) {
  if (!gpu_->submits()) {
    packing_ = std::move(packing);
    return {};
  }
  prepared_ = Fence::pending();
  const auto done = [packing, owner = std::move(owner), prepared = prepared_](const Status& result) mutable {
    packing = nullptr;  // with everything that the commands used
    owner = nullptr;
    prepared.settle(result);
  };
  return submit_once(*gpu_, *activity, {"uploads of constants and their packing", packing}, done);
}

Result<Slot*> Recording::slot(uint32_t index) {
  const std::lock_guard lock(slots_mutex_);
  if (!slots_[index]) {
    NNVK_ASSIGN(slots_[index], Slot::create(blueprint_));
  }
  return slots_[index].get();
}

std::vector<size_t> Recording::cuts() {
  const std::lock_guard lock(cuts_mutex_);
  return cuts_;
}

bool Recording::is_timed() {
  const std::lock_guard lock(cuts_mutex_);
  return !cuts_.empty() || run_time_.is_final();
}

// Records the time of a successful run. The final estimate decides into how many submissions later runs are cut.
void Recording::learn(std::chrono::nanoseconds busy) {
  const std::lock_guard lock(cuts_mutex_);
  if (!run_time_.add(busy) || !cuts_.empty() || gpu_->context->plan().one_submission) return;
  std::vector<uint64_t> weights;
  const auto& dispatches = blueprint_.program.dispatches;
  for (size_t d = 0; d < dispatches.size(); ++d) {
    weights.push_back(dispatch_bytes_[d] + dispatches[d].dispatch.multiply_adds);
  }
  cuts_ = submission_cuts(weights, run_time_.value(), kLongestSubmission);
}

// Prefers slots that have recorded commands for these places, then slots that would lose the fewest others.
SlotSchedule::Fitness Recording::fitness_for(std::span<const IoPlace> places) const {
  return [this, places](uint32_t slot) {
    return slots_[slot] != nullptr ? slots_[slot]->fitness(places) : std::numeric_limits<int64_t>::min();
  };
}

std::chrono::nanoseconds Recording::expected_time() {
  const std::lock_guard lock(cuts_mutex_);
  return run_time_.shortest();
}

std::shared_ptr<const QueuePosition> Recording::run(const RunOptions& options, RunHooks hooks) {
  auto position = std::make_shared<QueuePosition>(*gpu_->completions, kernel_fence_for(options, hooks));
  auto run = std::make_shared<Run>(options, std::move(hooks), position);
  run->waits_for_others = !options.sync_files.empty();
  try {
    watch(run);
    if (!may_share(*run) || !start_in_shared_slot(run)) {
      schedule_.run([self = shared_from_this(), run](uint32_t slot_index) { return self->start(run, slot_index); },
                    fitness_for(run->hooks.places));
    }
  } catch (const std::bad_alloc&) {
    // The run has not begun, so that the exception reports its failure, unless its deadline has ended it and reported that
    // already.
    if (run->phase.exchange(Run::Phase::kEnded) != Run::Phase::kEnded) {
      if (run->watch_id != 0) gpu_->completions->deadlines().remove(run->watch_id);
      throw;
    }
  }
  return position;
}

Result<std::shared_ptr<const QueuePosition>> Recording::run_now(const RunOptions& options, RunHooks hooks,
                                                                const QueueSync& sync) {
  auto run = std::make_shared<Run>(options, std::move(hooks), std::make_shared<QueuePosition>(*gpu_->completions));
  run->waits_for_others = !sync.waits.empty();
  run->may_end_early = false;
  // A caller that has seen the end of a run on the device may be faster than our thread, which releases the run's slot.
  constexpr std::chrono::milliseconds kPatience{20};
  const std::optional<uint32_t> slot_index = schedule_.take(fitness_for(run->hooks.places), kPatience);
  if (!slot_index) {
    return fail(
        Code::kResourceExhaustedTransient,
        std::to_string(kMaxSlots) + " executions of the compilation with these shapes are under way; wait for one of them");
  }
  Status submitted = catch_out_of_memory([&]() -> Status {
    watch(run);
    return submit_now(run, *slot_index, sync);
  });
  run->may_end_early = submitted.has_value();
  if (submitted) return run->position;
  if (run->watch_id != 0) gpu_->completions->deadlines().remove(run->watch_id);
  schedule_.release(*slot_index);
  return fail(std::move(submitted).error());
}

// Fails before it records if the device is lost: the device may still run the slot's old commands.
Status Recording::submit_now(const std::shared_ptr<Run>& run, uint32_t slot_index, const QueueSync& sync) {
  NNVK_TRY(gpu_->context->check_lost());
  NNVK_ASSIGN(Slot* const slot, this->slot(slot_index));
  NNVK_TRY(slot->make_ready(run->options.measure, run->hooks.places, {}));
  if (run->hooks.fill) {
    const trace::Section section("[NN_LD_PIO]inputs");
    run->hooks.fill(slot->io_bytes());
  }
  CompletionQueue::Work work;
  work.commands = slot->submission(0);
  work.position = run->position;
  work.describe = [this] { return text_of(0, blueprint_.program.dispatches.size()); };
  work.retire = [self = shared_from_this(), run, slot_index](const Status& result, std::chrono::nanoseconds busy) {
    run->busy = busy;
    self->finish(run, slot_index, result);
  };
  return gpu_->completions->submit(std::move(work), sync);
}

// A kernel fence tells its waiters only that the run has ended. So a run gets one only if the host has nothing to process or
// check, and if each run before it has one too.
std::shared_ptr<KernelFence> Recording::kernel_fence_for(const RunOptions& options, const RunHooks& hooks) const {
  const bool is_certain = std::ranges::all_of(options.behind, [](const auto& other) { return other->has_kernel_fence(); });
  const bool has_limit = options.deadline || options.duration.count() > 0;
  return !hooks.fill && !hooks.drain && !has_limit && is_certain ? gpu_->completions->take_kernel_fence() : nullptr;
}

// Only for runs that depend on others, so that they need not wait for a free slot. Any other run uses a slot of its own.
bool Recording::may_share(const Run& run) {
  return !run.options.behind.empty() && !run.hooks.fill && !run.hooks.drain && run.options.measure == Measure::kNothing &&
         cuts().empty();
}

// False if there is no memory for a shared slot.
bool Recording::start_in_shared_slot(const std::shared_ptr<Run>& run) {
  auto shared = shared_slots_.share(run->hooks.places);
  if (!shared) return false;
  run->shared = *std::move(shared);
  CompletionQueue::Work work;
  work.commands = std::span(&run->shared.commands, 1);
  work.priority = run->options.priority;
  work.deadline = run->options.deadline;
  work.accesses = run->shared.wiring->accesses();
  work.position = run->position;
  work.behind = run->options.behind;
  work.sync_files = run->options.sync_files;
  work.expected = expected_time();
  run->has_begun = true;
  work.describe = [this] { return text_of(0, blueprint_.program.dispatches.size()); };
  work.retire = [self = shared_from_this(), run](const Status& result, std::chrono::nanoseconds busy) {
    run->began = CompletionQueue::Clock::now() - busy;
    const Status learnt = catch_out_of_memory([&]() -> Status {
      if (result && !run->waits_for_others) self->learn(busy);
      return {};
    });
    self->conclude(*run, learnt ? result : learnt, {});
  };
  gpu_->completions->enqueue(std::move(work));
  return true;
}

// The time at which the run is too late; nothing if it has no limit or the limit is not known yet.
Deadline Recording::limit_of(const Run& run) {
  Deadline limit = run.options.deadline;
  if (run.options.duration.count() > 0) {
    const auto ready = ready_time(run.options.behind);
    if (ready) limit = earlier(limit, saturated_sum(*ready, run.options.duration));
  }
  return limit;
}

// Ends the run at its deadline even while other work or a slow device delays it. nnvk keeps its memory until the device is done
// with it; the application must do so with its own.
void Recording::watch(const std::shared_ptr<Run>& run) {
  if (!run->options.deadline && run->options.duration.count() == 0) return;
  DeadlineWatch& deadlines = gpu_->completions->deadlines();
  run->watch_id = deadlines.next_id();
  const auto look = [self = shared_from_this(), run]() -> std::optional<DeadlineWatch::Time> {
    using Phase = Run::Phase;
    const auto now = CompletionQueue::Clock::now();
    const Deadline limit = limit_of(*run);
    if (limit && *limit > now) return *limit;
    if (!limit || !run->may_end_early || !run->move(Phase::kOpen, Phase::kEnded)) {
      return run->phase == Phase::kEnded ? std::optional<DeadlineWatch::Time>() : now;
    }
    const bool is_with_driver = run->position->lets_others_follow() || (run->has_begun && !run->cuts.empty());
    self->gpu_->completions->leave_to_device();
    const Status late = catch_out_of_memory([&]() -> Status {
      if (!is_with_driver)
        return fail(Code::kMissedDeadlinePersistent, "the deadline passed while the execution waited for others");
      return fail(Code::kMissedDeadlineTransient,
                  "the deadline passed while the device was at " + self->text_of(0, self->program().dispatches.size()) +
                      (run->waits_for_others ? ", at what came before, or waited for semaphores" : " or at what came before"));
    });
    self->end(*run, late, {});
    return std::nullopt;
  };
  deadlines.add(run->watch_id, run->options.deadline.value_or(CompletionQueue::Clock::now()), look);
}

// Ends the run, unless its deadline has ended it already.
void Recording::conclude(Run& run, Status result, const RunTimes& times) noexcept {
  if (run.phase.exchange(Run::Phase::kEnded) != Run::Phase::kEnded) end(run, std::move(result), times);
}

// Called once, by the thread that set the phase to kEnded. Only now does a run behind others know whether it began too late.
void Recording::end(Run& run, Status result, const RunTimes& times) noexcept {
  if (run.watch_id != 0) gpu_->completions->deadlines().remove(run.watch_id);
  if (result) result = catch_out_of_memory([&] { return check_turn(run); });
  gpu_->completions->end(*run.position, result);
  run.hooks.done(result, times);
}

Status Recording::check_turn(const Run& run) {
  if (run.began && !run.options.behind.empty()) {
    const Deadline limit = limit_of(run);
    if (limit && *run.began >= *limit) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution had its turn on the device");
    }
  }
  return {};
}

// Names the first few operations of these dispatches.
std::string Recording::text_of(size_t begin, size_t end) const {
  constexpr size_t kNamed = 8;
  std::vector<uint32_t> nodes;
  std::string text;
  for (size_t d = begin; d < end; ++d) {
    const Dispatch& dispatch = blueprint_.program.dispatches[d].dispatch;
    if (std::ranges::find(nodes, dispatch.node) != nodes.end()) continue;
    nodes.push_back(dispatch.node);
    if (nodes.size() <= kNamed) text += (text.empty() ? "" : ", ") + dispatch.label;
  }
  if (nodes.size() > kNamed) text += " and " + std::to_string(nodes.size() - kNamed) + " more operations";
  return text.empty() ? "copies of inputs and outputs" : text;
}

// False if the run has already ended and does not need the slot.
bool Recording::start(const std::shared_ptr<Run>& run, uint32_t slot_index) noexcept {
  const Result<bool> keeps_slot = catch_out_of_memory([&] { return try_start(run, slot_index); });
  if (keeps_slot) return *keeps_slot;
  conclude(*run, fail(keeps_slot.error()), {});
  return false;
}

// On an error, nothing has begun.
Result<bool> Recording::try_start(const std::shared_ptr<Run>& run, uint32_t slot_index) {
  if (run->phase == Run::Phase::kEnded) return false;
  NNVK_TRY(gpu_->context->check_lost());  // the device may still run the old commands
  if (has_passed(run->options.deadline)) {
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed while the execution waited for others");
  }
  const Result<Slot*> slot = this->slot(slot_index);
  if (!slot) {
    const bool waits =
        schedule_.withdraw(slot_index, [self = shared_from_this(), run](uint32_t other) { return self->start(run, other); });
    if (waits) return true;  // the slot is withdrawn for good
    return fail(slot.error());
  }
  run->cuts = cuts();
  NNVK_TRY((*slot)->make_ready(run->options.measure, run->hooks.places, run->cuts));
  if (run->hooks.fill) {
    const trace::Section section("[NN_LD_PIO]inputs");
    if (!run->begin_touching()) return false;
    run->hooks.fill((*slot)->io_bytes());
    run->end_touching();
  }
  submit(run, slot_index, 0);
  return true;
}

// Each submission is enqueued when the previous one has completed, so that other work can run in between.
void Recording::submit(const std::shared_ptr<Run>& run, uint32_t slot_index, size_t submission) {
  const Slot& slot = *slots_[slot_index];
  CompletionQueue::Work work;
  work.commands = slot.submission(submission);
  work.priority = run->options.priority;
  work.deadline = run->options.deadline;
  work.is_continuation = submission > 0;
  const bool is_last = submission + 1 == slot.submission_count();
  work.has_more = !is_last;
  work.accesses = slot.accesses();
  if (is_last) work.position = run->position;
  work.behind = run->options.behind;
  if (submission == 0) work.sync_files = run->options.sync_files;
  work.expected = expected_time();
  run->has_begun = true;
  run->submission = submission;
  work.describe = [this, &run = *run] {
    const size_t at = run.submission;
    return text_of(at == 0 ? 0 : run.cuts[at - 1], at < run.cuts.size() ? run.cuts[at] : program().dispatches.size());
  };
  work.retire = [self = shared_from_this(), run, slot_index, submission, is_last](const Status& result,
                                                                                  std::chrono::nanoseconds busy) {
    run->busy += busy;
    if (!run->began) run->began = CompletionQueue::Clock::now() - busy;
    Status status = result;
    if (status && !is_last) {
      status = catch_out_of_memory([&]() -> Status {
        self->submit(run, slot_index, submission + 1);
        return {};
      });
      if (status) return;
    }
    self->finish(run, slot_index, std::move(status));
  };
  gpu_->completions->enqueue(std::move(work));
}

void Recording::finish(const std::shared_ptr<Run>& run, uint32_t slot_index, Status result) noexcept {
  const trace::Section section("[NN_LD_PR]retire");
  RunTimes times;
  if (result) {
    result = catch_out_of_memory([&]() -> Status {
      const uint64_t noticed = trace::now();
      if (!run->waits_for_others) learn(run->busy);
      Slot& slot = *slots_[slot_index];
      Status drained;
      if (run->hooks.drain && run->begin_touching()) {
        drained = catch_out_of_memory([&] { return run->hooks.drain(slot.io_bytes()); });
        run->end_touching();
      }
      const Measure measure = run->options.measure;
      const Slot::Timestamps stamps = slot.timestamps(measure);
      times = run_times(measure, stamps.nanoseconds, blueprint_.program.dispatches.size(), run->cuts);
      if (!stamps.nanoseconds.empty() && trace::may_be_on()) times.began = began_at(*gpu_->context, stamps, noticed);
      return drained;
    });
  }
  schedule_.release(slot_index);  // the next run starts before anybody learns of this one: the GPU must not idle
  conclude(*run, std::move(result), times);
}

}  // namespace nnvk::vulkan
