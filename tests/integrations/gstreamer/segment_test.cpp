// nnvksegment: backgrounds that are blurred or replaced.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tests/support/published_models.h"
#include "tests/tools/video/models.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kWidth = 64;
constexpr uint32_t kHeight = 48;
constexpr float kTolerance = 6;  // GStreamer's own conversions from YUV are up to 5 off

std::array<float, 3> pixel(const tools::Picture& picture, uint32_t x, uint32_t y) {
  const float* at = picture.values.data() + (size_t{y} * picture.width + x) * 3;
  return {at[0], at[1], at[2]};
}

void expect_pixel(const tools::Picture& picture, uint32_t x, uint32_t y, const std::array<float, 3>& colour,
                  const std::string& what) {
  for (size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(pixel(picture, x, y)[c], colour[c], kTolerance) << what << " at " << x << ", " << y << " channel " << c;
}

// Sends one frame through nnvksegment.
tools::Picture segmented(const std::string& properties, const tools::Picture& picture, GstVideoFormat format) {
  Pipeline pipeline("appsrc name=in format=time ! nnvksegment name=n device=cpu " + properties +
                    " ! appsink name=out sync=false");
  EXPECT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(format, picture.width, picture.height);
  pipeline.send(in_memfd(*frame_of(picture, info)), info);
  const auto frame = pipeline.next_frame();
  if (!frame) {
    ADD_FAILURE() << "no frame";
    return halves(picture.width, picture.height);
  }
  EXPECT_EQ(pipeline.count("n", "copied-frames"), 0U);
  return picture_of(*frame);
}

TEST(Segment, AColourTakesThePlaceOfTheBackgroundInEveryFormat) {
  const TemporaryFolder folder;
  const std::string properties = "background=colour colour=0xff2060c0 model=" + write_brightness_mask(folder);
  for (const GstVideoFormat format :
       {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_YUY2,
        GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB}) {
    const auto result = segmented(properties, halves(kWidth, kHeight), format);
    const std::string name = gst_video_format_to_string(format);
    expect_pixel(result, 4, 4, {0x20, 0x60, 0xc0}, name);
    expect_pixel(result, 20, 40, {0x20, 0x60, 0xc0}, name);
    expect_pixel(result, 60, 20, {230, 230, 230}, name);
  }
}

TEST(Segment, APictureTakesThePlaceOfTheBackground) {
  const TemporaryFolder folder;
  tools::Picture other = halves(20, 10);
  for (uint32_t y = 0; y < 5; ++y) {
    for (uint32_t x = 0; x < 20; ++x) other.values[(y * 20 + x) * 3] = 200;  // its upper half has more red
  }
  ASSERT_TRUE(tools::save_picture(other, folder.file("other.png")));
  const auto result =
      segmented("background=picture picture=" + folder.file("other.png") + " model=" + write_brightness_mask(folder),
                halves(kWidth, kHeight), GST_VIDEO_FORMAT_RGBA);
  expect_pixel(result, 5, 5, {200, 20, 20}, "the upper half");
  expect_pixel(result, 5, 45, {20, 20, 20}, "the lower half");
  expect_pixel(result, 60, 5, {230, 230, 230}, "the foreground");
}

TEST(Segment, TheBackgroundIsBlurredAndTheForegroundDoesNotBleedIntoIt) {
  const TemporaryFolder folder;
  tools::Picture picture = halves(kWidth, kHeight);
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth / 2; ++x) {
      for (size_t c = 0; c < 3; ++c) picture.values[(y * kWidth + x) * 3 + c] = y % 2 == 0 ? 0.0F : 40.0F;  // stripes
    }
  }
  const auto result = segmented("radius=6 model=" + write_brightness_mask(folder), picture, GST_VIDEO_FORMAT_RGB);
  for (const uint32_t y : {20U, 21U}) expect_pixel(result, 10, y, {20, 20, 20}, "stripes become grey");
  // The soft edge of the mask lets a little through. A blur of all pixels would give about 70.
  EXPECT_LT(pixel(result, 26, 21)[0], 35) << "beside the foreground";
  EXPECT_GT(pixel(result, 26, 21)[0], 10) << "beside the foreground";
  for (const uint32_t y : {20U, 21U}) expect_pixel(result, 60, y, {230, 230, 230}, "the foreground");
}

TEST(Segment, TheBackgroundChangesWhileItPlays) {
  const TemporaryFolder folder;
  Pipeline pipeline("appsrc name=in format=time ! nnvksegment name=n device=cpu background=colour colour=0xffff0000 model=" +
                    write_brightness_mask(folder) + " ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, kWidth, kHeight);
  for (const auto& colour : {std::array{255.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 255.0F}}) {
    pipeline.send(in_memfd(*frame_of(halves(kWidth, kHeight), info)), info);
    const auto frame = pipeline.next_frame();
    ASSERT_TRUE(frame);
    expect_pixel(picture_of(*frame), 5, 5, colour, "the background");
    g_object_set(pipeline.element("n").get(), "colour", 0xff0000ffU, nullptr);
  }
}

TEST(Segment, WrongPropertiesAreErrorsThatSayWhatToDo) {
  const TemporaryFolder folder;
  const std::string mask = "model=" + write_brightness_mask(folder);
  const std::pair<std::string, std::string> cases[] = {
      {"model=" + own_model("digits_quant.tflite"), "makes no mask"},
      {mask + " background=picture", "needs the property \"picture\""},
      {mask + " background=picture picture=/nowhere/x.png", "cannot read the background /nowhere/x.png"}};
  for (const auto& [properties, message] : cases) {
    Pipeline pipeline("videotestsrc num-buffers=1 ! nnvksegment " + properties + " ! fakesink");
    EXPECT_THAT(pipeline.play(), HasSubstr(message)) << properties;
  }
}

TEST(Segment, APublishedNetworkFindsThePerson) {
  const std::string model = published("selfie_segmentation.tflite");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "the published models are not installed";
  const auto person = tools::load_picture(published("grace_hopper.bmp"), 3);
  ASSERT_TRUE(person);
  const auto result = segmented("background=colour colour=0xff00ff00 model=" + model, *person, GST_VIDEO_FORMAT_NV12);
  const auto corner = pixel(result, result.width - 20, 20);  // the network is nearly sure that it is background
  EXPECT_LT(corner[0], 20);
  EXPECT_GT(corner[1], 240);
  EXPECT_LT(corner[2], 20);
  const auto before = pixel(*person, result.width / 2, result.height * 2 / 5);
  expect_pixel(result, result.width / 2, result.height * 2 / 5, before, "the face");
}

}  // namespace
}  // namespace nnvk::test
