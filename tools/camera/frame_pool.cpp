#include "tools/camera/frame_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nnvk/picture.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace nnvk::tools::camera {
namespace {

constexpr size_t kPage = 4096;

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

tl::unexpected<Error> system_error(const char* what) { return fail(fmt::format("{}: {}", what, std::strerror(errno))); }

}  // namespace

Result<std::unique_ptr<SharedFrame>> SharedFrame::make(const std::array<size_t, 3>& plane_sizes) {
  std::unique_ptr<SharedFrame> frame(new SharedFrame);
  size_t size = 0;
  for (size_t p = 0; p < plane_sizes.size(); ++p) {
    frame->offsets_[p] = size;
    size = round_up(size + plane_sizes[p], kPage);
  }
  frame->descriptor_ = memfd_create("nnvk_camera_frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (frame->descriptor_ < 0) return system_error("memfd_create");
  if (ftruncate(frame->descriptor_, static_cast<off_t>(size)) != 0) return system_error("ftruncate of a frame");
  if (fcntl(frame->descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return system_error("sealing a frame");
  TOOLS_TRY(frame->map(size, PROT_READ | PROT_WRITE));
  return frame;
}

Result<std::unique_ptr<SharedFrame>> SharedFrame::of_descriptor(int descriptor, size_t size) {
  std::unique_ptr<SharedFrame> frame(new SharedFrame);
  frame->descriptor_ = descriptor;
  TOOLS_TRY(frame->map(size, PROT_READ));
  return frame;
}

Status SharedFrame::map(size_t size, int protection) {
  void* mapped = mmap(nullptr, size, protection, MAP_SHARED, descriptor_, 0);
  if (mapped == MAP_FAILED) return system_error("mapping a frame");
  bytes_ = static_cast<uint8_t*>(mapped);
  size_ = size;
  return {};
}

SharedFrame::~SharedFrame() {
  memory_.reset();
  if (bytes_) munmap(bytes_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

nnvk_FrameLayout SharedFrame::layout_of(const AVFrame& frame) const {
  nnvk_FrameLayout layout{};
  layout.size = sizeof layout;
  layout.width = static_cast<uint32_t>(frame.width);
  layout.height = static_cast<uint32_t>(frame.height);
  layout.fourcc = frame.format == AV_PIX_FMT_NV12      ? NNVK_FRAME_NV12
                  : frame.format == AV_PIX_FMT_YUYV422 ? NNVK_FRAME_YUYV
                                                       : NNVK_FRAME_YUV420;
  layout.modifier = NNVK_FRAME_MODIFIER_LINEAR;
  layout.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
  // Decoders use a border at the start of the buffer internally; `data` points behind that border.
  for (size_t p = 0; p < 3 && frame.data[p] != nullptr; ++p) {
    ++layout.planeCount;
    layout.planes[p] = {0, static_cast<uint32_t>(frame.data[p] - bytes_), static_cast<uint32_t>(frame.linesize[p])};
  }
  return layout;
}

Result<ANeuralNetworksMemory*> SharedFrame::memory_of(const AVFrame& frame) {
  const nnvk_FrameLayout layout = layout_of(frame);
  if (memory_ && std::memcmp(&layout, &layout_, sizeof layout) == 0) return memory_.get();
  memory_.reset();
  ANeuralNetworksMemory* memory = nullptr;
  TOOLS_TRY(check(nnvk_Memory_createFromFds(&layout, &descriptor_, 1, &memory), "making a memory of a frame"));
  memory_.reset(memory);
  layout_ = layout;
  return memory;
}

void FramePool::serve(AVCodecContext& context) {
  context.opaque = this;
  context.get_buffer2 = &FramePool::get_buffer;
}

SharedFrame* FramePool::find(const AVFrame& frame) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(frames_, [&](const auto& shared) {
    return std::all_of(frame.data, frame.data + 3, [&](const uint8_t* plane) { return shared->contains(plane); });
  });
  return found == frames_.end() ? nullptr : found->get();
}

size_t FramePool::size() const {
  const std::lock_guard lock(mutex_);
  return frames_.size();
}

std::string FramePool::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

Result<SharedFrame*> FramePool::take(const std::array<size_t, 3>& plane_sizes) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    auto made = SharedFrame::make(plane_sizes);
    if (!made) {
      problem_ = made.error().message;
      return tl::unexpected<Error>(made.error());
    }
    free_.push_back(made->get());
    frames_.push_back(*std::move(made));
  }
  SharedFrame* frame = free_.back();
  free_.pop_back();
  return frame;
}

void FramePool::give_back(void* opaque, uint8_t* data) {
  auto* pool = static_cast<FramePool*>(opaque);
  const std::lock_guard lock(pool->mutex_);
  const auto found = std::ranges::find_if(pool->frames_, [data](const auto& frame) { return frame->contains(data); });
  if (found != pool->frames_.end()) pool->free_.push_back(found->get());
}

int FramePool::get_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  auto* pool = static_cast<FramePool*>(context->opaque);
  const bool planar_420 = frame->format == AV_PIX_FMT_YUV420P || frame->format == AV_PIX_FMT_YUVJ420P;
  // These decoders get frames in ordinary memory: find() returns null for such frames, and the program ends with an error.
  if (!planar_420 || (context->codec->capabilities & AV_CODEC_CAP_DR1) == 0) {
    return avcodec_default_get_buffer2(context, frame, flags);
  }
  // Decoders write whole blocks, even beyond the visible edge, and require aligned rows.
  int width = frame->width;
  int height = frame->height;
  std::array<int, AV_NUM_DATA_POINTERS> alignments{};
  avcodec_align_dimensions2(context, &width, &height, alignments.data());
  constexpr size_t kRowAlignment = 64;
  constexpr size_t kReadBeyond = 64;  // vector code of some decoders reads past the last row
  const size_t luma_pitch = round_up(static_cast<size_t>(width), 2 * kRowAlignment);
  const std::array<size_t, 3> row_pitches{luma_pitch, luma_pitch / 2, luma_pitch / 2};
  const size_t rows = round_up(static_cast<size_t>(height), 2);
  const auto shared = pool->take(
      {row_pitches[0] * rows + kReadBeyond, row_pitches[1] * rows / 2 + kReadBeyond, row_pitches[2] * rows / 2 + kReadBeyond});
  if (!shared) return AVERROR(ENOMEM);
  frame->buf[0] = av_buffer_create((*shared)->plane(0), row_pitches[0] * rows, &FramePool::give_back, pool, 0);
  if (!frame->buf[0]) {
    give_back(pool, (*shared)->plane(0));
    return AVERROR(ENOMEM);
  }
  for (size_t p = 0; p < 3; ++p) {
    frame->data[p] = (*shared)->plane(p);
    frame->linesize[p] = static_cast<int>(row_pitches[p]);
  }
  frame->extended_data = frame->data;
  return 0;
}

}  // namespace nnvk::tools::camera
