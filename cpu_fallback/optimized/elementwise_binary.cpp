// Operations on two tensors that broadcast against each other: arithmetic, MAXIMUM, MINIMUM, PRELU, comparisons and logic.
#include <cmath>
#include <cstring>

#include "core/base/floor_divide.h"
#include "core/base/quantized_comparison.h"
#include "core/operations/parameters/elementwise_binary_parameters.h"
#include "core/operations/parameters/quantized_unary.h"
#include "cpu_fallback/optimized/arrays/array_functions.h"
#include "cpu_fallback/optimized/arrays/array_pairs.h"
#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"
#include "cpu_fallback/optimized/arrays/elementwise_arrays.h"
#include "cpu_fallback/optimized/element_loop.h"
#include "cpu_fallback/optimized/families.h"
#include "cpu_fallback/optimized/products/packed_weights.h"

namespace nnvk::cpu {
namespace {

using namespace elementwise_binary;

// Runs `Loop::operator()(const ArrayPair&)` over all blocks.
template <class Loop>
class BroadcastKernel final : public OptimizedKernel, public ElementLoop {
 public:
  BroadcastKernel(const BroadcastBlocks& blocks, const KernelNode& node, const Loop& loop)
      : blocks_(blocks), out_width_(element_size(node.operation.output(kOutput).type)), loop_(loop) {}
  void run(const KernelMemory& memory, ThreadPool& threads) const override {
    const double nanoseconds = Loop::kNanoseconds * static_cast<double>(blocks_.block_elements());
    threads.parallel_rows(blocks_.count(), nanoseconds, 1, [&](size_t begin, size_t end) {
      blocks_.for_each(memory.inputs.first(kOperands), begin, end, [&](const BroadcastBlocks::Block& block) {
        loop_(ArrayPair{block.operands[kFirst], block.operands[kSecond], memory.outputs[kOutput] + block.at * out_width_,
                        block.count});
      });
    });
  }
  const char* name() const override { return Loop::kName; }

  const ElementLoop* element_loop() const override { return this; }
  size_t operand_count() const override { return kOperands; }
  bool takes_repeats() const override { return Loop::kTakesRepeats; }
  double nanoseconds() const override { return Loop::kNanoseconds; }
  void compute(std::span<const ElementArray> operands, std::byte* out, size_t count) const override {
    const ElementArray& first = operands[kFirst];
    const ElementArray& second = operands[kSecond];
    loop_(ArrayPair{first.data, second.data, out, count, first.repeats, second.repeats});
  }

 private:
  static constexpr size_t kOperands = 2;

