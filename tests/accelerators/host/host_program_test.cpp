// Which program runs plugins, and with which arguments and environment.
#include "accelerators/host/host_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace nnvk::accelerators {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Sets an environment variable for its own lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

TEST(PluginHostProgram, IsFoundWhereThisBuildHasIt) {
  const auto program = find_host_program();
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_TRUE(std::filesystem::equivalent(*program, NNVK_PLUGIN_HOST_PROGRAM)) << *program;
}

TEST(PluginHostProgram, MayBeNamed) {
  const Variable named("NNVK_PLUGIN_HOST", "/bin/true");
  EXPECT_EQ(*find_host_program(), "/bin/true");
}

TEST(PluginHostProgram, ANameThatIsNoProgramIsToldAndNothingElseIsTaken) {
  for (const char* name : {"nnvk-plugin-host", "/nowhere/nnvk-plugin-host", "/etc/passwd"}) {
    const Variable named("NNVK_PLUGIN_HOST", name);
    const auto program = find_host_program();
    ASSERT_FALSE(program) << name;
    EXPECT_EQ(program.error().code, Code::kUnavailableDevice);
    EXPECT_THAT(program.error().text(), HasSubstr(name));
  }
}

TEST(PluginHostProgram, IsToldWhatTheManifestDeclaresForTheSandbox) {
  Manifest manifest;
  manifest.name = "npu";
  manifest.driver_library = "libnpu.so";
  manifest.memory_megabytes = 64;
  manifest.threads = 9;
  manifest.readable = {"/opt/npu"};
  manifest.writable = {"/var/npu"};
  manifest.devices = {"/dev/npu0"};
  const auto command = host_command(manifest);
  ASSERT_TRUE(command);
  EXPECT_THAT(std::vector(command->arguments.begin() + 6, command->arguments.end()),
              ::testing::ElementsAre("--memory", "64", "--threads", "9", "--read", "/opt/npu", "--write", "/var/npu", "--device",
                                     "/dev/npu0"));
}

TEST(PluginHostProgram, IsToldThePluginAndOnlyWhatItNeedsOfTheEnvironment) {
  const Variable log("NNVK_LOG", "info");
  const Variable devices("NNVK_DEVICES", "vulkan.*");
  const Variable plugins("NNVK_PLUGIN_FILES", "/tmp");
  const Variable shaders("MESA_SHADER_CACHE_DIR", "/tmp");
  const Variable mesa("MESA_DEBUG", "silent");
  const Variable cache("XDG_CACHE_HOME", "/cache");
  const Variable secret("SECRET", "x");
  Manifest manifest;
  manifest.name = "npu";
  manifest.driver_library = "/lib/libnpu.so";
  const auto strict = host_command(manifest);
  ASSERT_TRUE(strict);
  EXPECT_THAT(strict->arguments, ::testing::ElementsAre("--library", "/lib/libnpu.so", "--sandbox", "strict", "--name", "npu"));
  EXPECT_THAT(strict->environment, Contains("NNVK_LOG=info"));
  EXPECT_THAT(strict->environment, Contains("NNVK_IN_PLUGIN_HOST=1"));
  for (const char* name : {"NNVK_DEVICES", "NNVK_PLUGIN_FILES", "MESA_", "SECRET", "PATH"}) {
    EXPECT_THAT(strict->environment, Not(Contains(StartsWith(name))));
  }
  manifest.seccomp = "gpu";
  const auto gpu = host_command(manifest);
  EXPECT_THAT(gpu->environment, Contains("MESA_DEBUG=silent"));
  // A plugin that may write the user's shader cache could plant code in other programs. So each plugin has a cache of its own.
  EXPECT_THAT(gpu->environment, Contains("MESA_SHADER_CACHE_DIR=/cache/nnvk/plugins/npu"));
  EXPECT_THAT(gpu->environment, Not(Contains("MESA_SHADER_CACHE_DIR=/tmp")));
  EXPECT_THAT(gpu->arguments, Contains("/cache/nnvk/plugins/npu"));
  EXPECT_THAT(gpu->environment, Not(Contains(StartsWith("SECRET"))));
}

}  // namespace
}  // namespace nnvk::accelerators
