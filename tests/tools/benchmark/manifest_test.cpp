// Manifests of benchmarks: what they may hold, and that every error says where it is.
#include "tools/benchmark/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace nnvk::tools::benchmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<std::vector<ModelEntry>> parsed(const std::string& text) { return parse_manifest(text, "my.json", "/models"); }

std::string error_of(const std::string& text) {
  const auto models = parsed(text);
  return models ? "none" : models.error().message;
}

// The error of a manifest with one sample.
std::string error_of_sample(const std::string& sample) {
  return error_of(R"({"models": [{"file": "a.tflite"}, {"file": "b.tflite", "samples": [)" + sample + "]}]}");
}

TEST(Manifest, NamesModelsSamplesAndAnswers) {
  const auto models = parsed(R"({"models": [
    {"file": "plain.onnx"},
    {"name": "net", "file": "sub/net.tflite", "labels": "names.txt", "mean": 127.5, "std": 2, "channels_first": true,
     "samples": [{"inputs": ["cat.png", "b.raw"], "class": "cat"}, {"inputs": ["dog.png"], "class": 7},
                 {"inputs": ["bird.bmp"], "mask": "mask.bmp", "classes": [0, 3]},
                 {"inputs": ["man.bmp"], "values": "points.txt"}, {"drawn": 4}, {"original": "photo.jpg"}]},
    {"file": "digits.tflite", "lines": "digits.txt"}]})");
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_EQ(models->size(), 3U);
  EXPECT_EQ((*models)[0], (ModelEntry{.name = "plain", .file = "/models/plain.onnx"}));
  const ModelEntry& net = (*models)[1];
  EXPECT_EQ(net.name, "net");
  EXPECT_EQ(net.file, "/models/sub/net.tflite");
  EXPECT_EQ(net.labels, "/models/names.txt");
  EXPECT_EQ(net.mean, 127.5);
  EXPECT_EQ(net.deviation, 2);
  EXPECT_TRUE(net.channels_first);
  ASSERT_EQ(net.samples.size(), 6U);
  EXPECT_EQ(net.samples[0], (Sample{.inputs = {"/models/cat.png", "/models/b.raw"}, .label = ClassLabel("cat")}));
  EXPECT_EQ(net.samples[1].label, ClassLabel(size_t{7}));
  EXPECT_EQ(net.samples[2].mask, "/models/mask.bmp");
  EXPECT_EQ(net.samples[2].classes, (std::vector<size_t>{0, 3}));
  EXPECT_EQ(net.samples[3].values, "/models/points.txt");
  EXPECT_EQ(net.samples[4].drawn, 4U);
  EXPECT_EQ(net.samples[5].original, "/models/photo.jpg");
  EXPECT_EQ((*models)[2].lines, "/models/digits.txt");
}

TEST(Manifest, RefusesUnknownKeysAndNamesTheKnownOnes) {
  EXPECT_THAT(error_of(R"({"model": []})"), AllOf(HasSubstr("my.json: unknown key 'model'"), HasSubstr("there are: models")));
  EXPECT_THAT(error_of(R"({"models": [{"file": "a.tflite", "label": "x"}]})"),
              AllOf(HasSubstr("my.json: models[0]: unknown key 'label'"), HasSubstr("labels")));
  EXPECT_THAT(error_of_sample(R"({"drawn": 1}, {"drawn": 1, "lable": 3})"),
              AllOf(HasSubstr("my.json: models[1].samples[1]: unknown key 'lable'"), HasSubstr("class")));
}

