// Conditions for a CheckedOperation.
#include "core/operations/checked_operation.h"
#include "core/operations/operation_enumerators.h"

#include <gtest/gtest.h>

namespace nnvk {
namespace {

OperandInfo tensor(Shape shape, OperandType type = OperandType::kTensorFloat32) {
  OperandInfo info;
  info.type = type;
  info.shape = std::move(shape);
  return info;
}

// TRANSPOSE of a matrix.
struct Transposition {
  OperandInfo in = tensor({2, 3});
  OperandInfo permutation = tensor({2}, OperandType::kTensorInt32);
  OperandInfo out = tensor({3, 2});
  int32_t order[2] = {1, 0};
  bool is_order_known = true;

  Result<CheckedOperation> check() {
    std::span<const std::byte> value;
    if (is_order_known) value = std::as_bytes(std::span(order));
    const OperandView inputs[] = {{&in}, {&permutation, true, value}};
    const OperandInfo* const outputs[] = {&out};
    return CheckedOperation::check({OperationCode::kTranspose, inputs, outputs});
  }
};

TEST(CheckedOperation, ShapesThatFollowFromTheInputsAreAccepted) { EXPECT_TRUE(Transposition().check()); }

TEST(CheckedOperation, AnOutputOfAnotherShapeIsRefused) {
  Transposition t;
  t.out.shape = {2, 3};
  EXPECT_FALSE(t.check());
  t.out.shape = {3, kUnknownDimension};
  EXPECT_FALSE(t.check()) << "only final shapes are checked ones";
}

TEST(CheckedOperation, AnInputWithoutASizeIsRefused) {
  Transposition t;
  t.in.shape = {2, kUnknownDimension};
  EXPECT_FALSE(t.check());
}

// The declared output would pass as the result of an unknown permutation.
TEST(CheckedOperation, AParameterWithoutAValueIsRefused) {
  Transposition t;
  t.is_order_known = false;
  EXPECT_FALSE(t.check());
}

TEST(CheckedOperation, SettlingGivesOutputsTheirShapes) {
  const OperandInfo in = tensor({2, 3});
  OperandInfo out = tensor(Shape::unknown_rank());
  OperandInfo* const to_settle[] = {&out};
  const OperandInfo* const outputs[] = {&out};
  const OperandView inputs[] = {{&in}};
  std::vector<Shape> agreed;
  const auto settled = CheckedOperation::settle({OperationCode::kTanh, inputs, outputs}, to_settle, agreed);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->output(0).shape, (Shape{2, 3}));
  EXPECT_EQ(agreed.front(), (Shape{2, 3}));
}

}  // namespace
}  // namespace nnvk
