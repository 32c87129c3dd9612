// MEAN and the REDUCE_* operations over neighbouring axes; ARGMAX and ARGMIN.
#include "core/operations/parameters/reduce_parameters.h"

#include <optional>

#include "core/operations/parameters/argmax_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/reduce_rows.h"

namespace nnvk::cpu {
namespace {

using enum OperandType;

bool has_epilogue(const PlanNode& node) { return node.residual != kNoTensor || node.fused_activation != FusedActivation::kNone; }

// What becomes of a fold.
enum class Finish : uint8_t { kNothing, kMean, kTruth };

struct Reduction {
  AxisSplit split;  // around the folded axes, which are one
  Fold fold{};
  Finish finish{};
};

// The axes as one, where no others lie between them; sizes of 1 count as either.
std::optional<AxisSplit> folded_axes(const Shape& shape, const std::vector<bool>& reduced) {
  AxisSplit split;
  bool is_inside = false;
  bool is_behind = false;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    if (reduced[d]) {
      if (is_behind) return std::nullopt;
      is_inside = true;
      split.size *= shape[d];
    } else {
      is_behind = is_inside;
      (is_inside ? split.inner : split.outer) *= shape[d];
    }
  }
  return split;
}

// Calls part(outer, first column, columns) for blocks of columns, on any thread.
constexpr size_t kColumns = 256;
template <class Part>
void for_column_blocks(const AxisSplit& split, ThreadPool& threads, const Part& part) {
  const size_t blocks = (split.inner + kColumns - 1) / kColumns;
  const double nanoseconds = 0.1 * static_cast<double>(split.size) * static_cast<double>(std::min(split.inner, kColumns)) + 10;
  threads.parallel_rows(split.outer * blocks, nanoseconds, 1, [&](size_t first, size_t end) {
    for (; first < end; ++first) {
      const size_t column = first % blocks * kColumns;
      part(first / blocks, column, std::min(kColumns, split.inner - column));
    }
  });
}

class FloatReduction final : public OptimizedKernel {
 public:
  explicit FloatReduction(const Reduction& reduction) : reduction_(reduction) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const auto& [split, fold, finish] = reduction_;
    const auto* in = reinterpret_cast<const float*>(memory.inputs[reduce::kInput]);
    auto* out = reinterpret_cast<float*>(memory.outputs[reduce::kOutput]);
    const auto count = static_cast<float>(split.size);
    for_column_blocks(split, threads, [&](size_t outer, size_t column, size_t columns) {
      const float* const from = in + outer * split.size * split.inner + column;
      float* const to = out + outer * split.inner + column;
      if (split.inner == 1) {
        *to = fold_float_row(fold, from, split.size);
      } else {
        fold_float_columns(fold, {from, split.size, split.inner, columns}, to);
      }
      if (finish != Finish::kMean) return;
      for (size_t i = 0; i < columns; ++i) to[i] /= count;
    });
  }
  const char* name() const override { return "float reduction"; }

 private:
  const Reduction reduction_;
};

class ByteReduction final : public OptimizedKernel {
 public:
  ByteReduction(const Reduction& reduction, bool is_signed) : reduction_(reduction), is_signed_(is_signed) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const AxisSplit& split = reduction_.split;
    for_column_blocks(split, threads, [&](size_t outer, size_t column, size_t columns) {
      const std::byte* const from = memory.inputs[reduce::kInput] + outer * split.size * split.inner + column;
      std::byte* const to = memory.outputs[reduce::kOutput] + outer * split.inner + column;
      int32_t results[kColumns];
      if (split.inner == 1) {
        results[0] = fold_byte_row(reduction_.fold, is_signed_, from, split.size);
      } else {
        fold_byte_columns(reduction_.fold, is_signed_, {from, split.size, split.inner, columns}, results);
      }
      for (size_t i = 0; i < columns; ++i) to[i] = static_cast<std::byte>(finished(results[i]));
    });
  }
  const char* name() const override { return "8-bit reduction"; }

 private:
  int32_t finished(int32_t value) const {
    if (reduction_.finish == Finish::kTruth) return value != 0 ? 1 : 0;
    if (reduction_.finish == Finish::kNothing) return value;
    const auto count = static_cast<int32_t>(reduction_.split.size);
    return value / count - (value % count < 0 ? 1 : 0);  // toward minus infinity
  }

  const Reduction reduction_;
  const bool is_signed_;
};

