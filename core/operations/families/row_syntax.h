// Short notation for the rows of operations: lists of operand types and input counts with static storage.
// Included by the family files only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/operations/operation_definition.h"

namespace nnvk::row {

using Shapes = Result<std::vector<Shape>>;  // what a shape function returns

// The shapes of an operation's only output.
inline Shapes one(Shape shape) { return std::vector<Shape>{std::move(shape)}; }

using enum OperandType;

// types<kTensorFloat32, kInt32>: a list that a TypeRule can refer to.
template <OperandType... kTypes>
inline constexpr std::array<OperandType, sizeof...(kTypes)> types{kTypes...};

// counts<7, 8, 10>: the allowed numbers of inputs of a signature.
template <uint8_t... kCounts>
inline constexpr std::array<uint8_t, sizeof...(kCounts)> counts{kCounts...};

// moved<kTensorFloat32, kInt32>(3): a tensor and parameters go in, a tensor of the same type comes out.
template <OperandType kType, OperandType... kParameters>
constexpr TypeRule moved(int since) {
  return {since, types<kType, kParameters...>, types<kType>};
}

// Floats and 8-bit tensors since a level (halves not before 3, signed bytes not before 4), moved as above.
template <int kSince, OperandType... kParameters>
inline constexpr std::array<TypeRule, 4> moved_reals{moved<kTensorFloat32, kParameters...>(kSince),
                                                     moved<kTensorQuant8Asymm, kParameters...>(kSince),
                                                     moved<kTensorFloat16, kParameters...>(std::max(kSince, 3)),
                                                     moved<kTensorQuant8AsymmSigned, kParameters...>(std::max(kSince, 4))};
// Integers too.
template <int kSince, OperandType... kParameters>
inline constexpr std::array<TypeRule, 5> moved_numbers{
    moved_reals<kSince, kParameters...>[0], moved_reals<kSince, kParameters...>[1], moved_reals<kSince, kParameters...>[2],
    moved_reals<kSince, kParameters...>[3], moved<kTensorInt32, kParameters...>(kSince)};

// bits(1, 3): a mask with the bits of these inputs set; input 31 and above share bit 31.
template <class... Inputs>
constexpr uint32_t bits(Inputs... inputs) {
  return (0U | ... | (1U << std::min<size_t>(inputs, 31)));
}

}  // namespace nnvk::row
