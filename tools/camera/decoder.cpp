// Reads packets and decodes them.
#include "tools/camera/decoder.h"

namespace nnvk::tools::camera {

Result<std::unique_ptr<Decoder>> Decoder::open(const std::string& path) {
  std::unique_ptr<Decoder> decoder(new Decoder);
  TOOLS_TRY(check_ffmpeg(avformat_open_input(&decoder->format_, path.c_str(), nullptr, nullptr), "opening " + path));
  TOOLS_TRY(check_ffmpeg(avformat_find_stream_info(decoder->format_, nullptr), "reading " + path));
  const AVCodec* codec = nullptr;
  decoder->stream_ = av_find_best_stream(decoder->format_, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  TOOLS_TRY(check_ffmpeg(decoder->stream_, "finding a video in " + path));
  decoder->codec_.reset(avcodec_alloc_context3(codec));
  if (!decoder->codec_) return fail("there is no memory left for a decoder");
  const AVStream* stream = decoder->format_->streams[decoder->stream_];
  TOOLS_TRY(check_ffmpeg(avcodec_parameters_to_context(decoder->codec_.get(), stream->codecpar), "setting up the decoder"));
  decoder->codec_->thread_count = 1;  // the network takes most of the time
  decoder->codec_->thread_type = FF_THREAD_SLICE;
  decoder->pool_.serve(*decoder->codec_);
  TOOLS_TRY(
      check_ffmpeg(avcodec_open2(decoder->codec_.get(), codec, nullptr), std::string("opening the decoder ") + codec->name));
  return decoder;
}

Result<FramePointer> Decoder::next() {
  FramePointer frame(av_frame_alloc());
  const PacketPointer packet(av_packet_alloc());
  if (!frame || !packet) return fail("there is no memory left for a frame");
  for (;;) {
    const int received = avcodec_receive_frame(codec_.get(), frame.get());
    if (received == 0) return frame;
    if (received == AVERROR_EOF) return FramePointer();
    if (received != AVERROR(EAGAIN)) TOOLS_TRY(check_ffmpeg(received, "decoding"));
    const int read = av_read_frame(format_, packet.get());
    if (read == AVERROR_EOF) {
      TOOLS_TRY(check_ffmpeg(avcodec_send_packet(codec_.get(), nullptr), "ending the decoding"));
      continue;
    }
    TOOLS_TRY(check_ffmpeg(read, "reading the clip"));
    const int sent = packet->stream_index == stream_ ? avcodec_send_packet(codec_.get(), packet.get()) : 0;
    av_packet_unref(packet.get());
    TOOLS_TRY(check_ffmpeg(sent, "decoding"));
  }
}

}  // namespace nnvk::tools::camera
