// The options that every plugin takes.
#include "clients/plugin_options.h"

#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nnvk::clients {
namespace {

using testing::HasSubstr;

TEST(PluginOptions, AreTakenOneByOne) {
  PluginOptions options;
  EXPECT_FALSE(options.relaxed);
  EXPECT_FALSE(options.min_nodes);
  ASSERT_TRUE(set_option(options, "device", "nnvk-cpu"));
  ASSERT_TRUE(set_option(options, "precision", "relaxed"));
  ASSERT_TRUE(set_option(options, "cache_dir", "/somewhere"));
  ASSERT_TRUE(set_option(options, "priority", "high"));
  ASSERT_TRUE(set_option(options, "min_nodes", "12"));
  ASSERT_TRUE(set_option(options, "explain", "1"));
  EXPECT_FALSE(options.measures.has_value());
  ASSERT_TRUE(set_option(options, "choice", "measured"));
  EXPECT_EQ(options.device, "nnvk-cpu");
  EXPECT_TRUE(options.relaxed);
  EXPECT_EQ(options.cache_directory, "/somewhere");
  EXPECT_EQ(options.priority, ANEURALNETWORKS_PRIORITY_HIGH);
  EXPECT_EQ(options.min_nodes, 12u);
  EXPECT_TRUE(options.explain);
  EXPECT_EQ(options.measures, true);
}

struct BadOption {
  const char* test;
  const char* name;
  const char* value;
  const char* says;
};
class PluginOptionsBad : public testing::TestWithParam<BadOption> {};

TEST_P(PluginOptionsBad, IsAnErrorThatNamesIt) {
  PluginOptions options;
  const Status status = set_option(options, GetParam().name, GetParam().value);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, PluginOptionsBad,
    testing::Values(BadOption{"name", "colour", "red", "option 'colour' is unknown; there are: device, precision"},
                    BadOption{"precision", "precision", "half",
                              "option 'precision' has the unknown value 'half'; it takes one of: exact, relaxed"},
                    BadOption{"priority", "priority", "urgent", "takes one of: low, medium, high"},
                    BadOption{"explain", "explain", "yes", "takes one of: 0, 1"},
                    BadOption{"choice", "choice", "guessed", "takes one of: predicted, measured"},
                    BadOption{"device", "device", "", "option 'device' is empty"},
                    BadOption{"cache_dir", "cache_dir", "", "option 'cache_dir' is empty"},
                    BadOption{"min_nodes", "min_nodes", "3x", "option 'min_nodes' has the value '3x'"},
                    BadOption{"min_nodes_zero", "min_nodes", "0", "a whole number from 1 on"}),
    [](const auto& info) { return info.param.test; });

}  // namespace
}  // namespace nnvk::clients
