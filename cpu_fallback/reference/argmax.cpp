// ARGMAX and ARGMIN: the position of the largest or smallest element along one axis.
#include <functional>

#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {

// Strict comparison: ties keep the lowest index, NaN wins only at index 0.
template <class Wins, class T>
void find_winners(std::span<const T> in, std::span<int32_t> out, AxisSplit split) {
  for (size_t slice = 0; slice < split.outer * split.inner; ++slice) {
    const size_t first = slice / split.inner * split.size * split.inner + slice % split.inner;
    size_t winner = 0;
    for (size_t i = 1; i < split.size; ++i) {
      if (Wins{}(in[first + i * split.inner], in[first + winner * split.inner])) winner = i;
    }
    out[slice] = static_cast<int32_t>(winner);
  }
}

template <class Wins>
Status arg(KernelContext& context) {
  const OperandInfo& in = context.operation.input(0);
  NNVK_ASSIGN(const uint32_t axis,
              normalize_axis(context.operation.scalar<int32_t>(1).value_or(0), in.shape.rank(), Code::kOpFailed));
  const AxisSplit split = split_at_axis(in.shape, axis);
  const auto out = context.output<int32_t>(0);
  switch (in.type) {
    case OperandType::kTensorFloat32:
    case OperandType::kTensorFloat16:
      find_winners<Wins>(FloatInput(context, 0).values(), out, split);
      return {};
    case OperandType::kTensorInt32:
      find_winners<Wins>(context.input<int32_t>(0), out, split);
      return {};
    case OperandType::kTensorQuant8Asymm:
      find_winners<Wins>(context.input<uint8_t>(0), out, split);
      return {};
    default:
      find_winners<Wins>(context.input<int8_t>(0), out, split);
      return {};
  }
}

constexpr KernelRow kRows[] = {{OperationCode::kArgmax, arg<std::greater<>>}, {OperationCode::kArgmin, arg<std::less<>>}};

}  // namespace

std::span<const KernelRow> argmax_kernels() { return kRows; }

}  // namespace nnvk::cpu
