// A run is a state machine. The thread that starts it, the queue's threads and its deadline move it on:
//   kWaiting --- a slot is free ---> kStarting --- enqueued ---> kQueued --- has run ---> kDraining.
//   kWaiting or kQueued --- its deadline ---> kEnded.
//   any state --- done, or an error ---> kEnded.
// In kStarting and kDraining the host uses the client's memory, so that the deadline waits for the next state. A run that ended
// at its deadline stays with the queue until the device has retired it, but the host no longer touches its memory.
#include "vulkan/recording/run.h"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/trace.h"
#include "vulkan/recording/device_clock.h"

namespace nnvk::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// Returns when a run with these timestamps began. Without a driver's calibration, assumes that it ended when the host noticed.
uint64_t began_at(const Context& context, const Slot::Timestamps& stamps, uint64_t noticed) {
  if (const auto calibration = calibrate(context)) {
    return host_time(stamps.first_tick, *calibration, context.plan().timestamp_valid_bits, context.snapshot().timestamp_period);
  }
  return noticed - stamps.nanoseconds.back();
}

// Returns when the last of these runs ended; nothing if one of them has not ended.
std::optional<Clock::time_point> ready_time(std::span<const std::shared_ptr<const QueuePosition>> behind) {
  std::optional<Clock::time_point> ready;
  for (const auto& other : behind) {
    const auto end = other->end();
    if (!end) return std::nullopt;
    ready = ready ? std::max(*ready, end->when) : end->when;
  }
  return ready;
}

Deadline saturated_sum(Clock::time_point time, std::chrono::nanoseconds more) {
  if (more >= Clock::time_point::max() - time) return std::nullopt;
  return time + more;
}

// The caller's part of a run.
struct Order {
  std::shared_ptr<Recording> recording;
  RunOptions options;
  RunHooks hooks;
  std::shared_ptr<QueuePosition> position;
  bool waits_for_others = false;  // for semaphores or sync_files: its duration says nothing about the recording
};

class Run : public QueueWork, public std::enable_shared_from_this<Run> {
 public:
  explicit Run(Order order) : order_(std::move(order)) {}

  // Throws std::bad_alloc if memory runs out before the run has begun; `done` then gets nothing. start() does not throw if the
  // deadline has already ended the run and reported that.
  void start() {
    try {
      watch_deadline();
      begin();
    } catch (const std::bad_alloc&) {
      if (state_.exchange(State::kEnded) == State::kEnded) return;
      forget_deadline();
      throw;
    }
  }

  std::span<const std::shared_ptr<const QueuePosition>> behind() const override { return order_.options.behind; }
  std::span<const std::shared_ptr<const SyncFilePlace>> sync_files() const override { return order_.options.sync_files; }
  QueuePosition* position() override { return order_.position.get(); }
  std::string describe() const override { return recording().describe(0, recording().program().dispatches.size()); }

 protected:
  enum class State : uint8_t { kWaiting, kStarting, kQueued, kDraining, kEnded };

  virtual void begin() = 0;
  // Whether the run has several submissions: the device may have run some before the driver has the last one.
  virtual bool is_cut() const { return false; }

  Recording& recording() const { return *order_.recording; }
  CompletionQueue& queue() const { return *recording().gpu().completions; }
  const RunOptions& options() const { return order_.options; }
  const RunHooks& hooks() const { return order_.hooks; }
  bool has_ended() const { return state_ == State::kEnded; }

  // Changes the state to `to`; returns false if the run is in none of the states `from`.
  bool move(std::initializer_list<State> from, State to) {
    State now = state_;
    while (std::ranges::find(from, now) != from.end()) {
      if (state_.compare_exchange_weak(now, to)) return true;
    }
    return false;
  }

  void fill(std::span<std::byte> io) const {
    if (!hooks().fill) return;
    const trace::Section section("[NN_LD_PIO]inputs");
    hooks().fill(io);
  }

  void enqueue(const Turn& turn, bool is_continuation) {
    queue().enqueue({turn, options().deadline, is_continuation, shared_from_this()});
  }

  void learn(std::chrono::nanoseconds busy) const {
    if (!order_.waits_for_others) recording().cuts().learn(busy);
  }

