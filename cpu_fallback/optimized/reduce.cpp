#include "core/operations/parameters/reduce_parameters.h"

#include "core/operations/parameters/argmax_parameters.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/rows/folded_axes.h"
#include "cpu_fallback/optimized/rows/reduce_rows.h"

namespace nnvk::cpu {
namespace {

using enum OperandType;

// The last step after a fold.
enum class Finish : uint8_t { kNothing, kMean, kTruth };

struct Reduction {
  FoldedAxes axes;
  Fold fold{};
  Finish finish{};
};

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

// Calls part() for blocks of columns of a reduction's results, on any thread.
template <class Part>
void for_result_blocks(const FoldedAxes& axes, ThreadPool& threads, const Part& part) {
  const size_t most = kColumns / axes.neighbours;
  const size_t blocks = (axes.columns + most - 1) / most;
  const auto elements = static_cast<double>(axes.folded_elements() * std::min(axes.columns, most));
  const double nanoseconds = (axes.neighbours > 1 ? 0.7 : 0.1) * elements + 10;
  threads.parallel_rows(axes.kept.count() * blocks, nanoseconds, 1, [&](size_t first, size_t end) {
    for (; first < end; ++first) {
      const size_t column = first % blocks * most;
      part(first / blocks, column, std::min(most, axes.columns - column));
    }
  });
}

// Folds `count` neighbours.
template <class T>
T folded_neighbours(Fold fold, const T* values, size_t count) {
  T value = values[0];
  for (size_t i = 1; i < count; ++i) {
    const T x = values[i];
    switch (fold) {
      case Fold::kSum:
        value += x;
        break;
      case Fold::kLargest:
        value = x > value ? x : value;
        break;
      case Fold::kSmallest:
        value = x < value ? x : value;
        break;
      case Fold::kProduct:
        value = value == T{0} || x == T{0} ? T{0} : value * x;
        break;
    }
  }
  return value;
}

class FloatReduction final : public OptimizedKernel {
 public:
  explicit FloatReduction(const Reduction& reduction) : reduction_(reduction) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const FoldedAxes& axes = reduction_.axes;
    const Fold fold = reduction_.fold;
    const auto* in = reinterpret_cast<const float*>(memory.inputs[reduce::kInput]);
    auto* out = reinterpret_cast<float*>(memory.outputs[reduce::kOutput]);
    const auto count = static_cast<float>(axes.folded_elements());
    for_result_blocks(axes, threads, [&](size_t outer, size_t column, size_t columns) {
      float* const to = out + outer * axes.columns + column;
      alignas(kVectorAlignment) float neighbours[kColumns];
      float* const values = axes.neighbours > 1 ? neighbours : to;
      fold_block(in + axes.kept.offset(outer) + column * axes.neighbours, columns * axes.neighbours, values);
      if (axes.neighbours > 1) {
        for (size_t i = 0; i < columns; ++i) to[i] = folded_neighbours(fold, values + i * axes.neighbours, axes.neighbours);
      }
      if (reduction_.finish != Finish::kMean) return;
      for (size_t i = 0; i < columns; ++i) to[i] /= count;
    });
  }
  const char* name() const override { return "float reduction"; }

 private:
  void fold_block(const float* in, size_t width, float* values) const {
    const FoldedAxes& axes = reduction_.axes;
    const Fold fold = reduction_.fold;
    std::fill_n(values, width, float_start(fold));
    for (size_t i = 0; i < axes.folded.count(); ++i) {
      const float* const from = in + axes.folded.offset(i);
      if (axes.width() == 1) {
        values[0] = fold_float_row(fold, from, axes.rows, values[0]);
      } else {
        fold_float_columns(fold, {from, axes.rows, axes.width(), width}, values);
      }
    }
  }

  const Reduction reduction_;
};

class ByteReduction final : public OptimizedKernel {
 public:
  ByteReduction(const Reduction& reduction, bool is_signed) : reduction_(reduction), is_signed_(is_signed) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const FoldedAxes& axes = reduction_.axes;
    const Fold fold = reduction_.fold;
    for_result_blocks(axes, threads, [&](size_t outer, size_t column, size_t columns) {
      alignas(kVectorAlignment) int32_t values[kColumns];
      fold_block(memory.inputs[reduce::kInput] + axes.kept.offset(outer) + column * axes.neighbours, columns * axes.neighbours,
                 values);
      std::byte* const to = memory.outputs[reduce::kOutput] + outer * axes.columns + column;
      for (size_t i = 0; i < columns; ++i) {
        to[i] = static_cast<std::byte>(finished(folded_neighbours(fold, values + i * axes.neighbours, axes.neighbours)));
      }
    });
  }
  const char* name() const override { return "8-bit reduction"; }

