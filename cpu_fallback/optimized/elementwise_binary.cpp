// Operations on two tensors that broadcast against each other: arithmetic, MAXIMUM, MINIMUM, PRELU, comparisons and logic.
#include <cmath>
#include <cstring>

#include "core/base/fixed_point.h"
#include "core/base/quantized_comparison.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/quantized_unary.h"
#include "core/operations/rules/shape_rules.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/arrays/array_pairs.h"
#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"
#include "cpu_fallback/optimized/arrays/elementwise_arrays.h"
#include "cpu_fallback/optimized/element_loop.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/products/packed_weights.h"
#include "cpu_fallback/optimized/vectors/float_finish.h"

namespace nnvk::cpu {
namespace {

using namespace elementwise_binary;

struct LoopTraits {
  const char* name;    // in profiles
  bool takes_repeats;  // one of the operands may be a single element, the partner of all elements of the other
  double nanoseconds;  // that an element takes
};

// Runs `loop(const ArrayPair&)` over all blocks.
template <class Loop>
class BroadcastKernel final : public OptimizedKernel, public ElementLoop {
 public:
  BroadcastKernel(const BroadcastBlocks& blocks, const KernelNode& node, const LoopTraits& traits, const Loop& loop)
      : blocks_(blocks), out_width_(element_size(node.operation.output(kOutput).type)), traits_(traits), loop_(loop) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const double nanoseconds = traits_.nanoseconds * static_cast<double>(blocks_.block_elements());
    threads.parallel_rows(blocks_.count(), nanoseconds, 1, [&](size_t begin, size_t end) {
      blocks_.for_each(memory.inputs.first(kOperands), begin, end, [&](const BroadcastBlocks::Block& block) {
        loop_(ArrayPair{block.operands[kFirst], block.operands[kSecond], memory.outputs[kOutput] + block.at * out_width_,
                        block.count});
      });
    });
  }
  const char* name() const override { return traits_.name; }

  const ElementLoop* element_loop() const override { return this; }
  size_t operand_count() const override { return kOperands; }
  bool takes_repeats() const override { return traits_.takes_repeats; }
  double nanoseconds() const override { return traits_.nanoseconds; }
  void compute(std::span<const ElementArray> operands, std::byte* out, size_t count) const override {
    const ElementArray& first = operands[kFirst];
    const ElementArray& second = operands[kSecond];
    loop_(ArrayPair{first.data, second.data, out, count, first.repeats, second.repeats});
  }

 private:
  static constexpr size_t kOperands = 2;

  const BroadcastBlocks blocks_;
  const size_t out_width_;
  const LoopTraits traits_;
  const Loop loop_;
};

template <class Loop>
std::unique_ptr<OptimizedKernel> broadcast(const KernelNode& node, const LoopTraits& traits, Loop loop) {
  const OperandInfo& first = node.operation.input(kFirst);
  const size_t width = element_size(first.type);
  const OperandInfo& out = node.operation.output(kOutput);
  const BroadcastBlocks::Operand operands[] = {{first.shape, width}, {node.operation.shape(kSecond), width}};
  const auto blocks = BroadcastBlocks::make(operands, out.shape, element_size(out.type));
  return blocks ? std::make_unique<BroadcastKernel<Loop>>(*blocks, node, traits, loop) : nullptr;
}

constexpr LoopTraits kFloatPairs{"float pairs", true, 0.15};
auto on_float_pairs(PairOperation operation) {
  return [operation](const ArrayPair& p) { combine_float_pairs(operation, p); };
}

constexpr LoopTraits kIntPairs{"integer pairs", true, 0.15};
auto on_int_pairs(PairOperation operation) {
  return [operation](const ArrayPair& p) { combine_int_pairs(operation, p); };
}

void divide_int_pairs(const ArrayPair& p) {
  const auto* first = reinterpret_cast<const int32_t*>(p.first);
  const auto* second = reinterpret_cast<const int32_t*>(p.second);
  auto* out = reinterpret_cast<int32_t*>(p.out);
  for (size_t i = 0; i < p.count; ++i) out[i] = floor_divide(first[i], second[i]);
}

bool has_representable_shift(const FixedPointMultiplier& m) { return m.exponent <= 31; }

// Makes the kernel of 8-bit ADD, SUB, MUL or PRELU.
std::unique_ptr<OptimizedKernel> quant8_arithmetic(const KernelNode& node, const ElementwiseBinaryParameters& parameters) {
  if (!has_representable_shift(parameters.first) || !has_representable_shift(parameters.second) ||
      !has_representable_shift(parameters.result)) {
    return nullptr;
  }
  const OperandInfo& out = node.operation.output(kOutput);
  const Quant8Arithmetic arithmetic{.is_signed = out.type == OperandType::kTensorQuant8AsymmSigned,
                                    .first_zero_point = node.operation.input(kFirst).zero_point,
                                    .second_zero_point = node.operation.input(kSecond).zero_point,
                                    .zero_point = out.zero_point,
                                    .first = parameters.first,
                                    .second = parameters.second,
                                    .result = parameters.result,
                                    .bounds = bounds_of_both(parameters.activation, node.node.fused_activation, out)};
  const bool is_prelu = node.operation.code == OperationCode::kPrelu;
  if (is_prelu || node.operation.code == OperationCode::kMul) {
    return broadcast(node, {"8-bit product of elements", false, 0.3},
                     [arithmetic, is_prelu](const ArrayPair& p) { multiply_byte_pairs(arithmetic, is_prelu, p); });
  }
  return broadcast(node, {"8-bit sum", false, 0.2}, [arithmetic](const ArrayPair& p) { add_byte_pairs(arithmetic, p); });
}

std::unique_ptr<OptimizedKernel> arithmetic(const KernelNode& node, PairOperation operation) {
  const auto parameters = elementwise_binary_parameters(node.operation);
  if (!parameters || node.node.residual != kNoTensor) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) {
    const ActivationBounds bounds = float_finish(parameters->activation, node.node.fused_activation, false).own;
    return broadcast(node, {"float arrays", true, 0.15},
                     [operation, bounds](const ArrayPair& p) { combine_floats(operation, bounds, p); });
  }
  if (is_quant8_asymm(type)) return quant8_arithmetic(node, *parameters);
  if (type != OperandType::kTensorInt32 || node.has_epilogue()) return nullptr;
  if (operation == PairOperation::kDivide) return broadcast(node, {"integer quotients", false, 2}, divide_int_pairs);
  return broadcast(node, kIntPairs, on_int_pairs(operation));
}