  // Notes when the device began with the run's first submission, which has just ended.
  void note_begin(std::chrono::nanoseconds busy) {
    if (!began_) began_ = Clock::now() - busy;
  }

  void watch_deadline() {
    if (!options().deadline && options().duration.count() == 0) return;
    watch_id_ = queue().deadlines().next_id();
    queue().deadlines().add(watch_id_, options().deadline.value_or(Clock::now()),
                            [self = shared_from_this()] { return self->look_at_deadline(); });
  }

  void forget_deadline() {
    if (watch_id_ != 0) queue().deadlines().remove(watch_id_);
  }

  // Ends the run, unless its deadline has ended it already.
  void conclude(Status result, const RunTimes& times) noexcept {
    if (state_.exchange(State::kEnded) != State::kEnded) end(std::move(result), times);
  }

 private:
  // Ends the run at its deadline even while other work or a slow device delays it. nnvk keeps the run's memory until the device
  // is done with the run, and the application must keep its own memory.
  std::optional<DeadlineWatch::Time> look_at_deadline() noexcept {
    const auto now = Clock::now();
    const Deadline limit = this->limit();
    if (limit && *limit > now) return *limit;
    for (const State from : {State::kWaiting, State::kQueued}) {
      if (!limit || !move({from}, State::kEnded)) continue;
      end_late(from);
      return std::nullopt;
    }
    return has_ended() ? std::optional<DeadlineWatch::Time>() : now;
  }

  // Returns the time at which the run is too late; nothing if it has no limit or the limit is not known yet.
  Deadline limit() const {
    Deadline limit = options().deadline;
    if (options().duration.count() > 0) {
      if (const auto ready = ready_time(options().behind)) limit = earlier(limit, saturated_sum(*ready, options().duration));
    }
    return limit;
  }

  Status check_turn() const {
    if (!began_ || options().behind.empty()) return {};
    const Deadline limit = this->limit();
    if (!limit || *began_ < *limit) return {};
    return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution had its turn on the device");
  }

  void end_late(State from) {
    const bool is_with_driver = order_.position->lets_others_follow() || (from == State::kQueued && is_cut());
    queue().leave_to_device();
    const Status late = catch_out_of_memory([&]() -> Status {
      if (!is_with_driver)
        return fail(Code::kMissedDeadlinePersistent, "the deadline passed while the execution waited for others");
      return fail(Code::kMissedDeadlineTransient,
                  "the deadline passed while the device was at " + Run::describe() +
                      (order_.waits_for_others ? ", at what came before, or waited for semaphores" : " or at what came before"));
    });
    end(late, {});
  }

  // Ends the run with its result. The thread that set the state to kEnded calls it, once. Only now does a run that follows others
  // know whether it began too late.
  void end(Status result, const RunTimes& times) noexcept {
    forget_deadline();
    if (result) result = catch_out_of_memory([this] { return check_turn(); });
    queue().end(*order_.position, result);
    hooks().done(result, times);
  }

  const Order order_;
  std::atomic<State> state_ = State::kWaiting;
  uint64_t watch_id_ = 0;                   // its id in the queue's deadlines; 0: the run has none
  std::optional<Clock::time_point> began_;  // on the device, if some of it has completed
};

// A run in a slot of its own. A run that is cut enqueues each submission when the previous one has completed, so that other work
// can run in between.
class RunInSlot final : public Run {
 public:
  explicit RunInSlot(Order order, bool is_at_once = false) : Run(std::move(order)), is_at_once_(is_at_once) {}

  // Submits the run. It fails before it records if the device is lost, because the device may still run the slot's old commands.
  // On failure, the run reports nothing.
  Status submit_at_once(uint32_t slot, const QueueSync& sync) {
    move({State::kWaiting}, State::kStarting);
    Status submitted = catch_out_of_memory([&]() -> Status {
      watch_deadline();
      NNVK_TRY(recording().gpu().context->check_lost());
      NNVK_ASSIGN(slot_, recording().slots().get(slot));
      slot_index_ = slot;
      NNVK_TRY(slot_->make_ready(options().measure, places(), {}));
      fill(slot_->io_bytes());
      return queue().submit(shared_from_this(), sync);
    });
    if (!submitted) {
      forget_deadline();
      return submitted;
    }
    move({State::kStarting}, State::kQueued);  // unless it has ended already
    return {};
  }

