// ARGMAX and ARGMIN: the position of the largest or smallest element along one axis.
#include <functional>

#include "core/operations/parameters/argmax_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace argmax;

// Finds the index of the winner of each slice. The comparison is strict: ties keep the lowest index, NaN wins only at index 0.
template <class Wins>
Status arg(KernelContext& context) {
  NNVK_ASSIGN(const AxisSplit split, argmax_slices(context.operation));
  const auto out = context.output<int32_t>(kOutput);
  with_input(context, kInput, [&](auto in) {
    size_t slice = 0;
    for_each_slice(split, [&](size_t first) {
      size_t winner = 0;
      for (size_t i = 1; i < split.size; ++i) {
        if (Wins{}(in[first + i * split.inner], in[first + winner * split.inner])) winner = i;
      }
      out[slice++] = static_cast<int32_t>(winner);
    });
  });
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kArgmax, arg<std::greater<>>}, {OperationCode::kArgmin, arg<std::less<>>}};

}  // namespace

std::span<const KernelRow> argmax_kernels() { return kRows; }

}  // namespace nnvk::cpu
