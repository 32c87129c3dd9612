// Submits command buffers and retires them in order on one thread per device: by timeline semaphore where there is one, else by
// fences.
#pragma once

#include <volk.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "core/base/result.h"
#include "vulkan/context/context.h"

namespace nnvk::vulkan {

class CompletionQueue {
 public:
  // Called once on the completion thread: success, or why the work did not complete.
  using Retire = std::function<void(const Status& result)>;

  static Result<std::unique_ptr<CompletionQueue>> create(std::shared_ptr<Context> context);
  // Retires everything first. May be called from the completion thread itself.
  ~CompletionQueue();

  // Hands the command buffers, which run in this order, to the queue and returns. Thread-safe, never waits for the device. When it fails, `retire` is not
  // called.
  Status submit(std::span<const VkCommandBuffer> commands, Retire retire);
  Status submit(VkCommandBuffer commands, Retire retire) { return submit(std::span(&commands, 1), std::move(retire)); }

  // Retires everything and ends the thread; later submissions fail with UNAVAILABLE_DEVICE. What the retired work held is released
  // before this returns, so that the code of the library may be unmapped. On the completion thread itself, only stops: the thread
  // ends on its own once nothing is pending. May be called more than once, from one thread at a time.
  void shut_down();

  // Whether the calling thread is the completion thread (which must not wait for completions).
  bool is_completion_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  struct State;
  explicit CompletionQueue(std::shared_ptr<State> state);
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace nnvk::vulkan
