// nnvkoverlay: what is drawn, and that nothing is drawn without a reason.
#include <gmock/gmock.h>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tests/support/detector_file.h"

namespace nnvk::test {
namespace {

float difference(const tools::Picture& a, const tools::Picture& b, uint32_t x, uint32_t y) {
  float sum = 0;
  for (size_t c = 0; c < 3; ++c) {
    const size_t at = (size_t{y} * a.width + x) * 3 + c;
    sum += std::abs(a.values[at] - b.values[at]);
  }
  return sum;
}

constexpr float kVisible = 100;
constexpr float kSame = 12;  // of conversions

TEST(Overlay, BoxesOfNnvkinferAreDrawnInEveryFormat) {
  const TemporaryFolder folder;
  const std::string model = write_detector(folder);
  const auto picture = halves(400, 200);
  for (const GstVideoFormat format :
       {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_RGBA,
        GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB}) {
    Pipeline pipeline("appsrc name=in format=time ! nnvkinfer device=cpu model=" + model +
                      " ! nnvkoverlay ! appsink name=out sync=false");
    ASSERT_TRUE(pipeline.start());
    const GstVideoInfo info = video_info(format, 400, 200);
    pipeline.send(in_memfd(*frame_of(picture, info)), info);
    const auto frame = pipeline.next_frame();
    ASSERT_TRUE(frame);
    const auto drawn = picture_of(*frame);
    const std::string name = gst_video_format_to_string(format);
    EXPECT_GT(difference(drawn, picture, 50, 120), kVisible) << name << ": the left line of the box";
    EXPECT_GT(difference(drawn, picture, 100, 148), kVisible) << name << ": the lower line";
    EXPECT_LT(difference(drawn, picture, 100, 100), kSame) << name << ": inside";
    EXPECT_LT(difference(drawn, picture, 300, 100), kSame) << name << ": outside";
  }
}

TEST(Overlay, RegionsOfOtherElementsAreDrawn) {
  Pipeline pipeline("appsrc name=in format=time ! nnvkoverlay ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 400, 200);
  const auto picture = halves(400, 200);
  auto buffer = frame_of(picture, info);
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "ball", 60, 60, 80, 100);
  pipeline.send(std::move(buffer), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  const auto drawn = picture_of(*frame);
  EXPECT_GT(difference(drawn, picture, 60, 120), kVisible);
  EXPECT_LT(difference(drawn, picture, 100, 120), kSame);
}

TEST(Overlay, RegionsThatAProgramRemovesAreNotDrawn) {
  const TemporaryFolder folder;
  Pipeline pipeline("appsrc name=in format=time ! nnvkinfer name=n device=cpu model=" + write_detector(folder) +
                    " ! nnvkoverlay ! appsink name=out sync=false");
  const ElementPointer infer = pipeline.element("n");
  GstPad* pad = gst_element_get_static_pad(infer.get(), "src");
  int seen = 0;
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        auto* buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        if (auto* region = gst_buffer_get_video_region_of_interest_meta(buffer)) {
          ++*static_cast<int*>(data);
          gst_buffer_remove_meta(buffer, &region->meta);
        }
        info->data = buffer;
        return GST_PAD_PROBE_OK;
      },
      &seen, nullptr);
  gst_object_unref(pad);
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 400, 200);
  const auto picture = halves(400, 200);
  pipeline.send(in_memfd(*frame_of(picture, info)), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(seen, 1) << "a program between the elements sees the finished regions";
  EXPECT_LT(difference(picture_of(*frame), picture, 50, 120), kSame);
}

TEST(Overlay, NothingIsDrawnOnAFrameWithoutFindings) {
  Pipeline pipeline("appsrc name=in format=time ! nnvkoverlay ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 400, 200);
  const auto picture = halves(400, 200);
  pipeline.send(frame_of(picture, info), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(picture_of(*frame).values, picture.values);
}

TEST(Overlay, ClassesAreALegend) {
  Pipeline pipeline("filesrc location=" + own_model("digit_7.png") +
                    " ! pngdec ! videoconvert ! videoscale ! video/x-raw,format=RGBA,width=300,height=300 ! " +
                    "tee name=t t. ! queue ! appsink name=plain sync=false t. ! queue ! nnvkinfer device=cpu model=" +
                    own_model("digits_quant.tflite") + " labels=" + own_model("digits_labels.txt") +
                    " ! nnvkoverlay ! appsink name=out sync=false");
  ASSERT_EQ(pipeline.play(), "");
  GstSample* plain = nullptr;
  g_signal_emit_by_name(pipeline.element("plain").get(), "try-pull-sample", GST_SECOND, &plain);
  ASSERT_NE(plain, nullptr);
  const SamplePointer owner(plain);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  const auto drawn = picture_of(*frame);
  const auto before = picture_of(*plain);
  int differences = 0;
  for (uint32_t y = 0; y < 20; ++y) {
    for (uint32_t x = 0; x < 60; ++x) differences += difference(drawn, before, x, y) > kVisible;
  }
  EXPECT_GT(differences, 50) << "letters in the upper left corner";
  EXPECT_LT(difference(drawn, before, 250, 250), kSame) << "no box around the frame";
  EXPECT_LT(difference(drawn, before, 299, 150), kSame) << "no box around the frame";
}

}  // namespace
}  // namespace nnvk::test
