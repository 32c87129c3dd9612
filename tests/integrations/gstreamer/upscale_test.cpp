// nnvkupscale: larger frames, their formats and caps.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tools/command/upscaler.h"
#include "tools/image/drawn_picture.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

// Returns the picture that `nnvk upscale` makes.
tools::Picture expected(const std::string& model, const tools::Picture& small) {
  auto upscaler = tools::Upscaler::load(model, "cpu", small.width, small.height);
  EXPECT_TRUE(upscaler) << upscaler.error().message;
  return *upscaler->upscale(small);
}

// Returns the largest difference of values of eight bits.
float largest_difference(const tools::Picture& a, const tools::Picture& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  float most = 0;
  for (size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    most = std::max(most, std::abs(std::round(a.values[i]) - std::round(b.values[i])));
  }
  return most;
}

TEST(Upscale, FramesBecomeThoseThatNnvkUpscaleMakes) {
  // 33 pixels: rows of three bytes per pixel have padding.
  const auto small = tools::drawn_picture(33, 20, 5);
  for (const char* file : {"upscaler_float.tflite", "upscaler_quant.tflite"}) {
    const auto reference = expected(own_model(file), small);
    for (const char* format : {"RGB", "BGR", "RGBx", "BGRx", "RGBA", "BGRA"}) {
      Pipeline pipeline("appsrc name=in format=time ! nnvkupscale name=n device=cpu model=" + own_model(file) +
                        " ! video/x-raw,format=" + format + " ! appsink name=out sync=false");
      ASSERT_TRUE(pipeline.start());
      const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 33, 20);
      pipeline.send(in_memfd(*frame_of(small, info)), info);
      const auto frame = pipeline.next_frame();
      ASSERT_TRUE(frame) << file << " " << format;
      EXPECT_EQ(size_of(*frame), std::pair(66, 40));
      EXPECT_LE(largest_difference(picture_of(*frame), reference), 1) << file << " " << format;
      EXPECT_EQ(pipeline.count("n", "copied-frames"), 0U);
      EXPECT_EQ(pipeline.count("n", "bytes-copied-in"), 0U);
    }
  }
}

TEST(Upscale, OpaqueFramesHaveAnAlphaOf255) {
  Pipeline pipeline("videotestsrc num-buffers=1 ! video/x-raw,width=20,height=10 ! nnvkupscale device=cpu model=" +
                    own_model("upscaler_quant.tflite") + " ! video/x-raw,format=RGBA ! appsink name=out sync=false");
  ASSERT_EQ(pipeline.play(), "");
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  guint8 first[4] = {};
  gst_buffer_extract(gst_sample_get_buffer(frame.get()), 0, first, sizeof first);
  EXPECT_EQ(first[3], 255);
}

TEST(Upscale, TheSourceLearnsTheSizeFromTheSink) {
  Pipeline pipeline("videotestsrc num-buffers=2 ! nnvkupscale name=n device=cpu model=" + own_model("upscaler_quant.tflite") +
                    " ! video/x-raw,width=96,height=64 ! appsink name=out sync=false");
  ASSERT_EQ(pipeline.play(), "");
  const auto frames = pipeline.all_frames();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(size_of(*frames[0]), std::pair(96, 64));
}

TEST(Upscale, OddSizesAreNotPossibleBehindIt) {
  Pipeline pipeline("videotestsrc num-buffers=2 ! nnvkupscale device=cpu model=" + own_model("upscaler_quant.tflite") +
                    " ! video/x-raw,width=97,height=64 ! fakesink");
  EXPECT_NE(pipeline.play(), "");
}

TEST(Upscale, OtherNetworksAreErrors) {
  Pipeline pipeline("videotestsrc num-buffers=1 ! nnvkupscale model=" + own_model("digits_quant.tflite") + " ! fakesink");
  EXPECT_THAT(pipeline.play(), HasSubstr("needs a network for pictures of any size"));
}

TEST(Upscale, RegionsGrowWithTheFrame) {
  Pipeline pipeline("appsrc name=in format=time ! nnvkinfer device=cpu model=" + own_model("digits_quant.tflite") +
                    " ! nnvkupscale device=cpu model=" + own_model("upscaler_quant.tflite") + " ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 32, 24);
  auto buffer = in_memfd(*frame_of(halves(32, 24), info));
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "ball", 3, 4, 10, 12);
  pipeline.send(std::move(buffer), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  std::vector<std::tuple<guint, guint, guint, guint>> regions;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(gst_sample_get_buffer(frame.get()), &state,
                                                          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    regions.emplace_back(region->x, region->y, region->w, region->h);
  }
  EXPECT_THAT(regions, ::testing::UnorderedElementsAre(std::tuple(6, 8, 20, 24), std::tuple(0, 0, 64, 48)));
}

}  // namespace
}  // namespace nnvk::test
