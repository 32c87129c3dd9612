#include "tools/camera/clip.h"

#include <fmt/format.h>

#include "tools/camera/encoder.h"

extern "C" {
#include <libavfilter/buffersink.h>
}

namespace nnvk::tools::camera {

Result<TestPicture> TestPicture::open(const std::string& source, const ClipFormat& format) {
  TestPicture picture;
  picture.graph_.reset(avfilter_graph_alloc());
  picture.frame_.reset(av_frame_alloc());
  if (!picture.graph_ || !picture.frame_) return fail("there is no memory left for FFmpeg's test picture");
  const auto description = fmt::format("{}=size={}x{}:rate={}/{},format=rgb24,buffersink", source, format.width, format.height,
                                       format.frame_rate.num, format.frame_rate.den);
  AVFilterInOut* inputs = nullptr;
  AVFilterInOut* outputs = nullptr;
  const int parsed = avfilter_graph_parse2(picture.graph_.get(), description.c_str(), &inputs, &outputs);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  TOOLS_TRY(check_ffmpeg(parsed, "making FFmpeg's source " + source));
  TOOLS_TRY(check_ffmpeg(avfilter_graph_config(picture.graph_.get(), nullptr), "making FFmpeg's source " + source));
  for (unsigned i = 0; i < picture.graph_->nb_filters; ++i) {
    AVFilterContext* filter = picture.graph_->filters[i];
    if (std::string(filter->filter->name) == "buffersink") picture.sink_ = filter;
  }
  if (!picture.sink_) return fail("FFmpeg's source has no end");
  return picture;
}

Result<std::span<const uint8_t>> TestPicture::next() {
  av_frame_unref(frame_.get());
  TOOLS_TRY(check_ffmpeg(av_buffersink_get_frame(sink_, frame_.get()), "making a test picture"));
  const auto row = static_cast<size_t>(frame_->width) * 3;
  rgb_.clear();
  for (int y = 0; y < frame_->height; ++y) {
    const uint8_t* from = frame_->data[0] + static_cast<ptrdiff_t>(y) * frame_->linesize[0];
    rgb_.insert(rgb_.end(), from, from + row);
  }
  return std::span<const uint8_t>(rgb_);
}

ClipFormat doubled(const ClipFormat& format) { return {2 * format.width, 2 * format.height, format.frame_rate}; }

Status write_test_clip(const std::string& path, const std::string& source, const ClipFormat& format, int frames) {
  constexpr int kBestQuantizer = 1;
  const int width = format.width;
  const int height = format.height;
  TOOLS_ASSIGN(auto picture, TestPicture::open(source, doubled(format)));
  TOOLS_ASSIGN(auto encoder, Encoder::open(path, "mpeg4", format, kBestQuantizer));
  const ScalerPointer scaler(sws_getContext(2 * width, 2 * height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_RGB24,
                                            SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
  if (!scaler) return fail("FFmpeg cannot halve pictures");
  std::vector<uint8_t> small(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  for (int i = 0; i < frames; ++i) {
    TOOLS_ASSIGN(const auto large, picture.next());
    const uint8_t* from = large.data();
    const int from_pitch = 2 * width * 3;
    uint8_t* to = small.data();
    const int to_pitch = width * 3;
    sws_scale(scaler.get(), &from, &from_pitch, 0, 2 * height, &to, &to_pitch);
    TOOLS_TRY(encoder.add(small));
  }
  return encoder.finish();
}

}  // namespace nnvk::tools::camera