TEST(Manifest, RefusesWrongValuesAndSaysWhatIsExpected) {
  EXPECT_THAT(error_of("{\"models\": [\n  {\"file\": }]}"), AllOf(HasSubstr("my.json: not valid JSON"), HasSubstr("line 2")));
  EXPECT_THAT(error_of("[]"), HasSubstr("my.json: must be an object in braces, not []"));
  EXPECT_THAT(error_of("{}"), HasSubstr("needs a list 'models' with at least one model"));
  EXPECT_THAT(error_of(R"({"models": [{"name": "a"}]})"), HasSubstr("my.json: models[0]: the key 'file' is missing"));
  EXPECT_THAT(error_of(R"({"models": [{"file": 3}]})"), HasSubstr("'file' must be a text in quotes, not 3"));
  EXPECT_THAT(error_of(R"({"models": [{"file": "a", "std": 0}]})"), HasSubstr("'std' must be a number other than 0"));
  EXPECT_THAT(error_of(R"({"models": [{"file": "a", "mean": "x"}]})"), HasSubstr("'mean' must be a number, not \"x\""));
  EXPECT_THAT(error_of(R"({"models": [{"file": "a", "lines": "l", "samples": []}]})"), HasSubstr("both 'lines' and 'samples'"));
  EXPECT_THAT(error_of_sample(R"({"inputs": "a.png"})"), HasSubstr("'inputs' must be a list of files in brackets"));
  EXPECT_THAT(error_of_sample(R"({"drawn": -1})"), HasSubstr("'drawn' must be a number, 0 or more"));
  EXPECT_THAT(error_of_sample(R"({"inputs": ["a"], "class": -1})"), HasSubstr("'class' must be the number of a class"));
  EXPECT_THAT(error_of_sample(R"({"inputs": ["a"], "mask": "m", "classes": ["x"]})"), HasSubstr("'classes' must be a list"));
}

TEST(Manifest, RefusesSamplesThatContradictThemselves) {
  EXPECT_THAT(error_of_sample(R"({"class": 1})"), HasSubstr("needs exactly one of 'inputs', 'original' and 'drawn'; it has 0"));
  EXPECT_THAT(error_of_sample(R"({"drawn": 1, "inputs": ["a"]})"), HasSubstr("it has 2"));
  EXPECT_THAT(error_of_sample(R"({"inputs": ["a"], "class": 1, "values": "v"})"), HasSubstr("has 2 answers"));
  EXPECT_THAT(error_of_sample(R"({"inputs": ["a"], "classes": [1]})"), HasSubstr("add 'mask' or remove them"));
  EXPECT_THAT(error_of_sample(R"({"inputs": ["a"], "class": "cat"})"), HasSubstr("the model has no 'labels'"));
}

TEST(Manifest, OfAFolderAreItsModelsByName) {
  const test::TemporaryFolder folder;
  for (const char* name : {"b.onnx", "a.tflite", "notes.txt"}) std::ofstream(folder.file(name)) << "x";
  const auto models = read_entries({folder.path()});
  ASSERT_TRUE(models) << models.error().message;
  ASSERT_EQ(models->size(), 2U);
  EXPECT_EQ((*models)[0].name, "a");
  EXPECT_EQ((*models)[1].file, folder.file("b.onnx"));
  EXPECT_THAT(read_entries({folder.file("notes.txt")}).error().message, HasSubstr("is no manifest (.json), no model"));
  EXPECT_THAT(read_entries({folder.path(), folder.file("a.tflite")}).error().message, HasSubstr("a second model is named 'a'"));
  EXPECT_THAT(read_entries({folder.file("missing.json")}).error().message, HasSubstr("missing.json"));
}

TEST(Manifest, LinesHoldAClassAndAValuePerCharacter) {
  const auto line = parse_line("12 0ag9");
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->label, 12U);
  EXPECT_EQ(line->values, (std::vector<float>{0, 10, 16, 9}));
  EXPECT_THAT(parse_line("0ag9").error().message, HasSubstr("must begin with the number of a class"));
  EXPECT_THAT(parse_line("x 0").error().message, HasSubstr("must begin with the number of a class"));
  EXPECT_THAT(parse_line("1 0-").error().message, HasSubstr("has the character '-'"));
}

}  // namespace
}  // namespace nnvk::tools::benchmark
