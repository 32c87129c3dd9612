// Frames in all kinds of memory: which ones stay in place, which ones are copied and counted.
#include <gmock/gmock.h>

#include "tests/integrations/gstreamer/pipeline.h"
#include "tools/image/picture.h"

namespace nnvk::test {
namespace {

const std::string kInfer = "nnvkinfer name=n device=cpu model=" + own_model("digits_quant.tflite") +
                           " labels=" + own_model("digits_labels.txt") + " ! appsink name=out sync=false";

tools::Picture seven() { return tools::resized(*tools::load_picture(own_model("digit_7.png"), 3), 64, 64); }

// Returns the type of the first region: the class that was found.
std::string found_on(GstSample& sample) {
  auto* region = gst_buffer_get_video_region_of_interest_meta(gst_sample_get_buffer(&sample));
  return region != nullptr ? g_quark_to_string(region->roi_type) : "nothing";
}

struct Counts {
  guint64 copied_frames = 0;
  guint64 bytes_copied_in = 0;
};

// Sends a frame three times, and expects a seven each time.
Counts run_on(GstBuffer& frame, const GstVideoInfo& info) {
  Pipeline pipeline("appsrc name=in format=time ! " + kInfer);
  EXPECT_TRUE(pipeline.start());
  for (int i = 0; i < 3; ++i) {
    pipeline.send(BufferPointer(gst_buffer_copy(&frame)), info);
    const auto sample = pipeline.next_frame();
    if (!sample) {
      ADD_FAILURE() << "no frame";
      return {};
    }
    EXPECT_EQ(found_on(*sample), "seven") << i;
  }
  return {pipeline.count("n", "copied-frames"), pipeline.count("n", "bytes-copied-in")};
}

TEST(Frames, MemfdsStayInPlace) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 64);
  const auto frame = frame_of(seven(), info);
  for (const bool seals : {true, false}) {
    const Counts counts = run_on(*in_memfd(*frame, seals), info);
    EXPECT_EQ(counts.copied_frames, 0U) << seals;
    EXPECT_EQ(counts.bytes_copied_in, 0U) << seals;
  }
}

TEST(Frames, PlanesInMemfdsOfTheirOwnStayInPlace) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 64);
  const auto frame = frame_of(seven(), info);
  const gsize luma = info.offset[1];
  const BufferPointer first(gst_buffer_copy_region(frame.get(), GST_BUFFER_COPY_MEMORY, 0, luma));
  const BufferPointer second(gst_buffer_copy_region(frame.get(), GST_BUFFER_COPY_MEMORY, luma, info.size - luma));
  const BufferPointer both(gst_buffer_append(in_memfd(*first).release(), in_memfd(*second).release()));
  EXPECT_EQ(gst_buffer_n_memory(both.get()), 2U);
  const Counts counts = run_on(*both, info);
  EXPECT_EQ(counts.copied_frames, 0U);
  EXPECT_EQ(counts.bytes_copied_in, 0U);
}

TEST(Frames, RowsMayLieFurtherApart) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_RGBA, 64, 64);
  const auto plain = frame_of(seven(), info);
  GstMapInfo map;
  ASSERT_TRUE(gst_buffer_map(plain.get(), &map, GST_MAP_READ));
  constexpr gsize kBefore = 512;
  constexpr gsize kRow = 64 * 4;
  constexpr gsize kPitch = kRow + 128;
  std::vector<guint8> wide(kBefore + kPitch * 64, 0x55);
  for (gsize y = 0; y < 64; ++y)
    std::copy_n(map.data + y * kRow, kRow, wide.begin() + static_cast<ptrdiff_t>(kBefore + y * kPitch));
  gst_buffer_unmap(plain.get(), &map);
  const BufferPointer whole(gst_buffer_new_memdup(wide.data(), wide.size()));
  auto buffer = in_memfd(*whole);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {kBefore};
  gint strides[GST_VIDEO_MAX_PLANES] = {static_cast<gint>(kPitch)};
  gst_buffer_add_video_meta_full(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGBA, 64, 64, 1, offsets, strides);
  EXPECT_EQ(run_on(*buffer, info).copied_frames, 0U);
}

TEST(Frames, OtherMemoryIsCopiedAndCounted) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 64, 64);
  const auto frame = frame_of(seven(), info);
  EXPECT_EQ(run_on(*frame, info).copied_frames, 3U);
}

TEST(Frames, ElementsBeforeWriteIntoMemfds) {
  for (const char* before : {"", "videoconvert ! video/x-raw,format=NV12 !", "videoscale ! video/x-raw,width=100,height=80 !",
                             "queue ! jpegenc ! jpegdec !", "tee ! queue !"}) {
    Pipeline pipeline(std::string("videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,format=I420 ! ") + before +
                      kInfer);
    ASSERT_EQ(pipeline.play(), "") << before;
    EXPECT_EQ(pipeline.all_frames().size(), 5U) << before;
    // A tee offers no memory to the element before it: its branches might want different ones.
    EXPECT_EQ(pipeline.count("n", "copied-frames"), std::string(before) == "tee ! queue !" ? 5U : 0U) << before;
    EXPECT_EQ(pipeline.count("n", "bytes-copied-in"), 0U) << before;
    EXPECT_LE(pipeline.count("n", "pictures-prepared"), 1U) << before;
  }
}

TEST(Frames, DmaBufsStayInPlace) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 64, 64);
  const auto buffer = in_dma_buf(*frame_of(seven(), info));
  if (!buffer) GTEST_SKIP() << "the kernel makes no dma-bufs of memfds (/dev/udmabuf)";
  EXPECT_EQ(run_on(*buffer, info).copied_frames, 0U);
}

}  // namespace
}  // namespace nnvk::test
