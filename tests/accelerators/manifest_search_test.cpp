// Which manifests are found, and which of them count.
#include "accelerators/manifest_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace nnvk::accelerators {
namespace {

using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Manifest named(const std::string& name, const std::string& file, bool enabled = true) {
  Manifest manifest;
  manifest.name = name;
  manifest.file = file;
  manifest.driver_library = "lib.so";
  manifest.enabled = enabled;
  return manifest;
}

std::vector<std::string> used(const std::vector<FoundManifest>& found) {
  std::vector<std::string> files;
  for (const FoundManifest& entry : found) {
    if (entry.not_used.empty()) files.push_back(entry.manifest.file);
  }
  return files;
}

TEST(ManifestPlaces, AreTheFoldersOfTheXdgSpecification) {
  SearchSettings settings;
  settings.home = "/home/me";
  EXPECT_THAT(search_places(settings, "/opt/nnvk/share/nnvk/plugins.d"),
              ElementsAre("/home/me/.config/nnvk/plugins.d", "/etc/xdg/nnvk/plugins.d", "/etc/nnvk/plugins.d",
                          "/home/me/.local/share/nnvk/plugins.d", "/usr/local/share/nnvk/plugins.d", "/usr/share/nnvk/plugins.d",
                          "/opt/nnvk/share/nnvk/plugins.d"));
}

TEST(ManifestPlaces, FollowTheVariablesOfTheSpecification) {
  SearchSettings settings;
  settings.home = "/home/me";
  settings.config_home = "/cfg";
  settings.config_dirs = "/x:relative:/y:/x";
  settings.data_home = "not/absolute";
  settings.data_dirs = "";
  EXPECT_THAT(search_places(settings, ""), ElementsAre("/cfg/nnvk/plugins.d", "/x/nnvk/plugins.d", "/y/nnvk/plugins.d",
                                                       "/etc/nnvk/plugins.d", "/home/me/.local/share/nnvk/plugins.d",
                                                       "/usr/local/share/nnvk/plugins.d", "/usr/share/nnvk/plugins.d"));
}

TEST(ManifestPlaces, AreThoseOfTheSystemWithoutAnEnvironment) {
  EXPECT_THAT(search_places({}, ""), ElementsAre("/etc/xdg/nnvk/plugins.d", "/etc/nnvk/plugins.d",
                                                 "/usr/local/share/nnvk/plugins.d", "/usr/share/nnvk/plugins.d"));
}

TEST(ManifestPlaces, MayBeReplacedAndAddedTo) {
  SearchSettings settings;
  settings.added_files = "/mine.json:/more";
  EXPECT_EQ(search_places(settings, "")[0], "/mine.json");
  EXPECT_EQ(search_places(settings, "")[1], "/more");
  settings.files = "/only.json";
  EXPECT_THAT(search_places(settings, "/installed"), ElementsAre("/only.json"));
  settings.files = "";
  EXPECT_THAT(search_places(settings, "/installed"), IsEmpty()) << "no plugins at all";
}

TEST(ManifestChoice, TheFirstOfANameWins) {
  const auto found =
      choose_manifests({named("npu", "/home/npu.json"), named("npu", "/usr/npu.json"), named("dsp", "/dsp.json")}, {});
  EXPECT_THAT(used(found), ElementsAre("/home/npu.json", "/dsp.json"));
  EXPECT_THAT(found[1].not_used, HasSubstr("/home/npu.json comes before it"));
}

TEST(ManifestChoice, AManifestThatIsOffHidesLaterOnesOfItsName) {
  const auto found = choose_manifests({named("npu", "/home/npu.json", false), named("npu", "/usr/npu.json")}, {});
  EXPECT_THAT(used(found), IsEmpty());
  EXPECT_THAT(found[0].not_used, HasSubstr("NNVK_ENABLE_PLUGINS=npu"));
}

TEST(ManifestChoice, TheEnvironmentSwitchesOnAndOff) {
  SearchSettings settings;
  settings.enabled = "sample-*,other";
  settings.disabled = "bad,sample-broken";
  const auto found = choose_manifests({named("sample-npu", "/a", false), named("sample-broken", "/b", false), named("bad", "/c"),
                                       named("good", "/d"), named("quiet", "/e", false)},
                                      settings);
  EXPECT_THAT(used(found), ElementsAre("/a", "/d"));
  EXPECT_THAT(found[1].not_used, HasSubstr("NNVK_DISABLE_PLUGINS"));
  EXPECT_FALSE(found[1].is_mistake);
}

TEST(ManifestChoice, NamesMatchAsAWhole) {
  EXPECT_TRUE(is_listed("npu", "npu"));
  EXPECT_FALSE(is_listed("npu", "npu2"));
  EXPECT_TRUE(is_listed("npu*", "npu2"));
  EXPECT_TRUE(is_listed("*", "anything"));
  EXPECT_TRUE(is_listed("a*c*e", "abcde"));
  EXPECT_FALSE(is_listed("a*c*e", "abcdf"));
  EXPECT_FALSE(is_listed("", "npu"));
}

TEST(ManifestChoice, NoPatternTakesLong) {
  std::string stars;
  for (int i = 0; i < 5000; ++i) stars += "*a";
  EXPECT_FALSE(is_listed(stars + "b", std::string(200, 'a')));
  EXPECT_TRUE(is_listed(std::string(100000, '*'), std::string(200, 'a')));
  EXPECT_FALSE(is_listed(std::string(100000, '*') + "b", std::string(200, 'a')));
}

// Reading a pipe could wait for ever, and some device files never end.
TEST(ManifestFiles, AreRegularFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe.json").c_str(), 0600), 0);
  for (const std::string& place : {folder.file("pipe.json"), folder.path(), std::string("/dev/zero"), std::string("/dev/tty")}) {
    const auto manifests = read_manifests({place});
    ASSERT_EQ(manifests.size(), 1U) << place;
    ASSERT_FALSE(manifests[0]) << place;
    EXPECT_THAT(manifests[0].error().text(), HasSubstr("it cannot be read")) << place;
  }
}

TEST(ManifestFiles, OfNestedListsAreOnlyMistakes) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("deep.json")) << std::string(65536, '[');
  const auto manifests = read_manifests({folder.file("deep.json")});
  ASSERT_EQ(manifests.size(), 1U);
  EXPECT_FALSE(manifests[0]);
}

