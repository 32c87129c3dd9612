// Uses V4L2: sets a format, exports buffers as dma-bufs, and passes the buffers between the camera and the network.
#include "tools/camera/video_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace nnvk::tools::camera {
namespace {

constexpr int kLongestWait = 5000;  // milliseconds
constexpr v4l2_buf_type kCapture = V4L2_BUF_TYPE_VIDEO_CAPTURE;

// Encodings that the network reads without a copy, best first.
struct Encoding {
  uint32_t fourcc;
  AVPixelFormat format;
  const char* name;
};
constexpr Encoding kEncodings[] = {{V4L2_PIX_FMT_NV12, AV_PIX_FMT_NV12, "NV12"},
                                   {V4L2_PIX_FMT_YUV420, AV_PIX_FMT_YUV420P, "I420"},
                                   {V4L2_PIX_FMT_YUYV, AV_PIX_FMT_YUYV422, "YUYV"}};

const Encoding* find_encoding(uint32_t fourcc) {
  const auto* const found = std::ranges::find(kEncodings, fourcc, &Encoding::fourcc);
  return found == std::end(kEncodings) ? nullptr : found;
}

v4l2_buffer buffer_of(size_t index) {
  v4l2_buffer buffer{};
  buffer.index = static_cast<uint32_t>(index);
  buffer.type = kCapture;
  buffer.memory = V4L2_MEMORY_MMAP;
  return buffer;
}

}  // namespace

bool is_video_device(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode);
}

Status VideoDevice::call(unsigned long request, void* argument, const char* what) const {
  int result = 0;
  do {
    result = ::ioctl(descriptor_, request, argument);
  } while (result == -1 && errno == EINTR);
  if (result == -1) return fail(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
  return {};
}

Result<std::unique_ptr<VideoDevice>> VideoDevice::open(const std::string& path, const ClipFormat& wanted, size_t buffers) {
  std::unique_ptr<VideoDevice> device(new VideoDevice(path));
  device->descriptor_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device->descriptor_ < 0) return fail(fmt::format("{}: {}", path, std::strerror(errno)));
  TOOLS_TRY(device->check_abilities());
  TOOLS_TRY(device->choose_format(wanted));
  TOOLS_TRY(device->make_frames(buffers));
  int type = kCapture;
  TOOLS_TRY(device->call(VIDIOC_STREAMON, &type, "starting the camera"));
  return device;
}

VideoDevice::~VideoDevice() {
  if (descriptor_ < 0) return;
  int type = kCapture;
  ::ioctl(descriptor_, VIDIOC_STREAMOFF, &type);
  frames_.clear();
  ::close(descriptor_);
}

Status VideoDevice::check_abilities() {
  v4l2_capability abilities{};
  TOOLS_TRY(call(VIDIOC_QUERYCAP, &abilities, "asking for its abilities (is it a video device?)"));
  driver_ = reinterpret_cast<const char*>(abilities.driver);
  const uint32_t has = (abilities.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? abilities.device_caps : abilities.capabilities;
  constexpr uint32_t kNeeded = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  if ((has & kNeeded) != kNeeded) return fail(path_ + ": the device does not capture videos; another /dev/video may");
  return {};
}

Status VideoDevice::choose_format(const ClipFormat& wanted) {
  for (const Encoding& encoding : kEncodings) {
    v4l2_format format{};
    format.type = kCapture;
    format.fmt.pix.width = static_cast<uint32_t>(wanted.width);
    format.fmt.pix.height = static_cast<uint32_t>(wanted.height);
    format.fmt.pix.pixelformat = encoding.fourcc;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    TOOLS_TRY(call(VIDIOC_S_FMT, &format, "choosing a format"));
    pixels_ = format.fmt.pix;
    if (pixels_.pixelformat == encoding.fourcc) break;  // the driver may offer another one instead
  }
  if (find_encoding(pixels_.pixelformat) == nullptr) {
    return fail(path_ + ": the camera has neither NV12 nor I420 nor YUYV, and other frames cannot be read without a copy");
  }
  v4l2_streamparm stream{};
  stream.type = kCapture;
  const v4l2_fract& interval = stream.parm.capture.timeperframe;
  if (call(VIDIOC_G_PARM, &stream, "asking for its frame rate") && interval.numerator > 0 && interval.denominator > 0) {
    frame_rate_ = {static_cast<int>(interval.denominator), static_cast<int>(interval.numerator)};
  }
  return {};
}

Status VideoDevice::make_frames(size_t count) {
  v4l2_requestbuffers request{};
  request.count = static_cast<uint32_t>(count);
  request.type = kCapture;
  request.memory = V4L2_MEMORY_MMAP;
  TOOLS_TRY(call(VIDIOC_REQBUFS, &request, "asking for frames"));
  if (request.count < count) {
    return fail(fmt::format("{}: the camera has {} frames, {} are needed; --depth can be smaller", path_, request.count, count));
  }
  for (size_t index = 0; index < count; ++index) {
    v4l2_buffer buffer = buffer_of(index);
    TOOLS_TRY(call(VIDIOC_QUERYBUF, &buffer, "asking for a frame's size"));
    v4l2_exportbuffer exported{};
    exported.type = kCapture;
    exported.index = static_cast<uint32_t>(index);
    exported.flags = O_RDWR | O_CLOEXEC;
    TOOLS_TRY(call(VIDIOC_EXPBUF, &exported, "sharing a frame as a dma-buf"));
    TOOLS_ASSIGN(auto frame, SharedFrame::of_descriptor(exported.fd, buffer.length));
    frames_.push_back(std::move(frame));
    TOOLS_TRY(queue(index));
  }
  return {};
}

Status VideoDevice::queue(size_t index) {
  v4l2_buffer buffer = buffer_of(index);
  return call(VIDIOC_QBUF, &buffer, "giving a frame to the camera");
}

ClipFormat VideoDevice::format() const {
  return {static_cast<int>(pixels_.width), static_cast<int>(pixels_.height), frame_rate_};
}

std::string VideoDevice::encoding() const { return fmt::format("{} of {}", find_encoding(pixels_.pixelformat)->name, driver_); }

Result<FramePointer> VideoDevice::next() {
  FramePointer frame(av_frame_alloc());
  if (!frame) return fail("there is no memory left for a frame");
  for (;;) {
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kLongestWait);
    if (ready == 0) return fail(path_ + ": the camera gave no frame for five seconds");
    if (ready < 0 && errno != EINTR) return fail(fmt::format("{}: {}", path_, std::strerror(errno)));
    v4l2_buffer buffer = buffer_of(0);
    if (::ioctl(descriptor_, VIDIOC_DQBUF, &buffer) == -1) {
      if (errno == EAGAIN || errno == EINTR) continue;
      return fail(fmt::format("{}: taking a frame: {}", path_, std::strerror(errno)));
    }
    if ((buffer.flags & V4L2_BUF_FLAG_ERROR) != 0) {  // the camera lost a part of it
      TOOLS_TRY(queue(buffer.index));
      continue;
    }
    describe(*frame, buffer.index);
    frame->buf[0] = av_buffer_create(frame->data[0], pixels_.sizeimage, &VideoDevice::give_back, this, AV_BUFFER_FLAG_READONLY);
    if (frame->buf[0]) return frame;
    give_back(this, frame->data[0]);
    return fail("there is no memory left for a frame");
  }
}

