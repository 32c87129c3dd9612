#include "core/operations/parameters/normalization_parameters.h"

#include <algorithm>
#include <cmath>

#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/rows/normalized_rows.h"

namespace nnvk::cpu {
namespace {

constexpr size_t kColumns = 64;  // that are worked on together

// Calls rows(first, end) for slices along the last axis; else columns(outer index, first, end) for blocks of neighbouring slices,
// which have the same outer index of the split. A slice takes about `nanoseconds`.
template <class Rows, class Columns>
void for_slices(const AxisSplit& split, double nanoseconds, ThreadPool& threads, const Rows& rows, const Columns& columns) {
  if (split.inner == 1) return threads.parallel_rows(split.outer, nanoseconds, 1, rows);
  const double wide = nanoseconds * static_cast<double>(std::min(split.inner, kColumns));
  threads.parallel_blocks(split.outer, split.inner, kColumns, wide, columns);
}

// Makes the kernel of L2_NORMALIZATION for rows of floats or bytes. `of_all`: all but the addresses. `nanoseconds`: how long a
// slice takes.
template <class Rows>
std::unique_ptr<OptimizedKernel> l2_kernel_of(const char* name, const AxisSplit& split, const Rows& of_all, double nanoseconds) {
  return function_kernel(name, [split, of_all, nanoseconds](const KernelMemory& memory, ThreadPool& threads) {
    Rows rows = of_all;
    rows.in = reinterpret_cast<decltype(rows.in)>(memory.inputs[l2_normalization::kInput]);
    rows.out = reinterpret_cast<decltype(rows.out)>(memory.outputs[l2_normalization::kOutput]);
    const auto normalize_columns = [&](size_t image, size_t first, size_t end) {
      Rows slices = rows;
      slices.in += image * split.size * split.inner;
      slices.out += image * split.size * split.inner;
      l2_normalize_columns(slices, split.inner, first, end);
    };
    const auto normalize_rows = [&](size_t first, size_t end) { l2_normalize_rows(rows, first, end); };
    for_slices(split, nanoseconds, threads, normalize_rows, normalize_columns);
  });
}

std::unique_ptr<OptimizedKernel> l2_kernel(const KernelNode& node) {
  constexpr size_t kLongestByteSlice = size_t{1} << 15;  // whose sum of squares fits into 32 bits
  const auto split = l2_normalization_slices(node.operation);
  if (!split || node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(l2_normalization::kInput);
  const auto size = static_cast<double>(split->size);
  if (in.type == OperandType::kTensorFloat32) {
    return l2_kernel_of("float rows by their norm", *split, FloatRows{.size = split->size}, 10 + 0.3 * size);
  }
  if (!is_quant8_asymm(in.type) || split->size > kLongestByteSlice) return nullptr;
  const bool is_signed = in.type == OperandType::kTensorQuant8AsymmSigned;
  const ByteRows rows{.size = split->size, .is_signed = is_signed, .zero_point = in.zero_point};
  return l2_kernel_of("8-bit rows by their norm", *split, rows, 40 + 0.5 * size);
}

std::unique_ptr<OptimizedKernel> instance_kernel(const KernelNode& node) {
  const auto p = instance_normalization_parameters(node.operation);
  const bool is_float = node.operation.input(instance_normalization::kInput).type == OperandType::kTensorFloat32;
  if (!p || !is_float || node.has_epilogue()) return nullptr;
  return function_kernel("float instances", [p = *p](const KernelMemory& memory, ThreadPool& threads) {
    using namespace instance_normalization;
    const InstanceRows rows{
        memory.input<float>(kInput), memory.output<float>(kOutput), p.slices.size, p.slices.inner, p.gamma, p.beta, p.epsilon};
    const double nanoseconds = 10 + 0.4 * static_cast<double>(p.slices.size);
    for_slices(
        p.slices, nanoseconds, threads, [&](size_t first, size_t end) { normalize_instance_rows(rows, first, end); },
        [&](size_t image, size_t first, size_t end) { normalize_instance_columns(rows, image, first, end); });
  });
}

class LocalResponseKernel final : public OptimizedKernel {
 public:
  static constexpr size_t kLongest = 4096;  // elements of a slice along the last axis: a buffer holds their squares

  explicit LocalResponseKernel(const LocalResponseParameters& p) : p_(p) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    using namespace local_response_normalization;
    const auto* const in = memory.input<float>(kInput);
    auto* const out = memory.output<float>(kOutput);
    const double nanoseconds = (4 + 0.1 * p_.radius) * static_cast<double>(p_.slices.size);
    const auto normalize_columns = [&](size_t image, size_t first, size_t end) {
      const size_t at = image * p_.slices.size * p_.slices.inner + first;
      run_columns(in + at, out + at, end - first);
    };
    const auto normalize_rows = [&](size_t first, size_t end) {
      for (; first < end; ++first) run_slice(in + first * p_.slices.size, out + first * p_.slices.size);
    };
    for_slices(p_.slices, nanoseconds, threads, normalize_rows, normalize_columns);
  }
  const char* name() const override { return "float local response"; }

 private:
  void run_slice(const float* in, float* out) const {
    alignas(64) float bases[kLongest];
    const size_t size = p_.slices.size;
    sum_neighbour_squares({in, bases, size, p_.radius, p_.bias, p_.alpha});
    for (size_t i = 0; i < size; i += kBlock) scale(in + i, bases + i, out + i, std::min(kBlock, size - i));
  }
  void run_columns(const float* in, float* out, size_t count) const {
    alignas(64) float bases[kColumns];
    const size_t step = p_.slices.inner;
    for (size_t i = 0; i < p_.slices.size; ++i) {
      sum_neighbour_squares_of_columns({in, bases, p_.slices.size, p_.radius, p_.bias, p_.alpha}, step, i, count);
      scale(in + i * step, bases, out + i * step, count);
    }
  }
  // Computes out = in * base ^ -beta, for at most kBlock elements.
  void scale(const float* in, const float* bases, float* out, size_t count) const {
    alignas(64) float factors[kBlock];
    alignas(64) float exponents[kBlock];
    std::fill_n(exponents, count, -p_.beta);
    if (!powers(bases, exponents, factors, count)) {
      for (size_t k = 0; k < count; ++k) factors[k] = std::pow(bases[k], -p_.beta);
    }
    for (size_t k = 0; k < count; ++k) out[k] = in[k] * factors[k];
  }

  static constexpr size_t kBlock = 256;
  const LocalResponseParameters p_;
};

std::unique_ptr<OptimizedKernel> local_response_kernel(const KernelNode& node) {
  const auto p = local_response_parameters(node.operation);
  const bool is_float = node.operation.input(local_response_normalization::kInput).type == OperandType::kTensorFloat32;
  if (!p || !is_float || node.has_epilogue()) return nullptr;
  if (p->slices.inner == 1 && p->slices.size > LocalResponseKernel::kLongest) return nullptr;
  return std::make_unique<LocalResponseKernel>(*p);
}

constexpr auto kRows = rounding_halves_once({
    {OperationCode::kL2Normalization, l2_kernel},
    {OperationCode::kInstanceNormalization, instance_kernel},
    {OperationCode::kLocalResponseNormalization, local_response_kernel},
});

}  // namespace

std::span<const OptimizedRow> optimized_normalization_kernels() { return kRows; }

}  // namespace nnvk::cpu
