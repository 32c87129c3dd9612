#include "tools/video/y4m.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace nnvk::tools::video::y4m {
namespace {

struct Chroma {
  std::string_view value;  // of the parameter C
  std::string_view format;
};

// The kinds of 4:2:0 differ in the places of chroma samples by half a pixel, which changes no effect.
constexpr std::array kChromas = {Chroma{"420jpeg", "yuv420p"}, Chroma{"420mpeg2", "yuv420p"}, Chroma{"420paldv", "yuv420p"},
                                 Chroma{"420", "yuv420p"},     Chroma{"422", "yuv422p"},      Chroma{"444", "yuv444p"},
                                 Chroma{"mono", "gray"}};

// Returns the beginning of bytes that should have been text, for an error.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 24;
  std::string result;
  for (const char c : text.substr(0, kMost)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result + (text.size() > kMost ? "..." : "");
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

bool read_number(std::string_view digits, uint32_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size();
}

// Returns whether a text is two numbers with a colon.
bool is_ratio(std::string_view text) {
  const size_t colon = text.find(':');
  uint32_t ignored = 0;
  return colon != std::string_view::npos && read_number(text.substr(0, colon), ignored) &&
         read_number(text.substr(colon + 1), ignored);
}

Status read_side(std::string_view word, uint32_t& side) {
  if (read_number(word.substr(1), side) && side >= 1 && side <= FrameShape::kMostSide) return {};
  return fail(
      fmt::format("the stream's header says '{}'; widths and heights are from 1 to {}", shown(word), FrameShape::kMostSide));
}

Status read_chroma(std::string_view value, FrameShape& shape) {
  const auto* found = std::ranges::find(kChromas, value, &Chroma::value);
  if (found == kChromas.end()) {
    std::string names;
    for (const auto& chroma : kChromas) names += (names.empty() ? "C" : ", C") + std::string(chroma.value);
    return fail(fmt::format("the stream has frames of the kind C{}, but nnvk reads {}; FFmpeg makes them with -pix_fmt yuv420p",
                            shown(value), names));
  }
  shape.format = find_format(found->format);
  return {};
}

// Reads a parameter that is not the size.
Status read_parameter(std::string_view word, FrameShape& shape) {
  const std::string_view value = word.substr(1);
  switch (word.front()) {
    case 'C':
      return read_chroma(value, shape);
    case 'F':
    case 'A':
      if (is_ratio(value)) return {};
      return fail(fmt::format("the stream's header says '{}'; rates and aspects are two numbers with a colon", shown(word)));
    case 'I':
      if (value == "p" || value == "?") return {};
      return fail(fmt::format(
          "the stream's frames are interlaced (I{}), but networks see whole pictures; FFmpeg joins the fields with -vf yadif",
          shown(value)));
    case 'X':
      if (value == "COLORRANGE=FULL") shape.colours.range = NNVK_PICTURE_FULL_RANGE;
      return {};
    default:
      return {};  // of a later version
  }
}

}  // namespace

Result<Header> parse_header(std::string_view line) {
  auto words = words_of(line);
  if (words.empty() || words.front() != kStream || !line.starts_with(kStream)) {
    return fail(
        fmt::format("the input begins with '{}', not with '{}'; FFmpeg writes such streams with -f yuv4mpegpipe, and raw video "
                    "needs --format",
                    shown(line), kStream));
  }
  Header header;
  header.shape.format = find_format("yuv420p");
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (word.front() == 'W') {
      TOOLS_TRY(read_side(word, header.shape.width));
    } else if (word.front() == 'H') {
      TOOLS_TRY(read_side(word, header.shape.height));
    } else {
      TOOLS_TRY(read_parameter(word, header.shape));
      header.parameters.emplace_back(word);
    }
  }
  if (header.shape.width == 0 || header.shape.height == 0) {
    return fail(fmt::format("the stream's header '{}' has no width (W) or no height (H)", shown(line)));
  }
  return header;
}

std::string to_text(const Header& header, uint32_t width, uint32_t height) {
  std::string text = fmt::format("{} W{} H{}", kStream, width, height);
  for (const auto& parameter : header.parameters) text += " " + parameter;
  return text + "\n";
}

Result<std::string> parse_frame(std::string_view line) {
  if (line != kFrame && !line.starts_with(std::string(kFrame) + " ")) {
    return fail(fmt::format("begins with '{}', not with '{}'; the frame before has more or fewer bytes than its size needs",
                            shown(line), kFrame));
  }
  return std::string(line.substr(kFrame.size()));
}

}  // namespace nnvk::tools::video::y4m
