// Turns foreign file descriptors into fences: one thread that waits for all of them, so that nobody else has to.
#pragma once

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

  // A fence that settles when `fd` does, with its status (sync_descriptor.h). The descriptor is duplicated. Never blocks; the
  // thread is started by the first descriptor that has not settled yet, again in a child of fork. Callbacks of the fence run on
  // that thread. RESOURCE_EXHAUSTED_TRANSIENT when there is no descriptor or thread left. Thread-safe.
  Result<Fence> watch(int fd);

 private:
  class Loop;

  std::mutex mutex_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace nnvk
