// nnvkinfer: regions, classes and tensors on frames.
#include <gmock/gmock.h>
#include <gst/video/video.h>

#include <cstring>
#include <optional>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tests/support/detector_file.h"
#include "tests/support/published_models.h"
#include "tests/support/temporary_folder.h"
#include "tools/nnapi/files.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

const std::string kDigits =
    "model=" + own_model("digits_quant.tflite") + " labels=" + own_model("digits_labels.txt") + " device=cpu ";

struct Region {
  std::string type;
  guint x = 0;
  guint y = 0;
  guint w = 0;
  guint h = 0;
  double confidence = -1;  // -1: none
};

// Returns the regions on a frame, with the confidence in the parameter `name`.
std::vector<Region> regions_on(GstSample& sample, const char* name) {
  std::vector<Region> regions;
  gpointer state = nullptr;
  GstBuffer* buffer = gst_sample_get_buffer(&sample);
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    Region& found = regions.emplace_back();
    found = {g_quark_to_string(region->roi_type), region->x, region->y, region->w, region->h};
    if (const GstStructure* part = gst_video_region_of_interest_meta_get_param(region, name)) {
      gst_structure_get_double(part, "confidence", &found.confidence);
    }
  }
  return regions;
}

const char* const kFormats[] = {"NV12", "NV21", "I420", "YV12", "P010_10LE", "YUY2", "RGBA", "RGBx", "BGRA", "BGRx", "RGB"};

TEST(Infer, ADigitIsARegionOfTheWholeFrameInEveryFormat) {
  for (const char* format : kFormats) {
    Pipeline pipeline(
        "filesrc location=" + own_model("digit_7.png") + " ! pngdec ! videoconvert ! videoscale method=nearest-neighbour ! " +
        "video/x-raw,width=64,height=64,format=" + format + " ! nnvkinfer name=n " + kDigits + " ! appsink name=out sync=false");
    ASSERT_EQ(pipeline.play(), "") << format;
    const auto frames = pipeline.all_frames();
    ASSERT_EQ(frames.size(), 1U) << format;
    const auto regions = regions_on(*frames[0], "classification");
    ASSERT_EQ(regions.size(), 1U) << format;
    EXPECT_EQ(regions[0].type, "seven") << format;
    EXPECT_GT(regions[0].confidence, 0.5) << format;
    EXPECT_EQ(std::tuple(regions[0].x, regions[0].y, regions[0].w, regions[0].h), std::tuple(0U, 0U, 64U, 64U));
    EXPECT_EQ(pipeline.count("n", "copied-frames"), 0U) << format;
    EXPECT_EQ(pipeline.count("n", "bytes-copied-in"), 0U) << format;
    EXPECT_EQ(pipeline.count("n", "frames"), 1U) << format;
  }
}

TEST(Infer, TensorsAreOnTheFrame) {
  Pipeline pipeline("filesrc location=" + own_model("digit_7.png") +
                    " ! pngdec ! videoconvert ! video/x-raw,format=NV12 ! nnvkinfer " + kDigits +
                    " ! appsink name=out sync=false");
  ASSERT_EQ(pipeline.play(), "");
  const auto frames = pipeline.all_frames();
  ASSERT_EQ(frames.size(), 1U);
  GstCustomMeta* meta = gst_buffer_get_custom_meta(gst_sample_get_buffer(frames[0].get()), "NnvkTensorMeta");
  ASSERT_NE(meta, nullptr);
  const GValue* list = gst_structure_get_value(gst_custom_meta_get_structure(meta), "tensors");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(gst_value_array_get_size(list), 1U);
  const GstStructure* tensor = gst_value_get_structure(gst_value_array_get_value(list, 0));
  EXPECT_STREQ(gst_structure_get_string(tensor, "name"), "probabilities");
  EXPECT_STREQ(gst_structure_get_string(tensor, "type"), "TENSOR_QUANT8_ASYMM_SIGNED");
  double scale = 0;
  int zero_point = 0;
  EXPECT_TRUE(gst_structure_get(tensor, "scale", G_TYPE_DOUBLE, &scale, "zero-point", G_TYPE_INT, &zero_point, nullptr));
  EXPECT_DOUBLE_EQ(scale, 1.0 / 256);
  EXPECT_EQ(zero_point, -128);
  const GValue* shape = gst_structure_get_value(tensor, "dimensions");
  ASSERT_EQ(gst_value_array_get_size(shape), 2U);
  EXPECT_EQ(g_value_get_uint(gst_value_array_get_value(shape, 1)), 10U);
  GstBuffer* data = gst_value_get_buffer(gst_structure_get_value(tensor, "data"));
  int8_t values[10] = {};
  ASSERT_EQ(gst_buffer_extract(data, 0, values, sizeof values), sizeof values);
  EXPECT_EQ(std::max_element(values, values + 10) - values, 7);
}