 private:
  void fold_block(const std::byte* in, size_t width, int32_t* values) const {
    const FoldedAxes& axes = reduction_.axes;
    const Fold fold = reduction_.fold;
    std::fill_n(values, width, byte_start(fold));
    for (size_t i = 0; i < axes.folded.count(); ++i) {
      const std::byte* const from = in + axes.folded.offset(i);
      if (axes.width() == 1) {
        values[0] = fold_byte_row(fold, is_signed_, from, axes.rows, values[0]);
      } else {
        fold_byte_columns(fold, is_signed_, {from, axes.rows, axes.width(), width}, values);
      }
    }
  }

  int32_t finished(int32_t value) const {
    if (reduction_.finish == Finish::kTruth) return value != 0 ? 1 : 0;
    if (reduction_.finish == Finish::kNothing) return value;
    const auto count = static_cast<int32_t>(reduction_.axes.folded_elements());
    return value / count - (value % count < 0 ? 1 : 0);  // toward minus infinity
  }

  const Reduction reduction_;
  const bool is_signed_;
};

constexpr size_t kMostElements = size_t{1} << 23;  // whose 8-bit sum fits into 32 bits

template <Fold kFold, Finish kFinish = Finish::kNothing>
std::unique_ptr<OptimizedKernel> reduction(const KernelNode& node) {
  const auto reduced = reduced_dimensions(node.operation);
  if (!reduced || node.has_epilogue()) return nullptr;
  // Products keep the reference's order: in another order, a product may overflow although the reference's does not.
  const FoldedAxes axes = folded_axes(node.operation.shape(reduce::kInput), *reduced, kFold == Fold::kProduct);
  const Reduction reduction{axes, kFold, kFinish};
  const OperandType type = node.operation.input(reduce::kInput).type;
  if (type == kTensorFloat32) return std::make_unique<FloatReduction>(reduction);
  if ((!is_quant8_asymm(type) && type != kTensorBool8) || axes.folded_elements() > kMostElements) return nullptr;
  return std::make_unique<ByteReduction>(reduction, type == kTensorQuant8AsymmSigned);
}

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
  if (!split || node.has_epilogue()) return nullptr;
  const OperandType type = node.operation.input(argmax::kInput).type;
  if (type != kTensorFloat32 && type != kTensorInt32 && !is_quant8_asymm(type)) return nullptr;
  const ElementKind kind = type == kTensorFloat32       ? ElementKind::kFloat
                           : type == kTensorInt32       ? ElementKind::kInt
                           : type == kTensorQuant8Asymm ? ElementKind::kUnsignedByte
                                                        : ElementKind::kSignedByte;
  return std::make_unique<ExtremePositions>(*split, kind, kIsLargest, element_size(type));
}

constexpr auto kReductions = rounding_halves_once({
    {OperationCode::kMean, reduction<Fold::kSum, Finish::kMean>},
    {OperationCode::kReduceSum, reduction<Fold::kSum>},
    {OperationCode::kReduceMax, reduction<Fold::kLargest>},
    {OperationCode::kReduceMin, reduction<Fold::kSmallest>},
    {OperationCode::kReduceProd, reduction<Fold::kProduct>},
    {OperationCode::kReduceAll, reduction<Fold::kSmallest, Finish::kTruth>},
    {OperationCode::kReduceAny, reduction<Fold::kLargest, Finish::kTruth>},
});
constexpr auto kPositions = rounding_halves_once({
    {OperationCode::kArgmax, extreme_positions<true>},
    {OperationCode::kArgmin, extreme_positions<false>},
});

}  // namespace

std::span<const OptimizedRow> optimized_reduce_kernels() { return kReductions; }
std::span<const OptimizedRow> optimized_argmax_kernels() { return kPositions; }

}  // namespace nnvk::cpu
