// Turns foreign file descriptors into fences and calls back at deadlines: one thread that waits for all of them, so that nobody
// else has to.
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
  // Ends the thread. What is still watched fails with OP_FAILED.
  ~DescriptorReactor();
  DescriptorReactor(const DescriptorReactor&) = delete;
  DescriptorReactor& operator=(const DescriptorReactor&) = delete;

  // A fence that settles when `fd` does, with its status (sync_descriptor.h). The descriptor is duplicated and watched for as
  // long as somebody holds the fence. Never blocks; the thread is started by the first descriptor that has not settled yet or the
  // first deadline, again in a child of fork. Callbacks of the fence run on that thread. RESOURCE_EXHAUSTED_TRANSIENT when there
  // is no descriptor or thread left. Thread-safe.
  Result<Fence> watch(int fd);

  // Calls `callback`, which must be short and must not throw, on the thread at `when`, unless the returned object has gone by
  // then (a call that has begun is not waited for). Errors and threads as for watch().
  Result<std::shared_ptr<void>> call_at(std::chrono::steady_clock::time_point when, std::function<void()> callback);

 private:
  struct State;
  Result<State*> running();

  std::mutex mutex_;
  std::shared_ptr<State> state_;
};

}  // namespace nnvk
