// Runs the network on frames, several fenced executions at once. Each reads a decoder's frame and writes its own memory.
#pragma once

#include <nnvk/picture.h>

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "importers/tflite/importer.h"
#include "tools/camera/ffmpeg.h"
#include "tools/camera/frame_pool.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools::camera {

class Enlarger {
 public:
  // Loads the network. `depth`: how many executions may be in flight.
  static Result<Enlarger> make(const std::string& model, const std::string& device, int width, int height, size_t depth);

  Enlarger(Enlarger&&) = default;
  Enlarger& operator=(Enlarger&&) = delete;
  ~Enlarger();  // waits for the executions in flight

  // The result for one frame.
  struct Finished {
    FramePointer frame;
    std::span<const uint8_t> rgb;  // interleaved, 8 bits; valid until the next finish()
    double start_seconds = 0;      // in the starting call
    double network_seconds = 0;    // from the starting call to the fence
    double result_seconds = 0;     // from the network's values to bytes
  };

  // Starts the network on a frame whose pixels lie in `shared`. Do not call it when full().
  Status start(FramePointer frame, SharedFrame& shared);
  // Waits for the fence of the execution that was started first. Do not call it when empty().
  Result<Finished> finish();

  bool full() const { return running_.size() == slots_.size(); }
  bool empty() const { return running_.empty(); }
  const std::string& device_name() const { return device_name_; }
  int factor() const { return factor_; }
  // Returns the library's counters, from nnvk_describeCompilation().
  Result<std::string> describe() const { return session_.describe_compilation(); }

 private:
  using Clock = std::chrono::steady_clock;

  // The output memory of one execution in flight.
  struct Slot {
    Slot() = default;
    Slot(Slot&& other) noexcept;
    Slot& operator=(Slot&&) = delete;
    ~Slot();

    int descriptor = -1;
    std::span<uint8_t> bytes;
    MemoryHandle memory;
  };

  struct Running {
    size_t slot = 0;
    FramePointer frame;
    ExecutionHandle execution;
    EventHandle event;
    Clock::time_point begin;
    double start_seconds = 0;
  };

  Enlarger(importers::ImportedModel model, Session session) : model_(std::move(model)), session_(std::move(session)) {}
  static Result<Slot> make_slot(size_t bytes);
  nnvk_PictureConversion conversion_for(const AVFrame& frame) const;

  importers::ImportedModel model_;
  Session session_;
  std::string device_name_;
  int factor_ = 1;
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
  std::deque<Running> running_;
  std::vector<uint8_t> rgb_;
};

}  // namespace nnvk::tools::camera
