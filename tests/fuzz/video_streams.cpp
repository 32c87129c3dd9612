// Streams of frames (tools/video): the lines of YUV4MPEG2, and frames of any size behind them.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/fuzz/target.h"
#include "tools/video/stream.h"

namespace nnvk::fuzz {

using tools::video::VideoInput;

void run(std::span<const std::byte> input) {
  constexpr size_t kMostBytes = size_t{1} << 16;  // of a frame, so that runs are quick
  tools::video::Descriptor file(memfd_create("stream", MFD_CLOEXEC));
  require(::write(file.number(), input.data(), input.size()) == static_cast<ssize_t>(input.size()), "the input is in a file");
  require(::lseek(file.number(), 0, SEEK_SET) == 0, "the file is read from its beginning");
  auto stream = VideoInput::open(std::move(file), std::nullopt, [] { return false; });
  if (!stream) return;
  const auto& shape = stream->shape();
  std::string line = to_text(*stream->header(), shape.width, shape.height);
  line.pop_back();
  const auto again = tools::video::y4m::parse_header(line);
  require(again && again->shape.format == shape.format && again->shape.bytes() == shape.bytes(), "a header is read again");
  if (shape.bytes() > kMostBytes) return;
  std::vector<uint8_t> frame(shape.bytes());
  std::string parameters;
  for (;;) {
    const auto next = stream->next(frame, parameters);
    if (!next || *next != VideoInput::Next::kFrame) break;
  }
  require(stream->frames() * frame.size() <= input.size(), "each frame is in the input");
}

std::vector<Input> seeds() {
  std::vector<Input> made;
  for (const std::string header :
       {"YUV4MPEG2 W3 H2 F25:1 Ip A1:1 C420jpeg", "YUV4MPEG2 H1 W2 C444 XCOLORRANGE=FULL", "YUV4MPEG2 W1 H1 F0:0 A0:0 Cmono"}) {
    const auto bytes = tools::video::y4m::parse_header(header)->shape.bytes();
    const std::string frame = "FRAME Ip\n" + std::string(bytes, 'x');
    const std::string text = header + "\n" + frame + frame + header + "\n" + frame;
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    made.emplace_back(begin, begin + text.size());
  }
  return made;
}

}  // namespace nnvk::fuzz
