// A plugin that attacks whenever its code runs: from its constructor to an execution, as root and as another user, on this kernel
// and on kernels with fewer features. The client must survive, and its files must stay unchanged.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/accelerators/host/hosted_driver_fixture.h"
#include "tests/accelerators/host/hostile/attacks.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr const char* kSecret = "what only the user may read";
constexpr const char* kStageNames[] = {"constructor", "table", "devices", "supported", "compile", "execute"};

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Sanitizers reserve terabytes of addresses and read files of /proc, so the host confines their processes less
// (kernel_traits.cpp).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNVK_SKIP_IF_SANITIZED() GTEST_SKIP() << "the host confines no process with a sanitizer fully"
#else
#define NNVK_SKIP_IF_SANITIZED() static_cast<void>(0)
#endif

// A kernel (see older_kernel.cpp) and a profile.
struct Setting {
  const char* kernel;
  const char* profile;
};

std::string name_of_setting(const ::testing::TestParamInfo<Setting>& info) {
  std::string name = std::string(info.param.profile) + "_" + info.param.kernel;
  std::ranges::replace(name, '-', '_');
  return name;
}

class HostilePlugin : public ::testing::TestWithParam<Setting> {
 protected:
  HostilePlugin() {
    std::ofstream(folder_.file("secret")) << kSecret;
    ::chmod(folder_.file("secret").c_str(), 0600);
    // Every user that the plugin may run as can read the library.
    ::chmod(std::filesystem::path(library_).parent_path().c_str(), 0755);
    std::filesystem::copy_file(NNVK_HOSTILE_PLUGIN, library_);
    ::setenv("NNVK_TEST_SECRET", kSecret, 1);
  }
  ~HostilePlugin() override { ::unsetenv("NNVK_TEST_SECRET"); }

  HostedDriverOptions options(const std::string& threads) const {
    HostedDriverOptions options = test_host(GetParam().profile);
    options.command.arguments[1] = library_;
    options.command.arguments.insert(options.command.arguments.end(), {"--memory", "1024", "--threads", threads});
    if (std::string(GetParam().kernel) != "this") {
      options.command.arguments.insert(options.command.arguments.begin(), {GetParam().kernel, options.command.program});
      options.command.program = NNVK_OLDER_KERNEL;
    }
    return options;
  }

  const TemporaryFolder folder_;
  const std::string library_ = folder_.file("client_" + std::to_string(::getpid()) + ".so");
};

TEST_P(HostilePlugin, ReachesNothingFromConstructorToExecution) {
  NNVK_SKIP_IF_SANITIZED();
  const bool is_gpu = std::string(GetParam().profile) == "gpu";
  const auto attacks = all_attacks();
  ASSERT_LE(kElements + attacks.size() * kStages, 1024U) << "there is no room for the results";
  // A kernel that does not limit threads leaves it to the watch, which ends the host (PluginBounds).
  const bool are_threads_limited = !is_gpu && std::string(GetParam().kernel) != "no-namespaces";
  const auto driver = make_hosted_driver(options(are_threads_limited ? "200" : "5000"));
  Adder adder(*driver);
  ASSERT_TRUE(driver->devices()) << driver->devices().error().text();
  ASSERT_TRUE(driver->supported_operations(0, addition()));
  ASSERT_EQ(adder.run(1).code, Code::kNoError);
  ASSERT_EQ(adder.run(kReportAttacks).code, Code::kNoError);
  for (size_t stage = 0; stage < kStages; ++stage) {
    for (size_t i = 0; i < attacks.size(); ++i) {
      const Attack& attack = attacks[i];
      const auto result = static_cast<int>(adder.sum(kElements + stage * attacks.size() + i));
      const Outcome outcome = is_gpu ? attack.gpu_outcome : attack.outcome;
      ASSERT_NE(result, kNotTried) << attack.name << " in stage " << kStageNames[stage];
      if (!are_threads_limited && std::string(attack.name) == "threads") continue;
      const bool is_kept_off = outcome == Outcome::kRefused ? result > 0 : outcome != Outcome::kAtMost || result <= attack.most;
      EXPECT_TRUE(is_kept_off) << attack.name << " in stage " << kStageNames[stage] << " gave " << result;
      if (std::getenv("NNVK_TEST_SHOW_ATTACKS") != nullptr) {
        std::printf("%s | %s | %d\n", kStageNames[stage], attack.name, result);
      }
    }
  }
  // The attacked file is unchanged.
  EXPECT_EQ(contents_of(folder_.file("secret")), kSecret);
  struct stat facts {};
  ASSERT_EQ(::stat(folder_.file("secret").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
  for (const char* made : {"/tmp/nnvk_hostile", "/dev/shm/nnvk_hostile", "/nnvk_hostile", "/tmp/nnvk_link", "/tmp/nnvk_node"}) {
    EXPECT_NE(::access(made, F_OK), 0) << made;
  }
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{std::filesystem::path(library_).filename().string(), "secret"}));
  // And it still adds.
  EXPECT_EQ(adder.run(3).code, Code::kNoError);
  EXPECT_EQ(adder.sum(0), 13);
}

