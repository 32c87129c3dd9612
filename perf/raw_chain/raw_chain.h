// The baseline for a chain of fenced executions: the same dispatches of the same kernels, submitted with Vulkan alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace nnvk::perf {

// `links` dependent 3x3 convolutions of 28x28x64 on the first Vulkan device. Each is a vkQueueSubmit of its own, which waits for
// the previous one on a timeline semaphore. All commands are recorded beforehand.
class RawChain {
 public:
  // Null if there is no Vulkan device with timeline semaphores.
  static std::unique_ptr<RawChain> create(size_t links);
  ~RawChain();
  RawChain(const RawChain&) = delete;
  RawChain& operator=(const RawChain&) = delete;

  // Submits all links and waits for the last one. Returns the time for both.
  std::chrono::nanoseconds run();

 private:
  struct Objects;
  explicit RawChain(std::unique_ptr<Objects> objects);
  std::unique_ptr<Objects> objects_;
};

}  // namespace nnvk::perf
