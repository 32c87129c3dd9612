// Real models through stock TensorFlow Lite with the delegate: the same bits as nnvk gives for the file itself, and what the
// interpreter's own operators compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <tuple>

#include "tests/clients/tflite_delegate/runtime/comparison.h"
#include "tests/clients/tflite_delegate/runtime/stock_interpreter.h"
#include "tests/importers/tflite/operator_case.h"
#include "tests/support/published_models.h"

namespace nnvk::test {
namespace {

// A picture file with 24 bits per pixel and no compression.
struct Bitmap {
  Bytes file;
  int32_t word(size_t at) const {
    int32_t value = 0;
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
  }
  // The pixel at x, y of 0 to 1; channel 0 is red.
  uint8_t at(double x, double y, int channel) const {
    const int width = word(18);
    const int height = word(22);
    const int column = std::min(static_cast<int>(x * width), width - 1);
    const int row = height - 1 - std::min(static_cast<int>(y * height), height - 1);
    return file[static_cast<size_t>(word(10) + row * ((width * 3 + 3) / 4 * 4) + column * 3 + 2 - channel)];
  }
};

// The picture in the tensor's size, or noise if the tensor is none or the picture is not there. Floats are from -1 to 1.
void fill(TfLiteTensor& tensor, const Bitmap& picture) {
  const std::vector<int> shape = shape_of(tensor);
  const bool shows = !picture.file.empty() && shape.size() == 4 && shape[3] == 3;
  const size_t elements = tensor.type == kTfLiteFloat32 ? tensor.bytes / sizeof(float) : tensor.bytes;
  std::mt19937 random(7);
  for (size_t i = 0; i < elements; ++i) {
    auto pixel = static_cast<int>(random() % 256);
    if (shows) {
      const auto column = static_cast<double>(i / 3 % static_cast<size_t>(shape[2]));
      const auto row = static_cast<double>(i / 3 / static_cast<size_t>(shape[2]) % static_cast<size_t>(shape[1]));
      pixel = picture.at(column / shape[2], row / shape[1], static_cast<int>(i % 3));
    }
    if (tensor.type == kTfLiteFloat32) {
      tensor.data.f[i] = static_cast<float>(pixel) / 127.5F - 1;
    } else {
      tensor.data.uint8[i] = static_cast<uint8_t>(tensor.type == kTfLiteUInt8 ? pixel : pixel - 128);
    }
  }
}

// 8-bit networks round after each of many operators, and TensorFlow Lite rounds products in two steps: small differences grow.
// How far the outputs of whole networks may be apart, where that is more than one step or 1e-4: the worst, and how many elements.
struct Allowance {
  double worst;
  size_t elements;
};
const std::map<std::string, Allowance> kAllowances{
    {"models/upscaler_quant.tflite", {2, 70}},                 // of 691200 pixels: a step in each of several layers
    {"mobilenet_v2_1.0_224_quant.tflite", {12, 5}},            // of 1001 probabilities
    {"tf2_mobilenet_v2_1.0_224_ptq.tflite", {8, 5}},           // of 1001 probabilities
    {"deeplabv3_mnv2_dm05_pascal_quant.tflite", {20, 2700}},   // 1 % of the pixels: which of two classes with equal scores
    {"movenet_single_pose_lightning_ptq.tflite", {0.3, 51}}};  // scores have steps of 0.06; points move by a few pixels

Bytes bytes_of(const TfLiteTensor& tensor) { return {tensor.data.uint8, tensor.data.uint8 + tensor.bytes}; }

// INT64 as the importer has it.
Bytes narrow(const TfLiteTensor& tensor) {
  if (tensor.type != kTfLiteInt64) return bytes_of(tensor);
  std::vector<int32_t> values(tensor.data.i64, tensor.data.i64 + tensor.bytes / sizeof(int64_t));
  const auto* first = reinterpret_cast<const uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(int32_t)};
}

// Whether bits are equal. TensorFlow Lite switches denormal numbers off while it computes, so they may be zeros.
bool same_bits(const TfLiteTensor& tensor, const Bytes& expected) {
  const Bytes own = narrow(tensor);
  if (tensor.type != kTfLiteFloat32 || own.size() != expected.size()) return own == expected;
  for (size_t i = 0; i < own.size(); i += sizeof(float)) {
    float a = 0;
    float b = 0;
    std::memcpy(&a, own.data() + i, sizeof a);
    std::memcpy(&b, expected.data() + i, sizeof b);
    const bool tiny =
        std::fabs(a) < 2 * std::numeric_limits<float>::min() && std::fabs(b) < 2 * std::numeric_limits<float>::min();
    if (std::memcmp(&a, &b, sizeof a) != 0 && !tiny) return false;
  }
  return true;
}

class DelegatedModel : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static std::string file_name() { return std::get<0>(GetParam()); }
  static std::string device() { return std::get<1>(GetParam()); }
  static std::string path() {
    return file_name().starts_with("models/") ? NNVK_SOURCE_DIR "/" + file_name() : published(file_name());
  }