INSTANTIATE_TEST_SUITE_P(Profiles, HostilePlugin,
                         ::testing::Values(Setting{"this", "strict"}, Setting{"this", "gpu"}, Setting{"no-namespaces", "strict"},
                                           Setting{"no-namespaces", "gpu"}, Setting{"no-landlock", "strict"},
                                           Setting{"no-landlock", "gpu"}),
                         name_of_setting);

TEST(HostileActions, AreAllInTheReadmeOfTheSandbox) {
  const std::string readme = contents_of(std::string(NNVK_SOURCE_DIR) + "/accelerators/host/program/README.md");
  for (const Attack& attack : all_attacks()) {
    EXPECT_NE(readme.find(std::string("| ") + attack.name + " |"), std::string::npos) << attack.name;
  }
}

// ---- Bounds that no kernel limit enforces

HostedDriverOptions bounded(const char* profile, const char* megabytes, const char* threads) {
  HostedDriverOptions options = test_host(profile);
  options.command.arguments.insert(options.command.arguments.end(), {"--memory", megabytes, "--threads", threads});
  return options;
}

TEST(PluginBounds, MemoryInFilesThatNobodyMapsEndsTheHostOfADriverOfAGpu) {
  const auto driver = make_hosted_driver(bounded("gpu", "256", "64"));
  Adder adder(*driver);
  ASSERT_EQ(adder.run(1).code, Code::kNoError);
  EXPECT_EQ(adder.run(kFillMemory).code, Code::kDeadObject);
}

TEST(PluginBounds, AStrictPluginHasNoSuchFiles) {
  const auto driver = make_hosted_driver(bounded("strict", "256", "64"));
  Adder adder(*driver);
  EXPECT_EQ(adder.order(kFillMemory), kRefused);
}

TEST(PluginBounds, ThreadsBeyondTheLimitDoNotStartOrEndTheHost) {
  for (const char* profile : {"strict", "gpu"}) {
    const auto driver = make_hosted_driver(bounded(profile, "512", "64"));
    Adder adder(*driver);
    const ExecutionAnswer answer = adder.run(kFillThreads);
    EXPECT_TRUE(answer.code == Code::kDeadObject || (answer.code == Code::kNoError && adder.sum(0) < 64)) << profile;
  }
}

TEST(PluginBounds, WhatItPrintsIsHarmlessAndLimited) {
  const TemporaryFolder folder;
  const std::string file = folder.file("printed");
  const FileDescriptor own_errors(::dup(STDERR_FILENO));
  const FileDescriptor errors(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  ::dup2(errors.get(), STDERR_FILENO);
  {
    const auto driver = make_hosted_driver(test_host());
    Adder adder(*driver);
    EXPECT_EQ(adder.run(kPrintMuch).code, Code::kNoError);
    EXPECT_EQ(adder.run(kExit).code, Code::kDeadObject);  // ends the host, so that its output is complete
  }
  ::dup2(own_errors.get(), STDERR_FILENO);
  const std::string printed = contents_of(file);
  EXPECT_GT(printed.size(), size_t{1} << 20);
  EXPECT_LT(printed.size(), size_t{5} << 20);
  EXPECT_EQ(printed.find('\x1b'), std::string::npos);
  EXPECT_NE(printed.find("?]0;title?"), std::string::npos);
  EXPECT_NE(printed.find("the plugin has printed too much"), std::string::npos);
}

// ---- Which restrictions are active

TEST(PluginConfinement, IsToldInWords) {
  NNVK_SKIP_IF_SANITIZED();
  const auto told = [](const char* kernel, const char* profile) {
    HostedDriverOptions options = test_host(profile);
    options.command.arguments.insert(options.command.arguments.begin(), {kernel, options.command.program});
    options.command.program = NNVK_OLDER_KERNEL;
    const auto driver = make_hosted_driver(options);
    EXPECT_TRUE(driver->devices());
    return driver->confinement();
  };
  EXPECT_NE(told("all", "strict").find("own processes, root folder, network and IPC; Landlock"), std::string::npos)
      << told("all", "strict");
  EXPECT_NE(told("no-namespaces", "strict").find("NOT in force: own processes"), std::string::npos);
  EXPECT_NE(told("no-landlock", "gpu").find("NOT in force: Landlock"), std::string::npos);
  EXPECT_NE(told("neither", "unconfined").find("nothing is in force"), std::string::npos);
}

TEST(PluginConfinement, AKernelThatKeepsNoFilesRunsNoConfinedPlugin) {
  for (const char* profile : {"strict", "gpu"}) {
    HostedDriverOptions options = test_host(profile);
    options.command.arguments.insert(options.command.arguments.begin(), {"neither", options.command.program});
    options.command.program = NNVK_OLDER_KERNEL;
    const auto devices = make_hosted_driver(options)->devices();
    ASSERT_FALSE(devices);
    EXPECT_EQ(devices.error().code, Code::kUnavailableDevice);
    EXPECT_NE(devices.error().text().find("no Landlock"), std::string::npos) << devices.error().text();
  }
}

// All of the above again, in a process of a user without any rights.
TEST(HostilePluginOfAnotherUser, ReachesNothingEither) {
  NNVK_SKIP_IF_SANITIZED();
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(2);
    ::execl("/proc/self/exe", "test", "--gtest_filter=Profiles/HostilePlugin.*:PluginBounds.*:PluginConfinement.*", nullptr);
    ::_exit(3);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nnvk::test
