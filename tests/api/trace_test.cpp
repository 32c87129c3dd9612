// A traced model run: a process of its own with NNVK_TRACE, and its trace file.
#include <gmock/gmock.h>
#include <nnvk/diagnostics.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/api/api_objects.h"
#include "tests/support/child_process.h"

namespace nnvk::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

// The work of the traced process. It is also a test of its own, since it works the same without a trace.
TEST(TracedProgram, ComputesInEveryModeOnEveryDevice) {
  const ModelBuilder model = make_add({8});
  const std::array<float, 8> x{1, 2, 3, 4, 5, 6, 7, 8};
  for (const ANeuralNetworksDevice* device : devices()) {
    const CompilationPointer compilation = compiled_on(model.get(), device);
    for (const bool asynchronous : {false, true}) {
      std::array<float, 8> z{};
      const ExecutionPointer e = make_execution(compilation, {x, x}, {z});
      nnvk_traceBegin(asynchronous ? "[NN_LA_PE]asynchronous" : "[NN_LA_PE]synchronous");
      if (asynchronous) {
        EXPECT_EQ(wait(start(e)), 0);
      } else {
        EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), 0);
      }
      nnvk_traceEnd();
      nnvk_traceBegin(nullptr);
      EXPECT_EQ(z[7], 16.0F);
    }
  }
}

struct Interval {
  std::string name;
  double begin = 0;
  double end = 0;
};

class TracedRun : public ::testing::Test {
 protected:
  // Runs the program above in a child process, once for all tests here.
  static void SetUpTestSuite() {
    const std::string file = ::testing::TempDir() + "nnvk_api_trace_" + std::to_string(::getpid()) + ".json";
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command =
        "NNVK_TRACE='" + file + "' " + command_to_run(program) + "--gtest_filter='TracedProgram.*' > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream stream(file);
    const json events = json::parse(stream, nullptr, false);
    ASSERT_TRUE(events.is_array()) << "the trace is not JSON";
    std::filesystem::remove(file);
    read(events);
  }

  static void read(const json& events) {
    std::map<int, std::vector<size_t>> open;
    for (const auto& event : events) {
      const std::string phase = event["ph"];
      auto& stack = open[event["tid"]];
      if (phase == "M") tracks.push_back(event["args"]["name"]);
      if (phase == "X") slices.push_back({event["name"], event["ts"], event["ts"].get<double>() + event["dur"].get<double>()});
      if (phase == "B") {
        stack.push_back(sections.size());
        sections.push_back({event["name"], event["ts"], -1});
      }
      if (phase != "E") continue;
      ASSERT_FALSE(stack.empty()) << "an end without a begin";
      sections[stack.back()].end = event["ts"];
      stack.pop_back();
    }
    for (const auto& [thread, stack] : open) EXPECT_TRUE(stack.empty()) << "a begin without an end";
  }

  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Interval& section : sections) all.push_back(section.name);
    return all;
  }
  static bool has_vulkan() {
    for (const ANeuralNetworksDevice* device : devices()) {
      if (name_of(device).starts_with("vulkan")) return true;
    }
    return false;
  }
  // Whether `inner` lies in a section whose name begins with one of `outers`.
  static bool lies_in(const Interval& inner, std::initializer_list<const char*> outers) {
    return std::any_of(sections.begin(), sections.end(), [&](const Interval& outer) {
      return std::any_of(outers.begin(), outers.end(), [&](const char* name) { return outer.name.starts_with(name); }) &&
             outer.begin <= inner.begin && inner.end <= outer.end;
    });
  }

  static inline std::vector<Interval> sections;
  static inline std::vector<Interval> slices;
  static inline std::vector<std::string> tracks;
};

TEST_F(TracedRun, ShowsEveryCallAndPhaseOfTheRuntime) {
  for (const auto* name : {"[NN_LR_PP]ANeuralNetworksModel_addOperand",
                           "[NN_LR_PP]ANeuralNetworksModel_finish",
                           "[SUB][NN_LR_PI]find devices",
                           "[NN_LR_PC]ANeuralNetworksCompilation_createForDevices",
                           "[NN_LR_PC]ANeuralNetworksCompilation_finish",
                           "[SUB][NN_LR_PC]plan",
                           "[SUB][NN_LR_PC]simplify",
                           "[NN_LR_PC]place on nnapi-reference",
                           "[NN_LR_PC]partition",
                           "[SUB][NN_LR_PC]compile for nnapi-reference",
                           "[NN_LR_PE]ANeuralNetworksExecution_create",
                           "[NN_LR_PIO]ANeuralNetworksExecution_setInput",
                           "[NN_LR_PIO]ANeuralNetworksExecution_setOutput",
                           "[NN_LR_PE]ANeuralNetworksExecution_compute",
                           "[NN_LR_PE]ANeuralNetworksExecution_startCompute",
                           "[NN_LR_PE]ANeuralNetworksEvent_wait",
                           "[NN_LR_PE]ANeuralNetworksEvent_free",
                           "[NN_LR_PR]complete",
                           "[NN_LR_PE]ANeuralNetworksExecution_free",
                           "[NN_LR_PT]ANeuralNetworksCompilation_free",
                           "[NN_LR_PT]ANeuralNetworksModel_free"}) {
    EXPECT_THAT(names(), Contains(name));
  }
  for (const std::string& name : names()) EXPECT_EQ(name.find("getDeviceCount"), std::string::npos) << "queries are no phase";
}

TEST_F(TracedRun, ShowsTheOperationsOfTheCpu) {
  EXPECT_THAT(names(), Contains("[NN_LC_PTR]ADD"));
  EXPECT_THAT(names(), Contains("[NN_LC_PCO]ADD"));
  EXPECT_THAT(tracks, Contains("nnvk cpu")) << "the thread of asynchronous executions";
}

TEST_F(TracedRun, ShowsTheSectionsOfTheApplication) {
  EXPECT_THAT(names(), Contains("[NN_LA_PE]synchronous"));
  EXPECT_THAT(names(), Contains("[NN_LA_PE]asynchronous"));
}

TEST_F(TracedRun, ShowsTheWorkOfTheVulkanDriverAndItsDevice) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  for (const auto* name : {"[NN_LD_PI]discover", "[NN_LD_PC]prepare", "[SUB][NN_LD_PC]record", "[NN_LD_PE]start",
                           "[NN_LD_PIO]inputs", "[NN_LD_PCO]vkQueueSubmit", "[NN_LD_PR]retire"}) {
    EXPECT_THAT(names(), Contains(name));
  }
  EXPECT_THAT(tracks, Contains(HasSubstr("GPU ")));
  EXPECT_THAT(tracks, Contains("nnvk completion"));
}

TEST_F(TracedRun, TheDevicesSlicesLieInTheExecutionsAndCompilations) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  size_t computed = 0;
  for (const Interval& slice : slices) {
    EXPECT_THAT(slice.name, HasSubstr("ADD"));
    if (slice.name.starts_with("[NN_LD_PCO]")) {
      ++computed;
      EXPECT_TRUE(lies_in(slice, {"[NN_LA_PE]"})) << slice.name << " from " << slice.begin << " to " << slice.end;
    } else {
      EXPECT_TRUE(lies_in(slice, {"[NN_LR_PC]ANeuralNetworksCompilation_finish"})) << slice.name;
    }
  }
  EXPECT_GE(computed, 2U);
}

}  // namespace
}  // namespace nnvk::test
