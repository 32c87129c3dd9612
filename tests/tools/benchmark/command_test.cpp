// `nnvk benchmark` as users run it: known accuracies, many at once, limits of time, wrong manifests, reports, stock frameworks
// and the published models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/published_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"

namespace nnvk::tools {
namespace {

using nlohmann::json;
using test::nnvk;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

const std::string kModels = std::string(NNVK_SOURCE_DIR) + "/models/";

std::string written(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.file(name)) << text;
  return folder.file(name);
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The measurements that a command prints.
json measurements_of(const std::string& arguments) {
  const auto run = nnvk("benchmark " + arguments + " --json", "2>/dev/null");
  const auto document = json::parse(run.text, nullptr, false);
  EXPECT_TRUE(document.is_object()) << run.code << run.text;
  return document.is_object() ? document["measurements"] : json::array();
}

std::string digits_manifest(const TemporaryFolder& folder, const std::string& file) {
  return written(folder, "digits.json",
                 R"({"models": [{"name": "digits", "file": ")" + kModels + file + R"(", "lines": ")" + kModels +
                     R"(digits_held_out.txt", "mean": 8, "std": 8}]})");
}

TEST(BenchmarkCommand, FindsTheAccuracyOfTheDigits) {
  for (const char* file : {"digits_float.tflite", "digits_quant.tflite"}) {
    const TemporaryFolder folder;
    const auto found = measurements_of(digits_manifest(folder, file) + " --device nnvk-cpu --runs 5 --at-once 2");
    ASSERT_EQ(found.size(), 1U);
    const json& m = found[0];
    EXPECT_EQ(m["accuracy"]["samples"], 360);
    EXPECT_NEAR(m["accuracy"]["top_1"].get<double>(), 356.0 / 360, 1.5 / 360) << "models/README.md";
    EXPECT_GT(m["accuracy"]["top_5"].get<double>(), 0.99);
    EXPECT_LT(m["accuracy"]["largest_difference_from_reference"].get<double>(), 1e-4);
    EXPECT_EQ(m["latency_seconds"]["executions"], 5);
    EXPECT_GT(m["latency_seconds"]["median"].get<double>(), 0);
    EXPECT_GE(m["latency_seconds"]["p99"], m["latency_seconds"]["p90"]);
    EXPECT_GT(m["first_seconds"].get<double>(), 0);
    EXPECT_GT(m["compile_seconds"].get<double>(), 0);
    EXPECT_GT(m["peak_bytes"].get<uint64_t>(), 1U << 20);
    EXPECT_LT(m["peak_bytes"].get<uint64_t>(), 1U << 30);
    EXPECT_EQ(m["at_once"]["executions"], 2);
    EXPECT_GT(m["at_once"]["per_second"].get<double>(), 0);
    EXPECT_GT(m["largest_share_of_ceiling"].get<double>(), 0);
  }
}

TEST(BenchmarkCommand, WritesAReportOfItsOwnModels) {
  const TemporaryFolder folder;
  const auto run =
      nnvk("benchmark --device nnvk-cpu --runs 3 --report " + folder.file("report") + " --csv " + folder.file("csv"));
  ASSERT_EQ(run.code, 0) << run.text;
  EXPECT_THAT(run.text,
              AllOf(HasSubstr("digits, 8-bit"), HasSubstr("upscaler, float"), HasSubstr("PSNR"), HasSubstr("top-1 98.8")));
  EXPECT_THAT(text_of(folder.file("report/index.html")), AllOf(HasSubstr("nnvk benchmark"), HasSubstr("<svg class=\"chart\"")));
  EXPECT_THAT(text_of(folder.file("csv")), HasSubstr("\"upscaler, float\",nnvk-cpu,"));
  EXPECT_EQ(text_of(folder.file("csv")), text_of(folder.file("report/results.csv")));
  const auto document = json::parse(text_of(folder.file("report/results.json")), nullptr, false);
  ASSERT_TRUE(document.is_object());
  EXPECT_TRUE(document["nnvk"].contains("commit"));
  EXPECT_THAT(document["facts"]["options"].get<std::string>(), HasSubstr("nnvk benchmark --device nnvk-cpu"));
  for (const json& m : document["measurements"]) {
    const std::string model = m["model"];
    if (model.starts_with("upscaler")) {
      EXPECT_GT(m["accuracy"]["psnr_db"].get<double>(), 25) << model;
    }
  }
}

