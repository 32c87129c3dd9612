// Frames from a descriptor: a pipe, a file, or the standard input. YUV4MPEG2, or raw frames one behind the other.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/video/y4m.h"

namespace nnvk::tools::video {

// A descriptor that is closed at the end, unless it is one of the three standard ones.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

class VideoInput {
 public:
  enum class Next : uint8_t { kFrame, kEnd, kStopped };

  // Reads the beginning of a stream. `raw`: the shape of raw frames; none: a YUV4MPEG2 stream, whose header says it. `stops`:
  // asked while nothing arrives, and between frames.
  static Result<VideoInput> open(Descriptor from, const std::optional<FrameShape>& raw, std::function<bool()> stops);

  const FrameShape& shape() const { return header_.shape; }
  void set_colours(const Colours& colours) { header_.shape.colours = colours; }
  // Returns the header of a stream; null: raw frames.
  const y4m::Header* header() const { return is_raw_ ? nullptr : &header_; }

  // Reads a frame into `bytes`, which has its size. Without a copy: from the descriptor into this memory. `parameters`: those of
  // the frame. Fails if the frame is cut off or the stream changes: the error names the frame, from 1 on.
  Result<Next> next(std::span<uint8_t> bytes, std::string& parameters);
  // Returns false if a source is slow: next() would have to wait.
  bool is_ready() const;
  uint64_t frames() const { return frames_; }

 private:
  VideoInput(Descriptor from, std::function<bool()> stops) : from_(std::move(from)), stops_(std::move(stops)) {}

  Result<size_t> read_up_to(std::span<uint8_t> bytes);
  Result<std::string> read_line(size_t least);
  Result<bool> read_frame_line(std::string& parameters);

  Descriptor from_;
  std::function<bool()> stops_;
  bool is_raw_ = false;
  bool is_stopped_ = false;
  y4m::Header header_;
  uint64_t frames_ = 0;
};

// Writes frames to a descriptor.
class VideoOutput {
 public:
  // `header`: of a YUV4MPEG2 stream of frames of this size; null: raw frames.
  VideoOutput(Descriptor to, const y4m::Header* header, uint32_t width, uint32_t height);

  // Writes a frame as a whole. Returns false if nobody reads any more: a pipe whose other end is closed (SIGPIPE must be
  // ignored).
  Result<bool> write(std::span<const uint8_t> frame, const std::string& parameters);

 private:
  Descriptor to_;
  bool is_raw_;
  std::string first_line_;  // until it is written
};

}  // namespace nnvk::tools::video
