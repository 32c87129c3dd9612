// Executions in flight.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tools/nnapi/handles.h"
#include "tools/video/memfd.h"

namespace nnvk::tools::video {

// Keeps an object alive, whatever it is.
using Owner = std::shared_ptr<const void>;

// Memory in a memfd, mapped here and imported by the devices: the results of one execution.
class Slot {
 public:
  static Result<std::shared_ptr<Slot>> make(size_t size);

  std::span<const uint8_t> bytes() const { return memfd_.bytes(); }
  ANeuralNetworksMemory* memory() const { return memory_.get(); }

 private:
  explicit Slot(Memfd memfd) : memfd_(std::move(memfd)) {}

  Memfd memfd_;
  SharedMemory memory_;
};

// Slots of one size that are used again. A slot comes back when nothing refers to it any more.
class SlotPool : public std::enable_shared_from_this<SlotPool> {
 public:
  explicit SlotPool(size_t size) : size_(size) {}
  Result<std::shared_ptr<Slot>> take();

 private:
  std::mutex mutex_;
  size_t size_;
  std::vector<std::shared_ptr<Slot>> free_;
};

// One fenced execution, from its start on. Any thread may wait for it.
class Run {
 public:
  // Starts the execution behind the runs in `after`. `owners`: all that it reads and writes.
  static Result<std::shared_ptr<Run>> start(ExecutionHandle execution, std::span<const std::shared_ptr<Run>> after,
                                            std::vector<Owner> owners);
  ~Run();  // waits
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Waits for the end. Returns the execution's own result, also when it is called again.
  Status wait();
  // Returns the seconds from the start to the end, as the first waiting thread saw it; 0 if none has waited yet.
  double seconds() const { return seconds_; }
  ANeuralNetworksEvent* event() const { return event_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  Run() = default;

  std::vector<Owner> owners_;
  ExecutionHandle execution_;
  EventHandle event_;
  Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::optional<Status> result_;
  std::atomic<double> seconds_ = 0;
};

}  // namespace nnvk::tools::video
