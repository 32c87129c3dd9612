// Whole models on the Vulkan device: everything placed there in one partition, the CPU device's results, and nothing made, copied
// or recorded after the first execution.
#include <android/NeuralNetworks.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/command/placement.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

constexpr float kFloatTolerance = 1e-3f;  // relative to the largest value: whole networks add up in different orders

// A model beside the sources, or one of the published ones beside the project.
std::string model_path(const std::string& file) {
  const auto own = std::string(NNVK_SOURCE_DIR) + "/models/" + file;
  return std::filesystem::exists(own) ? own : std::string(NNVK_SHARED_DIR) + "/models/" + file;
}

class ModelOnVulkan : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = model_path(GetParam());
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "no " << path_;
    const auto device = find_device("vulkan");
    if (!device) GTEST_SKIP() << device.error().message;
  }

  static void fill(LoadedModel& loaded) {
    for (size_t i = 0; i < loaded.model.inputs.size(); ++i) {
      std::ranges::copy(made_up_input(loaded.model.inputs[i].info, static_cast<uint32_t>(i) + 7),
                        loaded.session.input(i).begin());
    }
  }

  std::string path_;
};

TEST_P(ModelOnVulkan, AgreesWithTheCpuDevice) {
  auto vulkan = load_model(path_, "vulkan");
  ASSERT_TRUE(vulkan) << vulkan.error().message;
  auto cpu = load_model(path_, "cpu");
  ASSERT_TRUE(cpu) << cpu.error().message;
  for (auto* loaded : {&*vulkan, &*cpu}) {
    fill(*loaded);
    const auto seconds = loaded->session.run();
    ASSERT_TRUE(seconds) << seconds.error().message;
  }
  for (size_t i = 0; i < cpu->model.outputs.size(); ++i) {
    const auto& info = cpu->model.outputs[i].info;
    const auto expected = decode(cpu->session.output(i), info);
    const auto actual = decode(vulkan->session.output(i), info);
    if (info.type == ANEURALNETWORKS_TENSOR_INT32) {  // classes: a tie within rounding may fall to the other side
      size_t different = 0;
      for (size_t k = 0; k < expected.size(); ++k) different += expected[k] != actual[k];
      EXPECT_LE(different, expected.size() / 1000) << "output " << i;
      continue;
    }
    float largest = 0;
    for (const float v : expected) largest = std::max(largest, std::abs(v));
    const float allowed = is_quant8(info.type) ? 1.001f * info.scale : kFloatTolerance * largest;
    for (size_t k = 0; k < expected.size(); ++k)
      ASSERT_NEAR(actual[k], expected[k], allowed) << "output " << i << " element " << k;
  }
}

TEST_P(ModelOnVulkan, RunsWholeAndMakesNothingAfterTheFirstExecution) {
  auto loaded = load_model(path_, "vulkan");
  ASSERT_TRUE(loaded) << loaded.error().message;
  fill(*loaded);
  const auto first_run = loaded->session.run();
  ASSERT_TRUE(first_run) << first_run.error().message;
  const auto first = placement_of(loaded->session);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->partitions, 1u);
  for (const auto& operation : first->operations) {
    EXPECT_TRUE(operation.removed || operation.device == loaded->device.name) << operation.name << " on " << operation.device;
  }
  constexpr int kLaterRuns = 2;
  for (int i = 0; i < kLaterRuns; ++i) ASSERT_TRUE(loaded->session.run());
  const auto later = placement_of(loaded->session);
  ASSERT_TRUE(later);

  for (const auto* counter : {"device_allocations", "pipelines_created", "bytes_copied_internal", "command_buffers_recorded",
                              "recordings_built", "bytes_uploaded"}) {
    ASSERT_TRUE(later->counters.contains(counter)) << counter;
    EXPECT_EQ(later->counters.at(counter), first->counters.at(counter)) << counter;
  }
  uint64_t in = 0;
  uint64_t out = 0;
  for (const auto& port : loaded->model.inputs) in += port.info.bytes();
  for (const auto& port : loaded->model.outputs) out += port.info.bytes();
  EXPECT_LE(later->counters.at("bytes_copied_in") - first->counters.at("bytes_copied_in"), static_cast<int64_t>(kLaterRuns * in));
  EXPECT_LE(later->counters.at("bytes_copied_out") - first->counters.at("bytes_copied_out"),
            static_cast<int64_t>(kLaterRuns * out));
  EXPECT_EQ(later->counters.at("executions"), first->counters.at("executions") + kLaterRuns);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelOnVulkan,
                         testing::Values("digits_float.tflite", "digits_quant.tflite", "mobilenet_v2_1.0_224_quant.tflite",
                                         "mobilenet_v1_0.25_224_1_default_1.tflite", "tf2_mobilenet_v2_1.0_224_ptq.tflite",
                                         "deeplabv3.tflite", "deeplabv3_mnv2_dm05_pascal_quant.tflite",
                                         "face_detection_short_range.tflite", "hand_landmark_lite.tflite", "kws_ref_model.tflite",
                                         "vww_96_float.tflite"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name = name.substr(0, name.rfind('.'));
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace nnvk::tools
