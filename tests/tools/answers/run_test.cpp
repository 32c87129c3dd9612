// `nnvk run` on pictures, as a user runs it: with models made here, nnvk's own models, and published ones if they are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/importers/tflite/model_file.h"
#include "tests/support/detector_file.h"
#include "tests/support/published_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/image/picture.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using test::Finished;
using test::published;
using test::TemporaryFolder;
using test::write_detector;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace format = importers::tflite::format;

const std::string kModels = std::string(NNVK_SOURCE_DIR) + "/models/";

// Processes start sooner without Vulkan's drivers.
constexpr const char* kCpuOnly = "NNVK_CPU_ONLY=1";

Finished run(const std::string& arguments) { return test::nnvk("run --runs 1 " + arguments, "2>&1", kCpuOnly); }

nlohmann::json results(const std::string& arguments) {
  const auto finished = test::nnvk("run --runs 1 --json " + arguments, "2>/dev/null", kCpuOnly);
  const auto document = nlohmann::json::parse(finished.text, nullptr, false);
  EXPECT_TRUE(document.is_object()) << arguments << "\n" << finished.text;
  return document.is_object() ? document["results"] : nlohmann::json::array({{{"answers", {nullptr}}}});
}

// The first answer about the first picture.
nlohmann::json answer(const std::string& arguments) { return results(arguments)[0]["answers"][0]; }

// Writes a PNG whose left half is dark and whose right half is bright.
std::string write_picture(const TemporaryFolder& folder, const std::string& name, uint32_t width, uint32_t height) {
  Picture picture{.width = width, .height = height, .channels = 3, .values = {}};
  for (uint32_t i = 0; i < width * height; ++i)
    picture.values.insert(picture.values.end(), 3, i % width < width / 2 ? 20.0F : 230.0F);
  EXPECT_TRUE(save_picture(picture, folder.file(name)));
  return folder.file(name);
}

std::string write_text(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  EXPECT_TRUE(write_file(folder.file(name), text));
  return folder.file(name);
}

// A model that adds nothing to its input: what comes in comes out.
std::string write_identity(const TemporaryFolder& folder, const std::vector<int32_t>& shape) {
  test::ModelFile file;
  const int input = file.add({.shape = shape, .values = {}});
  const int zero = file.add({.shape = {1}, .values = {0}, .constant = true});
  const int output = file.add({.shape = shape, .values = {}});
  file.add_operator(format::BuiltinOperator_ADD, {input, zero}, {output},
                    {format::BuiltinOptions_AddOptions, format::CreateAddOptions(file.builder()).Union()});
  file.end_subgraph({input}, {output});
  EXPECT_TRUE(write_file(folder.file("identity.tflite"), file.finish()));
  return folder.file("identity.tflite");
}

TEST(RunOnPictures, ADetectorNamesAndDrawsWhatItFound) {
  const TemporaryFolder folder;
  const auto picture = write_picture(folder, "in.png", 400, 200);
  const auto labels = write_text(folder, "labels.txt", "???\nperson\ndog\n");
  const auto drawn = folder.file("out.png");
  const auto finished = run(write_detector(folder) + " --input " + picture + " --labels " + labels + " --picture " + drawn);
  ASSERT_EQ(finished.code, 0) << finished.text;
  EXPECT_THAT(finished.text, HasSubstr("1 object with a score of at least 0.50\n    0.75  dog from (50, 50) to (150, 150)\n"));
  const auto result = load_picture(drawn, 3);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->width, 400U);
  EXPECT_NE(result->values[(100 * 400 + 50) * 3 + 1], 20) << "the frame";
  EXPECT_EQ(result->values[(100 * 400 + 100) * 3 + 1], 20) << "its inside";
  EXPECT_EQ(answer(folder.file("detector.tflite") + " --input " + picture + " --min-score 0.8")["detections"].size(), 0U);
}

TEST(RunOnPictures, SeveralPicturesRunOneAfterTheOther) {
  const TemporaryFolder folder;
  const std::string model = kModels + "digits_quant.tflite --labels " + kModels + "digits_labels.txt --input ";
  const auto all = results(model + kModels + "digit_3.png " + kModels + "digit_7.png --picture " + folder.path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["answers"][0]["top"][0]["label"], "three");
  EXPECT_EQ(all[1]["answers"][0]["top"][0]["label"], "seven");
  EXPECT_EQ(all[1]["picture"]["width"], 8);
  EXPECT_THAT(folder.names(), ::testing::ElementsAre("digit_3.png", "digit_7.png"));
  EXPECT_EQ(results(model + kModels + "digit_3.png --input " + kModels + "digit_7.png").size(), 2U) << "--input twice";
}

