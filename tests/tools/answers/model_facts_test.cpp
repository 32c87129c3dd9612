// The facts about a model before it runs: metadata, packed labels, batches.
#include "tools/answers/model_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "importers/tflite/importer.h"
#include "metadata_subset_generated.h"
#include "tests/importers/tflite/model_file.h"
#include "tests/tools/answers/archive.h"
#include "tools/answers/interpretation.h"

namespace nnvk::tools::answers {
namespace {

namespace format = importers::tflite::format;
namespace mf = importers::tflite::metadata_format;
using ::testing::ElementsAre;

// Metadata of a detector: pixels become (value - 10) / 20, and the output for classes has the labels b.txt.
std::vector<uint8_t> metadata_of_a_detector(const std::vector<std::string>& names) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<float> mean{10};
  const std::vector<float> deviation{20};
  const auto options = mf::CreateNormalizationOptions(builder, builder.CreateVector(mean), builder.CreateVector(deviation));
  const std::vector units{mf::CreateProcessUnit(builder, mf::ProcessUnitOptions_NormalizationOptions, options.Union())};
  const std::vector inputs{mf::CreateTensorMetadata(builder, 0, 0, 0, 0, builder.CreateVector(units))};
  std::vector<flatbuffers::Offset<mf::TensorMetadata>> outputs;
  for (const auto& name : names) {
    std::vector<flatbuffers::Offset<mf::AssociatedFile>> files;
    if (name == "category") {
      const auto file = builder.CreateString("b.txt");
      files.push_back(mf::CreateAssociatedFile(builder, file, 0, mf::AssociatedFileType_TENSOR_VALUE_LABELS));
    }
    const auto text = builder.CreateString(name);
    outputs.push_back(mf::CreateTensorMetadata(builder, text, 0, 0, 0, 0, builder.CreateVector(files)));
  }
  const std::vector subgraphs{
      mf::CreateSubGraphMetadata(builder, 0, 0, builder.CreateVector(inputs), builder.CreateVector(outputs))};
  mf::FinishModelMetadataBuffer(builder, mf::CreateModelMetadata(builder, 0, 0, 0, builder.CreateVector(subgraphs)));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// A model of which each output is the input.
std::vector<uint8_t> file_of(const std::vector<int32_t>& shape, size_t outputs, const std::vector<uint8_t>& metadata) {
  test::ModelFile file;
  const int input = file.add({.shape = shape, .values = {}});
  std::vector<int> results;
  for (size_t i = 0; i < outputs; ++i) {
    results.push_back(file.add({.shape = shape, .values = {}}));
    file.add_operator(format::BuiltinOperator_LOGISTIC, {input}, {results.back()});
  }
  if (!metadata.empty()) file.set_metadata(metadata);
  file.end_subgraph({input}, results);
  return file.finish();
}

ModelFacts facts_of_file(std::vector<uint8_t> bytes) {
  const auto graph = importers::tflite::read_graph(std::move(bytes));
  EXPECT_TRUE(graph) << graph.error().message;
  auto model = importers::tflite::import_graph(*graph);
  EXPECT_TRUE(model) << model.error().message;
  return facts_of(*model);
}

TEST(ModelFacts, MetadataNameThePartsOfADetectionItsLabelsAndItsPixels) {
  const std::vector<std::string> names{"score", "location", "number of detections", "category"};
  const auto file = test::with_archive(file_of({1, 8, 8, 3}, 4, metadata_of_a_detector(names)), "no labels", "cat\ndog\n");
  const auto facts = facts_of_file(file);
  ASSERT_EQ(facts.outputs.size(), 4U);
  EXPECT_EQ(facts.outputs[1].part, DetectionPart::kBoxes);
  ASSERT_TRUE(facts.outputs[3].labels);
  EXPECT_THAT(facts.outputs[3].labels->names, ElementsAre("cat", "dog"));
  ASSERT_EQ(facts.normalisations.size(), 1U);
  EXPECT_EQ(facts.normalisations[0].mean, 10);
  EXPECT_EQ(facts.normalisations[0].deviation, 20);
  EXPECT_FALSE(facts.is_onnx);
  const auto readings = interpret(facts, 0);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].family, Family::kDetections);
  EXPECT_THAT(readings[0].outputs, ElementsAre(1, 3, 0, 2));
}

TEST(ModelFacts, MetadataOfOtherOutputsAreIgnored) {
  const auto facts = facts_of_file(file_of({1, 8, 8, 3}, 2, metadata_of_a_detector({"score", "location", "category"})));
  for (const auto& output : facts.outputs) {
    EXPECT_EQ(output.part, DetectionPart::kNone);
    EXPECT_FALSE(output.labels);
  }
  EXPECT_EQ(facts_of_file(file_of({1, 8, 8, 3}, 1, {})).normalisations.size(), 0U);
}

TEST(ModelFacts, OutputsOfABatchAreThoseOfOnePicture) {
  const auto facts = facts_of_file(file_of({4, 8, 8, 3}, 1, {}));
  ASSERT_TRUE(facts.picture);
  EXPECT_EQ(facts.picture->batch, 4U);
  EXPECT_THAT(facts.outputs[0].info.dimensions, ElementsAre(1, 8, 8, 3));
}

}  // namespace
}  // namespace nnvk::tools::answers
