// Playback: ends, flushes, seeks, other sizes in the middle, late frames, latencies; and a minute without leaks.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tests/tools/video/models.h"

namespace nnvk::test {
namespace {

const std::string kModel = " device=cpu model=" + own_model("digits_quant.tflite") + " ";
constexpr GstClockTime kFrame = GST_SECOND / 25;

// Writes a film of 50 small frames: two seconds.
std::string write_film(const TemporaryFolder& folder) {
  const std::string film = folder.file("film.mkv");
  Pipeline pipeline(
      "videotestsrc num-buffers=50 pattern=ball ! video/x-raw,width=64,height=48,framerate=25/1,format=I420 ! jpegenc ! "
      "matroskamux ! filesink location=" +
      film);
  EXPECT_EQ(pipeline.play(), "");
  return film;
}

std::vector<GstClockTime> times_of(const std::vector<SamplePointer>& frames) {
  std::vector<GstClockTime> times;
  for (const auto& frame : frames) times.push_back(GST_BUFFER_PTS(gst_sample_get_buffer(frame.get())));
  return times;
}

TEST(Playback, EveryFrameOfAFilmArrivesInOrder) {
  const TemporaryFolder folder;
  const std::string film = write_film(folder);
  for (const char* slots : {"1", "4"}) {
    Pipeline pipeline("filesrc location=" + film + " ! matroskademux ! jpegdec ! nnvkinfer name=n slots=" + slots + kModel +
                      " ! appsink name=out sync=false");
    ASSERT_EQ(pipeline.play(), "");
    const auto times = times_of(pipeline.all_frames());
    ASSERT_EQ(times.size(), 50U) << slots;
    for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], i * kFrame) << slots;
    EXPECT_EQ(pipeline.count("n", "frames"), 50U);
    EXPECT_EQ(pipeline.count("n", "copied-frames"), 0U);
  }
}

TEST(Playback, SeeksFlushFramesInFlight) {
  const TemporaryFolder folder;
  const std::string film = write_film(folder);
  const std::string mask = write_brightness_mask(folder);
  for (const std::string& element : {"nnvkinfer slots=4" + kModel, "nnvksegment slots=4 device=cpu model=" + mask,
                                     "nnvkupscale slots=4 device=cpu model=" + own_model("upscaler_quant.tflite")}) {
    Pipeline pipeline("filesrc location=" + film + " ! matroskademux ! jpegdec ! " + element +
                      " ! appsink name=out sync=false max-buffers=2");
    ASSERT_TRUE(pipeline.start());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(pipeline.next_frame()) << element;
    const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
    ASSERT_TRUE(gst_element_seek_simple(pipeline.whole(), GST_FORMAT_TIME, flags, GST_SECOND)) << element;
    const auto times = times_of(pipeline.all_frames());
    ASSERT_FALSE(times.empty()) << element;
    EXPECT_EQ(times.front(), GST_SECOND) << element << ": nothing from before the seek";
    EXPECT_EQ(times.size(), 25U) << element;
  }
}

TEST(Playback, TheSizeAndTheFormatMayChangeInTheMiddle) {
  const TemporaryFolder folder;
  const std::string mask = write_brightness_mask(folder);
  struct Case {
    std::string element;
    int factor;
  };
  const Case cases[] = {{"nnvkinfer slots=3" + kModel, 1},
                        {"nnvksegment background=colour slots=3 device=cpu model=" + mask, 1},
                        {"nnvkupscale slots=3 device=cpu model=" + own_model("upscaler_quant.tflite"), 2},
                        {"nnvkoverlay", 1}};
  for (const auto& [element, factor] : cases) {
    Pipeline pipeline("appsrc name=in format=time ! " + element + " ! appsink name=out sync=false");
    ASSERT_TRUE(pipeline.start());
    const std::pair<int, int> sizes[] = {{64, 48}, {40, 60}, {64, 48}};
    for (const auto& [width, height] : sizes) {
      const auto format = width == 64 ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_RGBA;
      const GstVideoInfo info = video_info(format, static_cast<guint>(width), static_cast<guint>(height));
      for (int i = 0; i < 5; ++i)
        pipeline.send(in_memfd(*frame_of(halves(static_cast<uint32_t>(width), static_cast<uint32_t>(height)), info)), info);
    }
    pipeline.end_of_stream();
    const auto frames = pipeline.all_frames();
    ASSERT_EQ(frames.size(), 15U) << element;
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(size_of(*frames[i]), std::pair(sizes[i / 5].first * factor, sizes[i / 5].second * factor)) << element << " " << i;
    }
  }
}

TEST(Playback, LateFramesAreDroppedBeforeTheNetwork) {
  Pipeline pipeline("appsrc name=in format=time ! nnvkinfer name=n" + kModel + " ! appsink name=out sync=false");
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 48);
  const auto send = [&](guint64 number) {
    auto buffer = in_memfd(*frame_of(halves(64, 48), info));
    GST_BUFFER_PTS(buffer.get()) = number * kFrame;
    GST_BUFFER_DURATION(buffer.get()) = kFrame;
    pipeline.send(std::move(buffer), info);
  };
  send(0);
  ASSERT_TRUE(pipeline.next_frame());
  // A sink says that it is a second behind, as slow machines make it.
  GstPad* pad = gst_element_get_static_pad(pipeline.element("n").get(), "src");
  EXPECT_TRUE(gst_pad_send_event(pad, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, 0)));
  gst_object_unref(pad);
  for (guint64 i = 1; i <= 5; ++i) send(i);
  send(100);  // in time again
  pipeline.end_of_stream();
  const auto times = times_of(pipeline.all_frames());
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0], 100 * kFrame);
  EXPECT_EQ(pipeline.count("n", "dropped-frames"), 5U);
  EXPECT_EQ(pipeline.count("n", "frames"), 2U);
}

