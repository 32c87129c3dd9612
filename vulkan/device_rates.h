// Runs micro-benchmarks on a device: how much its kernels compute, read, copy and start per second.
#pragma once

#include <volk.h>

#include <functional>
#include <memory>
#include <vector>

#include "ceilings_kernels.h"
#include "core/base/result.h"
#include "core/runtime/device.h"
#include "vulkan/kernels/dispatch.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/recording/dispatch_program.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {

// How long each benchmark takes. It repeats its work within one submission until that takes `long_enough`, then submits it again.
struct Effort {
  double long_enough = 0;  // seconds; the repeated work takes up to four times as long
  int most_runs = 0;
  int runs_without_gain = 0;  // in a row, after which a benchmark ends: other programs and low clocks disturb single runs
  uint64_t buffer_bytes = 0;  // at most; the memory that kernels and copies touch
};

// Every function waits for the device, so the completion thread must not call it. Errors are those of submissions.
class DeviceRates {
 public:
  static constexpr uint64_t kTexelBytes = 16;

  static Result<DeviceRates> create(std::shared_ptr<Gpu> gpu, const Effort& effort);

  // Return multiply-adds per second in registers, of float32 and of 32-bit integers.
  Result<double> float_multiply_adds();
  Result<double> integer_multiply_adds();
  // Returns the bytes per second that kernels read from the first `texels` texels of the buffer, over and over.
  Result<double> read_bytes(uint32_t texels);
  // Returns the bytes per second that copies within the buffer read and write: each byte counts twice.
  Result<double> copied_bytes();
  // Returns the bytes per second that copies bring from memory that the host has mapped.
  Result<double> uploaded_bytes();
  // Returns the small dispatches per second that the device runs, each after the one before.
  Result<double> dispatches();
  // Returns the seconds from the submission of one small dispatch to its end.
  Result<double> seconds_per_submission();

  // Returns how many texels the buffer holds for read_bytes().
  uint32_t texels() const { return texels_; }

 private:
  // Records work so many times, one after the other.
  using RecordRepeated = std::function<void(VkCommandBuffer commands, uint32_t repetitions)>;
  // A kernel whose parameters are CeilingsParams, and the memory that it touches.
  struct Benchmark {
    KernelId kernel{};
    std::vector<TensorBinding> bindings;
    std::vector<Location> locations;
  };

  DeviceRates(std::shared_ptr<Gpu> gpu, const Effort& effort)
      : gpu_(std::move(gpu)), effort_(effort), activity_(std::make_unique<Activity>()) {}
  Status make_buffer();
  Result<double> shortest_run(const RecordCommands& record, int runs);
  Result<double> repetitions_per_second(const RecordRepeated& record);
  // Calls `use` with a function that records the kernel with some parameters.
  template <class Use>
  Result<double> with_kernel(Benchmark benchmark, uint32_t invocations, const Use& use);
  static Benchmark writing_kernel(KernelId kernel, uint32_t invocations);
  Result<double> iterations_per_second(Benchmark benchmark, CeilingsParams params);
  Result<double> arithmetic(KernelId kernel, float multiplier, float addend);
  Result<double> copies(VkBuffer from, uint64_t to_offset, uint64_t size);

  std::shared_ptr<Gpu> gpu_;
  Effort effort_;
  std::unique_ptr<Activity> activity_;  // required by callees; never reported
  Buffer buffer_;
  uint32_t texels_ = 0;
};

// Measures multiply-adds in registers, vec4 reads by shaders and buffer copies. A multiply-add is 2 operations. 8-bit kernels get
// the figure of 32-bit integers, because they accumulate in these. A copied byte counts twice, as read and as written. Blocks for
// one to two seconds; do not call it on the completion thread. Other work on the device lowers the figures.
Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu);

}  // namespace nnvk::vulkan