TEST(RunOnPictures, ABatchTakesSeveralPicturesAtOnceAndRepeatsTheLast) {
  const TemporaryFolder folder;
  const auto wide = write_picture(folder, "wide.png", 80, 40);
  const auto high = write_picture(folder, "high.png", 40, 80);
  const auto third = write_picture(folder, "third.png", 40, 40);
  const auto model = write_identity(folder, {2, 3, 40, 40});
  const TemporaryFolder drawn;
  const auto all = results(model + " --input " + wide + " " + high + " " + third + " --picture " + drawn.path());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2]["picture"]["file"], third);
  EXPECT_EQ(all[0]["seconds"], all[1]["seconds"]) << "one execution";
  EXPECT_EQ(load_picture(drawn.file("wide.png"), 3)->height, 20U);
  EXPECT_EQ(load_picture(drawn.file("high.png"), 3)->width, 20U);
}

TEST(RunOnPictures, GreyAndChannelsFirstInputsGetPictures) {
  const TemporaryFolder folder;
  const auto picture = write_picture(folder, "in.png", 80, 60);
  for (const auto& shape : {std::vector<int32_t>{1, 3, 30, 40}, {1, 30, 40, 1}, {30, 40, 3}, {1, 30, 40}}) {
    const auto drawn = folder.file("out.png");
    const auto finished = run(write_identity(folder, shape) + " --input " + picture + " --picture " + drawn);
    ASSERT_EQ(finished.code, 0) << finished.text;
    EXPECT_THAT(finished.text, AllOf(HasSubstr("(80x60, values from -1 to 1)"), HasSubstr("picture 40x30"))) << shape.size();
    const auto result = load_picture(drawn, 3);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->values[0], 20);
    EXPECT_EQ(result->values[39 * 3], 230);
  }
}

TEST(RunOnPictures, WhatCannotBeDoneIsSaid) {
  const TemporaryFolder folder;
  const std::string digits = kModels + "digits_quant.tflite --input " + kModels + "digit_3.png ";
  const auto other = write_identity(folder, {1, 64});
  const auto raw = write_text(folder, "raw.bin", std::string(64, '\0'));
  const auto three = write_text(folder, "three.txt", "a\nb\nc\n");
  const std::pair<std::string, std::string> cases[] = {
      {digits + "--labels " + three, "three.txt name 3 classes, but the output 'probabilities' has 10"},
      {digits + "--picture " + folder.file("out.jpg"), "must name a .png file"},
      {digits + kModels + "digit_7.png --picture " + folder.file("out.png"), "must name a folder that exists"},
      {digits + "--picture " + kModels, "would overwrite the input"},
      {kModels + "digits_quant.tflite --picture " + folder.file("out.png"), "name one with --input or --watch"},
      {kModels + "digits_quant.tflite --input " + raw + " --picture " + folder.file("out.png"),
       "name one with --input or --watch"},
      {other + " --input " + kModels + "digit_3.png", "the model's input TENSOR_FLOAT32 [1,64] is none"},
      {other + " --watch " + folder.path(), "needs a model with one input for pictures"},
      {kModels + "digits_quant.tflite --watch " + folder.path() + " --picture " + folder.path(), "another folder than --watch"},
      {kModels + "digits_quant.tflite --input " + three, "neither a PNG, JPEG or BMP picture nor 64 bytes"}};
  for (const auto& [arguments, message] : cases) {
    const auto finished = run(arguments);
    EXPECT_EQ(finished.code, 1) << arguments;
    EXPECT_THAT(finished.text, AllOf(HasSubstr("nnvk: error: "), HasSubstr(message))) << arguments;
  }
  EXPECT_EQ(run(digits + "--min-score 2").code, 2);
  EXPECT_EQ(run(digits + "--watch " + folder.path()).code, 2);
  EXPECT_EQ(run(kModels + "digits_quant.tflite --output x --watch " + folder.path()).code, 2);
}

