// Each output element depends on one input element. Kernels compute floats and TENSOR_INT32, and look bytes up in core's table.
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/parameters/unary_parameters.h"
#include "unary_kernels.h"
#include "vulkan/kernels/byte_table.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/families.h"

namespace nnvk::vulkan {
namespace {
using namespace unary;

template <uint kOperation>
Status emit(const EmitContext& context) {
  const OperandInfo& input = context.input(kInput);
  const uint64_t elements = element_count(context.output(kOutput));
  if (elements == 0) return {};
  if (is_quant8_asymm(input.type)) {
    NNVK_ASSIGN(const ByteTable table, quantized_unary_table(context.node.code, input, context.output(kOutput)));
    return emit_byte_table(context, table);
  }
  const uint64_t invocations = divide_up(elements, 4);
  UnaryParams params{static_cast<uint>(invocations), 0.0F};
  if (context.node.code == OperationCode::kElu) {
    NNVK_ASSIGN(params.alpha, context.decode(elu_alpha));
  }
  const TensorBinding x = read_quads(context.input_id(kInput), input.type);
  const TensorBinding y = write_words(context.output_id(kOutput));
  auto dispatch = is_float_tensor(input.type)
                      ? make_dispatch(context, kernels::kUnaryFloat, {.type = element_type(input.type), .operation = kOperation},
                                      {.in_x = x, .out_y = y}, params)
                      : make_dispatch(context, kernels::kUnaryInt32, {.operation = kOperation}, {.in_x = x, .out_y = y}, params);
  return add_flat(context, std::move(dispatch), invocations);
}

}  // namespace

constinit const EmitterRows unary_emitters = {
    {OperationCode::kRelu, nullptr, emit<kUnaryRelu>},   {OperationCode::kRelu1, nullptr, emit<kUnaryRelu1>},
    {OperationCode::kRelu6, nullptr, emit<kUnaryRelu6>}, {OperationCode::kLogistic, nullptr, emit<kUnaryLogistic>},
    {OperationCode::kTanh, nullptr, emit<kUnaryTanh>},   {OperationCode::kHardSwish, nullptr, emit<kUnaryHardSwish>},
    {OperationCode::kAbs, nullptr, emit<kUnaryAbs>},     {OperationCode::kNeg, nullptr, emit<kUnaryNeg>},
    {OperationCode::kFloor, nullptr, emit<kUnaryFloor>}, {OperationCode::kExp, nullptr, emit<kUnaryExp>},
    {OperationCode::kLog, nullptr, emit<kUnaryLog>},     {OperationCode::kSin, nullptr, emit<kUnarySin>},
    {OperationCode::kSqrt, nullptr, emit<kUnarySqrt>},   {OperationCode::kRsqrt, nullptr, emit<kUnaryRsqrt>},
    {OperationCode::kElu, nullptr, emit<kUnaryElu>},
};

}  // namespace nnvk::vulkan
