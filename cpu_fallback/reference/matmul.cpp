#include "core/operations/parameters/matmul_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/product.h"

namespace nnvk::cpu {
namespace {

Status run_fully_connected(KernelContext& context) {
  NNVK_ASSIGN(const FullyConnectedParameters p, fully_connected_parameters(context.operation));
  return run_product(context, p.activation, [&](auto product, auto rows, auto filter, auto& result) {
    using Product = decltype(product);
    const FilterPanels<typename Product::Value> panels(filter, p.units, p.input_size);
    multiply_rows<Product>(rows.data(), p.batches, panels,
                           [&](size_t b, size_t u, auto sum) { result.set(b * p.units + u, u, sum); });
  });
}

// Returns the elements of all matrices of a batch, row by row (or column by column).
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

// Calls set(element, sum) for every element of the output.
template <class Product, class Set>
void multiply_matrices(const BatchMatmulParameters& p, std::span<const typename Product::Value> x,
                       std::span<const typename Product::Value> y, Set&& set) {
  using Value = typename Product::Value;
  const size_t depth = p.left.columns;
  const size_t width = p.right.columns;
  const std::vector<Value> rows = gather(x, p.left, false);
  const std::vector<Value> columns = gather(y, p.right, true);
  for (size_t b = 0; b < p.batches; ++b) {
    const FilterPanels<Value> panels(std::span<const Value>(columns).subspan(b * width * depth, width * depth), width, depth);
    const size_t first = b * p.left.rows;
    multiply_rows<Product>(rows.data() + first * depth, p.left.rows, panels,
                           [&](size_t row, size_t column, auto sum) { set((first + row) * width + column, sum); });
  }
}

Status run_batch_matmul(KernelContext& context) {
  using namespace batch_matmul;
  NNVK_ASSIGN(const BatchMatmulParameters p, batch_matmul_parameters(context.operation));
  const OperandInfo& output = context.outputs[kOutput].info;
  if (output.type == OperandType::kTensorInt32) {
    const std::span<int32_t> out = context.output<int32_t>(kOutput);
    multiply_matrices<Int32Multiplication>(p, context.input<int32_t>(kLeft), context.input<int32_t>(kRight),
                                           [&](size_t i, uint32_t sum) { out[i] = static_cast<int32_t>(sum); });
    return {};
  }
  if (is_quant8_asymm(output.type)) {
    const std::vector<int16_t> x = quant8_operand(context, kLeft);
    const std::vector<int16_t> y = quant8_operand(context, kRight);
    const float product_scale = context.operation.input(kLeft).scale * context.operation.input(kRight).scale;
    const FixedPointMultiplier multiplier = decompose_multiplier(double{product_scale} / double{output.scale});
    const QuantizedBounds bounds =
        quantized_activation_bounds(FusedActivation::kNone, output.type, output.scale, output.zero_point);
    const std::span<uint8_t> out = context.output<uint8_t>(kOutput);
    multiply_matrices<Quant8Multiplication>(p, x, y, [&](size_t i, uint32_t sum) {
      const int32_t scaled = scale_fixed_point(static_cast<int32_t>(sum), multiplier);
      out[i] = static_cast<uint8_t>(into_bounds(scaled, output.zero_point, bounds));
    });
    return {};
  }
  const FloatInput x(context, kLeft);
  const FloatInput y(context, kRight);
  FloatOutput out(context, kOutput);
  multiply_matrices<FloatMultiplication>(p, x.values(), y.values(), [&](size_t i, float sum) { out[i] = sum; });
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kFullyConnected, run_fully_connected},
                               {OperationCode::kBatchMatmul, run_batch_matmul}};

}  // namespace

std::span<const KernelRow> matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
