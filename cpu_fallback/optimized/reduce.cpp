#include "core/operations/parameters/reduce_parameters.h"

#include "core/operations/parameters/argmax_parameters.h"
#include "core/operations/parameters/axis_split.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/function_kernel.h"
#include "cpu_fallback/optimized/rows/reduce_rows.h"

namespace nnvk::cpu {
namespace {

using enum OperandType;

// Numbers all positions along some axes, the innermost axis fastest.
class AxisWalk {
 public:
  // Adds an axis around those added before; `step`: elements from one position to the next.
  void add_outer(size_t size, size_t step) { axes_.push_back({size, step}); }
  size_t count() const {
    size_t count = 1;
    for (const Axis& axis : axes_) count *= axis.size;
    return count;
  }
  // Returns the offset of position `i`, in elements.
  size_t offset(size_t i) const {
    size_t offset = 0;
    for (size_t a = 0; a < axes_.size(); ++a) {
      if (a + 1 == axes_.size()) return offset + i * axes_[a].step;
      offset += i % axes_[a].size * axes_[a].step;
      i /= axes_[a].size;
    }
    return offset;
  }

 private:
  struct Axis {
    size_t size, step;
  };
  std::vector<Axis> axes_;  // innermost first
};

// The result at position k of `kept` and column c folds the elements at these offsets, for all f, rows and n:
//   kept.offset(k) + folded.offset(f) + (row * columns + c) * neighbours + n
struct FoldedAxes {
  AxisWalk kept;
  AxisWalk folded;
  size_t rows = 1;
  size_t columns = 1;
  size_t neighbours = 1;  // the innermost axis, if it is folded and short: it lies behind the columns

