// NVIDIA's cooperative matrices, as glslang writes them, and their conversion.
#include "tools/shader_packer/cooperative_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "tools/shader_packer/compile.h"
#include "tools/shader_packer/reflect.h"

namespace nnvk::shader_packer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A product of halves or, with BYTES, of signed bytes; SUM is the type of the sums.
constexpr const char* kProduct = R"(#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint ROWS = 16;
layout(constant_id = 1) const uint COLUMNS = 16;
layout(constant_id = 2) const uint DEPTH = 16;
layout(set = 0, binding = 0, std430) readonly buffer in_words { uvec4 in_w4[]; };
layout(set = 0, binding = 1, std430) writeonly buffer out_words { uvec4 out_w4[]; };
#ifdef BYTES
#define MATRIX icoopmatNV
#define BITS 8
#else
#define MATRIX fcoopmatNV
#define BITS 16
#endif
void main() {
  MATRIX<BITS, gl_ScopeSubgroup, ROWS, DEPTH> left;
  MATRIX<BITS, gl_ScopeSubgroup, DEPTH, COLUMNS> right;
  coopMatLoadNV(left, in_w4, 0, 5, false);
  coopMatLoadNV(right, in_w4, 100, 7, true);
  MATRIX<32, gl_ScopeSubgroup, ROWS, COLUMNS> sum = MATRIX<32, gl_ScopeSubgroup, ROWS, COLUMNS>(0);
  coopMatStoreNV(coopMatMulAddNV(left, right, sum), out_w4, 0, 4, false);
}
)";

CompiledModule compiled(std::string text, std::vector<std::string> defines = {}) {
  const CompilerSession session;
  const SourceMap sources = {{"product.comp", std::move(text)}};
  return compile({"product.comp", &sources, std::move(defines)});
}

// Operands of all instructions of a kind, in order.
std::vector<std::vector<uint32_t>> instructions(const std::vector<uint32_t>& module, uint32_t op) {
  std::vector<std::vector<uint32_t>> found;
  for (size_t at = 5; at < module.size(); at += module[at] >> 16) {
    const auto first = module.begin() + static_cast<ptrdiff_t>(at);
    if ((module[at] & 0xFFFFU) == op) found.emplace_back(first + 1, first + (module[at] >> 16));
  }
  return found;
}

// The value of a 32-bit constant.
uint32_t value_of(const std::vector<uint32_t>& module, uint32_t id) {
  for (const auto& constant : instructions(module, 43)) {
    if (constant[1] == id) return constant[2];
  }
  ADD_FAILURE() << id << " is not a constant";
  return 0;
}

TEST(CooperativeMatrix, NothingOfTheOldExtensionIsLeft) {
  const CompiledModule module = compiled(kProduct);
  EXPECT_TRUE(has_nv_matrices(module.named));
  EXPECT_FALSE(has_nv_matrices(module.optimized));
  for (uint32_t op = 5358; op <= 5362; ++op) EXPECT_TRUE(instructions(module.optimized, op).empty()) << op;
  const auto capabilities = instructions(module.optimized, 17);
  EXPECT_EQ(std::count(capabilities.begin(), capabilities.end(), std::vector<uint32_t>{6022}), 1);
  std::string extensions;
  for (const auto& words : instructions(module.optimized, 10))
    extensions += reinterpret_cast<const char*>(words.data()) + std::string(" ");
  EXPECT_THAT(extensions, HasSubstr("SPV_KHR_cooperative_matrix"));
  EXPECT_THAT(extensions, Not(HasSubstr("SPV_NV_cooperative_matrix")));
}

TEST(CooperativeMatrix, TypesSayWhichPartOfAProductTheyAre) {
  const std::vector<uint32_t> module = compiled(kProduct).optimized;
  const auto products = instructions(module, 4459);
  const auto loads = instructions(module, 4457);
  ASSERT_EQ(products.size(), 1U);
  ASSERT_EQ(loads.size(), 2U);
  std::map<uint32_t, uint32_t> use;
  for (const auto& type : instructions(module, 4456)) {
    ASSERT_EQ(type.size(), 6U);
    use[type[0]] = value_of(module, type[5]);
  }
  EXPECT_EQ(use.at(loads[0][0]), 0U);
  EXPECT_EQ(use.at(loads[1][0]), 1U);
  EXPECT_EQ(use.at(products[0][0]), 2U);
}

TEST(CooperativeMatrix, LayoutsAreConstantsBeforeStrides) {
  const std::vector<uint32_t> module = compiled(kProduct).optimized;
  const auto loads = instructions(module, 4457);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(value_of(module, loads[0][3]), 0U) << "row by row";
  EXPECT_EQ(value_of(module, loads[0][4]), 5U);
  EXPECT_EQ(value_of(module, loads[1][3]), 1U) << "column by column";
  EXPECT_EQ(value_of(module, loads[1][4]), 7U);
  const auto stores = instructions(module, 4458);
  ASSERT_EQ(stores.size(), 1U);
  EXPECT_EQ(value_of(module, stores[0][2]), 0U);
  EXPECT_EQ(value_of(module, stores[0][3]), 4U);
}

TEST(CooperativeMatrix, ProductsOfSignedBytesSaySo) {
  const auto bytes = instructions(compiled(kProduct, {"BYTES"}).optimized, 4459);
  ASSERT_EQ(bytes.size(), 1U);
  ASSERT_EQ(bytes[0].size(), 6U);
  EXPECT_EQ(bytes[0][5], 0xFU);
  const auto halves = instructions(compiled(kProduct).optimized, 4459);
  ASSERT_EQ(halves.size(), 1U);
  EXPECT_EQ(halves[0].size(), 5U);
}

TEST(CooperativeMatrix, ATypeOnBothSidesOfAProductIsAnError) {
  std::string same = kProduct;
  const std::string sides = "gl_ScopeSubgroup, ROWS, DEPTH> left";
  same.replace(same.find(sides), sides.size(), "gl_ScopeSubgroup, ROWS, ROWS> left");
  const std::string right = "gl_ScopeSubgroup, DEPTH, COLUMNS> right";
  same.replace(same.find(right), right.size(), "gl_ScopeSubgroup, ROWS, ROWS> right");
  for (size_t at = 0; (at = same.find("ROWS, COLUMNS>")) != std::string::npos;) same.replace(at, 14, "ROWS, ROWS>");
  try {
    compiled(same);
    FAIL() << "a type with two uses was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("specialization constants of their own"));
  }
}

TEST(CooperativeMatrix, ReflectionReadsWhatSuchAModuleDeclares) {
  const Reflection reflection = reflect(compiled(kProduct, {"BYTES"}).named);
  ASSERT_EQ(reflection.bindings.size(), 2U);
  EXPECT_EQ(reflection.bindings[0].name, "in");
  ASSERT_EQ(reflection.specialization.size(), 3U);
  EXPECT_EQ(reflection.specialization[2].name, "DEPTH");
  EXPECT_THAT(reflection.capabilities, ElementsAre("Shader", "Int8", "VulkanMemoryModel", "CooperativeMatrix"));
}

TEST(CooperativeMatrix, OtherModulesStayAsTheyAre) {
  EXPECT_FALSE(has_nv_matrices(compiled("#version 450\nvoid main() {}\n").optimized));
}

}  // namespace
}  // namespace nnvk::shader_packer
