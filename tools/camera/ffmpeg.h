// Owning handles for FFmpeg's objects, and its errors as values.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <memory>
#include <string>

#include "tools/nnapi/result.h"

namespace nnvk::tools::camera {

struct Free {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVFilterGraph* graph) const { avfilter_graph_free(&graph); }
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};

using FramePointer = std::unique_ptr<AVFrame, Free>;
using PacketPointer = std::unique_ptr<AVPacket, Free>;
using CodecPointer = std::unique_ptr<AVCodecContext, Free>;
using FilterPointer = std::unique_ptr<AVFilterGraph, Free>;
using ScalerPointer = std::unique_ptr<SwsContext, Free>;

// The size of a clip's frames, and their number per second.
struct ClipFormat {
  int width = 0;
  int height = 0;
  AVRational frame_rate{25, 1};
};

// Returns the error "`what` failed: FFmpeg's own text" when `result` is negative.
inline Status check_ffmpeg(int result, const std::string& what) {
  if (result >= 0) return {};
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(result, text.data(), text.size());
  return fail(what + " failed: " + text.data());
}

}  // namespace nnvk::tools::camera
