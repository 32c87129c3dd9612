// Contents of manifests. Every error message names the file and the remedy.
#include "accelerators/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nnvk::accelerators {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFile = "/usr/share/nnvk/plugins.d/npu.json";

std::string error_of(const std::string& text) {
  const auto manifest = parse_manifest(kFile, text);
  return manifest ? std::string() : manifest.error().text();
}

TEST(Manifest, SaysWhereThePluginIsAndHowItRuns) {
  const auto manifest = parse_manifest(kFile, R"({
    // Comments are allowed.
    "manifest_version": 1, "name": "vendor-npu", "library": "../../../lib/libnpu.so",
    "isolation": "in-process", "seccomp": "gpu", "patience_seconds": 5, "enabled": false, "description": "An NPU"
  })");
  ASSERT_TRUE(manifest) << manifest.error().text();
  EXPECT_EQ(manifest->file, kFile);
  EXPECT_EQ(manifest->name, "vendor-npu");
  EXPECT_EQ(manifest->driver_library, "/usr/lib/libnpu.so") << "relative to the manifest";
  EXPECT_EQ(manifest->isolation, Isolation::kInProcess);
  EXPECT_EQ(manifest->seccomp, "gpu");
  EXPECT_EQ(manifest->patience_seconds, 5U);
  EXPECT_FALSE(manifest->enabled);
}

TEST(Manifest, DeclaresWhatThePluginNeedsBeyondItsSandbox) {
  const auto manifest = parse_manifest(kFile, R"({
    "manifest_version": 1, "name": "npu", "library": "libnpu.so", "memory_megabytes": 512, "threads": 40,
    "readable": ["/opt/npu/firmware", "../npu"], "writable": ["/var/cache/npu"], "devices": ["/dev/npu0"]
  })");
  ASSERT_TRUE(manifest) << manifest.error().text();
  EXPECT_EQ(manifest->memory_megabytes, 512U);
  EXPECT_EQ(manifest->threads, 40U);
  EXPECT_THAT(manifest->readable, ::testing::ElementsAre("/opt/npu/firmware", "/usr/share/nnvk/npu"));
  EXPECT_THAT(manifest->writable, ::testing::ElementsAre("/var/cache/npu"));
  EXPECT_THAT(manifest->devices, ::testing::ElementsAre("/dev/npu0"));
}

TEST(Manifest, AsksForAProcessOfItsOwnUnlessItSaysOtherwise) {
  const auto manifest = parse_manifest(kFile, R"({"manifest_version": 1, "name": "npu", "library": "libnpu.so"})");
  ASSERT_TRUE(manifest) << manifest.error().text();
  EXPECT_EQ(manifest->isolation, Isolation::kProcess);
  EXPECT_EQ(manifest->seccomp, "strict");
  EXPECT_TRUE(manifest->enabled);
  EXPECT_EQ(manifest->driver_library, "libnpu.so") << "a bare name is the dynamic loader's to find";
}

TEST(Manifest, AMistakeIsToldWithTheFileAndWhatToDo) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "not a JSON object"},
      {R"({"name": "npu", "library": "a.so"})", "\"manifest_version\" must be 1"},
      {R"({"manifest_version": 2, "name": "npu", "library": "a.so"})", "\"manifest_version\" must be 1"},
      {R"({"manifest_version": 1, "library": "a.so"})", "\"name\" is missing"},
      {R"({"manifest_version": 1, "name": "a b", "library": "a.so"})", "use letters, digits"},
      {R"({"manifest_version": 1, "name": "", "library": "a.so"})", "use letters, digits"},
      {R"({"manifest_version": 1, "name": "npu"})", "\"library\" is missing"},
      {R"({"manifest_version": 1, "name": "npu", "library": ""})", "\"library\" is empty"},
      {R"({"manifest_version": 1, "name": "npu", "library": 5})", "\"library\" must be a text"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a\u0000b"})", "has a zero in it"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "isolation": "none"})",
       "write \"process\" or \"in-process\""},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "enabled": "yes"})", "must be true or false"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "seccomp": "../x"})", "not a name of a profile"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "patience_seconds": 0})", "from 1 to 86400"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "memory_megabytes": 0})", "\"memory_megabytes\" must be"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "threads": -1})", "\"threads\" must be"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "readable": "/opt"})", "must be a list of"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "devices": [""]})", "must be a list of"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "writable": ["/usr/.."]})", "names the whole file system"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "patience_seconds": -5})", "from 1 to 86400"},
      {R"({"manifest_version": 1, "name": "npu", "library": "a.so", "isolated": true})", "there is no field \"isolated\""},
  };
  for (const auto& [text, expected] : mistakes) {
    EXPECT_THAT(error_of(text), HasSubstr(expected)) << text;
    EXPECT_THAT(error_of(text), HasSubstr(kFile)) << text;
  }
}

TEST(Manifest, DeeplyNestedJsonIsOnlyAMistake) {
  std::string nested(100000, '[');
  EXPECT_THAT(error_of(nested), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace nnvk::accelerators
