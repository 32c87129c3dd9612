#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/moves/channels_first.h"
#include "cpu_fallback/optimized/products/product_kernels.h"

namespace nnvk::cpu {
namespace {

std::unique_ptr<OptimizedKernel> conv_2d(const KernelNode& node) { return make_in_either_layout(node, make_product_kernel); }

constexpr auto kRows = rounding_halves_once({{OperationCode::kConv2d, conv_2d}, {OperationCode::kGroupedConv2d, conv_2d}});

}  // namespace

std::span<const OptimizedRow> optimized_convolution_kernels() { return kRows; }

}  // namespace nnvk::cpu
