// When the library opens its devices. Each test runs in a child process, because a process opens them once.
#include <nnvk/devices.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/api_objects.h"
#include "tests/support/child_process.h"
#include "tests/support/sanitizer_limits.h"

namespace nnvk::test {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "in the child: this does not hold: %s\n", what);
  std::_Exit(1);
}

bool has_vulkan() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libvulkan") != std::string::npos) return true;
  }
  return false;
}

size_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

ANeuralNetworksDevice* find(const std::string& name) {
  ANeuralNetworksDevice* device = nullptr;
  require(nnvk_findDevice(name.c_str(), &device) == kOk, "nnvk_findDevice succeeds");
  return device;
}

CompilationPointer compile_add(const ModelBuilder& model, const ANeuralNetworksDevice* device) {
  ANeuralNetworksCompilation* made = nullptr;
  const int code = device == nullptr ? ANeuralNetworksCompilation_create(model.get(), &made)
                                     : ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, &made);
  require(code == kOk && ANeuralNetworksCompilation_finish(made) == kOk, "compiling succeeds");
  return CompilationPointer(made);
}

void add_on(const ANeuralNetworksDevice* device) {
  const ModelBuilder model = make_add({2});
  const CompilationPointer compilation = compile_add(model, device);
  ANeuralNetworksExecution* made = nullptr;
  require(ANeuralNetworksExecution_create(compilation.get(), &made) == kOk, "an execution is made");
  const ExecutionPointer execution(made);
  const std::array<float, 2> x{1, 2};
  std::array<float, 2> sum{};
  for (const int input : {0, 1}) {
    require(ANeuralNetworksExecution_setInput(made, input, nullptr, x.data(), sizeof x) == kOk, "an input is set");
  }
  require(ANeuralNetworksExecution_setOutput(made, 0, nullptr, sum.data(), sizeof sum) == kOk, "the output is set");
  require(ANeuralNetworksExecution_compute(made) == kOk && sum[0] == 2 && sum[1] == 4, "the sum is right");
}

// A sanitizer's build keeps the Vulkan driver loaded from the start (tests/sanitizers/keep_driver_loaded.cpp).
#define SKIP_IF_VULKAN_IS_LOADED() \
  if (has_vulkan()) GTEST_SKIP() << "this program itself keeps the Vulkan driver loaded"

TEST(Opening, AProgramThatNamesACpuDeviceLoadsNoVulkanDriver) {
  SKIP_IF_VULKAN_IS_LOADED();
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              for (const char* name : {"nnvk-cpu", "nnapi-reference"}) {
                const ANeuralNetworksDevice* device = find(name);
                require(device != nullptr && name_of(device) == name, "the device has its name");
                add_on(device);
              }
              require(!has_vulkan(), "no Vulkan library is loaded");
            }),
            0);
}

TEST(Opening, TheListHasTheHandlesThatWereFoundBeforeIt) {
  SKIP_IF_VULKAN_IS_LOADED();
  EXPECT_EQ(in_child([] {
              const ANeuralNetworksDevice* fast = find("nnvk-cpu");
              const ANeuralNetworksDevice* reference = find("nnapi-reference");
              require(!has_vulkan(), "no Vulkan library is loaded before the list");
              const auto all = devices();
              require(has_vulkan(), "the list needs the Vulkan library");
              require(all.size() >= 2 && all.back() == reference && all[all.size() - 2] == fast, "the CPU devices come last");
              for (const auto* device : all) require(find(name_of(device)) == device, "names lead to the listed handles");
              require(find("abacus") == nullptr, "an unknown name leads to no device");
            }),
            0);
}

// nnvk starts a thread for each VkDevice that it opens, as lavapipe does.
TEST(Opening, AVulkanDeviceOpensAtItsFirstCompilation) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              const ANeuralNetworksDevice* first = devices().front();
              require(name_of(first).starts_with("vulkan-"), "there is a Vulkan device");
              bool is_supported = false;
              const ModelBuilder model = make_add({2});
              require(ANeuralNetworksModel_getSupportedOperationsForDevices(model.get(), &first, 1, &is_supported) == kOk &&
                          is_supported,
                      "the device supports the operation");
              require(threads() == 1, "nothing has opened the device yet");
              add_on(first);
              require(threads() > 1, "the compilation has opened it");
            }),
            0);
}

TEST(Opening, ACompilationForAllDevicesOpensThem) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              add_on(nullptr);
              require(has_vulkan(), "the Vulkan library is loaded");
            }),
            0);
}

TEST(Opening, ThreadsThatComeAtTheSameTimeSeeTheSameList) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              std::array<std::vector<const ANeuralNetworksDevice*>, 4> lists;
              std::vector<std::thread> threads;
              for (auto& list : lists) {
                threads.emplace_back([&list] {
                  add_on(find("nnvk-cpu"));
                  list = devices();
                });
              }
              for (std::thread& thread : threads) thread.join();
              for (const auto& list : lists) require(list == lists[0], "the lists are equal");
            }),
            0);
}

TEST(Opening, AForkAfterUseOfTheCpuAloneLeavesVulkanToTheChild) {
  if (!kChildrenMayStartThreads) GTEST_SKIP() << "the thread sanitizer forbids threads in a child of fork";
  EXPECT_EQ(in_child([] {
              add_on(find("nnvk-cpu"));
              require(in_child([] { add_on(devices().front()); }) == 0, "the child of the child computes on the first device");
            }),
            0);
}

TEST(Opening, NullPointersAreRefused) {
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(nnvk_findDevice(nullptr, &device), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(nnvk_findDevice("nnvk-cpu", nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
}

}  // namespace
}  // namespace nnvk::test