TEST(ManifestFiles, AreReadByNameAndABadOneIsOnlyItsOwnProblem) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; };
  write("b.json", R"({"manifest_version": 1, "name": "b", "library": "b.so"})");
  write("a.json", "rubbish");
  write("ignored.txt", "no manifest");
  write("huge.json", std::string(100000, ' '));
  const auto manifests = read_manifests({folder.path(), folder.file("missing"), folder.file("missing.json")});
  ASSERT_EQ(manifests.size(), 4U);
  ASSERT_FALSE(manifests[0]);
  EXPECT_THAT(manifests[0].error().text(), HasSubstr("a.json: it is not valid JSON"));
  ASSERT_TRUE(manifests[1]);
  EXPECT_EQ(manifests[1]->driver_library, "b.so");
  ASSERT_FALSE(manifests[2]);
  EXPECT_THAT(manifests[2].error().text(), HasSubstr("too long"));
  ASSERT_FALSE(manifests[3]) << "somebody named the file";
  EXPECT_THAT(manifests[3].error().text(), HasSubstr("missing.json: it cannot be read"));
  const auto found = choose_manifests(manifests, {});
  EXPECT_THAT(used(found), ElementsAre(folder.file("b.json")));
  EXPECT_TRUE(found[0].is_mistake);
}

}  // namespace
}  // namespace nnvk::accelerators
