// Runs of loaded models, and of tests on devices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/published_models.h"
#include "tools/command/loaded_model.h"
#include "tools/command/model_input.h"
#include "tools/nnapi/values.h"

namespace nnvk::test {

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
