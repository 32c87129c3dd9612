// Frames that a decoder or camera writes and a model reads: planes in a memfd or dma-buf, to which an FFmpeg frame and an NNAPI
// memory refer.
#pragma once

#include <android/NeuralNetworks.h>
#include <nnvk/hardware_buffer.h>

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/camera/ffmpeg.h"
#include "tools/nnapi/handles.h"

namespace nnvk::tools::camera {

// One memfd or dma-buf, with the FFmpeg and NNAPI objects over it. It lives as long as its pool or camera.
class SharedFrame {
 public:
  static Result<std::unique_ptr<SharedFrame>> make(const std::array<size_t, 3>& plane_sizes);
  // Takes ownership of the descriptor. The program only reads the contents.
  static Result<std::unique_ptr<SharedFrame>> of_descriptor(int descriptor, size_t size);
  ~SharedFrame();
  SharedFrame(const SharedFrame&) = delete;
  SharedFrame& operator=(const SharedFrame&) = delete;

  uint8_t* plane(size_t index) const { return bytes_ + offsets_[index]; }
  bool contains(const uint8_t* pointer) const { return pointer >= bytes_ && pointer < bytes_ + size_; }
  // Returns the NNAPI memory for the picture `frame`, which must lie in this frame's bytes. Makes the memory for the first frame,
  // and reuses it for all frames with the same layout.
  Result<ANeuralNetworksMemory*> memory_of(const AVFrame& frame);

 private:
  SharedFrame() = default;
  Status map(size_t size, int protection);
  nnvk_FrameLayout layout_of(const AVFrame& frame) const;

  uint8_t* bytes_ = nullptr;
  size_t size_ = 0;
  int descriptor_ = -1;
  std::array<size_t, 3> offsets_{};
  nnvk_FrameLayout layout_{};
  MemoryHandle memory_;
};

// Gives a decoder its frames (AVCodecContext::get_buffer2) and takes them back when their last reference ends. It is thread-safe.
class FramePool {
 public:
  // Makes `context` decode YUV 4:2:0 into this pool, which must outlive the context and all of its frames.
  void serve(AVCodecContext& context);

  // Returns the shared frame that holds this decoded frame's pixels; nullptr when the decoder put them elsewhere.
  SharedFrame* find(const AVFrame& frame) const;
  // Returns the number of frames: the most that were ever in use at once.
  size_t size() const;
  // Returns the reason why the last frame could not be made; "" if it was made.
  std::string problem() const;

 private:
  static int get_buffer(AVCodecContext* context, AVFrame* frame, int flags);
  static void give_back(void* pool, uint8_t* data);

  Result<SharedFrame*> take(const std::array<size_t, 3>& plane_sizes);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<SharedFrame>> frames_;
  std::vector<SharedFrame*> free_;
  std::string problem_;
};

}  // namespace nnvk::tools::camera
