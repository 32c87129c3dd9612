// Errors know their source location, and one text contains it.
#include "core/base/result.h"

#include <gtest/gtest.h>

namespace nnvk {
namespace {

const OperationPlace kMul{3, 18, "MUL"};
const OperationPlace kWhile{7, 100, "WHILE"};

Status failing() { return fail(Code::kBadData, "it is wrong"); }

TEST(Error, IsToldWithItsPlacesFromTheOutsideIn) {
  const Error plain(Code::kOpFailed, "it is wrong");
  EXPECT_EQ(plain.text(), "it is wrong");
  EXPECT_EQ(plain.at(OperandPlace{"input", 1}).text(), "input 1: it is wrong");
  EXPECT_EQ(plain.at(OperandPlace{"operand", 7, "TENSOR_INT32"}).text(), "TENSOR_INT32 (operand 7): it is wrong");
  const Error placed = plain.at(OperandPlace{"input", 1}).at(kMul).on_device("gpu");
  EXPECT_EQ(placed.text(), "gpu: MUL (operation 3): input 1: it is wrong");
  EXPECT_EQ(placed.message, "it is wrong");
  EXPECT_EQ(placed.device, "gpu");
  EXPECT_EQ(placed.operation->index, 3U);
  EXPECT_EQ(placed.operand->index, 1U);
}

TEST(Error, ThatGetsASecondPlaceOfAKindTellsTheInnerOneInItsMessage) {
  const Error inner = Error(Code::kOpFailed, "it is wrong").at(kMul);
  const Error outer = inner.at(kWhile);
  EXPECT_EQ(outer.text(), "WHILE (operation 7): MUL (operation 3): it is wrong");
  EXPECT_EQ(outer.operation->name, "WHILE");
  EXPECT_EQ(outer.message, "MUL (operation 3): it is wrong");
  EXPECT_EQ(inner.at(OperandPlace{"output", 0}).text(), "output 0: MUL (operation 3): it is wrong");
  EXPECT_EQ(inner.on_device("cpu").on_device("gpu").text(), "gpu: cpu: MUL (operation 3): it is wrong");
  EXPECT_EQ(inner.on_device("cpu").at(kWhile).text(), "WHILE (operation 7): cpu: MUL (operation 3): it is wrong");
  EXPECT_EQ(inner.at("the referenced model").text(), "the referenced model: MUL (operation 3): it is wrong");
}

TEST(Error, KeepsItsCodeAndItsOriginWhereverItGoes) {
  Error first = failing().error();
  first.vk_result = -4;
  const Error last = first.at(kMul).at(kWhile).on_device("gpu").at("a part of it");
  EXPECT_EQ(last.code, Code::kBadData);
  EXPECT_EQ(last.vk_result, -4);
  EXPECT_EQ(last.raised_where(), first.raised_where());
  EXPECT_EQ(last.raised_where().substr(0, 33), "tests/core/base/result_test.cpp:1");
}

}  // namespace
}  // namespace nnvk
