// Streams of frames through descriptors: whole, cut off anywhere, changed in the middle, and with nobody behind them.
#include "tools/video/stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;
using tools::video::Descriptor;
using tools::video::FrameShape;
using tools::video::VideoInput;
using tools::video::VideoOutput;

const std::string kHeader = "YUV4MPEG2 W3 H3 F25:1 Ip A1:1 C420jpeg\n";
constexpr size_t kFrameBytes = 9 + 4 + 4;

std::string frame(char value, const std::string& parameters = "") {
  return "FRAME" + parameters + "\n" + std::string(kFrameBytes, value);
}

Descriptor file_with(const std::string& bytes) {
  const int descriptor = memfd_create("stream", MFD_CLOEXEC);
  EXPECT_EQ(::write(descriptor, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_SET), 0);
  return Descriptor(descriptor);
}

struct Read {
  std::vector<std::string> frames;  // parameters and bytes
  std::string error;
};

Read read_all(Descriptor from, const std::optional<FrameShape>& raw = std::nullopt) {
  Read read;
  auto input = VideoInput::open(std::move(from), raw, [] { return false; });
  if (!input) return {{}, input.error().message};
  for (;;) {
    std::vector<uint8_t> bytes(input->shape().bytes());
    std::string parameters;
    const auto next = input->next(bytes, parameters);
    if (!next) read.error = next.error().message;
    if (!next || *next != VideoInput::Next::kFrame) return read;
    EXPECT_EQ(input->frames(), read.frames.size() + 1);
    read.frames.push_back(parameters + std::string(bytes.begin(), bytes.end()));
  }
}

std::optional<FrameShape> raw_shape() {
  auto shape = tools::video::parse_size("3x3");
  shape->format = tools::video::find_format("yuv420p");
  return *shape;
}

TEST(Stream, FramesComeWithTheirParameters) {
  const auto read = read_all(file_with(kHeader + frame('a') + frame('b', " Ip")));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.frames, (std::vector{std::string(kFrameBytes, 'a'), " Ip" + std::string(kFrameBytes, 'b')}));
}

TEST(Stream, AStreamThatIsCutAnywhereGivesItsWholeFramesAndAnError) {
  const std::string whole = kHeader + frame('a') + frame('b');
  const size_t first = kHeader.size() + frame('a').size();
  for (size_t length = 1; length < whole.size(); ++length) {
    const auto read = read_all(file_with(whole.substr(0, length)));
    EXPECT_EQ(read.frames.size(), length < first ? 0U : 1U) << length;
    const bool is_between = length == kHeader.size() || length == first;
    EXPECT_EQ(read.error.empty(), is_between) << length << read.error;
  }
  const auto read = read_all(file_with(whole.substr(0, whole.size() - 5)));
  EXPECT_EQ(read.error, "frame 2 is cut off: 5 of 17 bytes are missing");
}

TEST(Stream, AnEmptyInputIsAnErrorThatSaysWhatIsExpected) {
  EXPECT_THAT(read_all(file_with("")).error, HasSubstr("the input is empty"));
}

TEST(Stream, BytesInPlaceOfAFrameAreAnErrorWithItsNumber) {
  const auto read = read_all(file_with(kHeader + frame('a') + "x" + frame('b')));
  EXPECT_EQ(read.frames.size(), 1U);
  EXPECT_THAT(read.error, HasSubstr("frame 2 of the stream begins with 'xFRAME"));
}

TEST(Stream, StreamsOfOneSizeMayFollowEachOther) {
  const auto read = read_all(file_with(kHeader + frame('a') + kHeader + frame('b')));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.frames.size(), 2U);
}

TEST(Stream, AChangeOfTheSizeIsAnError) {
  const auto read = read_all(file_with(kHeader + frame('a') + "YUV4MPEG2 W6 H3\n" + frame('b')));
  EXPECT_EQ(read.frames.size(), 1U);
  EXPECT_THAT(read.error, HasSubstr("the frames change from 3x3 yuv420p to 6x3 yuv420p before frame 2"));
}

TEST(Stream, RawFramesFollowEachOther) {
  const auto read = read_all(file_with(std::string(kFrameBytes, 'a') + std::string(kFrameBytes, 'b')), raw_shape());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.frames, (std::vector{std::string(kFrameBytes, 'a'), std::string(kFrameBytes, 'b')}));
  EXPECT_TRUE(read_all(file_with(""), raw_shape()).frames.empty());
  EXPECT_EQ(read_all(file_with(std::string(kFrameBytes + 1, 'a')), raw_shape()).error,
            "frame 2 is cut off: 16 of 17 bytes are missing; is the video really yuv420p of 3x3?");
}

TEST(Stream, APipeInSmallPiecesGivesTheSameFrames) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string whole = kHeader + frame('a') + frame('b');
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    for (const char c : whole) {
      if (::write(ends[1], &c, 1) != 1) _exit(1);
    }
    _exit(0);
  }
  ::close(ends[1]);
  EXPECT_EQ(read_all(Descriptor(ends[0])).frames.size(), 2U);
}

TEST(Stream, ASignalEndsTheWaitForASlowSource) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string part = kHeader + frame('a') + "FRAME\nhalf";
  ASSERT_EQ(::write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
  bool stops = false;
  auto input = VideoInput::open(Descriptor(ends[0]), std::nullopt, [&] { return stops; });
  ASSERT_TRUE(input);
  std::vector<uint8_t> bytes(kFrameBytes);
  std::string parameters;
  EXPECT_TRUE(input->is_ready());
  EXPECT_EQ(input->next(bytes, parameters), VideoInput::Next::kFrame);
  stops = true;
  EXPECT_EQ(input->next(bytes, parameters), VideoInput::Next::kStopped);
  ::close(ends[1]);
}

TEST(Stream, TheOutputIsTheStreamAgain) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const auto header = tools::video::y4m::parse_header(kHeader.substr(0, kHeader.size() - 1));
  VideoOutput output(Descriptor(ends[1]), &*header, 3, 3);
  const std::vector<uint8_t> bytes(kFrameBytes, 'a');
  EXPECT_TRUE(output.write(bytes, "").value());
  EXPECT_TRUE(output.write(bytes, " Ip").value());
  std::string text(1000, '\0');
  text.resize(static_cast<size_t>(::read(ends[0], text.data(), text.size())));
  EXPECT_EQ(text, kHeader + frame('a') + frame('a', " Ip"));
  ::close(ends[0]);
}

TEST(Stream, AnOutputThatNobodyReadsIsNoError) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  VideoOutput output(Descriptor(ends[1]), nullptr, 3, 3);
  const auto written = output.write(std::vector<uint8_t>(kFrameBytes, 'a'), "");
  ASSERT_TRUE(written);
  EXPECT_FALSE(*written);
  std::signal(SIGPIPE, before);
}

TEST(Stream, AFullDiskIsAnError) {
  VideoOutput output(Descriptor(::open("/dev/full", O_WRONLY | O_CLOEXEC)), nullptr, 3, 3);
  const auto written = output.write(std::vector<uint8_t>(kFrameBytes, 'a'), "");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("cannot write the output: No space left"));
}

}  // namespace
}  // namespace nnvk::test
