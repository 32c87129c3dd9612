// Whole models on the Vulkan device: all operations in one partition there, and the CPU device's results. After the first
// execution the device makes, copies and records nothing.
#include <android/NeuralNetworks.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/tools/model_files.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"
#include "tools/reports/placement.h"

namespace nnvk::tools {
namespace {

constexpr double kKeyPointTolerance = 0.05;  // relative to the picture's size; the published reference used another resize filter
constexpr float kFloatTolerance = 1e-3f;     // relative to the largest value: devices add in different orders

// A model beside the sources, or one of the published ones beside the project.
std::string model_path(const std::string& file) {
  const auto own = std::string(NNVK_SOURCE_DIR) + "/models/" + file;
  return std::filesystem::exists(own) ? own : test::published(file);
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
  EXPECT_EQ(first->partitions.size(), 1u);
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

INSTANTIATE_TEST_SUITE_P(Own, ModelOnVulkan,
                         testing::Values("digits_float.tflite", "digits_quant.tflite", "upscaler_float.tflite",
                                         "upscaler_quant.tflite"),
                         test::name_of_file);
INSTANTIATE_TEST_SUITE_P(Published, ModelOnVulkan, test::kPublishedModels, test::name_of_file);

// A model's result for one picture or file of raw values, on either device.
std::vector<float> result_for(const std::string& model, const std::string& file, const std::vector<uint32_t>& as_picture,
                              const std::string& device) {
  auto loaded = load_model(model, device);
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? test::output_for_file(*loaded, file, as_picture) : std::vector<float>();
}

class KnownAnswer : public test::OnDevice {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(test::published("squat.bmp"))) GTEST_SKIP() << "no published models";
    OnDevice::SetUp();
  }
};

TEST_P(KnownAnswer, AnLstmReadsTheDigitNine) {
  const auto scores =
      result_for(model_path("keras_lstm_mnist_ptq.tflite"), model_path("mnist_nine.bmp"), {1, 28, 28, 1}, GetParam());
  ASSERT_EQ(scores.size(), 10U);
  EXPECT_GT(scores[9], 0.9F);
}

TEST_P(KnownAnswer, MovenetFindsTheKeyPointsOfTheReference) {
  const auto points =
      result_for(model_path("movenet_single_pose_lightning_ptq.tflite"), model_path("squat.bmp"), {1, 192, 192, 3}, GetParam());
  ASSERT_EQ(points.size(), 17U * 3U);  // y, x, score
  std::ifstream reference(model_path("movenet_single_pose_lightning_ptq_reference.csv"));
  std::string line;
  std::getline(reference, line);
  size_t lines = 0;
  while (std::getline(reference, line)) {  // pose, its score, key point, its score, x, y
    std::ranges::replace(line, ',', ' ');
    std::istringstream columns(line);
    double pose, pose_score, score, x, y;
    size_t point;
    ASSERT_TRUE(columns >> pose >> pose_score >> point >> score >> x >> y) << line;
    ASSERT_LT(point, 17U);
    EXPECT_NEAR(points[3 * point], y, kKeyPointTolerance) << "key point " << point;
    EXPECT_NEAR(points[3 * point + 1], x, kKeyPointTolerance) << "key point " << point;
    ++lines;
  }
  EXPECT_EQ(lines, 17U);
}

INSTANTIATE_TEST_SUITE_P(Devices, KnownAnswer, testing::Values("cpu", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace nnvk::tools
