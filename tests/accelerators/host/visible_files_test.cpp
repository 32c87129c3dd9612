// Files that a plugin may see: named ones, and only libraries in the user's folders.
#include "accelerators/host/program/visible_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace nnvk::accelerators {
namespace {

class VisibleFiles : public ::testing::Test {
 protected:
  VisibleFiles() {
    for (const char* name : {"libnpu.so", "libhelp.so.2", "secret", "notes.sorted", "credentials.json", "calibration-x"}) {
      std::ofstream(folder_.file(name)) << name;
    }
  }
  // Under this profile, with the library there.
  std::vector<VisiblePath> visible(SandboxProfile profile, SandboxRequest request = {}) const {
    request.profile = profile;
    return visible_files(request, folder_.file("libnpu.so"));
  }
  static bool has(const std::vector<VisiblePath>& paths, const std::string& path) {
    return std::ranges::any_of(paths, [&](const VisiblePath& visible) { return visible.path == path; });
  }

  test::TemporaryFolder folder_;
};

TEST_F(VisibleFiles, BesideTheLibraryAreOnlyLibraries) {
  const auto paths = visible(SandboxProfile::kStrict);
  for (const char* name : {"libnpu.so", "libhelp.so.2"}) EXPECT_TRUE(has(paths, folder_.file(name))) << name;
  for (const char* name : {"secret", "notes.sorted", "credentials.json"}) EXPECT_FALSE(has(paths, folder_.file(name))) << name;
  EXPECT_FALSE(has(paths, folder_.path()));
  EXPECT_TRUE(has(paths, "/usr/lib"));
}

TEST_F(VisibleFiles, NeitherHomeNorTheRootNorProcessesAreAmongThem) {
  for (const auto profile : {SandboxProfile::kStrict, SandboxProfile::kGpu}) {
    for (const char* path : {"/", "/home", "/root", "/tmp", "/etc", "/proc", "/dev", "/dev/shm", "/run", "/var"}) {
      EXPECT_FALSE(has(visible(profile), path)) << path;
    }
  }
}

TEST_F(VisibleFiles, AStrictPluginHasNoDevicesAndWritesNothing) {
  for (const VisiblePath& path : visible(SandboxProfile::kStrict)) EXPECT_EQ(path.access, FileAccess::kRead) << path.path;
}

TEST_F(VisibleFiles, WhatTheManifestNamesIsThereAsItSays) {
  SandboxRequest request;
  request.readable = {"/opt/npu"};
  request.writable = {"/var/npu"};
  request.devices = {"/dev/npu0"};
  const auto paths = visible(SandboxProfile::kStrict, request);
  ASSERT_GE(paths.size(), 3U);
  EXPECT_EQ(paths[paths.size() - 3].access, FileAccess::kRead);
  EXPECT_EQ(paths[paths.size() - 2].access, FileAccess::kWrite);
  EXPECT_EQ(paths[paths.size() - 1].path, "/dev/npu0");
  EXPECT_EQ(paths[paths.size() - 1].access, FileAccess::kDevice);
}

TEST_F(VisibleFiles, VulkansVariablesNameManifestsAndTheLibrariesBesideThem) {
  ::setenv("VK_ADD_DRIVER_FILES", folder_.file("credentials.json").c_str(), 1);
  EXPECT_TRUE(has(visible(SandboxProfile::kGpu), folder_.file("credentials.json")));
  EXPECT_FALSE(has(visible(SandboxProfile::kStrict), folder_.file("credentials.json")));
  EXPECT_FALSE(has(visible(SandboxProfile::kGpu), folder_.file("secret")));
  ::unsetenv("VK_ADD_DRIVER_FILES");
}

TEST_F(VisibleFiles, RelativeLibraryPathsAreLeftOut) {
  ::setenv("LD_LIBRARY_PATH", (".::" + folder_.path()).c_str(), 1);
  EXPECT_TRUE(has(visible_files({}, "libelsewhere.so"), folder_.file("libhelp.so.2")));
  EXPECT_FALSE(has(visible_files({}, "libelsewhere.so"), folder_.file("secret")));
  ::unsetenv("LD_LIBRARY_PATH");
}

TEST_F(VisibleFiles, ListsByNames) {
  using ::testing::ElementsAre;
  EXPECT_THAT(files_at(folder_.path(), FileNames::kCalibrations), ElementsAre(folder_.file("calibration-x")));
  EXPECT_THAT(files_at(folder_.file("secret"), FileNames::kLibraries),
              ElementsAre(folder_.file("libhelp.so.2"), folder_.file("libnpu.so")));
  EXPECT_TRUE(files_at("/nowhere/at/all", FileNames::kLibraries).empty());
}

}  // namespace
}  // namespace nnvk::accelerators
