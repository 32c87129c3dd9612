// Short notation for rows: lists of operand types, type rules and signatures with static storage, for family files alone.
// Declares the function that each of them defines (families.h). Family files may rely on this header for the rules that nearly
// all of them check: shape_rules.h and operand_expectations.h.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/operations/families/families.h"
#include "core/operations/operation_enumerators.h"
#include "core/operations/rules/image_layout.h"
#include "core/operations/rules/operand_expectations.h"
#include "core/operations/rules/shape_rules.h"
#include "core/operations/work_estimate.h"

namespace nnvk::row {

using Shapes = Result<std::vector<Shape>>;  // the result of a shape function

inline Shapes one(Shape shape) { return std::vector<Shape>{std::move(shape)}; }

using enum OperandType;
using Op = OperationCode;
using Cost = CostFamily;

// types<kTensorFloat32, kInt32> is a list to which a TypeRule can refer.
template <OperandType... kTypes>
inline constexpr std::array<OperandType, sizeof...(kTypes)> types{kTypes...};

// counts<7, 8, 10>: the allowed numbers of inputs of a signature.
template <uint8_t... kCounts>
inline constexpr std::array<uint8_t, sizeof...(kCounts)> counts{kCounts...};

// Placeholders in a rule's lists of operand types; the type for which kT stands decides the others.
inline constexpr OperandType kT{-1};         // T itself
inline constexpr OperandType kTScalar{-2};   // a real number: FLOAT16 beside halves, else FLOAT32
inline constexpr OperandType kTElement{-3};  // one element: FLOAT16, FLOAT32, else INT32
inline constexpr OperandType kTBias{-4};     // TENSOR_INT32 beside 8-bit tensors, else T
inline constexpr OperandType kTBoxes{-5};    // TENSOR_QUANT16_ASYMM beside 8-bit tensors, else T
inline constexpr OperandType kTAnchors{-6};  // TENSOR_QUANT16_SYMM beside 8-bit tensors, else T

constexpr OperandType beside(OperandType type, OperandType listed) {
  const bool is_8_bit = type == kTensorQuant8Asymm || type == kTensorQuant8AsymmSigned;
  if (listed == kT) return type;
  if (listed == kTScalar) return type == kTensorFloat16 ? kFloat16 : kFloat32;
  if (listed == kTElement) return type == kTensorFloat16 ? kFloat16 : type == kTensorFloat32 ? kFloat32 : kInt32;
  if (listed == kTBias) return is_8_bit ? kTensorInt32 : type;
  if (listed == kTBoxes) return is_8_bit ? kTensorQuant16Asymm : type;
  if (listed == kTAnchors) return is_8_bit ? kTensorQuant16Symm : type;
  return listed;
}

// In<kT, kInt32> and Out<kT> are the operand types of a rule; of<T> is the list with the placeholders replaced.
template <OperandType... kListed>
struct In {
  template <OperandType kType>
  static constexpr std::array<OperandType, sizeof...(kListed)> of{beside(kType, kListed)...};
};
template <OperandType... kListed>
using Out = In<kListed...>;

// Since<kLevel, kTypes...> lists types for which kT stands; feature level kLevel introduced them.
template <int kLevel, OperandType... kTypes>
struct Since {};
// Floats<kLevel> is TENSOR_FLOAT32 from feature level kLevel on, and TENSOR_FLOAT16 from kLevel on, but not before level 3.
template <int kLevel>
struct Floats {};
// Reals<kLevel> is Floats<kLevel> and 8-bit tensors from feature level kLevel on, but signed 8-bit tensors not before level 4.
template <int kLevel>
struct Reals {};
// Numbers<kLevel> is Reals<kLevel>, and TENSOR_INT32 from feature level kLevel on.
template <int kLevel>
struct Numbers {};
// RealsWhere<kLevel, kApplies> is Reals<kLevel>, but before level 3 the rule for unsigned 8-bit tensors counts only if `kApplies`
// returns true.
template <int kLevel, bool (*kApplies)(const OperationView& operation)>
struct RealsWhere {};

template <size_t... kSizes>
constexpr auto joined(const std::array<TypeRule, kSizes>&... lists) {
  std::array<TypeRule, (0 + ... + kSizes)> all{};
  auto end = all.begin();
  ((end = std::copy(lists.begin(), lists.end(), end)), ...);
  return all;
}

template <class Inputs, class Outputs, int kLevel, OperandType... kTypes>
constexpr auto rules_of(Since<kLevel, kTypes...>) {
  return std::array{TypeRule{kLevel, Inputs::template of<kTypes>, Outputs::template of<kTypes>}...};
}
template <class Inputs, class Outputs, int kLevel>
constexpr auto rules_of(Floats<kLevel>) {
  return joined(rules_of<Inputs, Outputs>(Since<kLevel, kTensorFloat32>{}),
                rules_of<Inputs, Outputs>(Since<std::max(kLevel, 3), kTensorFloat16>{}));
}
template <class Inputs, class Outputs, int kLevel>
constexpr auto rules_of(Reals<kLevel>) {
  return joined(rules_of<Inputs, Outputs>(Floats<kLevel>{}), rules_of<Inputs, Outputs>(Since<kLevel, kTensorQuant8Asymm>{}),
                rules_of<Inputs, Outputs>(Since<std::max(kLevel, 4), kTensorQuant8AsymmSigned>{}));
}
template <class Inputs, class Outputs, int kLevel>
constexpr auto rules_of(Numbers<kLevel>) {
  return joined(rules_of<Inputs, Outputs>(Reals<kLevel>{}), rules_of<Inputs, Outputs>(Since<kLevel, kTensorInt32>{}));
}
template <class Inputs, class Outputs, int kLevel, bool (*kApplies)(const OperationView& operation)>
constexpr auto rules_of(RealsWhere<kLevel, kApplies>) {
  auto early = rules_of<Inputs, Outputs>(Since<kLevel, kTensorQuant8Asymm>{});
  early.front().applies = kApplies;
  return joined(rules_of<Inputs, Outputs>(Since<kLevel, kTensorFloat32>{}), early, rules_of<Inputs, Outputs>(Reals<3>{}));
}

// rules<In<kT, kInt32>, Out<kT>, Reals<1>, Since<4, kTensorInt32>> is a list with one type rule for each type of kT.
template <class Inputs, class Outputs, class... Levels>
inline constexpr auto rules = joined(rules_of<Inputs, Outputs>(Levels{})...);

// only<rules> is the one signature of an operation, as old as the oldest rule. Its inputs are those of the rules; kCounts lists
// the allowed numbers of inputs if trailing ones may be missing.
template <const auto& kRules, uint8_t... kCounts>
inline constexpr std::array<Signature, 1> only{
    {{.since = std::ranges::min(kRules, {}, &TypeRule::since).since,
      .input_counts = sizeof...(kCounts) == 0 ? std::span<const uint8_t>(counts<kRules.front().inputs.size()>)
                                              : std::span<const uint8_t>(counts<kCounts...>),
      .output_count = kRules.front().outputs.size(),
      .type_rules = kRules}}};

// Replaces a comparison with nullptr, which is no constant expression under GCC's undefined-behaviour sanitizer.
template <WorkFunction kFunction>
inline constexpr bool is_given = true;
template <>
inline constexpr bool is_given<nullptr> = false;

// rows<Cost::kMovement, layout::fixed>({...}) makes rows of operations with the same cost and layout, each as old as its oldest
// signature. Only products name the function that counts their multiply-adds.
template <CostFamily kCost, LayoutFunction kLayout, WorkFunction kMultiplyAdds = nullptr, size_t kCount>
constexpr auto rows(OperationRules (&&list)[kCount]) {
  static_assert(is_product(kCost) == is_given<kMultiplyAdds>);
  const auto row = [](const OperationRules& rules) {
    const int since = std::ranges::min(rules.signatures, {}, &Signature::since).since;
    return OperationDefinition{rules, since, kCost, kMultiplyAdds, kLayout};
  };
  return std::apply([&](const auto&... rules) { return std::array{row(rules)...}; }, std::to_array(std::move(list)));
}

template <size_t... kSizes>
constexpr auto joined(const std::array<OperationDefinition, kSizes>&... lists) {
  return std::apply([](const auto&... row) { return std::array{row...}; }, std::tuple_cat(lists...));
}

// bits(1, 3) is a mask with the bits of inputs 1 and 3; input 31 and all behind it share bit 31.
template <class... Inputs>
constexpr uint32_t bits(Inputs... inputs) {
  return (0U | ... | input_bit(inputs));
}

}  // namespace nnvk::row
