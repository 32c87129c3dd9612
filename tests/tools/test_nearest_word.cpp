// Which word a mistyped one is taken for.
#include <gtest/gtest.h>

#include <vector>

#include "tools/command/nearest_word.h"

namespace nnvk::tools {
namespace {

const std::vector<std::string> kWords = {"run", "bench", "benchmark", "explain", "devices"};

TEST(NearestWord, EveryKindOfTypingMistakeCountsOnce) {
  EXPECT_EQ(nearest_word("expplain", kWords), "explain");
  EXPECT_EQ(nearest_word("exlain", kWords), "explain");
  EXPECT_EQ(nearest_word("exqlain", kWords), "explain");
  EXPECT_EQ(nearest_word("epxlain", kWords), "explain");
  EXPECT_EQ(nearest_word("rnu", kWords), "run");
}

TEST(NearestWord, TheNearestOfSeveralWordsIsTaken) {
  EXPECT_EQ(nearest_word("benchmrk", kWords), "benchmark");
  EXPECT_EQ(nearest_word("bnch", kWords), "bench");
}

TEST(NearestWord, ABeginningOfOneWordAloneIsNear) {
  EXPECT_EQ(nearest_word("dev", kWords), "devices");
  EXPECT_EQ(nearest_word("exp", kWords), "explain");
  EXPECT_EQ(nearest_word("de", kWords), "") << "too short";
  EXPECT_EQ(nearest_word("--m", std::vector<std::string>{"--mean", "--memory"}), "") << "two words";
}

TEST(NearestWord, NothingIsNearToAnotherWord) {
  for (const char* given : {"", "x", "xyz", "upscale", "conformance"}) EXPECT_EQ(nearest_word(given, kWords), "") << given;
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'a'), kWords), "");
  EXPECT_EQ(nearest_word("run", {}), "");
}

}  // namespace
}  // namespace nnvk::tools
