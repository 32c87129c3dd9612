// L2_NORMALIZATION, INSTANCE_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION.
#include "core/operations/parameters/normalization_parameters.h"

#include <cmath>

#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/normalized_rows.h"

namespace nnvk::cpu {
namespace {

const float* floats_at(const std::byte* at) { return reinterpret_cast<const float*>(at); }
float* floats_at(std::byte* at) { return reinterpret_cast<float*>(at); }

// Slices along the last axis.
class FloatL2Kernel final : public OptimizedKernel {
 public:
  explicit FloatL2Kernel(const AxisSplit& split) : split_(split) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const FloatRows rows{floats_at(memory.inputs[l2_normalization::kInput]), floats_at(memory.outputs[l2_normalization::kOutput]),
                         split_.size};
    const double nanoseconds = 10 + 0.3 * static_cast<double>(split_.size);
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
  if (!split || split->inner != 1 || has_epilogue(node.node)) return nullptr;
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
    const size_t blocks = (p_.slices.inner + kColumns - 1) / kColumns;
    threads.parallel_rows(p_.slices.outer * blocks, nanoseconds * kColumns, 1, [&](size_t first, size_t end) {
      for (; first < end; ++first) {
        const size_t column = first % blocks * kColumns;
        normalize_instance_columns(rows, first / blocks, column, std::min(p_.slices.inner, column + kColumns));
      }
    });
  }
  const char* name() const override { return "float instances"; }

 private:
  static constexpr size_t kColumns = 64;
  const InstanceNormalizationParameters p_;
};

std::unique_ptr<OptimizedKernel> instance_kernel(const KernelNode& node) {
  const auto p = instance_normalization_parameters(node.operation);
  const bool is_float = node.operation.input(instance_normalization::kInput).type == OperandType::kTensorFloat32;
  return p && is_float && !has_epilogue(node.node) ? std::make_unique<InstanceKernel>(*p) : nullptr;
}

// Slices along the last axis, whose squares fit into a buffer.
class LocalResponseKernel final : public OptimizedKernel {
 public:
  static constexpr size_t kLongest = 4096;

  explicit LocalResponseKernel(const LocalResponseParameters& p) : p_(p) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    using namespace local_response_normalization;
    const double nanoseconds = (4 + 0.1 * p_.radius) * static_cast<double>(p_.slices.size);
    threads.parallel_rows(p_.slices.outer, nanoseconds, 1, [&](size_t first, size_t end) {
      for (; first < end; ++first) {
        const size_t at = first * p_.slices.size;
        run_slice(floats_at(memory.inputs[kInput]) + at, floats_at(memory.outputs[kOutput]) + at);
      }
    });
  }
  const char* name() const override { return "float local response"; }

 private:
  void run_slice(const float* in, float* out) const {
    alignas(64) float bases[kLongest];
    alignas(64) float factors[kLongest];
    alignas(64) float exponents[kBlock];
    const size_t size = p_.slices.size;
    sum_neighbour_squares({in, bases, size, p_.radius, p_.bias, p_.alpha});
    std::fill_n(exponents, kBlock, -p_.beta);
    for (size_t i = 0; i < size; i += kBlock) {
      const size_t count = std::min(kBlock, size - i);
      if (powers(bases + i, exponents, factors + i, count)) continue;
      for (size_t k = i; k < i + count; ++k) factors[k] = std::pow(bases[k], -p_.beta);
    }
    for (size_t i = 0; i < size; ++i) out[i] = in[i] * factors[i];
  }

  static constexpr size_t kBlock = 256;
  const LocalResponseParameters p_;
};

std::unique_ptr<OptimizedKernel> local_response_kernel(const KernelNode& node) {
  const auto p = local_response_parameters(node.operation);
  const bool is_float = node.operation.input(local_response_normalization::kInput).type == OperandType::kTensorFloat32;
  if (!p || !is_float || has_epilogue(node.node) || p->slices.inner != 1 || p->slices.size > LocalResponseKernel::kLongest) {
    return nullptr;
  }
  return std::make_unique<LocalResponseKernel>(*p);
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kL2Normalization, l2_kernel},
    {OperationCode::kInstanceNormalization, instance_kernel},
    {OperationCode::kLocalResponseNormalization, local_response_kernel},
};

}  // namespace

std::span<const OptimizedRow> optimized_normalization_kernels() { return kRows; }

}  // namespace nnvk::cpu
