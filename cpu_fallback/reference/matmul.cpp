// FULLY_CONNECTED and BATCH_MATMUL.
#include "core/operations/parameters/batched_matrix.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

Status fully_connected(KernelContext& context) {
  NNVK_ASSIGN(const FusedActivation activation, activation_operand(context, 3));
  const Shape& weights = context.operation.shape(1);
  const size_t units = weights[0];
  const size_t depth = weights[1];
  const size_t batches = context.outputs[0].info.shape[0];
  return run_product(context, static_cast<int32_t>(activation), [&](auto product, auto rows, auto filter, auto& result) {
    using Product = decltype(product);
    const FilterPanels<typename Product::Value> panels(filter, units, depth);
    for (size_t panel = 0; panel < panels.count(); ++panel) {
      for (size_t b = 0; b < batches; ++b) {
        typename Product::Sum sums[kLanes] = {};
        add_products<Product>(rows.data() + b * depth, panels.panel(panel), depth, sums);
        for (size_t u = panel * kLanes; u < std::min(units, (panel + 1) * kLanes); ++u) {
          result.set(b * units + u, u, sums[u % kLanes]);
        }
      }
    }
  });
}

// The elements of all matrices of a batch, row by row (or column by column) of the view.
template <class Value>
std::vector<Value> gather(std::span<const Value> values, const BatchedMatrix& view, bool by_columns) {
  const size_t outer = by_columns ? view.columns : view.rows;
  const size_t inner = by_columns ? view.rows : view.columns;
  const size_t outer_step = by_columns ? view.column_stride : view.row_stride;
  const size_t inner_step = by_columns ? view.row_stride : view.column_stride;
  std::vector<Value> out;
  out.reserve(values.size());
  for (size_t base = 0; base < values.size(); base += outer * inner) {
    for (size_t o = 0; o < outer; ++o) {
      for (size_t i = 0; i < inner; ++i) out.push_back(values[base + o * outer_step + i * inner_step]);
    }
  }
  return out;
}

// set(element, sum) for every element of the output.
template <class Product, class Set>
void multiply_matrices(const KernelContext& context, std::span<const typename Product::Value> x,
                       std::span<const typename Product::Value> y, Set&& set) {
  using Value = typename Product::Value;
  const BatchedMatrix left = batched_matrix(context.operation.shape(0), flag_operand(context, 2));
  const BatchedMatrix right = batched_matrix(context.operation.shape(1), flag_operand(context, 3));
  const size_t depth = left.columns;
  const std::vector<Value> rows = gather(x, left, false);
  const std::vector<Value> columns = gather(y, right, true);
  const size_t batches = rows.size() / (left.rows * depth);
  for (size_t b = 0; b < batches; ++b) {
    const FilterPanels<Value> panels(std::span<const Value>(columns).subspan(b * right.columns * depth, right.columns * depth),
                                     right.columns, depth);
    for (size_t panel = 0; panel < panels.count(); ++panel) {
      for (size_t r = 0; r < left.rows; ++r) {
        const size_t row = b * left.rows + r;
        typename Product::Sum sums[kLanes] = {};
        add_products<Product>(rows.data() + row * depth, panels.panel(panel), depth, sums);
        for (size_t c = panel * kLanes; c < std::min<size_t>(right.columns, (panel + 1) * kLanes); ++c) {
          set(row * right.columns + c, sums[c % kLanes]);
        }
      }
    }
  }
}

Status batch_matmul(KernelContext& context) {
  const OperandInfo& output = context.outputs[0].info;
  if (output.type == OperandType::kTensorInt32) {
    const std::span<int32_t> out = context.output<int32_t>(0);
    multiply_matrices<Int32Product>(context, context.input<int32_t>(0), context.input<int32_t>(1),
                                    [&](size_t i, uint32_t sum) { out[i] = static_cast<int32_t>(sum); });
    return {};
  }
  if (is_quant8_asymm(output.type)) {
    const Quant8Operand x(context, 0);
    const Quant8Operand y(context, 1);
    const float product_scale = context.operation.input(0).scale * context.operation.input(1).scale;
    const FixedPointMultiplier multiplier = decompose_multiplier(double{product_scale} / double{output.scale});
    const QuantizedBounds bounds =
        quantized_activation_bounds(FusedActivation::kNone, output.type, output.scale, output.zero_point);
    const std::span<uint8_t> out = context.output<uint8_t>(0);
    multiply_matrices<Quant8Product>(context, x.values(), y.values(), [&](size_t i, uint32_t sum) {
      const int32_t scaled = scale_fixed_point(static_cast<int32_t>(sum), multiplier);
      out[i] = static_cast<uint8_t>(into_bounds(scaled, output.zero_point, bounds));
    });
    return {};
  }
  const FloatInput x(context, 0);
  const FloatInput y(context, 1);
  FloatOutput out(context, 0);
  multiply_matrices<FloatProduct>(context, x.values(), y.values(), [&](size_t i, float sum) { out[i] = sum; });
  out.store();
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kFullyConnected, fully_connected}, {OperationCode::kBatchMatmul, batch_matmul}};

}  // namespace

std::span<const KernelRow> matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
