#include "core/operations/parameters/normalization_parameters.h"

#include <algorithm>
#include <cmath>

#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/normalized_rows.h"

namespace nnvk::cpu {
namespace {

const float* floats_at(const std::byte* at) { return reinterpret_cast<const float*>(at); }
float* floats_at(std::byte* at) { return reinterpret_cast<float*>(at); }

constexpr size_t kColumns = 64;  // that are worked on together

// Calls part(outer index, first, end) for blocks of neighbouring slices, which have the same outer index of the split.
template <class Part>
void for_column_blocks(const AxisSplit& split, double nanoseconds, ThreadPool& threads, const Part& part) {
  const size_t blocks = (split.inner + kColumns - 1) / kColumns;
  const double wide = nanoseconds * static_cast<double>(std::min(split.inner, kColumns));
  threads.parallel_rows(split.outer * blocks, wide, 1, [&](size_t first, size_t end) {
    for (; first < end; ++first) {
      const size_t column = first % blocks * kColumns;
      part(first / blocks, column, std::min(split.inner, column + kColumns));
    }
  });
}

class FloatL2Kernel final : public OptimizedKernel {
 public:
  explicit FloatL2Kernel(const AxisSplit& split) : split_(split) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const FloatRows rows{floats_at(memory.inputs[l2_normalization::kInput]), floats_at(memory.outputs[l2_normalization::kOutput]),
                         split_.size};
    const double nanoseconds = 10 + 0.3 * static_cast<double>(split_.size);
    if (split_.inner > 1) {
      return for_column_blocks(split_, nanoseconds, threads, [&](size_t image, size_t first, size_t end) {
        const size_t at = image * split_.size * split_.inner;
        l2_normalize_columns({rows.in + at, rows.out + at, rows.size}, split_.inner, first, end);
      });
    }
    threads.parallel_rows(split_.outer, nanoseconds, 1, [&](size_t first, size_t end) { l2_normalize_rows(rows, first, end); });
  }
  const char* name() const override { return "float rows by their norm"; }

 private:
  const AxisSplit split_;
};

class ByteL2Kernel final : public OptimizedKernel {
 public:
  ByteL2Kernel(const AxisSplit& split, bool is_signed, int32_t zero_point)
      : split_(split), is_signed_(is_signed), zero_point_(zero_point) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const ByteRows rows{memory.inputs[l2_normalization::kInput], memory.outputs[l2_normalization::kOutput], split_.size,
                        is_signed_, zero_point_};
    const double nanoseconds = 40 + 0.5 * static_cast<double>(split_.size);
    if (split_.inner > 1) {
      return for_column_blocks(split_, nanoseconds, threads, [&](size_t image, size_t first, size_t end) {
        const size_t at = image * split_.size * split_.inner;
        l2_normalize_byte_columns({rows.in + at, rows.out + at, rows.size, is_signed_, zero_point_}, split_.inner, first, end);
      });
    }
    threads.parallel_rows(split_.outer, nanoseconds, 1,
                          [&](size_t first, size_t end) { l2_normalize_byte_rows(rows, first, end); });
  }
  const char* name() const override { return "8-bit rows by their norm"; }

 private:
  const AxisSplit split_;
  const bool is_signed_;
  const int32_t zero_point_;
};

std::unique_ptr<OptimizedKernel> l2_kernel(const KernelNode& node) {
  constexpr size_t kLongestByteSlice = size_t{1} << 15;  // whose sum of squares fits into 32 bits
  const auto split = l2_normalization_slices(node.operation);
  if (!split || node.has_epilogue()) return nullptr;
  const OperandInfo& in = node.operation.input(l2_normalization::kInput);
  if (in.type == OperandType::kTensorFloat32) return std::make_unique<FloatL2Kernel>(*split);
  if (!is_quant8_asymm(in.type) || split->size > kLongestByteSlice) return nullptr;
  return std::make_unique<ByteL2Kernel>(*split, in.type == OperandType::kTensorQuant8AsymmSigned, in.zero_point);
}

class InstanceKernel final : public OptimizedKernel {
 public:
  explicit InstanceKernel(const InstanceNormalizationParameters& p) : p_(p) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    using namespace instance_normalization;
    const InstanceRows rows{floats_at(memory.inputs[kInput]),
                            floats_at(memory.outputs[kOutput]),
                            p_.slices.size,
                            p_.slices.inner,
                            p_.gamma,
                            p_.beta,
                            p_.epsilon};
    const double nanoseconds = 10 + 0.4 * static_cast<double>(p_.slices.size);
    if (p_.slices.inner == 1) {
      threads.parallel_rows(p_.slices.outer, nanoseconds, 1,
                            [&](size_t first, size_t end) { normalize_instance_rows(rows, first, end); });
      return;
    }
    for_column_blocks(p_.slices, nanoseconds, threads,
                      [&](size_t image, size_t first, size_t end) { normalize_instance_columns(rows, image, first, end); });
  }
  const char* name() const override { return "float instances"; }

 private:
  const InstanceNormalizationParameters p_;
};

std::unique_ptr<OptimizedKernel> instance_kernel(const KernelNode& node) {
  const auto p = instance_normalization_parameters(node.operation);
  const bool is_float = node.operation.input(instance_normalization::kInput).type == OperandType::kTensorFloat32;
  return p && is_float && !node.has_epilogue() ? std::make_unique<InstanceKernel>(*p) : nullptr;
}

class LocalResponseKernel final : public OptimizedKernel {
 public:
  static constexpr size_t kLongest = 4096;  // elements of a slice along the last axis: a buffer holds their squares

  explicit LocalResponseKernel(const LocalResponseParameters& p) : p_(p) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    using namespace local_response_normalization;
    const auto* const in = floats_at(memory.inputs[kInput]);
    auto* const out = floats_at(memory.outputs[kOutput]);
    const double nanoseconds = (4 + 0.1 * p_.radius) * static_cast<double>(p_.slices.size);
    if (p_.slices.inner > 1) {
      return for_column_blocks(p_.slices, nanoseconds, threads, [&](size_t image, size_t first, size_t end) {
        const size_t at = image * p_.slices.size * p_.slices.inner + first;
        run_columns(in + at, out + at, end - first);
      });
    }
    threads.parallel_rows(p_.slices.outer, nanoseconds, 1, [&](size_t first, size_t end) {
      for (; first < end; ++first) run_slice(in + first * p_.slices.size, out + first * p_.slices.size);
    });
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