constexpr size_t kMostRows = size_t{1} << 23;  // whose 8-bit sum fits into 32 bits

template <Fold kFold, Finish kFinish = Finish::kNothing>
std::unique_ptr<OptimizedKernel> reduction(const KernelNode& node) {
  const auto reduced = reduced_dimensions(node.operation);
  if (!reduced || has_epilogue(node.node)) return nullptr;
  const auto split = folded_axes(node.operation.shape(reduce::kInput), *reduced);
  if (!split) return nullptr;
  const OperandType type = node.operation.input(reduce::kInput).type;
  // Products of a row stay in the reference's order: another one may overflow where it does not.
  if (kFold == Fold::kProduct && split->inner == 1) return nullptr;
  if (type == kTensorFloat32) return std::make_unique<FloatReduction>(Reduction{*split, kFold, kFinish});
  if ((!is_quant8_asymm(type) && type != kTensorBool8) || split->size > kMostRows) return nullptr;
  return std::make_unique<ByteReduction>(Reduction{*split, kFold, kFinish}, type == kTensorQuant8AsymmSigned);
}

// --- ARGMAX and ARGMIN ------------------------------------------------------------------------------------------------------

class ExtremePositions final : public OptimizedKernel {
 public:
  ExtremePositions(const AxisSplit& split, ElementKind kind, bool is_largest, size_t width) : split_(split), width_(width) {
    search_.kind = kind;
    search_.is_largest = is_largest;
    search_.size = split.size;
  }
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    ExtremeSearch search = search_;
    search.in = memory.inputs[argmax::kInput];
    search.out = reinterpret_cast<int32_t*>(memory.outputs[argmax::kOutput]);
    if (split_.inner == 1) {
      const double nanoseconds = 5 + 0.2 * static_cast<double>(split_.size);
      threads.parallel_rows(split_.outer, nanoseconds, 1, [&](size_t first, size_t end) { find_extremes(search, first, end); });
      return;
    }
    for_column_blocks(split_, threads, [&](size_t outer, size_t column, size_t columns) {
      ExtremeSearch part = search;
      part.in += (outer * split_.size * split_.inner + column) * width_;
      part.out += outer * split_.inner + column;
      find_column_extremes(part, columns, split_.inner);
    });
  }
  const char* name() const override { return "positions of extremes"; }

 private:
  const AxisSplit split_;
  const size_t width_;
  ExtremeSearch search_;
};

template <bool kIsLargest>
std::unique_ptr<OptimizedKernel> extreme_positions(const KernelNode& node) {
  const auto split = argmax_slices(node.operation);
  if (!split || has_epilogue(node.node)) return nullptr;
  const OperandType type = node.operation.input(argmax::kInput).type;
  if (type != kTensorFloat32 && type != kTensorInt32 && !is_quant8_asymm(type)) return nullptr;
  const ElementKind kind = type == kTensorFloat32       ? ElementKind::kFloat
                           : type == kTensorInt32       ? ElementKind::kInt
                           : type == kTensorQuant8Asymm ? ElementKind::kUnsignedByte
                                                        : ElementKind::kSignedByte;
  return std::make_unique<ExtremePositions>(*split, kind, kIsLargest, element_size(type));
}

constexpr OptimizedRow kRows[] = {
    {OperationCode::kMean, reduction<Fold::kSum, Finish::kMean>},
    {OperationCode::kReduceSum, reduction<Fold::kSum>},
    {OperationCode::kReduceMax, reduction<Fold::kLargest>},
    {OperationCode::kReduceMin, reduction<Fold::kSmallest>},
    {OperationCode::kReduceProd, reduction<Fold::kProduct>},
    {OperationCode::kReduceAll, reduction<Fold::kSmallest, Finish::kTruth>},
    {OperationCode::kReduceAny, reduction<Fold::kLargest, Finish::kTruth>},
    {OperationCode::kArgmax, extreme_positions<true>},
    {OperationCode::kArgmin, extreme_positions<false>},
};

}  // namespace

std::span<const OptimizedRow> optimized_reduce_kernels() { return kRows; }

}  // namespace nnvk::cpu
