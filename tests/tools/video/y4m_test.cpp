// The lines of YUV4MPEG2 streams: every parameter, and what is refused.
#include "tools/video/y4m.h"

#include <gmock/gmock.h>

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;
namespace y4m = tools::video::y4m;

TEST(Y4m, AHeaderHasASizeAndKeepsAllOtherParameters) {
  const auto header = y4m::parse_header("YUV4MPEG2 W640 H360 F30000:1001 Ip A4:3 C420mpeg2 XYSCSS=420MPEG2 Zlater");
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->shape.width, 640U);
  EXPECT_EQ(header->shape.height, 360U);
  EXPECT_EQ(header->shape.format->name, "yuv420p");
  EXPECT_EQ(header->shape.colours, tools::video::Colours());
  EXPECT_EQ(y4m::to_text(*header, 1280, 720), "YUV4MPEG2 W1280 H720 F30000:1001 Ip A4:3 C420mpeg2 XYSCSS=420MPEG2 Zlater\n");
}

TEST(Y4m, EveryKindOfChromaHasAFormat) {
  const std::pair<const char*, const char*> kinds[] = {
      {"", "yuv420p"},           {" C420", "yuv420p"}, {" C420jpeg", "yuv420p"}, {" C420mpeg2", "yuv420p"},
      {" C420paldv", "yuv420p"}, {" C422", "yuv422p"}, {" C444", "yuv444p"},     {" Cmono", "gray"}};
  for (const auto& [parameter, format] : kinds) {
    const auto header = y4m::parse_header("YUV4MPEG2 W6 H4" + std::string(parameter));
    ASSERT_TRUE(header) << parameter << header.error().message;
    EXPECT_EQ(header->shape.format->name, format) << parameter;
  }
}

TEST(Y4m, TheRangeIsThatOfTheComment) {
  EXPECT_EQ(y4m::parse_header("YUV4MPEG2 W6 H4 XCOLORRANGE=FULL")->shape.colours.range, NNVK_PICTURE_FULL_RANGE);
  EXPECT_EQ(y4m::parse_header("YUV4MPEG2 W6 H4 XCOLORRANGE=LIMITED")->shape.colours.range, NNVK_PICTURE_LIMITED_RANGE);
}

TEST(Y4m, WrongHeadersAreErrorsThatSayWhatIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"RIFF\x01 AVI", "begins with 'RIFF\\x01 AVI', not with 'YUV4MPEG2'"},
      {" YUV4MPEG2 W6 H4", "not with 'YUV4MPEG2'"},
      {"YUV4MPEG2X W6 H4", "not with 'YUV4MPEG2'"},
      {"", "not with 'YUV4MPEG2'"},
      {"YUV4MPEG2 W6", "has no width (W) or no height (H)"},
      {"YUV4MPEG2 H4", "has no width (W) or no height (H)"},
      {"YUV4MPEG2 W0 H4", "'W0'; widths and heights are from 1 to 16384"},
      {"YUV4MPEG2 W6 H-4", "'H-4'"},
      {"YUV4MPEG2 W6 H4x", "'H4x'"},
      {"YUV4MPEG2 W99999999999 H4", "'W99999999999'"},
      {"YUV4MPEG2 W6 H4 F30", "'F30'; rates and aspects are two numbers with a colon"},
      {"YUV4MPEG2 W6 H4 A1", "'A1'"},
      {"YUV4MPEG2 W6 H4 It", "interlaced (It)"},
      {"YUV4MPEG2 W6 H4 Im", "-vf yadif"},
      {"YUV4MPEG2 W6 H4 C420p10", "C420p10, but nnvk reads C420jpeg"},
      {"YUV4MPEG2 W6 H4 C411", "-pix_fmt yuv420p"}};
  for (const auto& [line, message] : cases) {
    const auto header = y4m::parse_header(line);
    ASSERT_FALSE(header) << line;
    EXPECT_THAT(header.error().message, HasSubstr(message)) << line;
  }
}

TEST(Y4m, TheLineOfAFrameKeepsItsParameters) {
  EXPECT_EQ(y4m::parse_frame("FRAME").value(), "");
  EXPECT_EQ(y4m::parse_frame("FRAME Ip XA=1").value(), " Ip XA=1");
  for (const char* line : {"FRAMES", "frame", "", "\x10\x10\x10"}) {
    const auto frame = y4m::parse_frame(line);
    ASSERT_FALSE(frame) << line;
    EXPECT_THAT(frame.error().message, HasSubstr("not with 'FRAME'")) << line;
  }
}

}  // namespace
}  // namespace nnvk::test
