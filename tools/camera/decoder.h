// A clip's frames, one after the other, decoded into a frame pool of its own.
#pragma once

#include <memory>
#include <string>

#include "tools/camera/frame_source.h"

namespace nnvk::tools::camera {

class Decoder final : public FrameSource {
 public:
  // Opens the first video of a file.
  static Result<std::unique_ptr<Decoder>> open(const std::string& path);
  ~Decoder() override { avformat_close_input(&format_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  ClipFormat format() const override { return {codec_->width, codec_->height, format_->streams[stream_]->avg_frame_rate}; }
  std::string encoding() const override { return codec_->codec->name; }
  Result<FramePointer> next() override;
  SharedFrame* find(const AVFrame& frame) const override { return pool_.find(frame); }
  size_t shared_frames() const override { return pool_.size(); }

 private:
  Decoder() = default;

  FramePool pool_;  // outlives the codec
  AVFormatContext* format_ = nullptr;
  CodecPointer codec_;
  int stream_ = 0;
};

}  // namespace nnvk::tools::camera
