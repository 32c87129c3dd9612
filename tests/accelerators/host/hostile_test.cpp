// A plugin that attacks whenever its code runs: from its constructor to an execution, as root and as another user, on this kernel
// and on ones that have less. The client lives, and reaches all that is its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

// A kernel (older_kernel.cpp), and a profile.
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
    // Whoever the plugin runs as may read libraries.
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
  const bool is_gpu = std::string(GetParam().profile) == "gpu";
  const auto attacks = all_attacks();
  ASSERT_LE(kElements + attacks.size() * kStages, 1024U) << "there is no room for the results";
  // Where the kernel does not count threads, the watch does, which ends the host (PluginBounds).
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
  // What it was after is as it was.
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

// All of the above once more, in a process of a user without any rights.
TEST(HostilePluginOfAnotherUser, ReachesNothingEither) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(2);
    ::execl("/proc/self/exe", "test", "--gtest_filter=Profiles/HostilePlugin.*:PluginBounds.*", nullptr);
    ::_exit(3);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nnvk::test
