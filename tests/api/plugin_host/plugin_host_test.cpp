// How an application sees a plugin whose host process is killed, hangs and restarts: result codes, and right answers.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "tests/accelerators/host/test_plugin.h"
#include "tests/api/api_objects.h"
#include "tests/support/plugin_hosts.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

const std::string& plugin_name() {
  static const std::string name = "test-" + std::to_string(::getpid());
  return name;
}

// Created before the first use of the library: makes the test plugin the only plugin, and the fastest device.
struct Surroundings {
  Surroundings() {
    write_manifest(folder.file("test.json"), plugin_name(), NNVK_TEST_PLUGIN);
    ::setenv("NNVK_PLUGIN_FILES", folder.file("test.json").c_str(), 1);
    ::setenv("NNVK_COST_FACTORS", "vulkan-llvmpipe=1000000,nnvk-cpu=1000000", 1);
    ::setenv("NNVK_LOG", "error", 0);
  }
  TemporaryFolder folder;
};
const Surroundings surroundings;

const ANeuralNetworksDevice* plugin_device() {
  for (const auto* device : devices()) {
    if (name_of(device) == plugin_name() + "/test-plugin") return device;
  }
  return nullptr;
}

void kill_hosts() {
  for (const pid_t host : plugin_hosts(plugin_name())) ::kill(host, SIGKILL);
}

// Additions of four numbers; the first may be an order for the plugin.
class PluginInHost : public ::testing::Test {
 protected:
  PluginInHost() { y_.fill(10); }

  ExecutionPointer execution(ANeuralNetworksCompilation* compilation, float first) {
    x_ = {first, 1, 2, 3};
    sum_.fill(-1);
    ANeuralNetworksExecution* made = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &made), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(made, 0, nullptr, x_.data(), sizeof x_), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(made, 1, nullptr, y_.data(), sizeof y_), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(made, 0, nullptr, sum_.data(), sizeof sum_), kOk);
    return ExecutionPointer(made);
  }
  int compute(const CompilationPointer& compilation, float first) {
    return ANeuralNetworksExecution_compute(execution(compilation.get(), first).get());
  }
  void expect_back_again(const CompilationPointer& compilation) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int code = -1;
    while ((code = compute(compilation, 1)) != kOk && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(code, kOk);
    EXPECT_EQ(plugin_hosts(plugin_name()).size(), 1U);
  }
  // Calls `use(i)` a thousand times, while another thread kills hosts at random moments.
  template <class Use>
  void among_kills(Use use) {
    std::atomic<bool> stop = false;
    std::thread killer([&stop] {
      std::mt19937 random(14);
      while (!stop) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        kill_hosts();
      }
    });
    for (int i = 0; i < 1000; ++i) use(i);
    stop = true;
    killer.join();
  }

  ModelBuilder model_ = make_add({4});
  std::array<float, 4> x_{};
  std::array<float, 4> y_{};
  std::array<float, 4> sum_{};
};

TEST_F(PluginInHost, KillsEndExecutionsInDeadObjectWhereTheClientChoseTheDevice) {
  const auto compilation = compiled_on(model_.get(), plugin_device());
  among_kills([&](int i) {
    const int code = compute(compilation, static_cast<float>(i));
    if (code == kOk) {
      EXPECT_EQ(sum_[0], static_cast<float>(i) + 10);
    } else {
      EXPECT_EQ(code, ANEURALNETWORKS_DEAD_OBJECT);
    }
  });
  expect_back_again(compilation);
}

TEST_F(PluginInHost, KillsAreNotSeenWhereTheLibraryChoseIt) {
  const auto compilation = finished(compile_for_all(model_.get()));
  ASSERT_EQ(compute(compilation, 1), kOk);
  ASSERT_EQ(plugin_hosts(plugin_name()).size(), 1U);
  among_kills([&](int i) {
    EXPECT_EQ(compute(compilation, static_cast<float>(i)), kOk);
    EXPECT_EQ(sum_[0], static_cast<float>(i) + 10);
  });
}

TEST_F(PluginInHost, AKilledHostFailsTheFencesOfItsExecutions) {
  const auto compilation = compiled_on(model_.get(), plugin_device());
  expect_back_again(compilation);
  const auto hanging = execution(compilation.get(), kHang);
  ANeuralNetworksEvent* made = nullptr;
  ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(hanging.get(), nullptr, 0, 0, &made), kOk);
  const EventPointer event(made);
  int fence = -1;
  ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(event.get(), &fence), kOk);
  pollfd entry{fence, POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 50), 0);
  kill_hosts();
  EXPECT_EQ(::poll(&entry, 1, 5000), 1);
  EXPECT_NE(entry.revents & POLLERR, 0);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), ANEURALNETWORKS_OP_FAILED);  // DEAD_OBJECT of an asynchronous execution
  ::close(fence);
  expect_back_again(compilation);
}

TEST_F(PluginInHost, AHangEndsAfterTheClientsDeadline) {
  const auto compilation = compiled_on(model_.get(), plugin_device());
  expect_back_again(compilation);
  const auto hanging = execution(compilation.get(), kHang);
  ASSERT_EQ(ANeuralNetworksExecution_setTimeout(hanging.get(), 50'000'000), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(hanging.get()), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  expect_back_again(compilation);
}

// The model is right, and the plugin runs it: the compilation waits until the host may be started again.
TEST_F(PluginInHost, CompilingWaitsUntilALostHostMayStartAgain) {
  const auto compilation = compiled_on(model_.get(), plugin_device());
  for (int i = 0; i < 7; ++i) {  // then the pause is some hundred milliseconds
    expect_back_again(compilation);
    EXPECT_EQ(compute(compilation, kCrash), ANEURALNETWORKS_DEAD_OBJECT);
  }
  ModelBuilder with_weights;
  const uint32_t x = with_weights.operand(kFloat, {64});
  const uint32_t weights = with_weights.constant(kFloat, {64}, std::vector<float>(64, 10.0F));  // long: they are shared
  const uint32_t none = with_weights.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t sum = with_weights.operand(kFloat, {64});
  EXPECT_EQ(with_weights.operation(ANEURALNETWORKS_ADD, {x, weights, none}, {sum}), kOk);
  with_weights.finish({x}, {sum});
  EXPECT_EQ(compute(compilation, 1), ANEURALNETWORKS_DEAD_OBJECT) << "still in the pause";
  const auto compiled = compile_for(with_weights.get(), plugin_device());
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compiled.get()), kOk);
}

TEST_F(PluginInHost, OtherDevicesGoOnWhileAPluginHangs) {
  const auto compilation = compiled_on(model_.get(), plugin_device());
  expect_back_again(compilation);
  const auto hanging = execution(compilation.get(), kHang);
  ANeuralNetworksEvent* made = nullptr;
  ASSERT_EQ(ANeuralNetworksExecution_startCompute(hanging.get(), &made), kOk);
  const EventPointer event(made);
  {
    std::array<float, 4> sum{};
    const auto on_cpu = compiled_on(model_.get(), cpu_device());
    std::array<float, 4> x{5, 6, 7, 8};
    ANeuralNetworksExecution* other = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_create(on_cpu.get(), &other), kOk);
    const ExecutionPointer owner(other);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(other, 0, nullptr, x.data(), sizeof x), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(other, 1, nullptr, y_.data(), sizeof y_), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(other, 0, nullptr, sum.data(), sizeof sum), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_compute(other), kOk);
    EXPECT_EQ(sum[0], 15);
  }
  kill_hosts();
  EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), ANEURALNETWORKS_OP_FAILED);
}

}  // namespace
}  // namespace nnvk::test
