// `nnvk filter` as users run it: each effect in each kind of stream, errors, signals, and pipes that close.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/published_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tests/tools/video/models.h"
#include "tools/command/upscaler.h"
#include "tools/image/drawn_picture.h"
#include "tools/nnapi/files.h"
#include "tools/video/stream.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;
using tools::Picture;
namespace video = tools::video;

constexpr uint32_t kWidth = 64;
constexpr uint32_t kHeight = 48;

std::string own_model(const std::string& name) { return std::string(NNVK_SOURCE_DIR) + "/models/" + name; }

// A dark left and a bright right half.
Picture halves() {
  Picture picture{.width = kWidth, .height = kHeight, .channels = 3, .values = {}};
  for (size_t i = 0; i < size_t{kWidth} * kHeight; ++i) {
    picture.values.insert(picture.values.end(), 3, i % kWidth < kWidth / 2 ? 20.0F : 230.0F);
  }
  return picture;
}

video::FrameShape shape_of(const std::string& format, const Picture& picture) {
  return {.format = video::find_format(format), .width = picture.width, .height = picture.height};
}

// Raw frames of these pictures.
std::string frames_of(const std::string& format, std::span<const Picture> pictures) {
  std::string bytes;
  for (const Picture& picture : pictures) {
    const auto shape = shape_of(format, picture);
    std::vector<uint8_t> frame(shape.bytes());
    video::lay_over(shape.view(frame), picture);
    bytes.append(frame.begin(), frame.end());
  }
  return bytes;
}

// A stream of these pictures. `chroma`: the parameter of the header that means the format.
std::string y4m_of(const std::string& format, const std::string& chroma, std::span<const Picture> pictures) {
  std::string stream = fmt::format("YUV4MPEG2 W{} H{} F25:1 Ip A1:1 C{}\n", pictures[0].width, pictures[0].height, chroma);
  for (const Picture& picture : pictures) stream += "FRAME\n" + frames_of(format, std::span(&picture, 1));
  return stream;
}

std::vector<Picture> pictures_of(const std::string& bytes, const video::FrameShape& shape) {
  std::vector<Picture> pictures;
  const size_t size = shape.bytes();
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    std::vector<uint8_t> frame(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + size));
    pictures.push_back(video::picture_of(shape.view(frame)));
  }
  return pictures;
}

std::vector<Picture> pictures_of(const std::string& stream, std::string& header) {
  std::vector<Picture> pictures;
  header = stream.substr(0, stream.find('\n'));
  const auto parsed = video::y4m::parse_header(header);
  if (!parsed) return pictures;
  const std::string line = "FRAME\n";
  const size_t size = parsed->shape.bytes();
  for (size_t at = header.size() + 1; at + line.size() + size <= stream.size(); at += line.size() + size) {
    EXPECT_EQ(stream.substr(at, line.size()), line);
    pictures.push_back(pictures_of(stream.substr(at + line.size(), size), parsed->shape).at(0));
  }
  return pictures;
}

std::array<float, 3> pixel(const Picture& picture, uint32_t x, uint32_t y) {
  const float* at = picture.values.data() + (size_t{y} * picture.width + x) * picture.channels;
  return {at[0], at[1], at[2]};
}

void expect_pixel(const Picture& picture, uint32_t x, uint32_t y, const std::array<float, 3>& colour, const std::string& what) {
  constexpr float kTolerance = 4;  // of conversions to YUV and back
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(pixel(picture, x, y)[c], colour[c], kTolerance) << what << " channel " << c;
}

// Runs the command with this input in a folder.
class Filter : public testing::Test {
 protected:
  // Returns the video that comes out; what the program says is in said_.
  std::string filtered(const std::string& arguments, const std::string& input) {
    EXPECT_TRUE(tools::write_file(folder_.file("in"), std::string_view(input)));
    const auto run = nnvk("filter " + arguments, "< " + folder_.file("in") + " 2> " + folder_.file("said"));
    code_ = run.code;
    said_ = tools::read_text_file(folder_.file("said")).value_or("");
    return run.text;
  }

  std::string said(const std::string& arguments, const std::string& input) {
    (void)filtered(arguments, input);
    return said_;
  }

  TemporaryFolder folder_;
  std::string mask_ = write_brightness_mask(folder_);
  int code_ = -1;
  std::string said_;
};

