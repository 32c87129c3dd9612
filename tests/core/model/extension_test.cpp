// Extension names, prefixes and types, and operands of these types in models.
#include <gtest/gtest.h>

#include "core/model/model.h"

namespace nnvk {
namespace {

Code code_of(const Status& status) { return status ? Code::kNoError : status.error().code; }

TEST(ExtensionRegistry, GivesEachNameOnePrefix) {
  ExtensionRegistry registry;
  const auto first = registry.code_of("com.example.one", 7);
  const auto second = registry.code_of("com.example.two", 7);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, (1 << 16) | 7);
  EXPECT_EQ(*second, (2 << 16) | 7);
  EXPECT_EQ(*registry.code_of("com.example.one", 9), (1 << 16) | 9);
  EXPECT_EQ(registry.name_of(*second), "com.example.two");
  EXPECT_TRUE(registry.knows_prefix(*first));
  EXPECT_FALSE(registry.knows_prefix(3 << 16));
}

TEST(ExtensionRegistry, RunsOutOfPrefixesCleanly) {
  ExtensionRegistry registry;
  for (int i = 0; i < 65535; ++i) ASSERT_TRUE(registry.code_of("e." + std::to_string(i), 0));
  EXPECT_FALSE(registry.code_of("one.too.many", 0));
  EXPECT_TRUE(registry.code_of("e.17", 0));
}

TEST(ExtensionNames, HaveLettersDigitsAndADot) {
  for (const char* name : {"a.b", "com.example.one_2", ".", "a."}) EXPECT_TRUE(is_valid_extension_name(name)) << name;
  for (const char* name : {"", "nodot", "A.b", "a.b ", "a-b.c", "\xc3\xa9.x"}) {
    EXPECT_FALSE(is_valid_extension_name(name)) << name;
  }
}

TEST(ExtensionDescriptions, WithBadNamesOrCodesThatComeTwiceAreRefused) {
  EXPECT_TRUE(check_extension({"a.b", {{1, true, 2}, {2, true, 2}}, {1, 2}}));
  EXPECT_TRUE(check_extension({"a.b", {}, {}}));
  EXPECT_EQ(code_of(check_extension({"ab", {}, {}})), Code::kBadData);
  EXPECT_EQ(code_of(check_extension({"a.b", {{1, true, 2}, {1, false, 2}}, {}})), Code::kBadData);
  EXPECT_EQ(code_of(check_extension({"a.b", {}, {7, 7}})), Code::kBadData);
}

TEST(ExtensionRegistry, KnowsTypesAsLongAsDevicesAgreeOnThem) {
  ExtensionRegistry registry;
  const ExtensionDescription one{"a.b", {{1, true, 2}, {2, false, 4}}, {1}};
  const ExtensionDescription same{"a.b", {{2, false, 4}, {1, true, 2}}, {5}};  // in another order, with other operations
  const ExtensionDescription other{"a.b", {{1, true, 2}}, {1}};
  EXPECT_TRUE(registry.declare(one));
  EXPECT_TRUE(registry.declare(same));
  EXPECT_TRUE(registry.declare({"c.d", {{1, true, 2}}, {}}));
  const int32_t first = *registry.code_of("a.b", 1);
  const int32_t third = *registry.code_of("a.b", 3);
  ASSERT_NE(registry.operand_type(first), nullptr);
  EXPECT_EQ(registry.operand_type(first)->extension, "a.b");
  EXPECT_EQ(registry.operand_type(first)->type, (ExtensionType{1, true, 2}));
  EXPECT_EQ(registry.operand_type(third), nullptr);
  EXPECT_EQ(code_of(registry.declare(other)), Code::kBadData);
  EXPECT_EQ(registry.operand_type(first), nullptr);
  EXPECT_EQ(code_of(registry.declare(one)), Code::kBadData) << "once disputed, always disputed";
  EXPECT_EQ(registry.operand_type(first), nullptr);
  EXPECT_NE(registry.operand_type(*registry.code_of("c.d", 1)), nullptr);
}

class ExtensionOperands : public ::testing::Test {
 protected:
  ExtensionOperands() {
    const std::vector<ExtensionType> types = {{1, true, 3}, {2, false, 8}, {3, true, 0x40000000}, {4, true, 0}};
    EXPECT_TRUE(extensions_.declare({"com.example.types", types, {}}));
  }
  int32_t type(uint16_t code) { return *extensions_.code_of("com.example.types", code); }
  Result<OperandInfo> info(uint16_t code, std::vector<uint32_t> dims, float scale = 0.0F) {
    return make_operand_info({type(code), dims.empty() ? nullptr : dims.data(), static_cast<uint32_t>(dims.size()), scale, 0},
                             extensions_);
  }

