// Pictures into a clip (Matroska).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "tools/camera/ffmpeg.h"

namespace nnvk::tools::camera {

class Encoder {
 public:
  // Opens a file for a clip. `codec`: FFmpeg's name of an encoder. `quality`: its quantizer, 1 is best; 0 for lossless codecs.
  static Result<Encoder> open(const std::string& path, const char* codec, const ClipFormat& format, int quality);

  Encoder(Encoder&& other) noexcept
      : format_(std::exchange(other.format_, nullptr)),
        codec_(std::move(other.codec_)),
        scaler_(std::move(other.scaler_)),
        frame_(std::move(other.frame_)),
        stream_(other.stream_),
        count_(other.count_) {}
  Encoder& operator=(Encoder&&) = delete;
  ~Encoder();

  // Converts interleaved 8-bit RGB to YUV 4:2:0 (BT.601, limited range) and encodes it.
  Status add(std::span<const uint8_t> rgb);
  // Writes the frames that the encoder still holds, and the end of the file. The clip is complete only after this call.
  Status finish();

 private:
  Encoder() = default;
  Status write(const AVFrame* frame);

  AVFormatContext* format_ = nullptr;
  CodecPointer codec_;
  ScalerPointer scaler_;
  FramePointer frame_;
  AVStream* stream_ = nullptr;
  int64_t count_ = 0;
};

}  // namespace nnvk::tools::camera