TEST(Infer, BoxesAreRegionsInPixelsAndTheThresholdLeavesSomeOut) {
  const TemporaryFolder folder;
  ASSERT_TRUE(tools::write_file(folder.file("labels.txt"), std::string_view("???\nperson\ndog\n")));
  Pipeline pipeline("appsrc name=in format=time ! nnvkinfer name=n device=cpu model=" + write_detector(folder) +
                    " labels=" + folder.file("labels.txt") + " ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 400, 200);
  pipeline.send(in_memfd(*frame_of(halves(400, 200), info)), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  const auto regions = regions_on(*frame, "detection");
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].type, "dog");
  EXPECT_NEAR(regions[0].confidence, 0.75, 1e-6);
  EXPECT_EQ(std::tuple(regions[0].x, regions[0].y, regions[0].w, regions[0].h), std::tuple(50U, 50U, 100U, 100U));
  g_object_set(pipeline.element("n").get(), "threshold", 0.8, nullptr);  // while it plays
  pipeline.send(in_memfd(*frame_of(halves(400, 200), info)), info);
  const auto second = pipeline.next_frame();
  ASSERT_TRUE(second);
  EXPECT_TRUE(regions_on(*second, "detection").empty());
}

TEST(Infer, ThePictureStaysAsItIs) {
  const std::string source =
      "videotestsrc num-buffers=3 pattern=snow ! video/x-raw,format=NV12,width=64,height=48 ! tee name=t "
      "t. ! queue ! appsink name=plain sync=false t. ! queue ! nnvkinfer ";
  Pipeline pipeline(source + kDigits + " ! appsink name=out sync=false");
  ASSERT_EQ(pipeline.play(), "");
  const ElementPointer plain = pipeline.element("plain");
  const auto frames = pipeline.all_frames();
  ASSERT_EQ(frames.size(), 3U);
  for (const auto& frame : frames) {
    GstSample* original = nullptr;
    g_signal_emit_by_name(plain.get(), "try-pull-sample", GST_SECOND, &original);
    ASSERT_NE(original, nullptr);
    const SamplePointer owner(original);
    EXPECT_EQ(picture_of(*frame).values, picture_of(*original).values);
  }
}

TEST(Infer, WrongPropertiesAreErrorsThatSayWhatToDo) {
  const TemporaryFolder folder;
  ASSERT_TRUE(tools::write_file(folder.file("three.txt"), std::string_view("a\nb\nc\n")));
  ASSERT_TRUE(tools::write_file(folder.file("broken.tflite"), std::string_view("no model")));
  const std::string digits = "model=" + own_model("digits_quant.tflite");
  const std::pair<std::string, std::string> cases[] = {
      {"", "no model is set; set the property \"model\""},
      {"model=/nowhere/x.tflite", "there is no file /nowhere/x.tflite; set the property \"model\""},
      {"model=" + folder.file("broken.tflite"), "broken.tflite"},
      {digits + " labels=/nowhere/labels.txt", "/nowhere/labels.txt"},
      {digits + " labels=" + folder.file("three.txt"), "three.txt name 3 classes, but the output 'probabilities' has 10"},
      {digits + " device=toaster", "toaster"}};
  for (const auto& [properties, message] : cases) {
    Pipeline pipeline("videotestsrc num-buffers=1 ! nnvkinfer name=n " + properties + " ! fakesink");
    EXPECT_THAT(pipeline.play(), HasSubstr(message)) << properties;
  }
}

TEST(Infer, AModelCanBeChangedWhileStopped) {
  Pipeline pipeline("videotestsrc num-buffers=2 ! video/x-raw,width=64,height=64 ! nnvkinfer name=n " + kDigits + " ! fakesink");
  ASSERT_EQ(pipeline.play(), "");
  EXPECT_EQ(pipeline.count("n", "frames"), 2U);
  gst_element_set_state(pipeline.whole(), GST_STATE_READY);
  g_object_set(pipeline.element("n").get(), "model", own_model("digits_float.tflite").c_str(), nullptr);
  ASSERT_EQ(pipeline.play(), "");
  EXPECT_EQ(pipeline.count("n", "frames"), 2U) << "counted from the start";
}

TEST(Infer, APublishedDetectorFindsTheCat) {
  const std::string model = published("ssd_mobilenet_v1.tflite");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "the published models are not installed";
  const auto cat = tools::load_picture(published("cat.bmp"), 3);
  ASSERT_TRUE(cat);
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, cat->width, cat->height);
  Pipeline pipeline("appsrc name=in format=time ! nnvkinfer device=cpu model=" + model + " ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  pipeline.send(in_memfd(*frame_of(*cat, info)), info);
  const auto frame = pipeline.next_frame();
  ASSERT_TRUE(frame);
  const auto regions = regions_on(*frame, "detection");
  ASSERT_GE(regions.size(), 1U);
  EXPECT_GT(regions[0].confidence, 0.5);
  EXPECT_GT(regions[0].w * regions[0].h, cat->width * cat->height / 4) << "the cat fills much of the picture";
}

}  // namespace
}  // namespace nnvk::test