TEST_F(Filter, AColourTakesThePlaceOfTheBackgroundInEveryRawFormat) {
  for (const std::string& format : video::format_words()) {
    const auto out = filtered("--device cpu --model " + mask_ + " --background '#2060c0' --size 64x48 --format " + format,
                              frames_of(format, std::array{halves(), halves()}));
    ASSERT_EQ(code_, 0) << said_;
    auto shape = shape_of(format, halves());
    if (shape.format->count == 1) shape.colours.range = NNVK_PICTURE_FULL_RANGE;
    const auto pictures = pictures_of(out, shape);
    ASSERT_EQ(pictures.size(), 2U) << format;
    const float grey = 0.299F * 0x20 + 0.587F * 0x60 + 0.114F * 0xc0;
    const bool is_grey = shape.format->count == 1;
    const std::array<float, 3> colour = is_grey ? std::array{grey, grey, grey} : std::array<float, 3>{0x20, 0x60, 0xc0};
    for (const auto& picture : pictures) {
      expect_pixel(picture, 4, 40, colour, format + " background");
      expect_pixel(picture, 60, 20, is_grey ? std::array{213.0F, 213.0F, 213.0F} : std::array{230.0F, 230.0F, 230.0F},
                   format + " foreground");
    }
  }
}

TEST_F(Filter, EveryKindOfStreamKeepsItsHeader) {
  const std::pair<const char*, const char*> kinds[] = {
      {"yuv420p", "420jpeg"}, {"yuv420p", "420mpeg2"}, {"yuv420p", "420paldv"}, {"yuv422p", "422"}, {"yuv444p", "444"}};
  for (const auto& [format, chroma] : kinds) {
    const auto out = filtered("--device cpu --model " + mask_ + " --background '#2060c0'",
                              y4m_of(format, chroma, std::array{halves(), halves(), halves()}));
    ASSERT_EQ(code_, 0) << said_;
    std::string header;
    const auto pictures = pictures_of(out, header);
    EXPECT_EQ(header, "YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C" + std::string(chroma));
    ASSERT_EQ(pictures.size(), 3U) << chroma;
    expect_pixel(pictures[2], 4, 4, {0x20, 0x60, 0xc0}, chroma);
    expect_pixel(pictures[2], 60, 20, {230, 230, 230}, chroma);
  }
}

TEST_F(Filter, TheOrderOfFramesStaysWithAnyNumberInFlight) {
  std::vector<Picture> pictures;
  for (int i = 0; i < 12; ++i) {
    pictures.push_back(halves());
    for (float& value : pictures.back().values) value = value > 100 ? 200.0F + static_cast<float>(i) * 4 : value;
  }
  for (const char* slots : {"1", "2", "5", "16"}) {
    const auto out =
        filtered("--device cpu --background '#000000' --format rgb24 --size 64x48 --model " + mask_ + " --slots " + slots,
                 frames_of("rgb24", pictures));
    const auto made = pictures_of(out, shape_of("rgb24", halves()));
    ASSERT_EQ(made.size(), pictures.size()) << said_;
    for (size_t i = 0; i < made.size(); ++i) EXPECT_EQ(pixel(made[i], 60, 20)[0], 200.0F + static_cast<float>(i) * 4) << slots;
  }
}

TEST_F(Filter, TheBackgroundIsBlurredOrAPicture) {
  Picture striped = halves();
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth / 2; ++x) {
      for (size_t c = 0; c < 3; ++c) striped.values[(y * kWidth + x) * 3 + c] = y % 2 == 0 ? 0.0F : 40.0F;
    }
  }
  const auto arguments = "--device cpu --format rgb24 --size 64x48 --radius 6 --model " + mask_;
  const auto blurred = pictures_of(filtered(arguments, frames_of("rgb24", std::array{striped})), shape_of("rgb24", striped));
  ASSERT_EQ(blurred.size(), 1U) << said_;
  for (const uint32_t y : {20U, 21U}) expect_pixel(blurred[0], 10, y, {20, 20, 20}, "stripes become grey");
  ASSERT_TRUE(tools::save_picture(tools::resized(halves(), 20, 10), folder_.file("other.png")));
  const auto replaced =
      pictures_of(filtered(arguments + " --background " + folder_.file("other.png"), frames_of("rgb24", std::array{striped})),
                  shape_of("rgb24", striped));
  ASSERT_EQ(replaced.size(), 1U) << said_;
  expect_pixel(replaced[0], 5, 20, {20, 20, 20}, "the dark half of the picture");
}

