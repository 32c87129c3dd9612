#include "tools/video/stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace nnvk::tools::video {
namespace {

constexpr int kFirstOwnDescriptor = 3;  // behind the standard ones

bool has_bytes(int descriptor, int milliseconds) {
  pollfd wanted{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, milliseconds) > 0;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= kFirstOwnDescriptor) close(number_);
}

// Reads until the bytes are full, the source ends, or it shall stop.
Result<size_t> VideoInput::read_up_to(std::span<uint8_t> bytes) {
  constexpr int kMilliseconds = 200;  // until the next question whether it shall stop
  size_t done = 0;
  while (done < bytes.size()) {
    if (stops_()) {
      is_stopped_ = true;
      return done;
    }
    if (!has_bytes(from_.number(), kMilliseconds)) continue;
    const ssize_t count = ::read(from_.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return fail(fmt::format("cannot read the input: {}", std::strerror(errno)));
    if (count == 0) return done;
    done += static_cast<size_t>(count);
  }
  return done;
}

// Reads a line, of which the first `least` bytes are there together. Behind the line comes a frame, so no byte more is read.
Result<std::string> VideoInput::read_line(size_t least) {
  std::string line;
  for (size_t wanted = least; line.size() < y4m::kMostLine; wanted = 1) {
    const size_t before = line.size();
    line.resize(before + wanted);
    TOOLS_ASSIGN(const size_t count, read_up_to(std::span(reinterpret_cast<uint8_t*>(line.data()) + before, wanted)));
    line.resize(before + count);
    if (count < wanted || line.ends_with('\n')) return line;
  }
  return line;
}

Result<VideoInput> VideoInput::open(Descriptor from, const std::optional<FrameShape>& raw, std::function<bool()> stops) {
  VideoInput input(std::move(from), std::move(stops));
  if (raw) {
    input.is_raw_ = true;
    input.header_.shape = *raw;
    return input;
  }
  TOOLS_ASSIGN(std::string line, input.read_line(y4m::kStream.size()));
  if (input.is_stopped_) return fail("a signal came before the input's first frame");
  if (line.empty()) return fail("the input is empty; nnvk filter reads a video from its standard input or from --input");
  const bool is_whole = line.ends_with('\n');
  if (is_whole) line.pop_back();
  TOOLS_ASSIGN(input.header_, y4m::parse_header(line));
  if (!is_whole) return fail("the stream ends within its header");
  return input;
}

// Reads the line before a frame. Returns false at the end of the stream.
Result<bool> VideoInput::read_frame_line(std::string& parameters) {
  for (;;) {
    TOOLS_ASSIGN(std::string line, read_line(y4m::kFrame.size() + 1));
    if (line.empty() || is_stopped_) return false;
    const bool is_whole = line.ends_with('\n');
    if (is_whole) line.pop_back();
    if (!is_whole && std::string(y4m::kFrame).starts_with(line)) {
      return fail(fmt::format("the stream ends within the line before frame {}", frames_ + 1));
    }
    if (!line.starts_with(y4m::kStream)) {
      auto read = y4m::parse_frame(line);
      if (!read) return fail(fmt::format("frame {} of the stream {}", frames_ + 1, read.error().message));
      if (!is_whole) return fail(fmt::format("the stream ends within the line before frame {}", frames_ + 1));
      parameters = std::move(*read);
      return true;
    }
    // Several streams one behind the other.
    TOOLS_ASSIGN(const auto another, y4m::parse_header(line));
    const FrameShape& now = another.shape;
    const FrameShape& before = header_.shape;
    if (now.width != before.width || now.height != before.height || now.format != before.format) {
      return fail(fmt::format(
          "the frames change from {}x{} {} to {}x{} {} before frame {}; nnvk filter needs one size and format: scale them before",
          before.width, before.height, before.format->name, now.width, now.height, now.format->name, frames_ + 1));
    }
  }
}

Result<VideoInput::Next> VideoInput::next(std::span<uint8_t> bytes, std::string& parameters) {
  parameters.clear();
  if (!is_raw_) {
    TOOLS_ASSIGN(const bool has_frame, read_frame_line(parameters));
    if (!has_frame) return is_stopped_ ? Next::kStopped : Next::kEnd;
  }
  TOOLS_ASSIGN(const size_t count, read_up_to(bytes));
  if (is_stopped_) return Next::kStopped;
  if (count == 0 && is_raw_) return Next::kEnd;
  if (count < bytes.size()) {
    const std::string remedy =
        is_raw_ ? fmt::format("; is the video really {} of {}x{}?", shape().format->name, shape().width, shape().height) : "";
    return fail(fmt::format("frame {} is cut off: {} of {} bytes are missing{}", frames_ + 1, bytes.size() - count, bytes.size(),
                            remedy));
  }
  ++frames_;
  return Next::kFrame;
}

bool VideoInput::is_ready() const { return has_bytes(from_.number(), 0); }

VideoOutput::VideoOutput(Descriptor to, const y4m::Header* header, uint32_t width, uint32_t height)
    : to_(std::move(to)), is_raw_(header == nullptr), first_line_(is_raw_ ? "" : y4m::to_text(*header, width, height)) {}

Result<bool> VideoOutput::write(std::span<const uint8_t> frame, const std::string& parameters) {
  const std::string line = std::exchange(first_line_, "") + (is_raw_ ? "" : std::string(y4m::kFrame) + parameters + "\n");
  std::array<std::span<const uint8_t>, 2> parts = {std::span(reinterpret_cast<const uint8_t*>(line.data()), line.size()), frame};
  while (!parts[0].empty() || !parts[1].empty()) {
    std::array<iovec, 2> vectors{};
    for (size_t i = 0; i < parts.size(); ++i) vectors[i] = {const_cast<uint8_t*>(parts[i].data()), parts[i].size()};
    const ssize_t count = ::writev(to_.number(), vectors.data(), static_cast<int>(vectors.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd wanted{.fd = to_.number(), .events = POLLOUT, .revents = 0};
      poll(&wanted, 1, -1);
      continue;
    }
    if (count < 0 && errno == EPIPE) return false;
    if (count < 0) return fail(fmt::format("cannot write the output: {}", std::strerror(errno)));
    auto left = static_cast<size_t>(count);
    for (auto& part : parts) {
      const size_t of_part = std::min(left, part.size());
      part = part.subspan(of_part);
      left -= of_part;
    }
  }
  return true;
}

}  // namespace nnvk::tools::video
