// Numbers in messages read back as they were.
#include "core/base/shortest_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace nnvk {
namespace {

TEST(ShortestText, SaysWhatTheNumberIs) {
  EXPECT_EQ(shortest_text(0.1F), "0.1");
  EXPECT_EQ(shortest_text(0.007843138F), "0.007843138");
  EXPECT_EQ(shortest_text(1e-9F), "1e-09");
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(2.0F), "2");
  EXPECT_EQ(shortest_text(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(shortest_text(std::nanf("")), "nan");
}

TEST(ShortestText, ReadsBackTheSame) {
  for (float number = std::numeric_limits<float>::denorm_min(); std::isfinite(number); number *= 1.7F + 1e-3F) {
    EXPECT_EQ(std::strtof(shortest_text(number).c_str(), nullptr), number);
    const double precise = number / 3.0;
    EXPECT_EQ(std::strtod(shortest_text(precise).c_str(), nullptr), precise);
  }
  EXPECT_EQ(shortest_text(-std::numeric_limits<double>::denorm_min()).size(), 7U) << "-5e-324";
  EXPECT_EQ(std::strtod(shortest_text(-std::numeric_limits<double>::max()).c_str(), nullptr),
            -std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace nnvk