TEST_F(Filter, ClassesAreWrittenOnTheFrame) {
  const auto seven = tools::resized(*tools::load_picture(own_model("digit_7.png"), 3), 256, 256);
  const auto arguments =
      "--device cpu --model " + own_model("digits_quant.tflite") + " --labels " + own_model("digits_labels.txt") + " --json";
  std::string header;
  const auto pictures = pictures_of(filtered(arguments, y4m_of("yuv420p", "420jpeg", std::array{seven, seven})), header);
  ASSERT_EQ(pictures.size(), 2U) << said_;
  // White text on black in the upper left corner; the rest stays.
  float brightest = 0;
  for (uint32_t x = 0; x < 60; ++x) {
    for (uint32_t y = 0; y < 12; ++y) brightest = std::max(brightest, pixel(pictures[1], x, y)[0]);
  }
  EXPECT_GT(brightest, 200);
  for (uint32_t at = 130; at < 250; at += 10) {
    expect_pixel(pictures[1], at, 200, pixel(seven, at, 200), "below the text");
  }
  const auto figures = nlohmann::json::parse(said_.substr(said_.find('{')));
  EXPECT_EQ(figures["effect"], "draw");
  EXPECT_EQ(figures["frames"], (nlohmann::json{{"read", 2}, {"written", 2}, {"copied", 0}}));
  EXPECT_EQ(figures["bytes_copied_in"], 0);
}

TEST_F(Filter, FormatsThatNetworksCannotReadAreCopiedAndCounted) {
  for (const auto& [format, copied] : {std::pair("yuv444p", 2), {"uyvy422", 2}, {"bgr24", 2}, {"yuv422p", 0}, {"gray", 0}}) {
    (void)filtered(fmt::format("--device cpu --json --format {} --size 64x48 --model {}", format, mask_),
                   frames_of(format, std::array{halves(), halves()}));
    ASSERT_EQ(code_, 0) << said_;
    EXPECT_EQ(nlohmann::json::parse(said_.substr(said_.find('{')))["frames"]["copied"], copied) << format;
  }
}

TEST_F(Filter, FramesBecomeThoseThatNnvkUpscaleMakes) {
  const auto small = tools::drawn_picture(32, 20, 5);
  const std::string model = own_model("upscaler_float.tflite");
  auto upscaler = tools::Upscaler::load(model, "cpu", small.width, small.height);
  ASSERT_TRUE(upscaler);
  const Picture expected = *upscaler->upscale(small);
  for (const char* format : {"rgb24", "bgr0", "rgba", "yuv444p", "yuv420p", "nv12"}) {
    const auto out = filtered(fmt::format("--device cpu --model {} --format {} --size 32x20", model, format),
                              frames_of(format, std::array{small}));
    const auto made = pictures_of(out, shape_of(format, expected));
    ASSERT_EQ(made.size(), 1U) << format << said_;
    const bool is_rgb = !video::find_format(format)->is_yuv;
    EXPECT_GE(tools::psnr(made[0], expected), is_rgb ? 50 : 20) << format;
  }
  std::string header;
  const auto made =
      pictures_of(filtered("--device cpu --model " + model, y4m_of("yuv420p", "420jpeg", std::array{small})), header);
  EXPECT_THAT(header, HasSubstr("W64 H40 F25:1"));
  EXPECT_EQ(made.size(), 1U);
}

TEST_F(Filter, AVideoThatIsCutOffGivesItsWholeFrames) {
  const auto whole = y4m_of("yuv420p", "420jpeg", std::array{halves(), halves(), halves()});
  std::string header;
  const auto out = filtered("--device cpu --model " + mask_, whole.substr(0, whole.size() - 100));
  EXPECT_EQ(code_, 1);
  EXPECT_THAT(said_, HasSubstr("frame 3 is cut off: 100 of 4608 bytes are missing"));
  EXPECT_EQ(pictures_of(out, header).size(), 2U);
}

