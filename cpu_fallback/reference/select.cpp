// SELECT: a mask selects each element from one of two tensors.
#include <functional>

#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/parameters/select_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace select;

// Selects first(x) or second(y) for the elements x and y of the two tensors.
template <class T, class First = std::identity, class Second = std::identity>
Status choose(const KernelContext& context, First first = {}, Second second = {}) {
  const auto mask = context.input<uint8_t>(kMask);
  const auto x = context.input<T>(kFirst);
  const auto y = context.input<T>(kSecond);
  const auto out = context.output<T>(kOutput);
  for_each_index(out.size(), [&](size_t i) { out[i] = mask[i] != 0 ? first(x[i]) : second(y[i]); });
  return {};
}

Status select(KernelContext& context) {
  const OperandInfo& out = context.outputs[kOutput].info;
  if (!is_quant8_asymm(out.type)) return element_size(out.type) == 2 ? choose<Half>(context) : choose<uint32_t>(context);
  // Tables convert the chosen byte from its own quantization to the output's.
  const ByteTable first = requantized_bytes(context.operation.input(kFirst), out);
  const ByteTable second = requantized_bytes(context.operation.input(kSecond), out);
  return choose<uint8_t>(
      context, [&](uint8_t x) { return first[x]; }, [&](uint8_t y) { return second[y]; });
}

constexpr KernelRow kRows[] = {{OperationCode::kSelect, select}};

}  // namespace

std::span<const KernelRow> select_kernels() { return kRows; }

}  // namespace nnvk::cpu