  std::span<const IoPlace> places() const { return hooks().places; }

  std::span<const VkCommandBuffer> commands() const override { return slot_->submission(part_); }
  std::optional<std::span<const MemoryAccess>> accesses() const override {
    return is_at_once_ ? std::nullopt : std::optional(slot_->accesses());
  }

  std::span<const std::shared_ptr<const SyncFilePlace>> sync_files() const override {
    return part_ == 0 ? Run::sync_files() : std::span<const std::shared_ptr<const SyncFilePlace>>();
  }

  QueuePosition* position() override { return is_last_part() ? Run::position() : nullptr; }
  std::string describe() const override {
    const size_t end = is_last_part() ? recording().program().dispatches.size() : cuts_[part_];
    return recording().describe(part_ == 0 ? 0 : cuts_[part_ - 1], end);
  }

  void retire(const Status& result, std::chrono::nanoseconds busy) override {
    busy_ += busy;
    note_begin(busy);
    Status status = result;
    if (status && !is_last_part()) {
      status = catch_out_of_memory([&] { submit(part_ + 1); });
      if (status) return;
    }
    const trace::Section section("[NN_LD_PR]retire");
    RunTimes times;
    if (status) status = catch_out_of_memory([&] { return read_results(times); });
    recording().slots().release(slot_index_);  // first, so that the next run starts and the GPU does not idle
    conclude(std::move(status), times);
  }

 private:
  void begin() override { recording().slots().run(start_in_slot(), places()); }
  bool is_cut() const override { return !cuts_.empty(); }
  bool is_last_part() const { return part_ == cuts_.size(); }

  // Returns work that starts the run in a slot. It gives the slot back (false) if the run has already ended or cannot start.
  SlotSchedule::Work start_in_slot() {
    return [run = std::static_pointer_cast<RunInSlot>(shared_from_this())](uint32_t slot) {
      const Result<bool> keeps_slot = catch_out_of_memory([&] { return run->try_start(slot); });
      if (keeps_slot) return *keeps_slot;
      run->conclude(fail(keeps_slot.error()), {});
      return false;
    };
  }

  // Starts the run in the slot. Returns false if the run has already ended: the schedule then gets the slot back. On an error,
  // nothing has begun.
  Result<bool> try_start(uint32_t slot) {
    if (has_ended()) return false;
    NNVK_TRY(recording().gpu().context->check_lost());  // the device may still run the old commands
    if (has_passed(options().deadline)) {
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed while the execution waited for others");
    }
    const Result<Slot*> made = recording().slots().get(slot);
    if (!made) {
      if (recording().slots().withdraw(slot, start_in_slot())) return true;  // the slot is withdrawn for good
      return fail(made.error());
    }
    slot_index_ = slot;
    slot_ = *made;
    cuts_ = recording().cuts().get();
    NNVK_TRY(slot_->make_ready(options().measure, places(), cuts_));
    if (!move({State::kWaiting}, State::kStarting)) return false;
    fill(slot_->io_bytes());
    move({State::kStarting}, State::kQueued);
    submit(0);
    return true;
  }

  void submit(size_t part) {
    part_ = part;
    enqueue({options().priority, !is_last_part(), recording().cuts().expected_time()}, part > 0);
  }

  // Reads the outputs, unless the deadline has ended the run. Sets `times` even if that fails.
  Status read_results(RunTimes& times) {
    const uint64_t noticed = trace::now();
    learn(busy_);
    Status drained;
    // A run of start_run_at_once() may be over before the thread that starts it has moved it to kQueued.
    if (hooks().drain && move({State::kStarting, State::kQueued}, State::kDraining)) {
      drained = catch_out_of_memory([this] { return hooks().drain(slot_->io_bytes()); });
    }
    const Measure measure = options().measure;
    const Slot::Timestamps stamps = slot_->timestamps(measure);
    times = run_times(measure, stamps.nanoseconds, recording().program().dispatches.size(), cuts_);
    if (!stamps.nanoseconds.empty() && trace::may_be_on()) times.began = began_at(*recording().gpu().context, stamps, noticed);
    return drained;
  }