TEST_F(Filter, WrongInputsAreErrorsThatSayWhatToDo) {
  const std::string model = "--device cpu --model " + mask_;
  const auto good = y4m_of("yuv420p", "420jpeg", std::array{halves()});
  EXPECT_THAT(said(model, ""), HasSubstr("the input is empty"));
  EXPECT_THAT(said(model, "garbage that is no video"), HasSubstr("begins with 'garbage that is no video'"));
  EXPECT_THAT(said(model, "YUV4MPEG2 W64 H48 It\n"), HasSubstr("interlaced"));
  EXPECT_THAT(said(model + " --format yuv420p", good), HasSubstr("--format requires --size"));
  EXPECT_EQ(code_, 2);
  EXPECT_THAT(said(model + " --format yuv420 --size 64x48", good), HasSubstr("did you mean yuv420p?"));
  EXPECT_THAT(said(model + " --format nv12 --size 64", good), HasSubstr("write WIDTHxHEIGHT"));
  EXPECT_THAT(said(model + " --format nv12 --size 64x47", good.substr(0, 5000)), HasSubstr("is the video really nv12 of 64x47?"));
  EXPECT_THAT(said(model + " --background '#12'", good), HasSubstr("'#12' is no colour; write #rrggbb"));
  EXPECT_THAT(said(model + " --background /nowhere/x.png", good), HasSubstr("cannot read the background /nowhere/x.png"));
  EXPECT_THAT(said(model + " --effect enlarge", good), HasSubstr("enlarging needs a network for pictures of any size"));
  EXPECT_THAT(said("--model /nowhere.tflite", good), HasSubstr("--model: there is no file /nowhere.tflite"));
  EXPECT_EQ(code_, 1);
  EXPECT_THAT(said("--effect background --model " + own_model("digits_quant.tflite"), good), HasSubstr("makes no mask"));
  EXPECT_THAT(said(model + " --output " + folder_.file("in") + " --input " + folder_.file("in"), good),
              HasSubstr("which it would overwrite"));
  EXPECT_THAT(said("--device cpu --format yuyv422 --size 32x20 --model " + own_model("upscaler_quant.tflite"), good),
              HasSubstr("cannot write larger frames of yuyv422"));
  EXPECT_THAT(said("--device nowhere --model " + mask_, good), HasSubstr("nowhere"));
  EXPECT_EQ(code_, 3);
}

TEST_F(Filter, FilesAndNamedPipesWorkLikePipes) {
  const auto stream = y4m_of("yuv420p", "420jpeg", std::array{halves(), halves()});
  const auto expected = filtered("--device cpu --model " + mask_, stream);
  const auto run =
      nnvk("filter --device cpu --json --model " + mask_ + " --input " + folder_.file("in") + " --output " + folder_.file("out"),
           "2> /dev/null");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(nlohmann::json::parse(run.text)["frames"]["written"], 2) << "with --output, stdout has the figures";
  EXPECT_EQ(tools::read_text_file(folder_.file("out")).value_or(""), expected);
  const auto piped = finished("mkfifo " + folder_.file("pipe") + "; cat " + folder_.file("in") + " > " + folder_.file("pipe") +
                              " & " + command_to_run(NNVK_BINARY) + " filter --device cpu --model " + mask_ + " --input " +
                              folder_.file("pipe") + " 2> /dev/null");
  EXPECT_EQ(piped.text, expected);
}

TEST_F(Filter, AClosedPipeEndsItQuietly) {
  std::vector<Picture> many(400, halves());  // more than the pipe holds
  ASSERT_TRUE(tools::write_file(folder_.file("in"), std::string_view(y4m_of("yuv444p", "444", many))));
  // `head` leaves after the header: the program ends by SIGPIPE, as others do.
  const auto run =
      finished("bash -c \"" + command_to_run(NNVK_BINARY) + " filter --device cpu --model " + mask_ + " < " + folder_.file("in") +
               " 2> " + folder_.file("said") + " | head -c 20; code=\\${PIPESTATUS[0]}; echo; echo \\$code\"");
  EXPECT_THAT(run.text, HasSubstr("\n141\n"));
  EXPECT_THAT(tools::read_text_file(folder_.file("said")).value_or(""), ::testing::Not(HasSubstr("error")));
}

