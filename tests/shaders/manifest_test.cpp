// The parser of manifests is strict: anything unknown is an error that names the place.
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

std::string error_of_text(const std::string& text) {
  try {
    parse_manifest(text, "demo.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// The error for the valid manifest with `value` at `place`, a JSON pointer such as "/kernels/0/name".
std::string error_with(const char* place, const Json& value) {
  Json manifest = valid_manifest();
  manifest[Json::json_pointer(place)] = value;
  return error_of_text(manifest.dump());
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
  EXPECT_THAT(error_with("/colour", "red"), HasSubstr("unknown key \"colour\""));
  EXPECT_THAT(error_with("/kernels/0/workgroup", 64), HasSubstr("kernel Demo: unknown key \"workgroup\""));
  EXPECT_THAT(error_with("/kernels/0/bindings/1/format", "rgba32f"), HasSubstr("binding 1: unknown key \"format\""));
}

TEST(Manifest, MissingKeysAreNamed) {
  for (const char* key : {"name", "source", "local_size", "bindings"}) {
    Json manifest = valid_manifest();
    manifest["kernels"][0].erase(key);
    EXPECT_THAT(error_of_text(manifest.dump()), HasSubstr(std::string("missing key \"") + key + "\""));
  }
}

TEST(Manifest, WrongTypesAndValuesAreErrors) {
  const auto with = [](const std::string& key, const Json& value) { return error_with(("/kernels/0/" + key).c_str(), value); };
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
  EXPECT_THAT(with("specialization", Json::array({"TYPE", "4TH"})), HasSubstr("\"4TH\" is not a name in C++"));
  EXPECT_THAT(with("specialization", Json::array({"TYPE", "TYPE"})), HasSubstr("listed twice"));
}

TEST(Manifest, UnknownBindingKindsAndRepeatedNamesAreErrors) {
  EXPECT_THAT(error_with("/kernels/0/bindings/0/kind", "image"), HasSubstr("\"image\" is none of input, table, output, inout"));
  EXPECT_THAT(error_with("/kernels/0/bindings/0/name", "out_y"), HasSubstr("\"out_y\" is listed twice"));
  EXPECT_THAT(error_with("/kernels/1", valid_manifest()["kernels"][0]), HasSubstr("kernel \"Demo\" is listed twice"));
}

TEST(Manifest, AParamsStructNeedsAHeader) {
  Json manifest = valid_manifest();
  manifest.erase("params");
  EXPECT_THAT(error_of_text(manifest.dump()), HasSubstr("needs the family's \"params\" header"));
}

TEST(Manifest, TextThatIsNotJsonNamesTheFile) { EXPECT_THAT(error_of_text("{ \"family\": "), HasSubstr("demo.json")); }

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
