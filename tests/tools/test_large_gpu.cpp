// The kernels that nnvk would choose on a GPU with many units (tests/tools/snapshots/large_gpu.json, invented): no layer leaves
// so many units idle that it is predicted to take many times as long as the GPU could.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/published_models.h"
#include "tools/command/model_file.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using Json = nlohmann::ordered_json;

// Lists the model's dispatches on the large GPU.
Json dispatches_of(const std::string& file) {
  const auto snapshot = read_text_file(std::string(NNVK_SOURCE_DIR) + "/tests/tools/snapshots/large_gpu.json");
  EXPECT_TRUE(snapshot) << snapshot.error().message;
  const auto model = import_model_file(file, {});
  EXPECT_TRUE(model) << model.error().message;
  if (!snapshot || !model) return Json::array();
  const auto list = list_kernels(model->builder.model(), {{"snapshot", Json::parse(*snapshot)}});
  EXPECT_TRUE(list) << list.error().message;
  return list ? (*list)["dispatches"] : Json::array();
}

// A dispatch waits for the one before, and even a tiny one loads values one after the other.
constexpr double kWait = 6e-6;
constexpr double kLeast = 1e-6;
constexpr double kMostTimesRoofline = 20;

void expect_near_roofline(const std::string& file) {
  const Json dispatches = dispatches_of(file);
  EXPECT_FALSE(dispatches.empty()) << file;
  for (const Json& dispatch : dispatches) {
    if (dispatch.value("once", false)) continue;  // packs constants at preparation
    const double roofline = std::max(dispatch["roofline_seconds"].get<double>(), kLeast);
    EXPECT_LE(dispatch["predicted_seconds"].get<double>(), kWait + kMostTimesRoofline * roofline)
        << dispatch["label"] << ": " << dispatch["reason"];
  }
}

TEST(LargeGpu, NoLayerOfTheOwnModelsIsFarFromItsRoofline) {
  for (const char* model : {"digits_float", "digits_quant", "upscaler_float", "upscaler_quant"}) {
    SCOPED_TRACE(model);
    expect_near_roofline(std::string(NNVK_SOURCE_DIR) + "/models/" + model + ".tflite");
  }
}

class LargeGpuPublished : public testing::TestWithParam<const char*> {};

TEST_P(LargeGpuPublished, NoLayerIsFarFromItsRoofline) {
  const std::string file = test::published(GetParam());
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  expect_near_roofline(file);
}

INSTANTIATE_TEST_SUITE_P(Models, LargeGpuPublished, test::kPublishedModels, test::name_of_file);

}  // namespace
}  // namespace nnvk::tools
