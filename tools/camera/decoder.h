// A clip's frames, one after the other, decoded into a frame pool.
#pragma once

#include <string>
#include <utility>

#include "tools/camera/ffmpeg.h"
#include "tools/camera/frame_pool.h"

namespace nnvk::tools::camera {

class Decoder {
 public:
  // Opens the first video of a file. The pool must outlive the decoder and its frames.
  static Result<Decoder> open(const std::string& path, FramePool& pool);

  Decoder(Decoder&& other) noexcept
      : format_(std::exchange(other.format_, nullptr)), codec_(std::move(other.codec_)), stream_(other.stream_) {}
  Decoder& operator=(Decoder&&) = delete;
  ~Decoder() { avformat_close_input(&format_); }

  ClipFormat format() const { return {codec_->width, codec_->height, format_->streams[stream_]->avg_frame_rate}; }
  const char* codec_name() const { return codec_->codec->name; }

  // The next frame; null at the end.
  Result<FramePointer> next();

 private:
  Decoder() = default;

  AVFormatContext* format_ = nullptr;
  CodecPointer codec_;
  int stream_ = 0;
};

}  // namespace nnvk::tools::camera
