// FULLY_CONNECTED.
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

constexpr KernelRow kRows[] = {{OperationCode::kFullyConnected, fully_connected}};

}  // namespace

std::span<const KernelRow> matmul_kernels() { return kRows; }

}  // namespace nnvk::cpu
