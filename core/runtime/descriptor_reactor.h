// Turns foreign file descriptors into fences and calls back at deadlines. One thread waits for all of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "core/base/result.h"
#include "core/runtime/fence.h"

namespace nnvk {

class DescriptorReactor {
 public:
  DescriptorReactor();
  // Ends the thread. Fences of descriptors that the thread still watches fail with OP_FAILED.
  ~DescriptorReactor();
  DescriptorReactor(const DescriptorReactor&) = delete;
  DescriptorReactor& operator=(const DescriptorReactor&) = delete;

  // Returns a fence that settles when `fd` does, with its status (sync_descriptor.h). Duplicates the descriptor and watches it as
  // long as somebody holds the fence. Never blocks: the first unsettled descriptor or deadline starts the thread that waits and
  // runs callbacks. RESOURCE_EXHAUSTED_TRANSIENT if no descriptor or thread is left. Thread-safe.
  Result<Fence> watch(int fd);

  // Calls `callback` on the thread at `when`, unless the returned object is destroyed before (which does not wait for a call that
  // has begun). `callback` must be short and must not throw. Errors and threads as for watch().
  Result<std::shared_ptr<void>> call_at(std::chrono::steady_clock::time_point when, std::function<void()> callback);

 private:
  struct State;
  Result<State*> running();

  std::mutex mutex_;
  std::shared_ptr<State> state_;
};

}  // namespace nnvk