// A table converts each operand to the output's quantization, unless it already has that.
struct Quant8Extremum {
  PairOperation operation;
  bool is_signed;
  bool first_is_ready, second_is_ready;
  ByteTable first, second;

  void operator()(const ArrayPair& p) const {
    alignas(64) std::byte moved[2][BroadcastBlocks::kBlockBytes];
    ArrayPair pair = p;
    if (!first_is_ready) pair.first = moved_bytes(first, p.first, moved[0], p.count);
    if (!second_is_ready) pair.second = moved_bytes(second, p.second, moved[1], p.count);
    combine_byte_pairs(operation, is_signed, pair);
  }
  static const std::byte* moved_bytes(const ByteTable& table, const std::byte* from, std::byte* to, size_t count) {
    look_up_bytes(table.data(), from, to, count);
    return to;
  }
};

std::unique_ptr<OptimizedKernel> extremum(const KernelNode& node, PairOperation operation) {
  if (node.has_epilogue()) return nullptr;
  const OperandInfo& out = node.operation.output(kOutput);
  if (out.type == OperandType::kTensorFloat32) return broadcast(node, kFloatPairs, on_float_pairs(operation));
  if (out.type == OperandType::kTensorInt32) return broadcast(node, kIntPairs, on_int_pairs(operation));
  if (!is_quant8_asymm(out.type)) return nullptr;
  const OperandInfo& first = node.operation.input(kFirst);
  const OperandInfo& second = node.operation.input(kSecond);
  const bool is_signed = out.type == OperandType::kTensorQuant8AsymmSigned;
  return broadcast(node, {"8-bit pairs", false, 0.1},
                   Quant8Extremum{operation, is_signed, same_quantization(first, out), same_quantization(second, out),
                                  requantized_bytes(first, out), requantized_bytes(second, out)});
}

std::unique_ptr<OptimizedKernel> prelu(const KernelNode& node) {
  if (node.has_epilogue()) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) return broadcast(node, kFloatPairs, on_float_pairs(PairOperation::kPrelu));
  const auto parameters = elementwise_binary_parameters(node.operation);
  return parameters && is_quant8_asymm(type) ? quant8_arithmetic(node, *parameters) : nullptr;
}

// Computes POW. powers() computes a block if all bases are positive and all bases and results normal; otherwise the C library
// does.
void raise_pairs(const ArrayPair& p) {
  const auto* base = reinterpret_cast<const float*>(p.first);
  const auto* exponent = reinterpret_cast<const float*>(p.second);
  auto* out = reinterpret_cast<float*>(p.out);
  alignas(64) float results[BroadcastBlocks::kBlockBytes / sizeof(float)];
  if (powers(base, exponent, results, p.count)) {
    std::memcpy(out, results, p.count * sizeof(float));
  } else {
    for (size_t i = 0; i < p.count; ++i) out[i] = std::pow(base[i], exponent[i]);
  }
}

