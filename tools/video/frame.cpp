#include "tools/video/frame.h"

#include <algorithm>
#include <array>

namespace nnvk::tools::video {
namespace {

constexpr uint8_t kNoColour = 128;  // of chroma

}  // namespace

Result<std::shared_ptr<Frame>> Frame::make(const FrameShape& shape) {
  constexpr const char* kName = "nnvk_frame";
  TOOLS_ASSIGN(Memfd memfd, Memfd::make(kName, shape.bytes(), "a frame"));
  std::shared_ptr<Frame> frame(new Frame(shape, std::move(memfd)));
  nnvk_FrameLayout layout = shape.layout();
  std::array descriptors = {frame->memfd_.descriptor(), -1};
  uint32_t count = 1;
  if (shape.format->access == Access::kCopy) {
    const FrameShape copied = shape.copied();
    TOOLS_ASSIGN(frame->beside_, Memfd::make(kName, copied.bytes(), "the copy of a frame"));
    layout = copied.layout();
    descriptors[0] = frame->beside_->descriptor();
  } else if (shape.format->access == Access::kConstantChroma) {
    const nnvk_FramePlane& chroma = layout.planes[layout.planeCount - 1];
    const uint32_t rows = samples_of(shape.height, shape.format->chroma_height);
    TOOLS_ASSIGN(frame->beside_, Memfd::make(kName, size_t{chroma.rowPitch} * rows, "the chroma of a frame"));
    std::ranges::fill(frame->beside_->bytes(), kNoColour);
    descriptors[count++] = frame->beside_->descriptor();
  }
  ANeuralNetworksMemory* picture = nullptr;
  TOOLS_TRY(check(nnvk_Memory_createFromFds(&layout, descriptors.data(), count, &picture), "importing a frame"));
  frame->picture_ = SharedMemory(picture, ANeuralNetworksMemory_free);
  return frame;
}

const SharedMemory& Frame::picture(uint64_t& copies) const {
  if (shape_.format->access == Access::kCopy) {
    copy(view(), shape_.copied().view(beside_->bytes()));
    ++copies;
  }
  return picture_;
}

Result<WritableFrame> Frame::writable() {
  if (!writable_) {
    TOOLS_ASSIGN(writable_, memfd_.import());
  }
  return WritableFrame{.memory = writable_, .offset = 0, .size = bytes().size()};
}

}  // namespace nnvk::tools::video
