// SELECT: element by element one of two tensors, as a mask says.
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/parameters/select_parameters.h"
#include "cpu_fallback/reference/families.h"
#include "cpu_fallback/reference/tensor_access.h"

namespace nnvk::cpu {
namespace {
using namespace select;

template <class T>
void choose(const KernelContext& context) {
  const auto mask = context.input<uint8_t>(kMask);
  const auto x = context.input<T>(kFirst);
  const auto y = context.input<T>(kSecond);
  const auto out = context.output<T>(kOutput);
  for (size_t i = 0; i < out.size(); ++i) out[i] = mask[i] != 0 ? x[i] : y[i];
}

// The chosen byte moves from its own quantization to the output's.
Status select_quant8(KernelContext& context) {
  const OperandInfo& info = context.outputs[kOutput].info;
  const ByteTable x_table = requantized_bytes(context.operation.input(kFirst), info);
  const ByteTable y_table = requantized_bytes(context.operation.input(kSecond), info);
  const auto mask = context.input<uint8_t>(kMask);
  const auto x = context.input<uint8_t>(kFirst);
  const auto y = context.input<uint8_t>(kSecond);
  const auto out = context.output<uint8_t>(kOutput);
  for (size_t i = 0; i < out.size(); ++i) out[i] = mask[i] != 0 ? x_table[x[i]] : y_table[y[i]];
  return {};
}

Status select(KernelContext& context) {
  const OperandType type = context.outputs[kOutput].info.type;
  if (is_quant8_asymm(type)) return select_quant8(context);
  if (element_size(type) == 2) {
    choose<Half>(context);
  } else {
    choose<uint32_t>(context);
  }
  return {};
}

constexpr KernelRow kRows[] = {{OperationCode::kSelect, select}};

}  // namespace

std::span<const KernelRow> select_kernels() { return kRows; }

}  // namespace nnvk::cpu