TEST(BenchmarkCommand, SaysWhatTheTimeLimitLeftOut) {
  const TemporaryFolder folder;
  const auto run = nnvk("benchmark --device nnvk-cpu --time-limit 0.05");
  EXPECT_EQ(run.code, 4) << run.text;
  EXPECT_THAT(run.text,
              AllOf(HasSubstr("time limit"), HasSubstr("were left out or stopped"), HasSubstr("ceilings were not measured")));
}

TEST(BenchmarkCommand, NamesTheFaultOfAManifest) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) {
    const auto run = nnvk("benchmark " + written(folder, "bad.json", text) + " --device nnvk-cpu");
    EXPECT_EQ(run.code, 1) << run.text;
    return run.text;
  };
  EXPECT_THAT(error_of("{"), HasSubstr("bad.json: not valid JSON"));
  EXPECT_THAT(error_of(R"({"models": [{"file": "a", "speed": 1}]})"), HasSubstr("bad.json: models[0]: unknown key 'speed'"));
  EXPECT_THAT(error_of(R"({"models": [{"file": "none.tflite"}]})"),
              AllOf(HasSubstr("model 'none': there is no file"), HasSubstr("none.tflite; paths in a manifest are relative")));
  const auto of_digits = [&](const std::string& rest) {
    return error_of(R"({"models": [{"name": "d", "file": ")" + kModels + R"(digits_float.tflite", )" + rest + "}]}");
  };
  written(folder, "lines", "3 00\n");
  EXPECT_THAT(of_digits(R"("lines": "lines")"), HasSubstr("model 'd': " + folder.file("lines") + ": line 1 must have 64 values"));
  const std::string picture = R"("inputs": [")" + kModels + R"(digit_7.png"])";
  EXPECT_THAT(of_digits(R"("samples": [{)" + picture + R"(, "class": 10}])"), HasSubstr("samples[0]: there is no class 10"));
  written(folder, "labels", "a\nb\n");
  EXPECT_THAT(of_digits(R"("labels": "labels", "samples": [{)" + picture + R"(, "class": "c"}])"),
              HasSubstr("the labels have no class 'c'"));
  written(folder, "values", "1 2 x");
  EXPECT_THAT(of_digits(R"("samples": [{)" + picture + R"(, "values": "values"}])"), HasSubstr("'x' is no number"));
  EXPECT_THAT(of_digits(R"("samples": [{)" + picture + R"(, "mask": "values"}])"), HasSubstr("cannot read the picture"));
  EXPECT_THAT(of_digits(R"("samples": [{"drawn": 0}])"), HasSubstr("'drawn' need a network from a picture to a picture"));
}

TEST(BenchmarkCommand, NamesUnknownDevicesAndLibraries) {
  EXPECT_THAT(nnvk("benchmark --device nonsense").text, HasSubstr("there is no device 'nonsense'"));
  const auto run = nnvk("benchmark --device nnvk-cpu --onnxruntime " + kModels + "README.md");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.text, HasSubstr("cannot use " + kModels + "README.md"));
}

// Options for the stock frameworks that this build knows.
std::string frameworks() {
  std::string options;
#ifdef NNVK_ONNXRUNTIME_LIBRARY
  options += " --onnxruntime " NNVK_ONNXRUNTIME_LIBRARY;
#endif
#ifdef NNVK_TENSORFLOWLITE_C
  options += " --tensorflow-lite " NNVK_TENSORFLOWLITE_C;
#endif
  return options;
}

TEST(BenchmarkCommand, MeasuresTensorFlowLiteItself) {
  if (frameworks().find("--tensorflow-lite") == std::string::npos) GTEST_SKIP() << "TensorFlow Lite is not there";
  const TemporaryFolder folder;
  const auto found =
      measurements_of(digits_manifest(folder, "digits_quant.tflite") + " --device nnvk-cpu --runs 3 --at-once 2" + frameworks());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[1]["engine"].get<std::string>(), testing::StartsWith("TensorFlow Lite 2."));
  EXPECT_NEAR(found[1]["accuracy"]["top_1"].get<double>(), 356.0 / 360, 1.5 / 360);
}

