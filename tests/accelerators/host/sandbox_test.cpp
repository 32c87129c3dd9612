// Files, system calls and processes that code in a plugin host can reach, by profile.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "accelerators/host/program/sandbox.h"
#include "tests/accelerators/host/hosted_driver_fixture.h"

namespace nnvk::test {
namespace {

// The plugin's answer to an order under a profile: 0, or an errno.
float answer_under(const std::string& sandbox, Order order) {
  const auto driver = make_hosted_driver(test_host(sandbox));
  Adder adder(*driver);
  return adder.order(order);
}

TEST(PluginSandbox, AStrictPluginReachesNeitherFilesNorOthers) {
  for (const Order order : {kOpenFile, kCreateFile, kConnect, kFork, kExecute, kKillParent, kMapCode}) {
    EXPECT_EQ(answer_under("strict", order), kRefused) << "order " << order;
  }
}

TEST(PluginSandbox, AStrictPluginMayStartThreads) { EXPECT_EQ(answer_under("strict", kStartThread), 0); }

TEST(PluginSandbox, ADriverOfAGpuHasScratchFilesAndNewCodeButNoOthers) {
  for (const Order order : {kMapCode, kStartThread, kCreateFile}) {
    EXPECT_EQ(answer_under("gpu", order), 0) << "order " << order;
  }
  EXPECT_NE(::access("/tmp/nnvk_test_plugin", F_OK), 0) << "its /tmp is not ours";
  EXPECT_EQ(answer_under("gpu", kOpenFile), ENOENT);
  for (const Order order : {kConnect, kFork, kExecute, kKillParent}) {
    EXPECT_EQ(answer_under("gpu", order), kRefused) << "order " << order;
  }
}

TEST(PluginSandbox, UnconfinedIsWhatItSays) {
  for (const Order order : {kOpenFile, kConnect, kFork, kMapCode, kStartThread}) {
    EXPECT_EQ(answer_under("unconfined", order), 0) << "order " << order;
  }
}

TEST(PluginSandbox, AnUnknownProfileIsToldWithTheKnownOnes) {
  const auto devices = make_hosted_driver(test_host("lenient"))->devices();
  ASSERT_FALSE(devices);
  EXPECT_NE(devices.error().text().find("there are strict, gpu and unconfined"), std::string::npos) << devices.error().text();
}

TEST(PluginSandbox, NoCoreIsDumped) {
  for (const char* sandbox : {"strict", "unconfined"}) EXPECT_EQ(answer_under(sandbox, kAskCoreLimit), 0) << sandbox;
}

TEST(PluginHost, InheritsNothing) {
  // Descriptors that a forked child would keep open if it did not close them.
  const std::array<int, 3> leaky{::open("/dev/null", O_RDONLY), ::dup(0), ::dup2(0, 200)};
  ::setenv("NNVK_TEST_NOT_FOR_PLUGINS", "secret", 1);
  const auto driver = make_hosted_driver(test_host("unconfined"));
  Adder adder(*driver);
  ASSERT_TRUE(adder.prepare());
  // The three standard streams, the socket, and the memory of the addition.
  EXPECT_EQ(adder.order(kCountDescriptors), 5);
  EXPECT_EQ(adder.order(kCountVariables), 0);
  EXPECT_EQ(adder.order(kAskDirectory), 0);
  ::unsetenv("NNVK_TEST_NOT_FOR_PLUGINS");
  for (const int fd : leaky) ::close(fd);
}

// After an answered share request only the memory itself remains open, whichever thread counts the descriptors.
TEST(PluginHost, HoldsNoDescriptorOfAnAnsweredRequest) {
  const auto driver = make_hosted_driver(test_host("unconfined"));
  Adder adder(*driver);
  ASSERT_TRUE(adder.prepare());
  const float before = adder.order(kCountDescriptors);
  const SealedMemory memory(4096);
  for (int shared = 1; shared <= 200; ++shared) {
    ASSERT_TRUE(driver->share(memory.shared()));
    ASSERT_EQ(adder.order(kCountDescriptors), before + static_cast<float>(shared));
  }
}

}  // namespace
}  // namespace nnvk::test
