// The .tflite importer: the networks of this project classify held-out digits, and no damaged file crashes it.
#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "importers/import_budget.h"
#include "importers/tflite/importer.h"
#include "tests/support/published_models.h"
#include "tools/nnapi/devices.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/session.h"
#include "tools/nnapi/values.h"

namespace nnvk::importers::tflite {
namespace {

using testing::HasSubstr;
using tools::decode;
using tools::encode;
using tools::find_device;
using tools::Session;

const std::string kModels = std::string(NNVK_SOURCE_DIR) + "/models/";
constexpr double kRequiredAccuracy = 0.98;

std::vector<uint8_t> file_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Digit {
  size_t label = 0;
  std::vector<float> picture;  // 64 values, -1 to 1
};

std::vector<Digit> held_out_digits() {
  std::ifstream stream(kModels + "digits_held_out.txt");
  std::vector<Digit> digits;
  std::string values;
  for (Digit digit; stream >> digit.label >> values;) {
    digit.picture.clear();
    for (const char c : values) {
      digit.picture.push_back(static_cast<float>(c <= '9' ? c - '0' : c - 'a' + 10) / 8.0f - 1.0f);
    }
    digits.push_back(digit);
  }
  return digits;
}

// Parameter: model file, device.
class DigitsModel : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(DigitsModel, ClassifiesHeldOutDigits) {
  const auto [file, device_name] = GetParam();
  const auto device = find_device(device_name);
  if (!device) GTEST_SKIP() << device.error().message;
  const auto model = import_file(kModels + file);
  ASSERT_TRUE(model) << model.error().message;
  auto session = Session::compile(model->builder, {&*device, 1}, model->operation_origins);
  ASSERT_TRUE(session) << session.error().message;
  const auto digits = held_out_digits();
  ASSERT_GE(digits.size(), 300u);
  size_t right = 0;
  for (const auto& digit : digits) {
    ASSERT_EQ(digit.picture.size(), 64u);
    std::ranges::copy(encode(digit.picture, model->inputs[0].info), session->input(0).begin());
    const auto seconds = session->run();
    ASSERT_TRUE(seconds) << seconds.error().message;
    const auto scores = decode(session->output(0), model->outputs[0].info);
    right += static_cast<size_t>(std::ranges::max_element(scores) - scores.begin()) == digit.label;
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(digits.size());
  EXPECT_GE(accuracy, kRequiredAccuracy) << right << " of " << digits.size();
}

INSTANTIATE_TEST_SUITE_P(FloatAndEightBit, DigitsModel,
                         testing::Combine(testing::Values("digits_float.tflite", "digits_quant.tflite"),
                                          testing::Values("cpu", "vulkan")),
                         [](const auto& info) {
                           const std::string file = std::get<0>(info.param);
                           return file.substr(0, file.find('.')) + "_on_" + std::get<1>(info.param);
                         });

TEST(TfliteImporter, KeepsPerChannelWeightsAndSaysWhereOperationsComeFrom) {
  const auto model = import_file(kModels + "digits_quant.tflite");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->inputs[0].info.type, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
  ASSERT_EQ(model->operation_origins.size(), model->builder.operations().size());
  EXPECT_EQ(model->operation_origins[0], "operator 0 (CONV_2D)");
  bool per_channel = false;
  for (uint32_t i = 0; i < model->builder.operand_count(); ++i) {
    per_channel |= model->builder.operand(i).type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
  }
  EXPECT_TRUE(per_channel);
}

TEST(TfliteImporter, EveryTruncationIsAnError) {
  const auto whole = file_bytes(kModels + "digits_quant.tflite");
  ASSERT_GT(whole.size(), 1000u);
  for (size_t size = 0; size < whole.size(); size += size < 256 ? 1 : 97) {
    const auto graph = read_graph({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)});
    ASSERT_FALSE(graph) << size;
    ASSERT_FALSE(graph.error().message.empty());
  }
}

TEST(TfliteImporter, TruncatedFilesNameAByteOffset) {
  const auto whole = file_bytes(kModels + "digits_quant.tflite");
  const auto graph = read_graph({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(whole.size() / 2)});
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("byte offset"));
}

// Damaged files may still be valid models; importing must end, with a model or a message, and without touching foreign memory
// (the sanitizer builds look).
void import_damaged(std::vector<uint8_t> file) {
  const auto graph = read_graph(std::move(file));
  if (!graph) {
    ASSERT_FALSE(graph.error().message.empty());
    return;
  }
  const auto model = import_graph(*graph);
  if (!model) {
    ASSERT_FALSE(model.error().message.empty());
  }
}

TEST(TfliteImporter, NoFlippedBitCrashesIt) {
  const auto whole = file_bytes(kModels + "digits_quant.tflite");
  uint32_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    state = state * 1664525u + 1013904223u;
    auto file = whole;
    // Structure lies at both ends; the middle is mostly weights.
    const size_t reach = round % 3 == 0 ? file.size() : 4096;
    size_t position = (state >> 8) % std::min(reach, file.size());
    if (round % 3 == 1) position = file.size() - 1 - position;
    file[position] ^= static_cast<uint8_t>(1u << (state & 7));
    import_damaged(std::move(file));
    if (HasFatalFailure()) return;
  }
}

// Imports with the word at `position` replaced by one that makes a bad size or offset.
void import_with_a_nasty_word(std::vector<uint8_t> file, size_t position) {
  constexpr uint32_t kNasty[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000};
  std::memcpy(file.data() + position, &kNasty[(position / 4) % std::size(kNasty)], 4);
  import_damaged(std::move(file));
}