TEST(Playback, ThePipelineLearnsTheLatency) {
  GstClockTime latencies[2] = {};
  for (const int slots : {1, 3}) {
    Pipeline pipeline(
        "videotestsrc is-live=true num-buffers=5 ! video/x-raw,width=64,height=48,framerate=25/1 ! nnvkinfer name=n slots=" +
        std::to_string(slots) + kModel + " ! appsink name=out");
    ASSERT_EQ(pipeline.play(), "");
    EXPECT_EQ(pipeline.all_frames().size(), 5U);
    GstQuery* query = gst_query_new_latency();
    GstPad* pad = gst_element_get_static_pad(pipeline.element("n").get(), "src");
    ASSERT_TRUE(gst_pad_query(pad, query));
    gboolean is_live = FALSE;
    GstClockTime least = 0;
    GstClockTime most = 0;
    gst_query_parse_latency(query, &is_live, &least, &most);
    gst_object_unref(pad);
    gst_query_unref(query);
    EXPECT_TRUE(is_live);
    EXPECT_GT(pipeline.count("n", "run-time"), 0U);
    const GstClockTime of_source = kFrame;  // videotestsrc has a frame's latency
    EXPECT_EQ(least, of_source + pipeline.count("n", "run-time") + static_cast<guint64>(slots - 1) * kFrame);
    latencies[slots == 3] = least;
  }
  EXPECT_GT(latencies[1], latencies[0] + kFrame);
}

TEST(Playback, PipelinesStartAgain) {
  Pipeline pipeline("videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 ! nnvkinfer slots=2" + kModel +
                    " ! nnvkupscale name=n slots=2 device=cpu model=" + own_model("upscaler_quant.tflite") + " ! fakesink");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(pipeline.play(), "") << i;
    EXPECT_EQ(pipeline.count("n", "frames"), 5U);
    gst_element_set_state(pipeline.whole(), GST_STATE_NULL);
  }
}

size_t open_files() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.is_symlink();
  return count;
}

// Runs a pipeline for a second, and for a minute with NNVK_LONG_TESTS=1. Objects that are left at the end of the program are an
// error anyway. `frame` makes the frames of an appsrc.
void run_for_long(const std::string& source, const std::function<BufferPointer(GstBuffer&)>& frame = {}) {
  using Clock = std::chrono::steady_clock;
  const TemporaryFolder folder;
  Pipeline pipeline(source + " ! nnvksegment name=s slots=2 device=cpu model=" + write_brightness_mask(folder) +
                    " ! nnvkupscale name=u device=cpu model=" + own_model("upscaler_quant.tflite") + " ! nnvkinfer name=n" +
                    kModel + " ! nnvkoverlay ! fakesink sync=false");
  const bool is_long = std::getenv("NNVK_LONG_TESTS") != nullptr;
  const auto end = Clock::now() + std::chrono::milliseconds(is_long ? 60000 : 1000);
  ASSERT_TRUE(pipeline.start());
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 48);
  const auto original = frame_of(halves(64, 48), info);
  constexpr guint64 kEnough = 20;
  size_t files = 0;
  GstBus* bus = gst_element_get_bus(pipeline.whole());
  while (Clock::now() < end || pipeline.count("n", "frames") <= kEnough) {
    if (frame) pipeline.send(frame(*original), info);
    const auto types = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    const std::unique_ptr<GstMessage, Unref> message(gst_bus_timed_pop_filtered(bus, frame ? 0 : GST_SECOND / 4, types));
    if (message && GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
      ADD_FAILURE() << "an error";
      break;
    }
    if (message) {  // the film again
      EXPECT_TRUE(gst_element_seek_simple(pipeline.whole(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
    }
    if (pipeline.count("n", "frames") > kEnough / 2 && files == 0) files = open_files();
  }
  gst_object_unref(bus);
  constexpr size_t kInFlight = 40;  // descriptors of frames that wait in an appsrc, and of their imports
  EXPECT_LE(open_files(), files + kInFlight) << "descriptors of frames are closed";
  for (const char* name : {"s", "u", "n"}) {
    EXPECT_EQ(pipeline.count(name, "copied-frames"), 0U) << name;
    EXPECT_EQ(pipeline.count(name, "bytes-copied-in"), 0U) << name;
  }
  ::testing::Test::RecordProperty("frames", static_cast<int>(pipeline.count("n", "frames")));
}

TEST(LongRun, OfATestPictureCopiesNothingAndLeavesNothing) {
  run_for_long("videotestsrc ! video/x-raw,width=64,height=48,format=NV12");
}

TEST(LongRun, OfAFilmInALoopCopiesNothingAndLeavesNothing) {
  const TemporaryFolder folder;
  run_for_long("filesrc location=" + write_film(folder) + " ! matroskademux ! jpegdec");
}

TEST(LongRun, OfMemfdsCopiesNothingAndLeavesNothing) {
  run_for_long("appsrc name=in format=time block=true max-buffers=4", [](GstBuffer& frame) { return in_memfd(frame); });
}

TEST(LongRun, OfDmaBufsCopiesNothingAndLeavesNothing) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 48);
  if (!in_dma_buf(*frame_of(halves(64, 48), info))) GTEST_SKIP() << "the kernel makes no dma-bufs of memfds (/dev/udmabuf)";
  run_for_long("appsrc name=in format=time block=true max-buffers=4", in_dma_buf);
}

}  // namespace
}  // namespace nnvk::test
