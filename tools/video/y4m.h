// The text in YUV4MPEG2 streams: the line at the beginning, and the line before each frame. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/video/frame_format.h"

namespace nnvk::tools::video::y4m {

inline constexpr std::string_view kStream = "YUV4MPEG2";  // begins a stream
inline constexpr std::string_view kFrame = "FRAME";       // begins a frame
inline constexpr size_t kMostLine = 1024;                 // bytes of a line

struct Header {
  FrameShape shape;  // with the range of the header; the matrix is not in it
  // All further parameters, in the order of the stream: rate, interlacing, aspect, chroma, comments.
  std::vector<std::string> parameters;
};

// Reads the first line, without its end. Fails for what is no such stream, and for interlaced frames and formats that nnvk does
// not read.
Result<Header> parse_header(std::string_view line);
// Returns the line of a stream with frames of this size, with its end.
std::string to_text(const Header& header, uint32_t width, uint32_t height);

// Reads the line before a frame, without its end. Returns the frame's parameters, "" or " I...", which belong before the same
// frame of another stream.
Result<std::string> parse_frame(std::string_view line);

}  // namespace nnvk::tools::video::y4m
