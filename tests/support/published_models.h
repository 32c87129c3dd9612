// The published models that tests run on, if they are installed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

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

}  // namespace nnvk::test
