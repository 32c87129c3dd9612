// The published models that tests run on, if they are installed, and runs of loaded models.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/nnapi/values.h"

namespace nnvk::test {

inline const auto kPublishedModels = testing::Values(
    "mobilenet_v2_1.0_224_quant.tflite", "mobilenet_v1_0.25_224_1_default_1.tflite", "tf2_mobilenet_v2_1.0_224_ptq.tflite",
    "deeplabv3.tflite", "deeplabv3_mnv2_dm05_pascal_quant.tflite", "face_detection_short_range.tflite",
    "hand_landmark_lite.tflite", "kws_ref_model.tflite", "vww_96_float.tflite", "keras_lstm_mnist_ptq.tflite",
    "selfie_segmentation.tflite", "ssd_mobilenet_v1.tflite", "movenet_single_pose_lightning_ptq.tflite");

// The path of a published file; it may not exist.
inline std::string published(const std::string& file) { return std::string(NNVK_SHARED_DIR) + "/models/" + file; }

// Names a test after the file that is its parameter.
inline std::string name_of_file(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name = name.substr(0, name.rfind('.'));
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// Runs a model with one input on a picture file or a file of raw values, and returns its output. `as_picture` gives the picture's
// shape if the model's input has another shape.
inline std::vector<float> output_for_file(tools::LoadedModel& loaded, const std::string& file,
                                          const std::vector<uint32_t>& as_picture = {}) {
  tools::OperandInfo info = loaded.model.inputs[0].info;
  if (!as_picture.empty()) info.dimensions = as_picture;
  const auto bytes = tools::read_input(file, info, std::nullopt);
  EXPECT_TRUE(bytes) << bytes.error().message;
  if (!bytes) return {};
  std::ranges::copy(*bytes, loaded.session.input(0).begin());
  const auto seconds = loaded.session.run();
  EXPECT_TRUE(seconds) << seconds.error().message;
  return tools::decode(loaded.session.output(0), loaded.model.outputs[0].info);
}

// Tests that run on the device that is their parameter, if it exists.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto device = tools::find_device(GetParam());
    if (!device) GTEST_SKIP() << device.error().message;
  }
};

}  // namespace nnvk::test