// A manifest for the published models beside the project, with the answers that are known for them.
std::string published_manifest(const TemporaryFolder& folder) {
  std::ifstream reference(test::published("movenet_single_pose_lightning_ptq_reference.csv"));
  std::string points;
  std::string line;
  std::getline(reference, line);
  while (std::getline(reference, line)) {  // pose, its score, key point, its score, x, y; the network's order is y, x, score
    std::ranges::replace(line, ',', ' ');
    std::istringstream columns(line);
    std::string pose, pose_score, point, score, x, y;
    columns >> pose >> pose_score >> point >> score >> x >> y;
    points += y + " " + x + " " + score + "\n";
  }
  written(folder, "points.txt", points);
  const auto file = [](const std::string& name) { return "\"" + test::published(name) + "\""; };
  const std::string hopper = R"("labels": )" + file("imagenet_labels.txt") + R"(, "samples": [{"inputs": [)" +
                             file("grace_hopper.bmp") + R"(], "class": "military uniform"}])";
  const std::string bird = R"("samples": [{"inputs": [)" + file("bird_segmentation.bmp") + R"(], "mask": )" +
                           file("bird_segmentation_mask.bmp") + R"(, "classes": [0, 3]}])";
  const std::string nine = R"("samples": [{"inputs": [)" + file("mnist_nine.bmp") + R"(], "class": 9}])";
  std::string models;
  const auto add = [&](const std::string& name, const std::string& rest) {
    if (!std::filesystem::exists(test::published(name))) return;
    models += (models.empty() ? "" : ",\n") + std::string(R"({"file": )") + file(name) + (rest.empty() ? "" : ", " + rest) + "}";
  };
  for (const char* name :
       {"mobilenet_v1_0.25_224_1_default_1.tflite", "mobilenet_v2_1.0_224_quant.tflite", "tf2_mobilenet_v2_1.0_224_ptq.tflite"}) {
    add(name, hopper);
  }
  add("deeplabv3.tflite", bird);
  add("deeplabv3_mnv2_dm05_pascal_quant.tflite", bird);
  add("mnist.onnx", R"("channels_first": true, "mean": 0, "std": 1, )" + nine);
  add("keras_lstm_mnist_ptq.tflite", nine);
  add("movenet_single_pose_lightning_ptq.tflite",
      R"("samples": [{"inputs": [)" + file("squat.bmp") + R"(], "values": "points.txt"}])");
  for (const char* name : {"face_detection_short_range.tflite", "hand_landmark_lite.tflite", "kws_ref_model.tflite",
                           "selfie_segmentation.tflite", "ssd_mobilenet_v1.tflite", "vww_96_float.tflite"}) {
    add(name, "");
  }
  return written(folder, "published.json", "{\"models\": [\n" + models + "\n]}\n");
}

TEST(BenchmarkCommand, MeasuresThePublishedModels) {
  if (!std::filesystem::exists(test::published("grace_hopper.bmp"))) GTEST_SKIP() << "no published models";
  const TemporaryFolder folder;
  const auto manifest = published_manifest(folder);
  const auto found = measurements_of(manifest + " --device nnvk-cpu --runs 3 --warm-up 1 --time-limit 600" + frameworks());
  size_t known = 0;
  for (const json& m : found) {
    const std::string model = m["model"];
    const std::string on = model + " on " + m["engine"].get<std::string>();
    if (m["engine"] != "nnvk-cpu") continue;
    ASSERT_FALSE(m.contains("problem")) << on << ": " << m["problem"];
    const json& accuracy = m["accuracy"];
    known += accuracy["samples"].get<size_t>();
    // The smallest MobileNet takes the uniform for a suit.
    const char* const top = model.starts_with("mobilenet_v1_0.25") ? "top_5" : "top_1";
    if (accuracy.contains(top)) {
      EXPECT_EQ(accuracy[top], 1) << on;
    }
    if (accuracy.contains("mean_iou")) {
      EXPECT_GT(accuracy["mean_iou"].get<double>(), 0.85) << on;
    }
    // The reference is of TensorFlow Lite, whose 8-bit kernels round differently.
    if (accuracy.contains("mean_error")) {
      EXPECT_LT(accuracy["mean_error"].get<double>(), 0.08) << on;
    }
  }
  EXPECT_EQ(known, 8U);
}

}  // namespace
}  // namespace nnvk::tools
