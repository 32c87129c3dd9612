// Every operation with operands that no honest model has: whatever the result, nothing may crash, overflow or allocate without
// bound. Meant above all for sanitized builds.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <limits>
#include <random>

#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk {
namespace {

class HostileOperands {
 public:
  explicit HostileOperands(uint32_t seed) : random_(seed) {}

  // Operands of one signature with odd shapes, values and omissions. Points into this object: keep it alive.
  OperationView operation(const OperationDefinition& definition, const Signature& signature, const TypeRule& rule) {
    infos_.clear();
    values_.clear();
    inputs_.clear();
    outputs_.clear();
    const size_t count = signature.input_counts.empty() ? rule.inputs.size() + pick(3)
                                                        : size_t{signature.input_counts[pick(signature.input_counts.size())]};
    for (size_t i = 0; i < count; ++i) {
      const size_t repeated = definition.variadic_from < 0 ? count : static_cast<size_t>(definition.variadic_from);
      const size_t entry = i < rule.inputs.size() ? i : std::min(repeated, rule.inputs.size() - 1);
      add_input(rule.inputs[entry]);
    }
    const size_t output_count = signature.output_count == 0 ? 1 + pick(3) : signature.output_count;
    for (size_t i = 0; i < output_count; ++i) {
      outputs_.push_back(&info(rule.outputs[std::min(i, rule.outputs.size() - 1)]));
    }
    return {definition.code, inputs_, outputs_};
  }

 private:
  size_t pick(size_t count) { return random_() % count; }

  uint32_t dimension() {
    constexpr std::array<uint32_t, 12> kOdd = {0, 1, 1, 2, 3, 4, 5, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, kUnknownDimension};
    return kOdd[pick(kOdd.size())];
  }

  int32_t integer() {
    constexpr std::array<int32_t, 14> kOdd = {INT32_MIN, INT32_MIN + 1, -5,       -2, -1, 0, 1, 1, 2, 3, 4,
                                              1 << 16,   INT32_MAX - 1, INT32_MAX};
    return kOdd[pick(kOdd.size())];
  }

  float real() {
    constexpr std::array<float, 10> kOdd = {0.0F,
                                            -1.0F,
                                            1.0F,
                                            0.5F,
                                            2.0F,
                                            1e-40F,
                                            std::numeric_limits<float>::max(),
                                            -3e38F,
                                            std::numeric_limits<float>::infinity(),
                                            std::numeric_limits<float>::quiet_NaN()};
    return kOdd[pick(kOdd.size())];
  }

  OperandInfo& info(OperandType type) {
    OperandInfo& result = infos_.emplace_back();
    result.type = type;
    result.scale = real();
    result.zero_point = integer();
    if (is_scalar_type(type)) return result;
    if (pick(8) == 0) {
      result.shape = Shape::unknown_rank();
      return result;
    }
    const size_t rank = pick(6);
    for (size_t d = 0; d < rank; ++d) result.shape.dims.push_back(dimension());
    return result;
  }

  void add_input(OperandType type) {
    OperandInfo& operand = info(type);
    const bool present = pick(10) != 0;
    const bool known = present && pick(3) != 0;
    std::span<const std::byte> value;
    if (known && (operand.is_scalar() || type == OperandType::kTensorInt32)) {
      // A tensor's value has the length of its shape. Only small values, because a client could not provide the others.
      size_t elements = 1;
      if (!operand.is_scalar()) {
        elements = pick(9);
        if (pick(4) != 0)
          operand.shape = pick(2) == 0 ? Shape{static_cast<uint32_t>(elements)} : Shape{static_cast<uint32_t>(elements / 2), 2};
      }
      auto& bytes = values_.emplace_back(elements * std::max<size_t>(element_size(type), 1));
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const int32_t word = integer();
        const float number = real();
        std::memcpy(&bytes[i], type == OperandType::kFloat32 ? static_cast<const void*>(&number) : &word, 4);
      }
      for (size_t i = bytes.size() / 4 * 4; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(random_() & 0xFF);
      value = bytes;
    }
    inputs_.push_back({&operand, present, value});
  }

  std::mt19937 random_;
  std::deque<OperandInfo> infos_;
  std::deque<std::vector<std::byte>> values_;
  std::vector<OperandView> inputs_;
  std::vector<const OperandInfo*> outputs_;
};

TEST(HostileOperands, NeverBreakCheckOrInfer) {
  constexpr int kRoundsPerRule = 400;
  size_t succeeded = 0;
  for (int32_t i = 0; i < kOperationCount; ++i) {
    const OperationDefinition& definition = *find_operation(static_cast<OperationCode>(i));
    SCOPED_TRACE(operation_name(definition.code));
    HostileOperands operands(static_cast<uint32_t>(i));
    for (const Signature& signature : definition.signatures) {
      for (const TypeRule& rule : signature.type_rules) {
        for (int round = 0; round < kRoundsPerRule; ++round) {
          const OperationView operation = operands.operation(definition, signature, rule);
          const Result<int> checked = check_operation(operation);
          if (!checked) {
            EXPECT_EQ(checked.error().code, Code::kBadData) << checked.error().message;
            continue;  // a model never holds such an operation
          }
          const auto shapes = infer_output_shapes(operation);
          if (!shapes) {
            EXPECT_TRUE(shapes.error().code == Code::kBadData || shapes.error().code == Code::kOpFailed)
                << shapes.error().message;
            EXPECT_FALSE(shapes.error().message.empty());
            continue;
          }
          ++succeeded;
          EXPECT_EQ(shapes->size(), operation.outputs.size());
        }
      }
    }
  }
  EXPECT_GT(succeeded, 1000U);  // the operands are odd, not hopeless
}

}  // namespace
}  // namespace nnvk
