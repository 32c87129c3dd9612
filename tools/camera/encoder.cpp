#include "tools/camera/encoder.h"

namespace nnvk::tools::camera {

Result<Encoder> Encoder::open(const std::string& path, const char* codec_name, const ClipFormat& format, int quality) {
  Encoder encoder;
  TOOLS_TRY(check_ffmpeg(avformat_alloc_output_context2(&encoder.format_, nullptr, "matroska", path.c_str()), "making " + path));
  const AVCodec* codec = avcodec_find_encoder_by_name(codec_name);
  if (!codec) return fail(std::string("FFmpeg here has no encoder named ") + codec_name);
  encoder.codec_.reset(avcodec_alloc_context3(codec));
  encoder.stream_ = avformat_new_stream(encoder.format_, nullptr);
  encoder.frame_.reset(av_frame_alloc());
  if (!encoder.codec_ || !encoder.stream_ || !encoder.frame_) return fail("there is no memory left for an encoder");
  AVCodecContext& context = *encoder.codec_;
  context.width = format.width;
  context.height = format.height;
  context.pix_fmt = AV_PIX_FMT_YUV420P;
  context.colorspace = AVCOL_SPC_SMPTE170M;
  context.color_range = AVCOL_RANGE_MPEG;
  context.time_base = av_inv_q(format.frame_rate);
  context.framerate = format.frame_rate;
  context.thread_count = 1;
  if (quality > 0) {
    context.flags |= AV_CODEC_FLAG_QSCALE;
    context.global_quality = quality * FF_QP2LAMBDA;
  }
  if ((encoder.format_->oformat->flags & AVFMT_GLOBALHEADER) != 0) context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  TOOLS_TRY(check_ffmpeg(avcodec_open2(&context, codec, nullptr), std::string("opening the encoder ") + codec_name));
  TOOLS_TRY(check_ffmpeg(avcodec_parameters_from_context(encoder.stream_->codecpar, &context), "setting up the encoder"));
  encoder.stream_->time_base = context.time_base;
  encoder.stream_->avg_frame_rate = format.frame_rate;
  TOOLS_TRY(check_ffmpeg(avio_open(&encoder.format_->pb, path.c_str(), AVIO_FLAG_WRITE), "writing " + path));
  TOOLS_TRY(check_ffmpeg(avformat_write_header(encoder.format_, nullptr), "writing " + path));
  encoder.frame_->format = context.pix_fmt;
  encoder.frame_->width = format.width;
  encoder.frame_->height = format.height;
  TOOLS_TRY(check_ffmpeg(av_frame_get_buffer(encoder.frame_.get(), 0), "making a frame"));
  encoder.scaler_.reset(sws_getContext(format.width, format.height, AV_PIX_FMT_RGB24, format.width, format.height,
                                       context.pix_fmt, SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr,
                                       nullptr));
  if (!encoder.scaler_) return fail("FFmpeg cannot convert RGB to YUV");
  return encoder;
}

Encoder::~Encoder() {
  if (format_ && format_->pb) avio_closep(&format_->pb);
  avformat_free_context(format_);
}

Status Encoder::add(std::span<const uint8_t> rgb) {
  TOOLS_TRY(check_ffmpeg(av_frame_make_writable(frame_.get()), "making a frame"));
  const uint8_t* source = rgb.data();
  const int pitch = 3 * frame_->width;
  sws_scale(scaler_.get(), &source, &pitch, 0, frame_->height, frame_->data, frame_->linesize);
  frame_->pts = count_++;
  frame_->quality = codec_->global_quality;
  return write(frame_.get());
}

Status Encoder::finish() {
  TOOLS_TRY(write(nullptr));
  TOOLS_TRY(check_ffmpeg(av_write_trailer(format_), "completing the clip"));
  return check_ffmpeg(avio_closep(&format_->pb), "completing the clip");
}

Status Encoder::write(const AVFrame* frame) {
  TOOLS_TRY(check_ffmpeg(avcodec_send_frame(codec_.get(), frame), "encoding"));
  const PacketPointer packet(av_packet_alloc());
  if (!packet) return fail("there is no memory left for a packet");
  for (;;) {
    const int received = avcodec_receive_packet(codec_.get(), packet.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return {};
    TOOLS_TRY(check_ffmpeg(received, "encoding"));
    av_packet_rescale_ts(packet.get(), codec_->time_base, stream_->time_base);
    packet->stream_index = stream_->index;
    TOOLS_TRY(check_ffmpeg(av_interleaved_write_frame(format_, packet.get()), "writing the clip"));
  }
}

}  // namespace nnvk::tools::camera