TEST(RunOnPictures, AnAnswerOfUnknownMeaningIsATensorAndNoDrawing) {
  const TemporaryFolder folder;
  const auto picture = write_picture(folder, "in.png", 16, 16);
  test::ModelFile file;
  const int input = file.add({.shape = {1, 8, 8, 3}, .values = {}});
  const int axes = file.add({.shape = {2}, .values = {1, 2}, .type = format::TensorType_INT32, .constant = true});
  const int output = file.add({.shape = {1, 3}, .values = {}});
  file.add_operator(format::BuiltinOperator_MEAN, {input, axes}, {output});
  file.end_subgraph({input}, {output});
  ASSERT_TRUE(write_file(folder.file("mean.tflite"), file.finish()));
  const std::string mean = folder.file("mean.tflite") + " --input " + picture;
  EXPECT_EQ(answer(mean)["kind"], "tensor");
  const auto drawn = run(mean + " --picture " + folder.file("out.png"));
  EXPECT_EQ(drawn.code, 1);
  EXPECT_THAT(drawn.text, HasSubstr("cannot draw the answer"));
  const auto labels = write_text(folder, "rgb.txt", "red\ngreen\nblue\n");
  EXPECT_EQ(answer(mean + " --labels " + labels)["kind"], "class_scores");
}

TEST(RunOnPictures, AWatchedFolderRunsNewPicturesUntilASignal) {
  const TemporaryFolder watched;
  const TemporaryFolder drawn;
  const TemporaryFolder log;
  const std::string command = std::string(kCpuOnly) + " " + test::command_to_run(NNVK_BINARY) + "run --json " + kModels +
                              "digits_quant.tflite --labels " + kModels + "digits_labels.txt --watch " + watched.path() +
                              " --picture " + drawn.path() + " >" + log.file("out") + " 2>" + log.file("err") + " & echo $!";
  const auto pid = std::stoi(test::finished(command).text);
  const auto wait_for = [](const auto& is_there) {
    for (int i = 0; i < 300 && !is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return is_there();
  };
  const auto text_of = [&](const std::string& name) { return read_text_file(log.file(name)).value_or(""); };
  ASSERT_TRUE(wait_for([&] { return text_of("err").find("watching") != std::string::npos; })) << text_of("err");
  std::filesystem::copy_file(kModels + "digit_5.png", watched.file("five.png"));
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(drawn.file("five.png")); })) << text_of("err");
  write_text(watched, "notes.txt", "no picture");
  ASSERT_TRUE(wait_for([&] { return text_of("err").find("notes.txt") != std::string::npos; })) << "reported and left out";
  std::filesystem::copy_file(kModels + "digit_6.png", log.file("six.png"));
  std::filesystem::rename(log.file("six.png"), watched.file("six.png"));
  ASSERT_TRUE(wait_for([&] { return text_of("out").find("six.png") != std::string::npos; })) << text_of("err");
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  EXPECT_TRUE(wait_for([&] { return text_of("err").find("2 pictures") != std::string::npos; })) << text_of("err");
  std::istringstream lines(text_of("out"));
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);) {
    labels.push_back(nlohmann::json::parse(line)["answers"][0]["top"][0]["label"]);
  }
  EXPECT_THAT(labels, ::testing::ElementsAre("five", "six"));
}

// Published models, on published pictures.
class PublishedAnswers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(published("squat.bmp"))) GTEST_SKIP() << "no published models";
  }
};

