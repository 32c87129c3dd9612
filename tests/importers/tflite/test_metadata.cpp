// TensorFlow Lite metadata: of files written here, of damaged ones, and of published models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "importers/tflite/metadata.h"
#include "metadata_subset_generated.h"
#include "tests/importers/tflite/model_file.h"
#include "tests/support/published_models.h"
#include "tools/nnapi/files.h"

namespace nnvk::importers::tflite {
namespace {

namespace fb = flatbuffers;
namespace mf = metadata_format;
using ::testing::ElementsAre;
using Content = TensorDescription::Content;

std::vector<uint8_t> metadata_of_a_detector() {
  fb::FlatBufferBuilder builder;
  const std::vector<float> means{1, 2, 3};
  const std::vector<float> deviations{4, 5, 6};
  const auto options = mf::CreateNormalizationOptions(builder, builder.CreateVector(means), builder.CreateVector(deviations));
  const std::vector units{mf::CreateProcessUnit(builder, mf::ProcessUnitOptions_NormalizationOptions, options.Union())};
  const auto picture =
      mf::CreateContent(builder, mf::ContentProperties_ImageProperties, mf::CreateImageProperties(builder).Union());
  const auto input =
      mf::CreateTensorMetadata(builder, builder.CreateString("picture"), 0, 0, picture, builder.CreateVector(units));

  const std::vector<uint32_t> order{1, 0, 3, 2};
  const auto boxes = mf::CreateBoundingBoxProperties(builder, builder.CreateVector(order), mf::BoundingBoxType_BOUNDARIES,
                                                     mf::CoordinateType_RATIO);
  const auto content = mf::CreateContent(builder, mf::ContentProperties_BoundingBoxProperties, boxes.Union());
  const auto location = mf::CreateTensorMetadata(builder, builder.CreateString("location"), 0, 0, content);
  const std::vector files{
      mf::CreateAssociatedFile(builder, builder.CreateString("labels.txt"), 0, mf::AssociatedFileType_TENSOR_VALUE_LABELS)};
  const auto category =
      mf::CreateTensorMetadata(builder, builder.CreateString("category"), 0, 0, 0, 0, builder.CreateVector(files));
  const std::vector inputs{input};
  const std::vector outputs{location, category};
  const std::vector subgraphs{
      mf::CreateSubGraphMetadata(builder, 0, 0, builder.CreateVector(inputs), builder.CreateVector(outputs))};
  mf::FinishModelMetadataBuffer(builder, mf::CreateModelMetadata(builder, 0, 0, 0, builder.CreateVector(subgraphs)));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> file_with(const std::vector<uint8_t>& metadata) {
  test::ModelFile file;
  const int input = file.add({.shape = {1, 2}, .values = {0, 0}});
  const int output = file.add({.shape = {1, 2}, .values = {0, 0}});
  file.add_operator(test::format::BuiltinOperator_LOGISTIC, {input}, {output});
  if (!metadata.empty()) file.set_metadata(metadata);
  file.end_subgraph({input}, {output});
  return file.finish();
}

TEST(Metadata, SayWhatInputsAndOutputsMean) {
  const auto metadata = read_metadata(file_with(metadata_of_a_detector()));
  ASSERT_TRUE(metadata);
  ASSERT_EQ(metadata->inputs.size(), 1U);
  EXPECT_EQ(metadata->inputs[0].content, Content::kPicture);
  EXPECT_THAT(metadata->inputs[0].means, ElementsAre(1, 2, 3));
  EXPECT_THAT(metadata->inputs[0].deviations, ElementsAre(4, 5, 6));
  ASSERT_EQ(metadata->outputs.size(), 2U);
  EXPECT_EQ(metadata->outputs[0].name, "location");
  EXPECT_EQ(metadata->outputs[0].content, Content::kBoxes);
  EXPECT_THAT(metadata->outputs[0].box_order, ElementsAre(1, 0, 3, 2));
  EXPECT_EQ(metadata->outputs[1].value_labels, "labels.txt");
  EXPECT_EQ(metadata->outputs[1].axis_labels, "");
}

TEST(Metadata, ThatAreMissingOrDamagedAreNone) {
  EXPECT_FALSE(read_metadata(file_with({})));
  EXPECT_FALSE(read_metadata({}));
  EXPECT_FALSE(read_metadata(std::vector<uint8_t>(100, 1)));
  const auto whole = metadata_of_a_detector();
  for (size_t size = 1; size < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    read_metadata(file_with(cut));  // sanitizers see reads beyond its end
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = 0xFF;
    read_metadata(file_with(changed));
  }
  EXPECT_FALSE(read_metadata(file_with({whole.begin(), whole.begin() + 40})));
}

TEST(Metadata, OfPublishedModelsNameTheirLabels) {
  const auto path = test::published("deeplabv3.tflite");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const auto metadata = read_metadata(*tools::read_file(path));
  ASSERT_TRUE(metadata);
  ASSERT_EQ(metadata->outputs.size(), 1U);
  EXPECT_EQ(metadata->outputs[0].axis_labels + metadata->outputs[0].value_labels, "labelmap.txt");
  EXPECT_THAT(metadata->inputs.at(0).means, ElementsAre(127.5F));
  EXPECT_FALSE(read_metadata(*tools::read_file(test::published("movenet_single_pose_lightning_ptq.tflite"))));
}

}  // namespace
}  // namespace nnvk::importers::tflite