  ExtensionRegistry extensions_;
};

TEST_F(ExtensionOperands, FollowTheDescriptionOfTheirType) {
  ASSERT_TRUE(info(1, {2}));
  EXPECT_TRUE(info(1, {2})->is_tensor());
  EXPECT_EQ(info(1, {2})->byte_size(), 6U);
  EXPECT_EQ(info(1, {2, 0})->byte_size(), std::nullopt);
  EXPECT_TRUE(info(1, {})) << "of unknown rank";
  EXPECT_FALSE(info(1, {2}, 1.0F));
  EXPECT_FALSE(info(2, {2}));
  EXPECT_TRUE(info(2, {})->is_scalar());
  EXPECT_EQ(info(2, {})->byte_size(), 8U);
  EXPECT_FALSE(info(5, {2}));
}

TEST_F(ExtensionOperands, HaveAtMostFourGigabytes) {
  EXPECT_TRUE(info(3, {3}));
  EXPECT_FALSE(info(3, {4}));
  EXPECT_FALSE(info(3, {0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}));
  OperandInfo grown = *info(3, {0, 0});
  grown.shape = {0xFFFFFFFEU, 0xFFFFFFFEU};
  EXPECT_EQ(grown.byte_size(), std::nullopt);
  EXPECT_EQ(info(4, {0xFFFFFFFEU, 0xFFFFFFFEU, 0xFFFFFFFEU})->byte_size(), 0U);
}

TEST_F(ExtensionOperands, CarryABlobAndNoChannelScales) {
  Model model(extensions_);
  const uint32_t dims[] = {2};
  ASSERT_TRUE(model.add_operand({type(1), dims, 1, 0.0F, 0}));
  ASSERT_TRUE(model.add_operand({type(1), dims, 1, 0.0F, 0}));
  ASSERT_TRUE(model.add_operand({3, dims, 1, 0.0F, 0}));
  const float scales[] = {1.0F, 1.0F};
  EXPECT_EQ(code_of(model.set_channel_quant(0, 0, scales, 2)), Code::kBadData);
  EXPECT_TRUE(model.set_extension_data(0, scales, 8));
  EXPECT_EQ(model.operands()[0].info.extension->data.size(), 8U);
  EXPECT_TRUE(model.operands()[1].info.extension->data.empty()) << "each operand has its own";
  EXPECT_EQ(code_of(model.set_extension_data(0, scales, 0)), Code::kBadData);
  EXPECT_EQ(model.operands()[0].info.extension->data.size(), 8U);
  EXPECT_TRUE(model.set_extension_data(0, nullptr, 0));
  EXPECT_TRUE(model.operands()[0].info.extension->data.empty());
  EXPECT_EQ(code_of(model.set_extension_data(2, scales, 4)), Code::kBadData);
  EXPECT_EQ(code_of(model.set_extension_data(3, scales, 4)), Code::kBadData);
}

TEST_F(ExtensionOperands, AModelKnowsOfVendorOperationsInTheModelsItReferences) {
  const uint32_t dims[] = {1};
  const uint32_t x = 0;
  const uint32_t y = 1;
  Model inner(extensions_);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(inner.add_operand({3, dims, 1, 0.0F, 0}));
  ASSERT_TRUE(inner.add_operation(type(9), {&x, 1}, {&y, 1}));
  ASSERT_TRUE(inner.identify_inputs_and_outputs({&x, 1}, {&y, 1}));
  ASSERT_TRUE(inner.finish());
  EXPECT_TRUE(inner.has_vendor_operations());
  EXPECT_EQ(inner.feature_level(), 3);
  Model outer(extensions_);
  ASSERT_TRUE(outer.add_operand({9, dims, 1, 0.0F, 0}));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(outer.add_operand({15, nullptr, 0, 0.0F, 0}));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(outer.add_operand({3, dims, 1, 0.0F, 0}));
  for (const uint32_t branch : {1U, 2U}) ASSERT_TRUE(outer.set_operand_value_from_model(branch, inner));
  const uint32_t inputs[] = {0, 1, 2, 3};
  const uint32_t outer_inputs[] = {0, 3};
  const uint32_t output = 4;
  ASSERT_TRUE(outer.add_operation(96, inputs, {&output, 1}));
  ASSERT_TRUE(outer.identify_inputs_and_outputs(outer_inputs, {&output, 1}));
  ASSERT_TRUE(outer.finish());
  EXPECT_TRUE(outer.has_vendor_operations());
}

}  // namespace
}  // namespace nnvk
