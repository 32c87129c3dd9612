// GATHER and EMBEDDING_LOOKUP copy the slices with the numbers that read_indices() has read and checked.
#include "core/operations/parameters/lookup_parameters.h"

#include <algorithm>
#include <cstring>

#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/run_copies.h"

namespace nnvk::cpu {
namespace {

class GatherKernel final : public OptimizedKernel {
 public:
  GatherKernel(const OperationView& operation, const GatherParameters& parameters)
      : parameters_(parameters),
        split_(split_at_axis(operation.shape(parameters.values), parameters.axis)),
        slice_bytes_(split_.inner * element_size(operation.input(parameters.values).type)),
        count_(static_cast<size_t>(operation.shape(parameters.indices).element_count())) {}

  size_t scratch_bytes() const override { return count_ * sizeof(uint32_t); }

  Status read_indices(const KernelMemory& memory) const override {
    const auto* const indices = memory.input<int32_t>(parameters_.indices);
    auto* const checked = reinterpret_cast<uint32_t*>(memory.scratch);
    std::memcpy(checked, indices, count_ * sizeof *checked);
    for (size_t k = 0; k < count_; ++k) {
      if (checked[k] >= split_.size) return fail(index_outside(k, static_cast<int32_t>(checked[k]), split_.size));  // or negative
    }
    return {};
  }

  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const std::span<const uint32_t> indices(reinterpret_cast<const uint32_t*>(memory.scratch), count_);
    const std::byte* const from = memory.inputs[parameters_.values];
    std::byte* const to = memory.outputs[lookup::kOutput];
    const double nanoseconds = 1 + 0.1 * static_cast<double>(slice_bytes_);
    threads.parallel_rows(split_.outer * count_, nanoseconds, 1, [&](size_t first, size_t end) {
      while (first < end) {
        const size_t outer = first / count_;
        const size_t index = first % count_;
        const size_t slices = std::min(count_ - index, end - first);
        gather_runs(from + outer * split_.size * slice_bytes_, indices.subspan(index, slices), to + first * slice_bytes_,
                    slice_bytes_);
        first += slices;
      }
    });
  }
  const char* name() const override { return "gathered slices"; }

 private:
  const GatherParameters parameters_;
  const AxisSplit split_;
  const size_t slice_bytes_;
  const size_t count_;
};

std::unique_ptr<OptimizedKernel> gather_slices(const KernelNode& node) {
  const auto parameters = gather_parameters(node.operation);
  if (!parameters || node.has_epilogue() ||
      split_at_axis(node.operation.shape(parameters->values), parameters->axis).size > INT32_MAX) {
    return nullptr;
  }
  return std::make_unique<GatherKernel>(node.operation, *parameters);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kGather, gather_slices},
    {OperationCode::kEmbeddingLookup, gather_slices},
};

}  // namespace

std::span<const OptimizedRow> optimized_lookup_kernels() { return kRows; }

}  // namespace nnvk::cpu