TEST_F(PublishedAnswers, SsdFindsACatAndTheSameWithoutItsLastOperator) {
  const TemporaryFolder folder;
  std::string lines = "???\n";
  for (int i = 0; i < 90; ++i) lines += i == 16 ? "cat\n" : "other " + std::to_string(i) + "\n";
  const std::string options = " --input " + published("cat.bmp") + " --labels " + write_text(folder, "labels.txt", lines);
  const auto finished = answer(published("ssd_mobilenet_v1.tflite") + options);
  ASSERT_EQ(finished["detections"].size(), 1U);
  EXPECT_EQ(finished["detections"][0]["label"], "cat");

  // The same file, whose graph ends before the detection: its results are the encodings and the scores.
  auto file = read_file(published("ssd_mobilenet_v1.tflite")).value();
  const auto* const graph = format::GetModel(file.data())->subgraphs()->Get(0);
  const auto* const last = graph->operators()->Get(graph->operators()->size() - 1);
  const auto write = [&](const void* place, uint32_t number) {
    std::memcpy(file.data() + (static_cast<const uint8_t*>(place) - file.data()), &number, sizeof number);
  };
  write(graph->outputs()->Data(), static_cast<uint32_t>(last->inputs()->Get(0)));
  write(graph->outputs()->Data() + 4, static_cast<uint32_t>(last->inputs()->Get(1)));
  write(graph->operators(), graph->operators()->size() - 1);  // a vector begins with its size
  write(graph->outputs(), 2);
  ASSERT_TRUE(write_file(folder.file("raw.tflite"), file));
  const auto decoded = answer(folder.file("raw.tflite") + options);
  ASSERT_EQ(decoded["detections"].size(), 1U);
  EXPECT_EQ(decoded["detections"][0]["label"], "cat");
  for (const char* side : {"left", "top", "right", "bottom"}) {
    const auto place = [&](const nlohmann::json& one) { return one["detections"][0]["box"][side].get<float>(); };
    EXPECT_NEAR(place(decoded), place(finished), 0.0065) << side << ": the file's own anchors are rounded to 8 bits";
  }
}

TEST_F(PublishedAnswers, AFaceHasItsEyesInTheUpperHalf) {
  const auto faces = answer(published("face_detection_short_range.tflite") + " --input " + published("grace_hopper.bmp"));
  ASSERT_EQ(faces["detections"].size(), 1U);
  const auto& face = faces["detections"][0];
  EXPECT_NEAR(face["box"]["left"].get<float>(), 0.35, 0.05);
  EXPECT_NEAR(face["box"]["bottom"].get<float>(), 0.58, 0.05);
  EXPECT_EQ(face["points"][0]["name"], "right eye");
  EXPECT_LT(face["points"][0]["x"], face["points"][1]["x"]) << "the person looks at the camera";
  EXPECT_LT(face["points"][0]["y"], face["points"][3]["y"]) << "eyes are above the mouth";
}

TEST_F(PublishedAnswers, MasksSeeABirdAndAPerson) {
  const auto bird = answer(published("deeplabv3.tflite") + " --input " + published("bird_segmentation.bmp"));
  EXPECT_EQ(bird["shares"][1]["label"], "bird") << "by the labels in the file";
  EXPECT_NEAR(bird["shares"][1]["share"].get<double>(), 0.2, 0.03);
  const auto numbers =
      answer(published("deeplabv3_mnv2_dm05_pascal_quant.tflite") + " --input " + published("bird_segmentation.bmp") +
             " --labels " + published("pascal_voc_segmentation_labels.txt"));
  EXPECT_EQ(numbers["shares"][1]["label"], "bird");
  const auto person = answer(published("selfie_segmentation.tflite") + " --input " + published("grace_hopper.bmp"));
  EXPECT_EQ(person["shares"][0]["label"], "foreground");
  EXPECT_NEAR(person["shares"][0]["share"].get<double>(), 0.58, 0.05);
}

TEST_F(PublishedAnswers, PointsClassesAndPictures) {
  const auto pose = answer(published("movenet_single_pose_lightning_ptq.tflite") + " --input " + published("squat.bmp"));
  ASSERT_EQ(pose["points"].size(), 17U);
  EXPECT_NEAR(pose["points"][0]["pixel"][0].get<int>(), 293, 20) << "the nose";
  const auto uniform = answer(published("mobilenet_v2_1.0_224_quant.tflite") + " --input " + published("grace_hopper.bmp"));
  EXPECT_EQ(uniform["top"][0]["label"], "military uniform") << "by the labels in the file";
  const auto hand = answer(published("hand_landmark_lite.tflite") + " --input " + published("cat.bmp"));
  EXPECT_LT(hand["score"], 0.5) << "cats have none";
  const auto nine = answer(published("keras_lstm_mnist_ptq.tflite") + " --input " + published("mnist_nine.bmp"));
  EXPECT_EQ(nine["top"][0]["index"], 9) << "an input [1,28,28]";
  const auto large = answer(published("super_resolution.onnx") + " --input " + published("cat.bmp"));
  EXPECT_EQ(large["width"], 672);
}

}  // namespace
}  // namespace nnvk::tools