// Describes the planes of a frame. With a single buffer, V4L2 stores them one after the other. In I420, chroma rows are half as
// long as luma rows.
void VideoDevice::describe(AVFrame& frame, size_t index) const {
  const Encoding& encoding = *find_encoding(pixels_.pixelformat);
  frame.format = encoding.format;
  frame.width = static_cast<int>(pixels_.width);
  frame.height = static_cast<int>(pixels_.height);
  const uint32_t pitch = pixels_.bytesperline;
  frame.data[0] = frames_[index]->plane(0);
  frame.linesize[0] = static_cast<int>(pitch);
  const size_t luma = size_t{pitch} * pixels_.height;
  if (encoding.format != AV_PIX_FMT_YUYV422) {
    frame.data[1] = frame.data[0] + luma;
    frame.linesize[1] = static_cast<int>(encoding.format == AV_PIX_FMT_NV12 ? pitch : pitch / 2);
  }
  if (encoding.format == AV_PIX_FMT_YUV420P) {
    frame.data[2] = frame.data[1] + luma / 4;
    frame.linesize[2] = frame.linesize[1];
  }
  frame.extended_data = frame.data;
  const auto space = static_cast<v4l2_colorspace>(pixels_.colorspace);
  uint32_t matrix = pixels_.ycbcr_enc;
  if (matrix == V4L2_YCBCR_ENC_DEFAULT) matrix = V4L2_MAP_YCBCR_ENC_DEFAULT(space);
  frame.colorspace = matrix == V4L2_YCBCR_ENC_709      ? AVCOL_SPC_BT709
                     : matrix == V4L2_YCBCR_ENC_BT2020 ? AVCOL_SPC_BT2020_NCL
                                                       : AVCOL_SPC_SMPTE170M;
  uint32_t range = pixels_.quantization;
  if (range == V4L2_QUANTIZATION_DEFAULT) range = V4L2_MAP_QUANTIZATION_DEFAULT(false, space, matrix);
  frame.color_range = range == V4L2_QUANTIZATION_FULL_RANGE ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
}

SharedFrame* VideoDevice::find(const AVFrame& frame) const {
  const auto found = std::ranges::find_if(frames_, [&](const auto& shared) { return shared->contains(frame.data[0]); });
  return found == frames_.end() ? nullptr : found->get();
}

void VideoDevice::give_back(void* device, uint8_t* data) {
  auto* const self = static_cast<VideoDevice*>(device);
  const auto found = std::ranges::find_if(self->frames_, [data](const auto& frame) { return frame->contains(data); });
  const Status queued = self->queue(static_cast<size_t>(found - self->frames_.begin()));
  if (!queued) fmt::print(stderr, "nnvk_camera: {}\n", queued.error().message);  // the next frame will be late or missing
}

}  // namespace nnvk::tools::camera