  const bool is_at_once_;
  uint32_t slot_index_ = 0;
  Slot* slot_ = nullptr;              // set when the run starts
  std::vector<size_t> cuts_;          // copied when the run starts, as later runs may be cut differently
  size_t part_ = 0;                   // which of its submissions was enqueued last
  std::chrono::nanoseconds busy_{0};  // of the submissions that have completed
};

// A run in a slot that other runs use as well.
class RunInSharedSlot final : public Run {
 public:
  RunInSharedSlot(Order order, Slot::SharedRun shared) : Run(std::move(order)), shared_(std::move(shared)) {}

  std::span<const VkCommandBuffer> commands() const override { return {&shared_.commands, 1}; }
  std::optional<std::span<const MemoryAccess>> accesses() const override { return shared_.wiring->accesses(); }
  void retire(const Status& result, std::chrono::nanoseconds busy) override {
    note_begin(busy);
    const Status learnt = catch_out_of_memory([&] {
      if (result) learn(busy);
    });
    conclude(learnt ? result : learnt, {});
  }

 private:
  void begin() override {
    if (move({State::kWaiting}, State::kQueued)) enqueue({options().priority, false, recording().cuts().expected_time()}, false);
  }

  const Slot::SharedRun shared_;
};

// Returns a fence for the run, or null. A kernel fence tells its waiters only that the run has ended. So a run gets a fence only
// if the host has nothing to process or check, and if each run before it has a fence too.
std::shared_ptr<KernelFence> kernel_fence_for(CompletionQueue& queue, const RunOptions& options, const RunHooks& hooks) {
  const bool is_certain = std::ranges::all_of(options.behind, [](const auto& other) { return other->has_kernel_fence(); });
  const bool has_limit = options.deadline || options.duration.count() > 0;
  return !hooks.fill && !hooks.drain && !has_limit && is_certain ? queue.take_kernel_fence() : nullptr;
}

// Returns whether a run may share a slot. Only runs that depend on others may share, so that they need not wait for a free slot.
bool may_share(const Order& order) {
  const auto& [recording, options, hooks, position, waits_for_others] = order;
  return !options.behind.empty() && !hooks.fill && !hooks.drain && options.measure == Measure::kNothing &&
         recording->cuts().get().empty();
}

std::shared_ptr<Run> make_run(Order order) {
  if (may_share(order)) {
    auto shared = order.recording->slots().share(order.hooks.places);
    if (shared) return std::make_shared<RunInSharedSlot>(std::move(order), *std::move(shared));
  }
  return std::make_shared<RunInSlot>(std::move(order));  // also if there is no memory for a shared slot
}

}  // namespace

std::shared_ptr<const QueuePosition> start_run(std::shared_ptr<Recording> recording, const RunOptions& options, RunHooks hooks) {
  CompletionQueue& queue = *recording->gpu().completions;
  auto position = std::make_shared<QueuePosition>(queue.id(), kernel_fence_for(queue, options, hooks));
  make_run({std::move(recording), options, std::move(hooks), position, !options.sync_files.empty()})->start();
  return position;
}

Result<std::shared_ptr<const QueuePosition>> start_run_at_once(std::shared_ptr<Recording> recording, const RunOptions& options,
                                                               RunHooks hooks, const QueueSync& sync) {
  // A caller that has seen the end of a run on the device may be faster than our thread, which releases the run's slot.
  constexpr std::chrono::milliseconds kPatience{20};
  Slots& slots = recording->slots();
  auto position = std::make_shared<QueuePosition>(recording->gpu().completions->id());
  Order order{std::move(recording), options, std::move(hooks), position, !sync.waits.empty()};
  const auto run = std::make_shared<RunInSlot>(std::move(order), true);
  const std::optional<uint32_t> slot = slots.take(run->places(), kPatience);
  if (!slot) {
    return fail(
        Code::kResourceExhaustedTransient,
        std::to_string(Slots::kMost) + " executions of the compilation with these shapes are under way; wait for one of them");
  }
  if (Status submitted = run->submit_at_once(*slot, sync); !submitted) {
    slots.release(*slot);
    return fail(std::move(submitted).error());
  }
  return std::shared_ptr<const QueuePosition>(std::move(position));
}

}  // namespace nnvk::vulkan