  size_t width() const { return columns * neighbours; }  // of a row, in elements
  size_t folded_elements() const { return folded.count() * rows * neighbours; }
};

// Sorts the axes of a tensor into kept and folded ones. `reduced`: whether each dimension is folded. No dimension is 0.
// `keeps_order`: nested loops over f, rows and n, innermost last, meet the elements of a result in the order of memory.
FoldedAxes folded_axes(const Shape& shape, const std::vector<bool>& reduced, bool keeps_order) {
  constexpr size_t kShort = 16;
  struct Merged {
    size_t size;
    bool is_folded;
  };
  std::vector<Merged> merged;  // innermost first, kept and folded ones in turn
  for (size_t d = shape.rank(); d-- > 0;) {
    if (shape[d] == 1) continue;  // counts as either
    if (merged.empty() || merged.back().is_folded != reduced[d]) {
      merged.push_back({shape[d], reduced[d]});
    } else {
      merged.back().size *= shape[d];
    }
  }
  FoldedAxes axes;
  size_t next = 0;
  const bool is_only_one = merged.size() <= 2;
  if (next < merged.size() && merged[next].is_folded && merged[next].size <= kShort && (is_only_one || !keeps_order)) {
    axes.neighbours = merged[next++].size;
  }
  if (next < merged.size() && !merged[next].is_folded) axes.columns = merged[next++].size;
  if (next < merged.size()) axes.rows = merged[next++].size;
  size_t step = axes.rows * axes.width();
  for (; next < merged.size(); ++next) {
    (merged[next].is_folded ? axes.folded : axes.kept).add_outer(merged[next].size, step);
    step *= merged[next].size;
  }
  return axes;
}

// The last step after a fold.
enum class Finish : uint8_t { kNothing, kMean, kTruth };

struct Reduction {
  FoldedAxes axes;
  Fold fold{};
  Finish finish{};
};

constexpr size_t kColumns = 256;  // that are worked on together

// Calls part(outer, first column, end) for blocks of columns of a reduction's results, on any thread.
template <class Part>
void for_result_blocks(const FoldedAxes& axes, ThreadPool& threads, const Part& part) {
  const size_t most = kColumns / axes.neighbours;
  const auto elements = static_cast<double>(axes.folded_elements() * std::min(axes.columns, most));
  const double nanoseconds = (axes.neighbours > 1 ? 0.7 : 0.1) * elements + 10;
  threads.parallel_blocks(axes.kept.count(), axes.columns, most, nanoseconds, part);
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

std::unique_ptr<OptimizedKernel> float_reduction(const Reduction& reduction) {
  return function_kernel("float reduction", [reduction](const KernelMemory& memory, ThreadPool& threads) {
    const FoldedAxes& axes = reduction.axes;
    const Fold fold = reduction.fold;
    const auto* in = memory.input<float>(reduce::kInput);
    auto* out = memory.output<float>(reduce::kOutput);
    const auto count = static_cast<float>(axes.folded_elements());
    for_result_blocks(axes, threads, [&](size_t outer, size_t column, size_t end) {
      const size_t columns = end - column;
      float* const to = out + outer * axes.columns + column;
      alignas(kVectorAlignment) float neighbours[kColumns];
      float* const values = axes.neighbours > 1 ? neighbours : to;
      const size_t width = columns * axes.neighbours;
      const float* const from = in + axes.kept.offset(outer) + column * axes.neighbours;
      std::fill_n(values, width, float_start(fold));
      for (size_t i = 0; i < axes.folded.count(); ++i) {
        fold_floats(fold, {from + axes.folded.offset(i), axes.rows, axes.width(), width}, values);
      }
      if (axes.neighbours > 1) {
        for (size_t i = 0; i < columns; ++i) to[i] = folded_neighbours(fold, values + i * axes.neighbours, axes.neighbours);
      }
      if (reduction.finish != Finish::kMean) return;
      for (size_t i = 0; i < columns; ++i) to[i] /= count;
    });
  });
}

// Computes the last step after a fold of `count` bytes.
int32_t finished(Finish finish, int32_t value, int32_t count) {
  if (finish == Finish::kTruth) return value != 0 ? 1 : 0;
  if (finish == Finish::kNothing) return value;
  return value / count - (value % count < 0 ? 1 : 0);  // toward minus infinity
}

std::unique_ptr<OptimizedKernel> byte_reduction(const Reduction& reduction, bool is_signed) {
  return function_kernel("8-bit reduction", [reduction, is_signed](const KernelMemory& memory, ThreadPool& threads) {
    const FoldedAxes& axes = reduction.axes;
    const Fold fold = reduction.fold;
    const auto count = static_cast<int32_t>(axes.folded_elements());
    for_result_blocks(axes, threads, [&](size_t outer, size_t column, size_t end) {
      const size_t columns = end - column;
      alignas(kVectorAlignment) int32_t values[kColumns];
      const size_t width = columns * axes.neighbours;
      const std::byte* const from = memory.inputs[reduce::kInput] + axes.kept.offset(outer) + column * axes.neighbours;
      std::fill_n(values, width, byte_start(fold));
      for (size_t i = 0; i < axes.folded.count(); ++i) {
        fold_bytes(fold, is_signed, {from + axes.folded.offset(i), axes.rows, axes.width(), width}, values);
      }
      std::byte* const to = memory.outputs[reduce::kOutput] + outer * axes.columns + column;
      for (size_t i = 0; i < columns; ++i) {
        const int32_t folded = folded_neighbours(fold, values + i * axes.neighbours, axes.neighbours);
        to[i] = static_cast<std::byte>(finished(reduction.finish, folded, count));
      }
    });
  });
}

constexpr size_t kMostElements = size_t{1} << 23;  // whose 8-bit sum fits into 32 bits

template <Fold kFold, Finish kFinish = Finish::kNothing>
std::unique_ptr<OptimizedKernel> reduction(const KernelNode& node) {
  const auto reduced = reduced_dimensions(node.operation);
  if (!reduced || node.has_epilogue()) return nullptr;
  // Products keep the reference's order: in another order, a product may overflow although the reference's does not.
  const FoldedAxes axes = folded_axes(node.operation.shape(reduce::kInput), *reduced, kFold == Fold::kProduct);
  const Reduction reduction{axes, kFold, kFinish};
  const OperandType type = node.operation.input(reduce::kInput).type;
  if (type == kTensorFloat32) return float_reduction(reduction);
  if ((!is_quant8_asymm(type) && type != kTensorBool8) || axes.folded_elements() > kMostElements) return nullptr;
  return byte_reduction(reduction, type == kTensorQuant8AsymmSigned);
}

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
  const ExtremeSearch of_all{.kind = kind, .is_largest = kIsLargest, .size = split->size};
  const auto run = [split = *split, width = element_size(type), of_all](const KernelMemory& memory, ThreadPool& threads) {
    ExtremeSearch search = of_all;
    search.in = memory.inputs[argmax::kInput];
    search.out = memory.output<int32_t>(argmax::kOutput);
    if (split.inner == 1) {
      const double nanoseconds = 5 + 0.2 * static_cast<double>(split.size);
      threads.parallel_rows(split.outer, nanoseconds, 1, [&](size_t first, size_t end) { find_extremes(search, first, end); });
      return;
    }
    const double nanoseconds = 0.1 * static_cast<double>(split.size * std::min(split.inner, kColumns)) + 10;
    threads.parallel_blocks(split.outer, split.inner, kColumns, nanoseconds, [&](size_t outer, size_t column, size_t end) {
      ExtremeSearch part = search;
      part.in += (outer * split.size * split.inner + column) * width;
      part.out += outer * split.inner + column;
      find_column_extremes(part, end - column, split.inner);
    });
  };
  return function_kernel("positions of extremes", run);
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
