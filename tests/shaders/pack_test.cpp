// The packer as a whole, on small shaders in a temporary folder: its checks, cache and output.
#include "tools/shader_packer/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tools/shader_packer/emit.h"

namespace nnvk::shader_packer {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kParams = R"(#include "shared_types.h"
NNVK_SHARED_BEGIN
struct DemoParams { uint count; float factor; uint dims[3]; };
NNVK_SHARED_END
)";

constexpr const char* kShader = R"(#version 450
#include "tensor.glsl"
#include "demo_params.h"
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint TYPE = 0;
NNVK_PARAMS(DemoParams)
NNVK_FLOAT4_INPUT(0, in_x, TYPE)
NNVK_OUTPUT(1, out_y)
void main() {
  const uint i = nnvk_invocation();
  if (i < params.count) out_y_float4(TYPE, i, in_x(i) * params.factor + float(params.dims[2]));
}
)";

constexpr const char* kManifest = R"({"family": "demo", "params": "demo_params.h", "kernels": [{
  "name": "Demo", "source": "demo.comp", "local_size": [64, 1, 1], "params_struct": "DemoParams", "specialization": ["TYPE"],
  "bindings": [{"name": "in_x", "kind": "input"}, {"name": "out_y", "kind": "output"}]}]})";

// `text` with `to` in place of `from`, which must be there.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Packer : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() /
            ("nnvk_packer_" + std::to_string(getpid()) + "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_ / "shaders");
    fs::copy(fs::path(NNVK_SOURCE_DIR) / "shaders" / "include", root_ / "shaders" / "include", fs::copy_options::recursive);
    write("demo_params.h", kParams);
    write("demo.comp", kShader);
    write("demo.json", kManifest);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(root_ / "shaders" / name) << text; }
  std::string read_output(const std::string& name) const {
    std::ifstream file(root_ / "out" / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Packs with `from` replaced in the shader or manifest.
  std::string error_after(const std::string& file, const std::string& text, const std::string& from,
                          const std::string& to) const {
    write(file, changed(text, from, to));
    return error();
  }
  std::string error() const {
    try {
      run();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  PackSummary run() const { return pack({root_ / "shaders", root_ / "out", root_ / "cache"}); }

  fs::path root_;
};

TEST_F(Packer, CompilesBothVariantsOfAKernel) {
  const PackSummary summary = run();
  EXPECT_EQ(summary.kernels, 1U);
  EXPECT_EQ(summary.modules, 2U);
  EXPECT_EQ(summary.compiled, 2U);
  EXPECT_GT(summary.bytes, 500U);
  const std::string table = read_output("kernel_table.cpp");
  EXPECT_THAT(table, HasSubstr("static_assert(sizeof(DemoParams) == 20"));
  EXPECT_THAT(table, HasSubstr("static_assert(offsetof(DemoParams, factor) == 4 && sizeof(DemoParams::factor) == 4"));
  EXPECT_THAT(table, HasSubstr("static_assert(offsetof(DemoParams, dims) == 8 && sizeof(DemoParams::dims) == 12"));
  EXPECT_THAT(read_output("spirv_demo.cpp"), HasSubstr("0x7230203"));  // SPIR-V's magic number
}

TEST_F(Packer, AKernelBecomesAStructOfWhatItTakes) {
  run();
  const std::string header = read_output("demo_kernels.h");
  EXPECT_THAT(header, HasSubstr("#include \"shaders/demo_params.h\""));
  EXPECT_THAT(header, HasSubstr("struct Demo {\n  using Params = DemoParams;\n"));
  EXPECT_THAT(header, HasSubstr("    Required<uint32_t> type;\n"));
  EXPECT_THAT(header, HasSubstr("in_order() const { return {{0, type}}; }"));
  EXPECT_THAT(header, HasSubstr("    Required<TensorBinding> in_x;  // input\n    Required<TensorBinding> out_y;  // output\n"));
  EXPECT_THAT(header, HasSubstr("in_order() const { return {in_x, out_y}; }"));
  EXPECT_THAT(header,
              HasSubstr("inline constexpr TypedKernel<Demo> kDemo{KernelId{" + std::to_string(kernel_id("Demo")) + "U}};"));
}

TEST_F(Packer, SpecializationConstantsKeepTheirTypes) {
  const std::string shader = changed(kShader, "NNVK_PARAMS",
                                     "layout(constant_id = 1) const bool FAST = true;\n"
                                     "layout(constant_id = 2) const int STEP = -1;\n"
                                     "layout(constant_id = 3) const float SLOPE = 0.5;\nNNVK_PARAMS");
  write("demo.comp", changed(shader, "params.factor", "(FAST ? params.factor * SLOPE : float(STEP))"));
  write("demo.json", changed(kManifest, "[\"TYPE\"]", R"(["TYPE", "FAST", "STEP", "SLOPE"])"));
  run();
  const std::string header = read_output("demo_kernels.h");
  EXPECT_THAT(header, HasSubstr("Required<bool> fast;\n    Required<int32_t> step;\n    Required<float> slope;\n"));
  EXPECT_THAT(header, HasSubstr("{1, fast ? 1U : 0U}, {2, std::bit_cast<uint32_t>(step.value)}, "
                                "{3, std::bit_cast<uint32_t>(slope.value)}"));
}

TEST_F(Packer, AConstantHasOneTypeInAllVariants) {
  const std::string shader = changed(kShader, "NNVK_PARAMS",
                                     "#ifdef NNVK_WORDS\nlayout(constant_id = 1) const uint FAST = 0;\n#else\n"
                                     "layout(constant_id = 1) const bool FAST = false;\n#endif\nNNVK_PARAMS");
  write("demo.comp", changed(shader, "params.factor", "(bool(FAST) ? params.factor : 1.0)"));
  EXPECT_THAT(error_after("demo.json", kManifest, "[\"TYPE\"]", "[\"TYPE\", \"FAST\"]"),
              HasSubstr("constant 1 (FAST) is in the manifest but has several types in its variants"));
}

TEST_F(Packer, KernelsOfEqualNamesShareOneStruct) {
  std::string manifest = kManifest;
  const std::string one = manifest.substr(manifest.find("[{") + 1, manifest.rfind("]}") - manifest.find("[{") - 1);
  manifest.insert(manifest.rfind("]}"), ", " + changed(one, "\"Demo\"", R"("DemoTwin", "defines": ["TWIN"])"));
  write("demo.json", manifest);
  run();
  EXPECT_THAT(read_output("demo_kernels.h"),
              HasSubstr("using DemoTwin = Demo;\ninline constexpr TypedKernel<DemoTwin> kDemoTwin{"));
}

TEST_F(Packer, ASecondRunCompilesNothingAndWritesNothing) {
  run();
  const auto written = fs::last_write_time(root_ / "out" / "spirv_demo.cpp");
  EXPECT_EQ(run().compiled, 0U);
  EXPECT_EQ(fs::last_write_time(root_ / "out" / "spirv_demo.cpp"), written);
}

TEST_F(Packer, TouchingOneShaderCompilesOnlyThatOne) {
  const std::string other = changed(changed(kManifest, "\"demo\"", "\"other\""), "\"Demo\"", "\"Other\"");
  write("other.json", changed(other, "demo.comp", "other.comp"));
  write("other.comp", kShader);
  EXPECT_EQ(run().compiled, 4U);
  write("other.comp", std::string(kShader) + "// changed\n");
  EXPECT_EQ(run().compiled, 2U);
  write("demo_params.h", std::string(kParams) + "// changed\n");  // both include it
  EXPECT_EQ(run().compiled, 4U);
}

TEST_F(Packer, ADamagedCacheEntryIsCompiledAgain) {
  run();
  for (const auto& entry : fs::directory_iterator(root_ / "cache"))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  EXPECT_EQ(run().compiled, 2U);
  for (const auto& entry : fs::directory_iterator(root_ / "cache")) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file.put('\x5A');
    file.put('\xA5');
  }
  EXPECT_EQ(run().compiled, 2U);
}

TEST_F(Packer, ABindingThatDiffersFromTheManifestIsAnError) {
  EXPECT_THAT(error_after("demo.comp", kShader, "NNVK_OUTPUT(1,", "NNVK_OUTPUT(2,"),
              ::testing::AllOf(HasSubstr("binding 1 (out_y, output) is not in the shader"), HasSubstr("set 0, binding 2")));
  EXPECT_THAT(error_after("demo.json", kManifest, "in_x", "in_a"), HasSubstr("is called in_x in the shader"));
  write("demo.comp", kShader);
  EXPECT_THAT(error_after("demo.json", kManifest, "\"kind\": \"output\"", "\"kind\": \"table\""),
              HasSubstr("should be a read-only storage buffer but the shader declares a write-only storage buffer"));
}

TEST_F(Packer, AnUnlistedMissingOrRenamedSpecializationConstantIsAnError) {
  EXPECT_THAT(error_after("demo.json", kManifest, "[\"TYPE\"]", "[]"),
              HasSubstr("specialization constant 0 (TYPE) is not in the manifest"));
  EXPECT_THAT(error_after("demo.json", kManifest, "[\"TYPE\"]", "[\"KIND\"]"),
              HasSubstr("is called TYPE, the manifest says KIND"));
  EXPECT_THAT(error_after("demo.json", kManifest, "[\"TYPE\"]", "[\"TYPE\", \"RANK\"]"),
              HasSubstr("in no variant of the shader"));
}

TEST_F(Packer, ADifferentLocalSizeOrParamsStructIsAnError) {
  EXPECT_THAT(error_after("demo.comp", kShader, "local_size_x = 64", "local_size_x = 32"), HasSubstr("local size is 32x1x1"));
  write("demo.comp", kShader);
  EXPECT_THAT(error_after("demo.json", kManifest, "\"DemoParams\"", "\"OtherParams\""),
              HasSubstr("push constants are \"DemoParams\""));
}

TEST_F(Packer, PushConstantsAbove128BytesAreAnError) {
  EXPECT_THAT(error_after("demo_params.h", kParams, "dims[3]", "dims[40]"), HasSubstr("168 bytes, at most 128"));
}

TEST_F(Packer, CapabilitiesBeyondVulkan11NeedAFeature) {
  const std::string from = "void main() {";
  const std::string to =
      "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nvoid main() {\n  if (uint64_t(params.count) * 5ul == "
      "3ul) return;";
  EXPECT_THAT(error_after("demo.comp", kShader, from, to), HasSubstr("needs the capability Int64"));
  write("demo.json", changed(kManifest, "\"source\"", "\"features\": [\"int64\"], \"source\""));
  EXPECT_NO_THROW(run());
  EXPECT_THAT(read_output("kernel_table.cpp"),
              HasSubstr("kModulesDemo[] = {{KernelVariant::kTexel, {KernelFeature::kInt64, }, kSpirvDemoTexel}, "
                        "{KernelVariant::kWords, {KernelFeature::kInt64, }, kSpirvDemoWords}, };"));
}

TEST_F(Packer, AFeatureMayBeThatOfOneVariant) {
  write("demo.comp",
        changed(kShader, "void main() {",
                "#ifndef NNVK_WORDS\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n#define WIDE uint64_t\n"
                "#else\n#define WIDE uint\n#endif\nvoid main() {\n  if (WIDE(params.count) * WIDE(5) == WIDE(3)) return;"));
  write("demo.json",
        changed(kManifest, "\"source\"", R"("variants": [{"name": "texel", "features": ["int64"]}, "words"], "source")"));
  run();
  EXPECT_THAT(read_output("kernel_table.cpp"), HasSubstr("{KernelVariant::kTexel, {KernelFeature::kInt64, }, kSpirvDemoTexel}, "
                                                         "{KernelVariant::kWords, {}, kSpirvDemoWords}"));
}

TEST_F(Packer, AFeatureThatAModuleDoesNotUseIsAnError) {
  EXPECT_THAT(error_after("demo.json", kManifest, "\"source\"", "\"features\": [\"float16\"], \"source\""),
              HasSubstr("kernel Demo (words): lists the feature float16, which it does not use"));
}

TEST_F(Packer, VariantsAndFeaturesBecomeEnumerations) {
  run();
  const std::string header = read_output("kernel_table.h");
  EXPECT_THAT(header, HasSubstr("enum class KernelVariant : uint8_t { kTexel, kWords, };"));
  EXPECT_THAT(header, HasSubstr("enum class KernelFeature : uint8_t { kSubgroupShuffle,"));
  EXPECT_THAT(header, HasSubstr("std::array kKernelVariants = {KernelVariant::kTexel, KernelVariant::kWords, };"));
  EXPECT_THAT(header, HasSubstr("kNames = {\"subgroup_shuffle\","));
  EXPECT_THAT(header, HasSubstr("kReaders = {KernelVariant::kTexel, };"));
}

TEST_F(Packer, CompileErrorsNameFileAndKernel) {
  const std::string error = error_after("demo.comp", kShader, "params.factor", "params.faktor");
  EXPECT_THAT(error, HasSubstr("kernel Demo (texel): demo.comp"));
  EXPECT_THAT(error, HasSubstr("faktor"));
}

TEST_F(Packer, AMissingIncludeNamesTheFileThatWantsIt) {
  EXPECT_THAT(error_after("demo.comp", kShader, "demo_params.h", "absent.glsl"),
              HasSubstr("absent.glsl: no such file in shaders/ or shaders/include/ (named by demo.comp)"));
}

TEST_F(Packer, AManifestIsNamedAfterItsFamily) {
  fs::rename(root_ / "shaders" / "demo.json", root_ / "shaders" / "sample.json");
  EXPECT_THROW(run(), std::runtime_error);
}

TEST_F(Packer, TwoFamiliesCannotShareAKernelName) {
  write("other.json", changed(kManifest, "\"demo\"", "\"other\""));
  EXPECT_THAT(error(), HasSubstr("kernel \"Demo\" exists in another family"));
}

}  // namespace
}  // namespace nnvk::shader_packer