std::unique_ptr<OptimizedKernel> power(const KernelNode& node) {
  const bool is_float = node.operation.output(kOutput).type == OperandType::kTensorFloat32;
  return is_float && !node.has_epilogue() ? broadcast(node, {"float powers", false, 4}, raise_pairs) : nullptr;
}

// Makes the kernel of a comparison. If `is_swapped`, the loop gets the operands in the other order: x > y is y < x.
template <class Loop>
std::unique_ptr<OptimizedKernel> comparison_of(const KernelNode& node, const LoopTraits& traits, const Loop& loop,
                                               bool is_swapped) {
  if (!is_swapped) return broadcast(node, traits, loop);
  return broadcast(node, traits, [loop](const ArrayPair& p) {
    loop(ArrayPair{p.second, p.first, p.out, p.count, p.second_repeats, p.first_repeats});
  });
}

std::unique_ptr<OptimizedKernel> comparison(const KernelNode& node, PairOperation operation, bool is_swapped) {
  if (node.has_epilogue()) return nullptr;
  const OperandInfo& first = node.operation.input(is_swapped ? kSecond : kFirst);
  const OperandInfo& second = node.operation.input(is_swapped ? kFirst : kSecond);
  if (first.type == OperandType::kTensorFloat32) return comparison_of(node, kFloatPairs, on_float_pairs(operation), is_swapped);
  if (first.type == OperandType::kTensorInt32) return comparison_of(node, kIntPairs, on_int_pairs(operation), is_swapped);
  const bool is_quantized = is_quant8_asymm(first.type);
  if (!is_quantized && first.type != OperandType::kTensorBool8) return nullptr;
  ComparedBytes bytes;
  if (is_quantized) {
    const ComparableScales scales = comparable_scales(first.scale, second.scale);
    bytes = {first.type == OperandType::kTensorQuant8AsymmSigned, first.zero_point, second.zero_point, scales.a, scales.b};
  }
  const auto compare = [operation, bytes](const ArrayPair& p) { compare_byte_pairs(operation, bytes, p); };
  return comparison_of(node, {"8-bit comparison", false, 0.2}, compare, is_swapped);
}

std::unique_ptr<OptimizedKernel> logic(const KernelNode& node, PairOperation operation) {
  if (node.has_epilogue()) return nullptr;
  return broadcast(node, {"logic of bytes", true, 0.05},
                   [operation](const ArrayPair& p) { combine_byte_pairs(operation, false, p); });
}

constexpr auto kArithmetic = rounding_halves_once({
    {OperationCode::kAdd, [](const KernelNode& node) { return arithmetic(node, PairOperation::kAdd); }},
    {OperationCode::kSub, [](const KernelNode& node) { return arithmetic(node, PairOperation::kSubtract); }},
    {OperationCode::kMul, [](const KernelNode& node) { return arithmetic(node, PairOperation::kMultiply); }},
    {OperationCode::kDiv, [](const KernelNode& node) { return arithmetic(node, PairOperation::kDivide); }},
    {OperationCode::kMaximum, [](const KernelNode& node) { return extremum(node, PairOperation::kLarger); }},
    {OperationCode::kMinimum, [](const KernelNode& node) { return extremum(node, PairOperation::kSmaller); }},
    {OperationCode::kPrelu, prelu},
    {OperationCode::kPow, power},
});
constexpr auto kComparisons = rounding_halves_once({
    {OperationCode::kEqual, [](const KernelNode& node) { return comparison(node, PairOperation::kEqual, false); }},
    {OperationCode::kNotEqual, [](const KernelNode& node) { return comparison(node, PairOperation::kNotEqual, false); }},
    {OperationCode::kLess, [](const KernelNode& node) { return comparison(node, PairOperation::kLess, false); }},
    {OperationCode::kLessEqual, [](const KernelNode& node) { return comparison(node, PairOperation::kLessEqual, false); }},
    {OperationCode::kGreater, [](const KernelNode& node) { return comparison(node, PairOperation::kLess, true); }},
    {OperationCode::kGreaterEqual, [](const KernelNode& node) { return comparison(node, PairOperation::kLessEqual, true); }},
    {OperationCode::kLogicalAnd, [](const KernelNode& node) { return logic(node, PairOperation::kAnd); }},
    {OperationCode::kLogicalOr, [](const KernelNode& node) { return logic(node, PairOperation::kOr); }},
});

}  // namespace

std::span<const OptimizedRow> optimized_elementwise_binary_kernels() { return kArithmetic; }
std::span<const OptimizedRow> optimized_comparison_logical_kernels() { return kComparisons; }

}  // namespace nnvk::cpu
