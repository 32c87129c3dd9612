// The decision table for shape overrides (docs/nnapi/shapes.md#overrides) and the rules for lengths.
#include "core/runtime/io_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnvk {
namespace {

OperandInfo float_tensor(Shape shape) {
  OperandInfo info;
  info.type = OperandType::kTensorFloat32;
  info.shape = std::move(shape);
  return info;
}

struct Row {
  const char* what;
  Shape model;
  bool has_type;
  std::vector<uint32_t> type;  // NNAPI dimensions, 0 unknown, empty: unknown rank
  bool input_ok;
  bool output_ok;
};

TEST(ApplyType, FollowsTheDecisionTable) {
  const Shape full{2, 3};
  const Shape partial{2, kUnknownDimension};
  const Shape unknown = Shape::unknown_rank();
  const std::vector<Row> rows = {
      {"full, no type", full, false, {}, true, true},
      {"full, equal", full, true, {2, 3}, true, true},
      {"full, other dimension", full, true, {2, 4}, false, false},
      {"full, other rank", full, true, {6}, false, false},
      {"full, a zero", full, true, {2, 0}, false, false},
      {"full, unknown rank", full, true, {}, false, false},
      {"partial, no type", partial, false, {}, false, true},
      {"partial, agreeing", partial, true, {2, 9}, true, true},
      {"partial, contradicting", partial, true, {3, 9}, false, false},
      {"partial, other rank", partial, true, {2}, false, false},
      {"partial, unknown rank", partial, true, {}, false, false},
      {"partial, partial", partial, true, {2, 0}, false, true},
      {"unknown, no type", unknown, false, {}, false, true},
      {"unknown, full", unknown, true, {4}, true, true},
      {"unknown, partial", unknown, true, {4, 0}, false, true},
      {"unknown, unknown", unknown, true, {}, false, true},
  };
  const ExtensionRegistry extensions;
  for (const Row& row : rows) {
    const OperandTypeDescription type{3, row.type.empty() ? nullptr : row.type.data(), static_cast<uint32_t>(row.type.size()), 0,
                                      0};
    const auto* given = row.has_type ? &type : nullptr;
    EXPECT_EQ(apply_type(float_tensor(row.model), given, true, extensions).has_value(), row.input_ok) << row.what;
    EXPECT_EQ(apply_type(float_tensor(row.model), given, false, extensions).has_value(), row.output_ok) << row.what;
  }
}

TEST(ApplyType, TakesOnlyDimensionsFromTheType) {
  const uint32_t dims[] = {2, 3};
  const OperandTypeDescription type{5, dims, 2, 0.5F, 3};  // TENSOR_QUANT8_ASYMM
  const auto info = apply_type(float_tensor({2, 3}), &type, true, ExtensionRegistry());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->type, OperandType::kTensorFloat32);
  EXPECT_EQ(info->scale, 0.0F);
}

TEST(CheckLength, NeedsTheExactSizeUnlessPaddingIsAllowed) {
  const OperandInfo info = float_tensor({2, 3});
  EXPECT_TRUE(check_length(info, 24, false));
  EXPECT_FALSE(check_length(info, 23, false));
  EXPECT_FALSE(check_length(info, 25, false));
  EXPECT_FALSE(check_length(info, 23, true));
  EXPECT_TRUE(check_length(info, 25, true));
  EXPECT_TRUE(check_length(float_tensor({2, kUnknownDimension}), 1, false));
  EXPECT_FALSE(check_length(float_tensor({65536, 65536}), 24, true)) << "more bytes than any buffer has";
}

}  // namespace
}  // namespace nnvk
