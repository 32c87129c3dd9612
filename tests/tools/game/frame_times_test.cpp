// The figures that the second game prints about its frames.
#include "tools/game/frame_times.h"

#include <gtest/gtest.h>

namespace nnvk::game {
namespace {

TEST(FrameTimes, OfNoFramesAreZero) {
  const FrameTimes times = summarize({});
  EXPECT_EQ(times.frames, 0U);
  EXPECT_EQ(times.median, 0);
  EXPECT_EQ(times.ratio, 0);
}

TEST(FrameTimes, TheFirstSecondDoesNotCountForTheLongest) {
  std::vector<double> frames(100, 10);
  frames[0] = 500;   // while everything starts
  frames[60] = 25;   // after 500 + 59 * 10 ms
  frames[20] = 100;  // within the first second
  const FrameTimes times = summarize(frames);
  EXPECT_EQ(times.frames, 100U);
  EXPECT_EQ(times.median, 10);
  EXPECT_EQ(times.p99, 500);
  EXPECT_EQ(times.largest, 25);
  EXPECT_EQ(times.ratio, 2.5);
}

TEST(FrameTimes, AShortGameHasNoFrameAfterTheFirstSecond) {
  const FrameTimes times = summarize({400, 300});
  EXPECT_EQ(times.median, 400);
  EXPECT_EQ(times.largest, 0);
}

}  // namespace
}  // namespace nnvk::game
