#include "clients/onnxruntime_provider/options.h"

#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>

namespace nnvk::clients::onnxruntime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const std::vector<Setting>& settings) {
  const auto options = parse_options(settings);
  return options ? "none" : options.error().message;
}

TEST(ProviderOptions, HaveDefaults) {
  const auto options = parse_options({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->device, "");
  EXPECT_FALSE(options->relaxed);
  EXPECT_EQ(options->cache_directory, "");
  EXPECT_FALSE(options->priority);
  EXPECT_FALSE(options->min_nodes);
  EXPECT_FALSE(options->explain);
  EXPECT_FALSE(options->measures);
}

TEST(ProviderOptions, AreReadFromTheSessionsSettings) {
  const auto options = parse_options(std::vector<Setting>{{"ep.nnvk.device", "vulkan:1"},
                                                          {"ep.nnvk.precision", "relaxed"},
                                                          {"ep.nnvk.cache_dir", "/var/cache"},
                                                          {"ep.nnvk.priority", "high"},
                                                          {"ep.nnvk.min_nodes", "12"},
                                                          {"ep.nnvk.explain", "1"}});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->device, "vulkan:1");
  EXPECT_TRUE(options->relaxed);
  EXPECT_EQ(options->cache_directory, "/var/cache");
  EXPECT_EQ(options->priority, ANEURALNETWORKS_PRIORITY_HIGH);
  EXPECT_EQ(options->min_nodes, 12u);
  EXPECT_TRUE(options->explain);
}

TEST(ProviderOptions, OfOthersAreIgnored) {
  EXPECT_EQ(error_of({{"session.intra_op.allow_spinning", "0"}, {"ep.other.device", "x"}, {"nnvk", "y"}}), "none");
}

TEST(ProviderOptions, ThatAreUnknownAreNamed) {
  EXPECT_THAT(error_of({{"ep.nnvk.devise", "cpu"}}), AllOf(HasSubstr("'devise'"), HasSubstr("cache_dir")));
}

TEST(ProviderOptions, WithUnknownValuesAreNamed) {
  EXPECT_THAT(error_of({{"ep.nnvk.precision", "fast"}}),
              AllOf(HasSubstr("'precision'"), HasSubstr("'fast'"), HasSubstr("relaxed")));
  EXPECT_THAT(error_of({{"ep.nnvk.priority", "9"}}), HasSubstr("low, medium, high"));
  EXPECT_THAT(error_of({{"ep.nnvk.explain", "yes"}}), HasSubstr("'explain'"));
  for (const char* const value : {"0", "-1", "3x", "", "99999999999999999999999"}) {
    EXPECT_THAT(error_of({{"ep.nnvk.min_nodes", value}}), HasSubstr("'min_nodes'")) << value;
  }
  EXPECT_THAT(error_of({{"ep.nnvk.device", ""}}), HasSubstr("'device'"));
  EXPECT_THAT(error_of({{"ep.nnvk.cache_dir", ""}}), HasSubstr("'cache_dir'"));
}

}  // namespace
}  // namespace nnvk::clients::onnxruntime
