#include "vulkan/queue/completion_queue.h"

#include <list>
#include <string>

#include "core/base/out_of_memory.h"
#include "vulkan/queue/driver_queue.h"
#include "vulkan/queue/retirer.h"

namespace nnvk::vulkan {
namespace {

// Commands for which no other work waits, and which no other work overtakes.
class OneOffWork final : public QueueWork {
 public:
  OneOffWork(VkCommandBuffer commands, const char* what, CompletionQueue::Retire retire)
      : commands_(commands), what_(what), retire_(std::move(retire)) {}

  std::span<const VkCommandBuffer> commands() const override { return {&commands_, 1}; }
  std::string describe() const override { return what_; }
  void retire(const Status& result, std::chrono::nanoseconds) override { retire_(result); }

 private:
  const VkCommandBuffer commands_;
  const char* const what_;
  const CompletionQueue::Retire retire_;
};

}  // namespace

// The queue and the completion thread share this state. If the queue is destroyed on that thread, the thread briefly outlives the
// queue object.
struct CompletionQueue::State {
  State(std::shared_ptr<Context> c, std::unique_ptr<DriverQueue> d)
      : context(std::move(c)), turns(context->snapshot().name), driver(std::move(d)), retirer(context, turns, *driver) {}

  const std::shared_ptr<Context> context;
  Turns turns;
  const std::unique_ptr<DriverQueue> driver;
  Retirer retirer;

  // Submits work while the driver's queue has room. The `retire` of failed work may call this again; the outermost call then
  // submits the new work, so that recursion stays bounded. If memory runs out, the work fails.
  void submit_waiting() noexcept {
    static thread_local const State* submitting = nullptr;
    if (submitting == this) return;
    const State* const outer = std::exchange(submitting, this);
    while (auto taken = turns.take()) {
      auto& [waiting, may_run] = *taken;
      const Status result = may_run ? hand_over(waiting.turn, waiting.work, {}) : std::move(may_run);
      if (result) continue;
      retirer.wake();
      waiting.work->retire(result, {});
    }
    submitting = outer;
  }

  // Passes work from Turns to DriverQueue and Retirer. On failure, drops the work without retiring it.
  Status hand_over(const Turn& turn, const std::shared_ptr<QueueWork>& work, const QueueSync& sync) noexcept {
    Status result = catch_out_of_memory([&]() -> Status {
      std::list<SubmittedWork> entry(1);  // before the driver has the work: afterwards nothing allocates
      NNVK_ASSIGN(auto accepted, driver->submit(*work, sync));
      entry.front() = {turn, std::move(accepted.ticket), work};
      retirer.add(entry);
      return {};
    });
    if (result) return result;
    turns.drop(turn);
    if (Status alive = context->check_lost(); !alive) return alive;
    return result;
  }
};

Result<std::unique_ptr<CompletionQueue>> CompletionQueue::create(std::shared_ptr<Context> context) {
  NNVK_ASSIGN(auto driver, DriverQueue::create(context));
  const auto state = std::make_shared<State>(std::move(context), std::move(driver));
  std::unique_ptr<CompletionQueue> queue(new CompletionQueue(state));
  if (!state->context->has_queue()) return queue;  // nothing will ever complete
  NNVK_TRY(state->retirer.start(state, [here = state.get()] { here->submit_waiting(); }));
  return queue;
}

CompletionQueue::~CompletionQueue() {
  shut_down();
  state_->retirer.detach();
}

void CompletionQueue::leave_to_device() { state_->retirer.leave_to_device(); }

void CompletionQueue::shut_down(std::optional<std::chrono::milliseconds> patience) { state_->retirer.shut_down(patience); }

Context& CompletionQueue::context() const { return *state_->context; }

bool CompletionQueue::is_completion_thread() const { return state_->retirer.is_calling(); }

Status CompletionQueue::submit(VkCommandBuffer commands, const char* what, Retire retire) {
  return submit(std::make_shared<OneOffWork>(commands, what, std::move(retire)), {});
}

Status CompletionQueue::submit(std::shared_ptr<QueueWork> work, const QueueSync& sync) {
  NNVK_TRY(state_->turns.take_at_once());
  Status result = state_->hand_over({}, work, sync);
  if (result) return result;
  state_->retirer.wake();
  state_->submit_waiting();
  return result;
}

DeadlineWatch& CompletionQueue::deadlines() { return state_->retirer.deadlines(); }

void CompletionQueue::enqueue(WaitingWork waiting) {
  state_->turns.add(std::move(waiting));
  state_->submit_waiting();
}

std::shared_ptr<KernelFence> CompletionQueue::take_kernel_fence() { return state_->driver->take_kernel_fence(); }

void CompletionQueue::end(QueuePosition& position, const Status& result) {
  position.set_end(result);
  state_->submit_waiting();
}

}  // namespace nnvk::vulkan
