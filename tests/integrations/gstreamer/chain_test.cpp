// Elements in a chain: the runs of later ones wait for those of earlier ones on the device, and other elements see finished
// frames.
#include <gmock/gmock.h>

#include "tests/integrations/gstreamer/pipeline.h"

namespace nnvk::test {
namespace {

constexpr const char* kSource = "videotestsrc num-buffers=12 pattern=smpte ! video/x-raw,width=40,height=30,format=NV12 ! ";

std::string upscale(const std::string& device) {
  return "nnvkupscale name=up device=" + device + " model=" + own_model("upscaler_quant.tflite") + " ! ";
}
std::string infer(const std::string& device) {
  return "nnvkinfer name=n device=" + device + " model=" + own_model("digits_float.tflite") +
         " labels=" + own_model("digits_labels.txt") + " ! ";
}
const std::string kSink = "appsink name=out sync=false";

// Returns what is on each frame: its pixels, and the region's type and confidence.
struct Seen {
  std::vector<float> pixels;
  std::string type;
  double confidence = 0;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> frames_of(Pipeline& pipeline) {
  EXPECT_EQ(pipeline.play(), "");
  std::vector<Seen> all;
  for (const auto& frame : pipeline.all_frames()) {
    Seen& seen = all.emplace_back();
    seen.pixels = picture_of(*frame).values;
    auto* region = gst_buffer_get_video_region_of_interest_meta(gst_sample_get_buffer(frame.get()));
    if (region == nullptr) continue;
    seen.type = g_quark_to_string(region->roi_type);
    gst_structure_get_double(gst_video_region_of_interest_meta_get_param(region, "classification"), "confidence",
                             &seen.confidence);
  }
  return all;
}

class Chain : public ::testing::TestWithParam<const char*> {};

TEST_P(Chain, LaterRunsDependOnEarlierOnes) {
  const std::string device = GetParam();
  Pipeline chained(kSource + upscale(device) + "queue ! " + infer(device) + kSink);
  const auto fenced = frames_of(chained);
  // An element that looks at the frames stands between: the first network must have ended.
  Pipeline apart(kSource + upscale(device) + "identity ! " + infer(device) + kSink);
  const auto waited = frames_of(apart);
  ASSERT_EQ(fenced.size(), 12U);
  EXPECT_TRUE(fenced == waited);
  EXPECT_EQ(chained.count("n", "fenced-frames"), 12U);
  EXPECT_EQ(apart.count("n", "fenced-frames"), 0U);
  for (Pipeline* pipeline : {&chained, &apart}) {
    EXPECT_EQ(pipeline->count("n", "copied-frames"), 0U);
    EXPECT_EQ(pipeline->count("n", "bytes-copied-in"), 0U);
    EXPECT_EQ(pipeline->count("n", "prepared-while-starting"), 0U);
  }
}

TEST_P(Chain, FramesAreFinishedBeforeOtherElementsSeeThem) {
  const std::string device = GetParam();
  Pipeline plain(kSource + upscale(device) + kSink);
  Pipeline through(kSource + upscale(device) + "videobalance ! " + infer(device) + kSink);
  const auto expected = frames_of(plain);
  const auto seen = frames_of(through);
  ASSERT_EQ(expected.size(), 12U);
  ASSERT_EQ(seen.size(), 12U);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i].pixels, seen[i].pixels) << i;
}

INSTANTIATE_TEST_SUITE_P(Devices, Chain, ::testing::Values("cpu", "vulkan"));

TEST(ChainOfAll, FourElementsGiveOneFrameEach) {
  Pipeline pipeline(kSource + infer("cpu") + upscale("cpu") + "nnvkinfer device=cpu model=" + own_model("digits_quant.tflite") +
                    " ! nnvkoverlay ! " + kSink);
  EXPECT_EQ(frames_of(pipeline).size(), 12U);
  EXPECT_EQ(pipeline.count("up", "copied-frames"), 0U);
}

TEST(ChainOfAll, BranchesBehindATeeSeeTheSameFrames) {
  Pipeline pipeline(kSource + upscale("cpu") + "tee name=t t. ! queue ! " + infer("cpu") + kSink +
                    " t. ! queue ! nnvkinfer device=cpu model=" + own_model("digits_float.tflite") +
                    " ! appsink name=plain sync=false");
  const auto first = frames_of(pipeline);
  ASSERT_EQ(first.size(), 12U);
  for (size_t i = 0; i < first.size(); ++i) {
    GstSample* sample = nullptr;
    g_signal_emit_by_name(pipeline.element("plain").get(), "try-pull-sample", GST_SECOND, &sample);
    ASSERT_NE(sample, nullptr);
    const SamplePointer owner(sample);
    EXPECT_EQ(picture_of(*sample).values, first[i].pixels) << i;
  }
}

TEST(ChainOfAll, FramesThatAreThrownAwayEndTheirRuns) {
  Pipeline pipeline(kSource + upscale("cpu") + "queue leaky=downstream max-size-buffers=1 ! " + infer("cpu") + "fakesink");
  EXPECT_EQ(pipeline.play(), "");
}

}  // namespace
}  // namespace nnvk::test