  const BroadcastBlocks blocks_;
  const size_t out_width_;
  const Loop loop_;
};

template <class Loop>
std::unique_ptr<OptimizedKernel> broadcast(const KernelNode& node, const Loop& loop) {
  const OperandInfo& first = node.operation.input(kFirst);
  const size_t width = element_size(first.type);
  const OperandInfo& out = node.operation.output(kOutput);
  const BroadcastBlocks::Operand operands[] = {{first.shape, width}, {node.operation.shape(kSecond), width}};
  const auto blocks = BroadcastBlocks::make(operands, out.shape, element_size(out.type));
  return blocks ? std::make_unique<BroadcastKernel<Loop>>(*blocks, node, loop) : nullptr;
}

struct FloatArithmetic {
  static constexpr const char* kName = "float arrays";
  static constexpr bool kTakesRepeats = true;
  static constexpr double kNanoseconds = 0.15;
  FloatOperation operation;
  FloatFinish finish;
  void operator()(const ArrayPair& p) const {
    FloatArrays arrays;
    arrays.operation = operation;
    arrays.finish = finish;
    arrays.first = reinterpret_cast<const float*>(p.first);
    arrays.second = reinterpret_cast<const float*>(p.second);
    arrays.first_repeats = p.first_repeats;
    arrays.second_repeats = p.second_repeats;
    arrays.out = reinterpret_cast<float*>(p.out);
    combine_floats(arrays, 0, p.count);
  }
};

struct Quant8Addition {
  static constexpr const char* kName = "8-bit sum";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 0.2;
  Quant8Sum sum;
  void operator()(const ArrayPair& p) const {
    Quant8Sum part = sum;
    part.first = p.first;
    part.second = p.second;
    part.out = p.out;
    add_quant8(part, 0, p.count);
  }
};

struct Quant8Multiplication {
  static constexpr const char* kName = "8-bit product of elements";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 0.3;
  Quant8Factors factors;
  void operator()(const ArrayPair& p) const { multiply_byte_pairs(factors, p); }
};

struct IntPairs {
  static constexpr const char* kName = "integer pairs";
  static constexpr bool kTakesRepeats = true;
  static constexpr double kNanoseconds = 0.15;
  PairOperation operation;
  void operator()(const ArrayPair& p) const { combine_int_pairs(operation, p); }
};

struct IntQuotients {
  static constexpr const char* kName = "integer quotients";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 2;
  void operator()(const ArrayPair& p) const {
    const auto* first = reinterpret_cast<const int32_t*>(p.first);
    const auto* second = reinterpret_cast<const int32_t*>(p.second);
    auto* out = reinterpret_cast<int32_t*>(p.out);
    for (size_t i = 0; i < p.count; ++i) out[i] = floor_divide(first[i], second[i]);
  }
};

bool has_representable_shift(const FixedPointMultiplier& m) { return m.exponent <= 31; }

std::unique_ptr<OptimizedKernel> quant8_sum(const KernelNode& node, const ElementwiseBinaryParameters& parameters) {
  if (!has_representable_shift(parameters.first) || !has_representable_shift(parameters.second) ||
      !has_representable_shift(parameters.result)) {
    return nullptr;
  }
  const OperandInfo& out = node.operation.output(kOutput);
  Quant8Sum sum;
  sum.is_signed = out.type == OperandType::kTensorQuant8AsymmSigned;
  sum.first_zero_point = node.operation.input(kFirst).zero_point;
  sum.second_zero_point = node.operation.input(kSecond).zero_point;
  sum.zero_point = out.zero_point;
  sum.first_multiplier = parameters.first;
  sum.second_multiplier = parameters.second;
  sum.result_multiplier = parameters.result;
  sum.guard_bits = kSumGuardBits;
  sum.bounds = bounds_of_both(parameters.activation, node.node.fused_activation, out);
  return broadcast(node, Quant8Addition{sum});
}

std::unique_ptr<OptimizedKernel> quant8_product(const KernelNode& node, const ElementwiseBinaryParameters& parameters) {
  const bool is_prelu = node.operation.code == OperationCode::kPrelu;
  const OperandInfo& out = node.operation.output(kOutput);
  Quant8Factors factors;
  factors.is_signed = out.type == OperandType::kTensorQuant8AsymmSigned;
  factors.is_prelu = is_prelu;
  factors.first_zero_point = node.operation.input(kFirst).zero_point;
  factors.second_zero_point = node.operation.input(kSecond).zero_point;
  factors.zero_point = out.zero_point;
  factors.positive = parameters.first;
  factors.product = is_prelu ? parameters.second : parameters.result;
  factors.bounds = bounds_of_both(parameters.activation, node.node.fused_activation, out);
  if (!has_representable_shift(factors.positive) || !has_representable_shift(factors.product)) return nullptr;
  return broadcast(node, Quant8Multiplication{factors});
}

std::unique_ptr<OptimizedKernel> arithmetic(const KernelNode& node, FloatOperation floats) {
  const auto parameters = elementwise_binary_parameters(node.operation);
  if (!parameters || node.node.residual != kNoTensor) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) {
    return broadcast(node, FloatArithmetic{floats, float_finish(parameters->activation, node.node.fused_activation, false)});
  }
  if (is_quant8_asymm(type)) {
    return floats == FloatOperation::kMultiply ? quant8_product(node, *parameters) : quant8_sum(node, *parameters);
  }
  if (type != OperandType::kTensorInt32 || node.has_epilogue()) return nullptr;
  if (floats == FloatOperation::kDivide) return broadcast(node, IntQuotients{});
  return broadcast(node, IntPairs{floats == FloatOperation::kAdd        ? PairOperation::kAdd
                                  : floats == FloatOperation::kSubtract ? PairOperation::kSubtract
                                                                        : PairOperation::kMultiply});
}

struct FloatPairs {
  static constexpr const char* kName = "float pairs";
  static constexpr bool kTakesRepeats = true;
  static constexpr double kNanoseconds = 0.15;
  PairOperation operation;
  void operator()(const ArrayPair& p) const { combine_float_pairs(operation, p); }
};

// A table converts each operand to the output's quantization, unless it already has that.
struct Quant8Extremum {
  static constexpr const char* kName = "8-bit pairs";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 0.1;
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

bool is_same_quantization(const OperandInfo& a, const OperandInfo& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

std::unique_ptr<OptimizedKernel> extremum(const KernelNode& node, PairOperation operation) {
  if (node.has_epilogue()) return nullptr;
  const OperandInfo& out = node.operation.output(kOutput);
  if (out.type == OperandType::kTensorFloat32) return broadcast(node, FloatPairs{operation});
  if (out.type == OperandType::kTensorInt32) return broadcast(node, IntPairs{operation});
  if (!is_quant8_asymm(out.type)) return nullptr;
  const OperandInfo& first = node.operation.input(kFirst);
  const OperandInfo& second = node.operation.input(kSecond);
  return broadcast(
      node, Quant8Extremum{operation, out.type == OperandType::kTensorQuant8AsymmSigned, is_same_quantization(first, out),
                           is_same_quantization(second, out), requantized_bytes(first, out), requantized_bytes(second, out)});
}

std::unique_ptr<OptimizedKernel> prelu(const KernelNode& node) {
  if (node.has_epilogue()) return nullptr;
  const OperandType type = node.operation.output(kOutput).type;
  if (type == OperandType::kTensorFloat32) return broadcast(node, FloatPairs{PairOperation::kPrelu});
  const auto parameters = elementwise_binary_parameters(node.operation);
  return parameters && is_quant8_asymm(type) ? quant8_product(node, *parameters) : nullptr;
}

// Computes POW. powers() computes a block if all bases are positive and all bases and results normal; otherwise the C library
// does.
struct Powers {
  static constexpr const char* kName = "float powers";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 4;
  void operator()(const ArrayPair& p) const {
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
};

std::unique_ptr<OptimizedKernel> power(const KernelNode& node) {
  const bool is_float = node.operation.output(kOutput).type == OperandType::kTensorFloat32;
  return is_float && !node.has_epilogue() ? broadcast(node, Powers{}) : nullptr;
}

struct Quant8Comparison {
  static constexpr const char* kName = "8-bit comparison";
  static constexpr bool kTakesRepeats = false;
  static constexpr double kNanoseconds = 0.2;
  PairOperation operation;
  ComparedBytes bytes;
  void operator()(const ArrayPair& p) const { compare_byte_pairs(operation, bytes, p); }
};

// Swaps the operands: x > y is y < x.
template <class Loop>
struct Swapped {
  static constexpr const char* kName = Loop::kName;
  static constexpr bool kTakesRepeats = Loop::kTakesRepeats;
  static constexpr double kNanoseconds = Loop::kNanoseconds;
  Loop loop;
  void operator()(const ArrayPair& p) const {
    loop(ArrayPair{p.second, p.first, p.out, p.count, p.second_repeats, p.first_repeats});
  }
};

template <class Loop>
std::unique_ptr<OptimizedKernel> comparison_of(const KernelNode& node, const Loop& loop, bool is_swapped) {
  return is_swapped ? broadcast(node, Swapped<Loop>{loop}) : broadcast(node, loop);
}

std::unique_ptr<OptimizedKernel> comparison(const KernelNode& node, PairOperation operation, bool is_swapped) {
  if (node.has_epilogue()) return nullptr;
  const OperandInfo& first = node.operation.input(kFirst);
  const OperandInfo& second = node.operation.input(kSecond);
  if (first.type == OperandType::kTensorFloat32) return comparison_of(node, FloatPairs{operation}, is_swapped);
  if (first.type == OperandType::kTensorInt32) return comparison_of(node, IntPairs{operation}, is_swapped);
  const bool is_quantized = is_quant8_asymm(first.type);
  if (!is_quantized && first.type != OperandType::kTensorBool8) return nullptr;
  ComparedBytes bytes;
  if (is_quantized) {
    const ComparableScales scales = comparable_scales(first.scale, second.scale);
    bytes = {first.type == OperandType::kTensorQuant8AsymmSigned, first.zero_point, second.zero_point, scales.a, scales.b};
    if (is_swapped) bytes = {bytes.is_signed, second.zero_point, first.zero_point, scales.b, scales.a};
  }
  return comparison_of(node, Quant8Comparison{operation, bytes}, is_swapped);
}

struct LogicalPairs {
  static constexpr const char* kName = "logic of bytes";
  static constexpr bool kTakesRepeats = true;
  static constexpr double kNanoseconds = 0.05;
  PairOperation operation;
  void operator()(const ArrayPair& p) const { combine_byte_pairs(operation, false, p); }
};

std::unique_ptr<OptimizedKernel> logic(const KernelNode& node, PairOperation operation) {
  return node.has_epilogue() ? nullptr : broadcast(node, LogicalPairs{operation});
}

constexpr auto kArithmetic = rounding_halves_once({
    {OperationCode::kAdd, [](const KernelNode& node) { return arithmetic(node, FloatOperation::kAdd); }},
    {OperationCode::kSub, [](const KernelNode& node) { return arithmetic(node, FloatOperation::kSubtract); }},
    {OperationCode::kMul, [](const KernelNode& node) { return arithmetic(node, FloatOperation::kMultiply); }},
    {OperationCode::kDiv, [](const KernelNode& node) { return arithmetic(node, FloatOperation::kDivide); }},
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