  void compare_with_the_interpreter(StockInterpreter& own, StockInterpreter& expected) {
    const auto found = kAllowances.find(file_name());
    for (int i = 0; i < own.outputs(); ++i) {
      ASSERT_EQ(shape_of(own.output(i)), shape_of(expected.output(i)));
      const Difference difference = compare(own.output(i), expected.output(i), 1e-4);
      std::cout << "output " << i << ": " << difference.elements << " elements, worst difference " << difference.worst << ", "
                << difference.beyond << " beyond what one operator may differ\n";
      const Allowance allowed = found == kAllowances.end() ? Allowance{INFINITY, 0} : found->second;
      EXPECT_LE(difference.beyond, allowed.elements);
      if (difference.beyond > 0) {
        EXPECT_LE(difference.worst, allowed.worst);
      }
    }
  }
};

TEST_P(DelegatedModel, ComputesWhatTheFileAndTheInterpreterCompute) {
  if (device() == "vulkan" && !file_name().starts_with("models/") && !tests_everything()) {
    GTEST_SKIP() << "minutes on software Vulkan: set NNVK_TEST_EVERYTHING";
  }
  const Bytes file = file_bytes(path());
  if (file.empty()) GTEST_SKIP() << path() << " is not there";
  testing::internal::CaptureStderr();
  const PluginDelegate delegate({{"device", device()}, {"min_nodes", "1"}, {"explain", "1"}});
  const auto own = delegate.get() == nullptr ? nullptr : std::make_unique<StockInterpreter>(file, delegate.get());
  const std::string report = testing::internal::GetCapturedStderr();
  if (own == nullptr) GTEST_SKIP() << PluginDelegate::last_error();
  ASSERT_TRUE(own->made() && own->allocate()) << own->errors();
  std::smatch taken;
  ASSERT_TRUE(std::regex_search(report, taken, std::regex("takes ([0-9]+) of ([0-9]+) operators in ([0-9]+) partitions")))
      << report;
  EXPECT_EQ(taken[1], taken[2]) << report;
  EXPECT_EQ(taken[3], "1") << report;

  const Bitmap picture{file_bytes(published(file_name().starts_with("movenet") ? "squat.bmp" : "grace_hopper.bmp"))};
  std::vector<Bytes> inputs;
  for (int i = 0; i < own->inputs(); ++i) {
    fill(own->input(i), picture);
    inputs.push_back(bytes_of(own->input(i)));
  }
  ASSERT_TRUE(own->invoke()) << own->errors();
  const auto by_file = outputs_on(device(), file, inputs);
  ASSERT_EQ(by_file.size(), static_cast<size_t>(own->outputs()));
  for (int i = 0; i < own->outputs(); ++i) {
    EXPECT_TRUE(same_bits(own->output(i), by_file[static_cast<size_t>(i)]))
        << "output " << i << " has other bits than by the file";
  }

  StockInterpreter expected(file, nullptr);
  if (!expected.made() || !expected.allocate()) {
    std::cout << "TensorFlow Lite itself cannot run it: " << expected.errors();
    return;
  }
  for (int i = 0; i < own->inputs(); ++i) fill(expected.input(i), picture);
  ASSERT_TRUE(expected.invoke()) << expected.errors();
  compare_with_the_interpreter(*own, expected);
}

std::string name_of(const testing::TestParamInfo<std::tuple<const char*, const char*>>& info) {
  std::string name = std::string(std::get<1>(info.param)) + "_" + std::get<0>(info.param);
  name = name.substr(0, name.rfind('.'));
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

const auto kDevices = testing::Values("nnvk-cpu", "vulkan");
INSTANTIATE_TEST_SUITE_P(Own, DelegatedModel,
                         testing::Combine(testing::Values("models/digits_float.tflite", "models/digits_quant.tflite",
                                                          "models/upscaler_float.tflite", "models/upscaler_quant.tflite"),
                                          kDevices),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Published, DelegatedModel, testing::Combine(kPublishedModels, kDevices), name_of);

}  // namespace
}  // namespace nnvk::test