TEST_F(Filter, ASignalEndsItAfterWholeFrames) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  const auto stream = y4m_of("yuv420p", "420jpeg", std::array{halves(), halves(), halves()});
  const std::string command = "exec " + command_to_run(NNVK_BINARY) + " filter --device cpu --model " + mask_ + " --input " +
                              folder_.file("pipe") + " --output " + folder_.file("out") + " 2> " + folder_.file("said");
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  const int pipe = ::open(folder_.file("pipe").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  // Two frames and a half: a camera that goes on, but not now.
  const auto part = stream.substr(0, stream.size() - 2000);
  ASSERT_EQ(::write(pipe, part.data(), part.size()), static_cast<ssize_t>(part.size()));
  const size_t whole = 6 + size_t{kWidth} * kHeight * 3 / 2;
  std::error_code error;
  for (int i = 0; i < 600; ++i) {  // both frames arrive without a third one
    if (std::filesystem::file_size(folder_.file("out"), error) > 2 * whole && !error) break;
    ::usleep(100'000);
  }
  ::kill(child, SIGINT);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  ::close(pipe);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << tools::read_text_file(folder_.file("said")).value_or("");
  std::string header;
  EXPECT_EQ(pictures_of(tools::read_text_file(folder_.file("out")).value_or(""), header).size(), 2U);
}

TEST_F(Filter, VulkanMakesTheSameVideo) {
  if (!tools::find_device("vulkan")) GTEST_SKIP() << "there is no Vulkan device";
  const auto stream = y4m_of("yuv420p", "420jpeg", std::array{halves(), halves()});
  std::string header;
  const auto on_cpu = pictures_of(filtered("--device cpu --background '#2060c0' --model " + mask_, stream), header);
  const auto on_gpu = pictures_of(filtered("--device vulkan --background '#2060c0' --model " + mask_, stream), header);
  ASSERT_EQ(on_gpu.size(), 2U) << said_;
  EXPECT_GE(tools::psnr(on_gpu[1], on_cpu[1]), 45);
  const auto small = y4m_of("yuv420p", "420jpeg", std::array{tools::drawn_picture(32, 20, 5)});
  const std::string model = " --model " + own_model("upscaler_quant.tflite");
  const auto large_on_cpu = pictures_of(filtered("--device cpu" + model, small), header);
  const auto large_on_gpu = pictures_of(filtered("--device vulkan" + model, small), header);
  ASSERT_EQ(large_on_gpu.size(), 1U) << said_;
  EXPECT_GE(tools::psnr(large_on_gpu[0], large_on_cpu[0]), 45);
}

TEST_F(Filter, PublishedNetworksFindThePerson) {
  if (!std::filesystem::exists(published("selfie_segmentation.tflite"))) GTEST_SKIP() << "the published models are missing";
  const auto person = tools::load_picture(published("grace_hopper.bmp"), 3);
  ASSERT_TRUE(person);
  const auto stream = y4m_of("yuv420p", "420jpeg", std::array{*person});
  std::string header;
  const auto cut_out = pictures_of(
      filtered("--device cpu --background '#00ff00' --model " + published("selfie_segmentation.tflite"), stream), header);
  ASSERT_EQ(cut_out.size(), 1U) << said_;
  const auto corner = pixel(cut_out[0], cut_out[0].width - 20, 20);
  EXPECT_LT(corner[0], 30);
  EXPECT_GT(corner[1], 230);
  expect_pixel(cut_out[0], person->width / 2, person->height * 2 / 5, pixel(*person, person->width / 2, person->height * 2 / 5),
               "the face");
  const auto boxed = pictures_of(filtered("--device cpu --model " + published("ssd_mobilenet_v1.tflite"), stream), header);
  ASSERT_EQ(boxed.size(), 1U) << said_;
  EXPECT_LT(tools::psnr(boxed[0], *person), 35) << "a box is drawn";
}

// Every command of the guide runs, on a video of a few frames.
TEST_F(Filter, TheCommandsOfTheGuideRun) {
  if (finished("ffmpeg -version 2>&1").code != 0) GTEST_SKIP() << "ffmpeg is not installed";
  const auto page = tools::read_text_file(std::string(NNVK_SOURCE_DIR) + "/docs/guide/video.md");
  ASSERT_TRUE(page);
  ASSERT_EQ(finished("cd " + folder_.path() +
                     " && ffmpeg -loglevel error -f lavfi -i testsrc=size=64x48:rate=5:duration=1 -pix_fmt yuv420p in.y4m")
                .code,
            0);
  ASSERT_TRUE(tools::save_picture(halves(), folder_.file("beach.png")));
  std::filesystem::create_symlink(std::string(NNVK_SOURCE_DIR) + "/models", folder_.file("models"));
  std::istringstream lines(*page);
  int commands = 0;
  const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("ffmpeg ") || line.find("/dev/video") != std::string::npos) continue;
    replace(line, "in.mp4", "in.y4m");
    replace(line, "out.mp4", "-f null -");
    replace(line, "640x360", "64x48");
    replace(line, "selfie_segmentation.tflite", "mask.tflite");
    replace(line, "ssd_mobilenet_v1.tflite", "models/digits_quant.tflite");
    replace(line, "nnvk filter", command_to_run(NNVK_BINARY) + " filter");
    replace(line, "ffmpeg ", "ffmpeg -loglevel error ");
    const auto run = finished("cd " + folder_.path() + " && bash -o pipefail -c \"" + line + "\" 2>&1");
    EXPECT_EQ(run.code, 0) << line << "\n" << run.text;
    ++commands;
  }
  EXPECT_GE(commands, 5);
}

}  // namespace
}  // namespace nnvk::test
