// Manifests are parsed strictly: what is not understood is an error that says where.
#include "tools/shader_packer/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace nnvk::shader_packer {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json valid_manifest() {
  return Json::parse(R"({"family": "demo", "params": "demo_params.h", "kernels": [{
    "name": "Demo", "source": "demo.comp", "defines": ["INTEGER"], "local_size": [64, 1, 1], "params_struct": "DemoParams",
    "specialization": ["TYPE", "RANK"],
    "bindings": [{"name": "in_x", "kind": "input"}, {"name": "lookup", "kind": "table"}, {"name": "out_y", "kind": "output"}]}]})");
}

std::string error_of(const Json& manifest) {
  try {
    parse_manifest(manifest.dump(), "demo.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Manifest, EveryFieldOfAValidManifestIsRead) {
  const Family family = parse_manifest(valid_manifest().dump(), "demo.json");
  EXPECT_EQ(family.name, "demo");
  EXPECT_EQ(family.params_header, "demo_params.h");
  ASSERT_EQ(family.kernels.size(), 1U);
  const Kernel& kernel = family.kernels[0];
  EXPECT_EQ(kernel.name, "Demo");
  EXPECT_EQ(kernel.source, "demo.comp");
  EXPECT_EQ(kernel.defines, std::vector<std::string>{"INTEGER"});
  EXPECT_EQ(kernel.local_size, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(kernel.params_struct, "DemoParams");
  EXPECT_EQ(kernel.specialization, (std::vector<std::string>{"TYPE", "RANK"}));
  ASSERT_EQ(kernel.bindings.size(), 3U);
  EXPECT_EQ(kernel.bindings[1].name, "lookup");
  EXPECT_EQ(kernel.bindings[1].kind, BindingKind::kTable);
  ASSERT_EQ(kernel.variants.size(), 2U);
  EXPECT_EQ(kernel.variants[0].kind->name, "texel");
  EXPECT_EQ(kernel.variants[1].kind->name, "words");
}

TEST(Manifest, UnknownKeysAreErrorsAtEveryLevel) {
  Json manifest = valid_manifest();
  manifest["colour"] = "red";
  EXPECT_THAT(error_of(manifest), HasSubstr("unknown key \"colour\""));
  manifest = valid_manifest();
  manifest["kernels"][0]["workgroup"] = 64;
  EXPECT_THAT(error_of(manifest), HasSubstr("kernel Demo: unknown key \"workgroup\""));
  manifest = valid_manifest();
  manifest["kernels"][0]["bindings"][1]["format"] = "rgba32f";
  EXPECT_THAT(error_of(manifest), HasSubstr("binding 1: unknown key \"format\""));
}

TEST(Manifest, MissingKeysAreNamed) {
  for (const char* key : {"name", "source", "local_size", "bindings"}) {
    Json manifest = valid_manifest();
    manifest["kernels"][0].erase(key);
    EXPECT_THAT(error_of(manifest), HasSubstr(std::string("missing key \"") + key + "\""));
  }
}

TEST(Manifest, WrongTypesAndValuesAreErrors) {
  const auto with = [](const char* key, const Json& value) {
    Json manifest = valid_manifest();
    manifest["kernels"][0][key] = value;
    return error_of(manifest);
  };
  EXPECT_THAT(with("local_size", Json::array({64, 1})), HasSubstr("local_size"));
  EXPECT_THAT(with("local_size", Json::array({64, 0, 1})), HasSubstr("local_size"));
  EXPECT_THAT(with("local_size", Json::array({-64, 1, 1})), HasSubstr("local_size"));
  EXPECT_THAT(with("bindings", Json::array()), HasSubstr("non-empty"));
  EXPECT_THAT(with("defines", "INTEGER"), HasSubstr("list of strings"));
  EXPECT_THAT(with("variants", Json::array({"texel"})), HasSubstr("must contain \"words\""));
  EXPECT_THAT(with("variants", Json::array({"words", "images"})), HasSubstr("there is no variant \"images\""));
  EXPECT_THAT(with("variants", Json::array({"words", "words"})), HasSubstr("listed twice"));
  EXPECT_THAT(with("variants", Json::parse(R"([{"name": "words", "features": ["int64"]}])")), HasSubstr("without features"));
  EXPECT_THAT(with("variants", Json::parse(R"(["words", {"name": "texel", "features": ["wings"]}])")),
              HasSubstr("variant texel: unknown feature \"wings\""));
  EXPECT_THAT(with("features", Json::array({"int65"})), HasSubstr("kernel Demo: unknown feature \"int65\""));
  EXPECT_THAT(with("specialization", Json::array({"TYPE", "4TH"})), HasSubstr("\"4TH\" is no name in C++"));
  EXPECT_THAT(with("specialization", Json::array({"TYPE", "TYPE"})), HasSubstr("listed twice"));
}

TEST(Manifest, UnknownBindingKindsAndRepeatedNamesAreErrors) {
  Json manifest = valid_manifest();
  manifest["kernels"][0]["bindings"][0]["kind"] = "image";
  EXPECT_THAT(error_of(manifest), HasSubstr("\"image\" is none of input, table, output, inout"));
  manifest = valid_manifest();
  manifest["kernels"][0]["bindings"][0]["name"] = "out_y";
  EXPECT_THAT(error_of(manifest), HasSubstr("\"out_y\" is listed twice"));
  manifest = valid_manifest();
  manifest["kernels"].push_back(manifest["kernels"][0]);
  EXPECT_THAT(error_of(manifest), HasSubstr("kernel \"Demo\" is listed twice"));
}

TEST(Manifest, AParamsStructNeedsAHeader) {
  Json manifest = valid_manifest();
  manifest.erase("params");
  EXPECT_THAT(error_of(manifest), HasSubstr("needs the family's \"params\" header"));
}

TEST(Manifest, TextThatIsNotJsonNamesTheFile) {
  try {
    parse_manifest("{ \"family\": ", "broken.json");
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.json"));
  }
}

TEST(Manifest, VariantsAreThoseThatAreListedInOrderOfPreference) {
  const auto variants = [](const char* list) {
    Json manifest = valid_manifest();
    manifest["kernels"][0]["variants"] = Json::parse(list);
    return parse_manifest(manifest.dump(), "demo.json").kernels[0].variants;
  };
  ASSERT_EQ(variants(R"(["words"])").size(), 1U);
  const std::vector<Variant> both = variants(R"(["words", {"name": "texel", "features": ["int8"]}])");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].kind->name, "texel");
  EXPECT_EQ(both[0].features, std::vector<std::string>{"int8"});
  EXPECT_TRUE(both[1].features.empty());
}

}  // namespace
}  // namespace nnvk::shader_packer
