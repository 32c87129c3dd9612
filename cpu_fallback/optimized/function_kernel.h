// Kernels that consist of one function.
#pragma once

#include <memory>
#include <utility>

#include "cpu_fallback/optimized/kernel.h"

namespace nnvk::cpu {

template <class Run>
class FunctionKernel final : public OptimizedKernel {
 public:
  FunctionKernel(const char* name, size_t scratch_bytes, Run run)
      : name_(name), scratch_bytes_(scratch_bytes), run_(std::move(run)) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override { run_(memory, threads); }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  const char* name() const override { return name_; }

 private:
  const char* const name_;
  const size_t scratch_bytes_;
  const Run run_;
};

// Makes a kernel that calls run(memory, threads). `name`: in profiles.
template <class Run>
std::unique_ptr<OptimizedKernel> function_kernel(const char* name, Run run, size_t scratch_bytes = 0) {
  return std::make_unique<FunctionKernel<Run>>(name, scratch_bytes, std::move(run));
}

}  // namespace nnvk::cpu
