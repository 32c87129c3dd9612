// The choice of kernel features that confine a plugin. The test itself needs none of them.
#include "accelerators/host/program/protections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accelerators/host/program/plugin_output.h"
#include "accelerators/host/program/usage.h"

namespace nnvk::accelerators {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kGiB = uint64_t{1} << 30;

KernelTraits new_kernel(bool is_root) {
  KernelTraits kernel;
  kernel.namespaces = is_root ? NamespaceWay::kAsRoot : NamespaceWay::kAsUser;
  kernel.landlock = 7;
  kernel.is_root = is_root;
  kernel.has_thread_counts = true;
  kernel.machine_bytes = 32 * kGiB;
  return kernel;
}

TEST(Protections, AreAllThereOnANewKernel) {
  for (const bool is_root : {false, true}) {
    const auto use = protections_to_use(new_kernel(is_root), {});
    ASSERT_TRUE(use);
    EXPECT_EQ(use->landlock, 7);
    EXPECT_EQ(use->drops_root, is_root);
    EXPECT_TRUE(use->limits_threads);
    EXPECT_TRUE(use->limits_address_space);
    EXPECT_EQ(use->memory_bytes, 8 * kGiB);
    EXPECT_THAT(in_words(*use), Not(HasSubstr("NOT")));
  }
}

TEST(Protections, OneMeansIsEnoughToKeepFilesAndTheOtherIsToldAsMissing) {
  KernelTraits kernel = new_kernel(false);
  kernel.landlock = 0;
  EXPECT_THAT(in_words(*protections_to_use(kernel, {})), HasSubstr("NOT in force: Landlock"));
  kernel.landlock = 1;
  kernel.namespaces = NamespaceWay::kNone;
  kernel.why_no_namespaces = "the administrator";
  const auto use = protections_to_use(kernel, {});
  ASSERT_TRUE(use);
  EXPECT_FALSE(use->limits_threads) << "it would count the user's";
  EXPECT_THAT(in_words(*use), HasSubstr("network and IPC (the administrator)"));
  EXPECT_THAT(in_words(*use), HasSubstr("names and sizes of other files can be seen"));
}

TEST(Protections, WithoutEitherOnlyUnconfinedPluginsRun) {
  for (const auto profile : {SandboxProfile::kStrict, SandboxProfile::kGpu}) {
    SandboxRequest request;
    request.profile = profile;
    EXPECT_EQ(protections_to_use({}, request).error().code, Code::kUnavailableDevice);
  }
  SandboxRequest trusted;
  trusted.profile = SandboxProfile::kUnconfined;
  EXPECT_TRUE(protections_to_use({}, trusted));
}

TEST(Protections, RootStaysRootForDriversOfGpusAndItsThreadsAreWatched) {
  SandboxRequest request;
  request.profile = SandboxProfile::kGpu;
  const auto use = protections_to_use(new_kernel(true), request);
  ASSERT_TRUE(use);
  EXPECT_FALSE(use->drops_root);
  EXPECT_FALSE(use->limits_threads);
  EXPECT_TRUE(use->limits_data);
  EXPECT_THAT(in_words(*use), HasSubstr("by watch"));
}

TEST(Protections, TakeTheManifestsLimitsAndKeepAFileWithinThem) {
  SandboxRequest request;
  request.memory_bytes = kGiB / 2;
  request.threads = 7;
  const auto use = protections_to_use(new_kernel(false), request);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->memory_bytes, kGiB / 2);
  EXPECT_EQ(use->file_bytes, kGiB / 2);
  EXPECT_EQ(use->threads, 7U);
}

TEST(Protections, LeaveHalfOfASmallMachineToOthers) {
  EXPECT_EQ(default_memory(4 * kGiB), 2 * kGiB);
  EXPECT_EQ(default_memory(64 * kGiB), 8 * kGiB);
}

TEST(PluginUsage, IsReadFromTheKernelsStatus) {
  const Usage usage =
      usage_in("Name:\tx RssAnon: 9\nVmSwap:\t      10 kB\nRssAnon:\t     100 kB\nRssShmem:\t  20 kB\nThreads:\t3\n");
  EXPECT_EQ(usage.private_bytes, 110U * 1024);
  EXPECT_EQ(usage.shared_bytes, 20U * 1024);
  EXPECT_EQ(usage.threads, 3U);
  EXPECT_EQ(usage_in("").threads, 0U);
}

TEST(PluginUsage, CountsAFileThatIsOpenAndMappedOnce) {
  Protections protections;
  protections.memory_bytes = 100;
  protections.threads = 4;
  EXPECT_FALSE(is_too_much({.private_bytes = 40, .shared_bytes = 60, .file_bytes = 60, .threads = 4}, protections));
  EXPECT_TRUE(is_too_much({.private_bytes = 41, .shared_bytes = 60, .file_bytes = 0, .threads = 1}, protections));
  EXPECT_TRUE(is_too_much({.private_bytes = 41, .shared_bytes = 0, .file_bytes = 60, .threads = 1}, protections));
  EXPECT_TRUE(is_too_much({.threads = 5}, protections));
}

TEST(PluginOutput, HasNoControlCharactersButLinesAndTabs) {
  PluginOutput output;
  output.add("a\tb\n\x1b[2J\x7f\xC2");
  output.add(
      "\x9B"
      "31m \xC3\xA9");
  EXPECT_EQ(output.pending(), "a\tb\n?[2J?\xC2?31m \xC3\xA9");
  output.written(4);
  EXPECT_EQ(output.pending().front(), '?');
}

TEST(PluginOutput, EndsWithAWordWhenItIsTooMuch) {
  PluginOutput output;
  for (int i = 0; i < 6; ++i) output.add(std::string(1 << 20, 'x'));
  EXPECT_LT(output.pending().size(), kMostPluginOutput + 100);
  EXPECT_TRUE(output.pending().ends_with("the rest is left out)\n"));
}

}  // namespace
}  // namespace nnvk::accelerators