TEST(TfliteImporter, NoOverwrittenWordCrashesIt) {
  const auto whole = file_bytes(kModels + "digits_float.tflite");
  for (size_t position = 0; position + 4 <= std::min<size_t>(whole.size(), 4096) && !HasFatalFailure(); position += 4) {
    import_with_a_nasty_word(whole, position);
  }
}

TEST(TfliteImporter, ForeignFilesAreRefusedWithAReason) {
  const auto text = read_graph(std::vector<uint8_t>(100, 'x'));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("TFL3"));
  const auto missing = import_file("does_not_exist.tflite");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("does_not_exist.tflite"));
}

// Bytes of the file that hold `text`; npos when they are nowhere.
size_t find_text(const std::vector<uint8_t>& file, const std::string& text) {
  const auto at = std::ranges::search(file, text);
  return at.empty() ? std::string::npos : static_cast<size_t>(at.begin() - file.begin());
}

TEST(TfliteImporter, UnknownCustomOperatorsAreNamed) {
  auto file = file_bytes(test::published("selfie_segmentation.tflite"));
  if (file.empty()) GTEST_SKIP() << "no " << test::published("selfie_segmentation.tflite");
  const size_t at = find_text(file, "Convolution2DTransposeBias");
  ASSERT_NE(at, std::string::npos);
  file[at] = 'X';
  const auto graph = read_graph(std::move(file));
  ASSERT_TRUE(graph) << graph.error().message;
  const auto model = import_graph(*graph);
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("CUSTOM:Xonvolution2DTransposeBias"));
}

TEST(TfliteImporter, NoDamagedCustomOptionCrashesIt) {
  const auto whole = file_bytes(test::published("ssd_mobilenet_v1.tflite"));
  if (whole.empty()) GTEST_SKIP() << "no " << test::published("ssd_mobilenet_v1.tflite");
  const size_t first = find_text(whole, "y_scale");
  ASSERT_NE(first, std::string::npos);
  constexpr size_t kOptions = 250;  // the table of names and numbers
  for (size_t position = first; position < std::min(first + kOptions, whole.size()); ++position) {
    auto file = whole;
    file[position] ^= position % 2 == 0 ? 0x80 : 0x07;
    import_damaged(std::move(file));
    if (HasFatalFailure()) return;
  }
}

TEST(TfliteImporter, NoDamagedLstmCrashesIt) {
  const auto whole = file_bytes(test::published("keras_lstm_mnist_ptq.tflite"));
  if (whole.empty()) GTEST_SKIP() << "no " << test::published("keras_lstm_mnist_ptq.tflite");
  for (size_t position = 0; position + 4 <= whole.size() && !HasFatalFailure(); position += position < 2048 ? 4 : 52) {
    import_with_a_nasty_word(whole, position);
  }
}

// All available models, with each input of each operator omitted in turn: cut off with the inputs after it, or marked as omitted.
TEST(TfliteImporter, NoMissingInputCrashesIt) {
  std::vector<std::string> files{kModels + "digits_float.tflite", kModels + "digits_quant.tflite"};
  for (const char* name : {"mobilenet_v2_1.0_224_quant.tflite", "keras_lstm_mnist_ptq.tflite", "ssd_mobilenet_v1.tflite"}) {
    if (std::filesystem::exists(test::published(name))) files.push_back(test::published(name));
  }
  size_t refused = 0;
  for (const std::string& file : files) {
    const auto whole = read_graph_file(file);
    ASSERT_TRUE(whole) << whole.error().message;
    std::set<int32_t> seen;  // one operator of each kind
    for (size_t n = 0; n < whole->operators.size(); ++n) {
      if (!seen.insert(whole->operators[n].code).second) continue;
      for (size_t position = 0; position < whole->operators[n].inputs.size(); ++position) {
        for (const bool is_cut : {true, false}) {
          Graph damaged = *whole;
          auto& inputs = damaged.operators[n].inputs;
          if (is_cut) {
            inputs.resize(position);
          } else {
            inputs[position] = -1;
          }
          refused += import_graph(damaged) ? 0 : 1;  // a bias may be missing
        }
      }
    }
  }
  EXPECT_GT(refused, 20U);
}

TEST(TfliteImporter, WhatIsOutOfProportionToTheFileIsRefusedBeforeItIsMade) {
  ImportBudget budget(kDefaultMemory, 1000);
  EXPECT_TRUE(budget.take_bytes(1 << 20, "a tensor"));
  EXPECT_FALSE(budget.take_bytes(uint64_t{11} << 30, "zeros")) << "the states of an LSTM in a file of 432 bytes";
  int operations = 0;
  while (operations < 1'000'000 && budget.take_operation()) ++operations;
  EXPECT_LT(operations, 10'000);
  const auto path = test::published("keras_lstm_mnist_ptq.tflite");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  auto graph = read_graph_file(path);
  ASSERT_TRUE(graph);
  for (auto& tensor : graph->tensors) {
    if (tensor.variable) tensor.dimensions = {1U << 16, 1U << 16};
  }
  const auto model = import_graph(*graph);
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, HasSubstr("that it may take"));
}

// Models beside the project.
class PublishedModels : public testing::TestWithParam<const char*> {};

TEST_P(PublishedModels, Import) {
  const auto path = test::published(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const auto model = import_file(path);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE(model->builder.operations().empty());
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedModels, test::kPublishedModels, test::name_of_file);

}  // namespace
}  // namespace nnvk::importers::tflite
