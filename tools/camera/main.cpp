// nnvk_camera: enlarges a decoded clip by the upscaler and encodes the result as a new clip. Reports times and checks results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/camera/clip.h"
#include "tools/camera/decoder.h"
#include "tools/camera/encoder.h"
#include "tools/camera/enlarger.h"
#include "tools/camera/video_device.h"
#include "tools/image/picture.h"

namespace nnvk::tools::camera {
namespace {

struct Options {
  std::string file;
  std::string source = "testsrc2";
  std::string model;
  std::string device;
  std::string folder = ".";
  ClipFormat test_clip{320, 180, {25, 1}};
  int frames = 50;
  size_t depth = 4;
};

constexpr int kCheckEvery = 12;  // frames: compared with another device, and their PSNR measured

// The seconds that each stage took, one entry per frame.
struct Stages {
  std::vector<double> decode;
  std::vector<double> start;
  std::vector<double> network;
  std::vector<double> result;
  std::vector<double> encode;
};

// The PSNR in dB of the network's and of the bicubic filter's pictures, one entry per measured frame.
struct Gain {
  std::vector<double> network;
  std::vector<double> bicubic;
};

struct Quality {
  Gain rgb;
  Gain luma;                   // measured because videos store it at full size, but chroma at a quarter
  int largest_difference = 0;  // from the other device, of 255
  std::string other_device;
  int checked = 0;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Picture picture_of(std::span<const uint8_t> rgb, int width, int height) {
  Picture picture{.width = static_cast<uint32_t>(width), .height = static_cast<uint32_t>(height), .channels = 3, .values = {}};
  picture.values.assign(rgb.begin(), rgb.end());
  return picture;
}

// Returns the decoded frame, converted to RGB by FFmpeg: the bicubic filter's input.
Result<Picture> rgb_of(const AVFrame& frame) {
  const ScalerPointer scaler(sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width,
                                            frame.height, AV_PIX_FMT_RGB24, SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT,
                                            nullptr, nullptr, nullptr));
  if (!scaler) return fail("FFmpeg cannot convert the clip's frames to RGB");
  std::vector<uint8_t> rgb(static_cast<size_t>(frame.width) * static_cast<size_t>(frame.height) * 3);
  uint8_t* to = rgb.data();
  const int pitch = frame.width * 3;
  sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, &to, &pitch);
  return picture_of(rgb, frame.width, frame.height);
}

// Returns the luma channel, which a video stores at full size.
Picture luma_of(const Picture& rgb) {
  Picture luma{.width = rgb.width, .height = rgb.height, .channels = 1, .values = {}};
  luma.values.reserve(rgb.values.size() / 3);
  for (size_t i = 0; i < rgb.values.size(); i += 3) {
    luma.values.push_back(0.299F * rgb.values[i] + 0.587F * rgb.values[i + 1] + 0.114F * rgb.values[i + 2]);
  }
  return luma;
}

void add(Gain& gain, const Picture& network, const Picture& bicubic, const Picture& truth) {
  gain.network.push_back(psnr(network, truth));
  gain.bicubic.push_back(psnr(bicubic, truth));
}

// Puts pictures of the same height side by side.
Picture side_by_side(const std::vector<Picture>& pictures) {
  Picture all{.width = 0, .height = pictures.front().height, .channels = 3, .values = {}};
  for (const auto& picture : pictures) all.width += picture.width;
  for (uint32_t y = 0; y < all.height; ++y) {
    for (const auto& picture : pictures) {
      const auto row = picture.values.begin() + static_cast<ptrdiff_t>(size_t{y} * picture.width * 3);
      all.values.insert(all.values.end(), row, row + static_cast<ptrdiff_t>(size_t{picture.width} * 3));
    }
  }
  return all;
}

class Pipeline {
 public:
  static Status run(const Options& options) {
    Pipeline pipeline(options);
    return pipeline.run();
  }

 private:
  explicit Pipeline(const Options& options) : options_(options) {}

  Status run() {
    std::string clip = options_.file;
    if (clip.empty()) {
      if (options_.frames == 0) return fail("the test clip needs --frames");
      clip = options_.folder + "/camera_clip.mkv";
      TOOLS_TRY(write_test_clip(clip, options_.source, options_.test_clip, options_.frames));
    }
    TOOLS_TRY(open_source(clip));
    const ClipFormat format = source_->format();
    const auto [width, height, rate] = format;
    TOOLS_ASSIGN(auto enlarger, Enlarger::make(options_.model, options_.device, width, height, options_.depth));
    // The results of this device are compared with the enlarger's results.
    const bool shows_cpu = enlarger.device_name() == "nnvk-cpu";
    TOOLS_ASSIGN(auto compared, Enlarger::make(options_.model, shows_cpu ? "nnapi-reference" : "cpu", width, height, 1));
    factor_ = enlarger.factor();
    const std::string output = options_.folder + "/camera_upscaled.mkv";
    TOOLS_ASSIGN(auto encoder, Encoder::open(output, "ffv1", ClipFormat{width * factor_, height * factor_, rate}, 0));
    if (options_.file.empty()) {
      TOOLS_ASSIGN(auto truth, TestPicture::open(options_.source, doubled(format)));
      truth_ = std::move(truth);
    }
    fmt::print("clip      {}: {} {}x{}\n", clip, source_->encoding(), width, height);
    fmt::print("network   {} on {}: {}x{}, {} executions in flight\n", options_.model, enlarger.device_name(), width * factor_,
               height * factor_, options_.depth);

    const Stopwatch whole;
    for (bool more = true; more || !enlarger.empty();) {
      while (more && !enlarger.full()) {
        const Stopwatch decoding;
        TOOLS_ASSIGN(auto frame, source_->next());
        if (!frame || (options_.frames > 0 && decoded_ == options_.frames)) {
          more = false;
          break;
        }
        stages_.decode.push_back(decoding.seconds());
        ++decoded_;
        SharedFrame* shared = source_->find(*frame);
        if (!shared) {
          return fail(
              fmt::format("the decoder {} does not write into shared frames: they must be YUV 4:2:0 of 8 bits in three planes",
                          source_->encoding()));
        }
        TOOLS_TRY(enlarger.start(std::move(frame), *shared));
      }
      if (!enlarger.empty()) TOOLS_TRY(finish_one(enlarger, compared, encoder));
    }
    TOOLS_TRY(encoder.finish());
    return report(enlarger, whole.seconds() - checking_seconds_, output);
  }

  // Opens the source. A camera needs a frame per execution in flight, one for the frame that next() has returned, and two to
  // write into meanwhile.
  Status open_source(const std::string& clip) {
    if (!is_video_device(clip)) {
      TOOLS_ASSIGN(source_, Decoder::open(clip));
      return {};
    }
    if (options_.frames == 0) return fail(clip + " never ends: say how many --frames");
    TOOLS_ASSIGN(source_, VideoDevice::open(clip, options_.test_clip, options_.depth + 3));
    return {};
  }

  Status finish_one(Enlarger& enlarger, Enlarger& compared, Encoder& encoder) {
    TOOLS_ASSIGN(auto finished, enlarger.finish());
    stages_.start.push_back(finished.start_seconds);
    stages_.network.push_back(finished.network_seconds);
    stages_.result.push_back(finished.result_seconds);
    const Stopwatch encoding;
    TOOLS_TRY(encoder.add(finished.rgb));
    stages_.encode.push_back(encoding.seconds());
    const Stopwatch checking;
    TOOLS_TRY(check(finished, compared));
    checking_seconds_ += checking.seconds();
    return {};
  }

  // Compares the result with another device's for the same frame, and with the original picture if it is known.
  Status check(Enlarger::Finished& finished, Enlarger& compared) {
    std::span<const uint8_t> truth;
    if (truth_) {
      TOOLS_ASSIGN(truth, truth_->next());
    }
    if (done_++ % kCheckEvery != 0) return {};
    const int width = finished.frame->width;
    const int height = finished.frame->height;
    TOOLS_ASSIGN(const Picture small, rgb_of(*finished.frame));
    const Picture bicubic = resized(small, static_cast<uint32_t>(width * factor_), static_cast<uint32_t>(height * factor_));
    const Picture large = picture_of(finished.rgb, width * factor_, height * factor_);
    std::vector<Picture> shown{bicubic, large};
    if (truth_) {
      shown.push_back(picture_of(truth, width * factor_, height * factor_));
      add(quality_.rgb, large, bicubic, shown.back());
      add(quality_.luma, luma_of(large), luma_of(bicubic), luma_of(shown.back()));
    }
    TOOLS_TRY(save_picture(side_by_side(shown), options_.folder + "/camera_side_by_side.png"));
    SharedFrame* shared = source_->find(*finished.frame);
    TOOLS_TRY(compared.start(std::move(finished.frame), *shared));
    TOOLS_ASSIGN(const auto expected, compared.finish());
    for (size_t i = 0; i < expected.rgb.size(); ++i) {
      quality_.largest_difference = std::max(quality_.largest_difference, std::abs(expected.rgb[i] - finished.rgb[i]));
    }
    quality_.other_device = compared.device_name();
    ++quality_.checked;
    return {};
  }

  Status report(const Enlarger& enlarger, double seconds, const std::string& output) const {
    if (decoded_ == 0) return fail("the clip has no frames");
    TOOLS_ASSIGN(const auto text, enlarger.describe());
    const auto pictures = nlohmann::json::parse(text)["pictures"];
    const double copied = pictures["bytes_copied_in"].get<double>();
    fmt::print("speed     {:.1f} frames per second ({} frames, without the checks)\n", decoded_ / seconds, decoded_);
    fmt::print(
        "latency   decode {:.2f} ms, start {:.2f} ms, network {:.2f} ms from start to fence, pixels {:.2f} ms, encode {:.2f} ms "
        "(medians)\n",
        median(stages_.decode) * 1e3, median(stages_.start) * 1e3, median(stages_.network) * 1e3, median(stages_.result) * 1e3,
        median(stages_.encode) * 1e3);
    fmt::print(
        "copies    {:g} bytes per frame between decoder and network; {} frames in {} shared memories, {} conversions prepared\n",
        copied / decoded_, decoded_, source_->shared_frames(), pictures["prepared"].get<int64_t>());
    for (const auto& [name, gain] : {std::pair("luma", &quality_.luma), std::pair("RGB", &quality_.rgb)}) {
      if (gain->network.empty()) break;
      fmt::print("PSNR      {:.2f} dB, bicubic {:.2f} dB ({}, mean of {} frames, against the picture the clip was made of)\n",
                 mean(gain->network), mean(gain->bicubic), name, quality_.checked);
    }
    fmt::print("check     largest difference from {} {} of 255 ({} frames)\n", quality_.other_device, quality_.largest_difference,
               quality_.checked);
    fmt::print("written   {}, {}/camera_side_by_side.png (bicubic, network{})\n", output, options_.folder,
               truth_ ? ", truth" : "");
    constexpr int kMost = 1;  // rounding of values between two pixels
    if (quality_.largest_difference > kMost) return fail("the pictures differ from those of " + quality_.other_device);
    if (copied > 0) return fail("frames were copied on their way to the network");
    return {};
  }

  const Options& options_;
  std::unique_ptr<FrameSource> source_;
  std::optional<TestPicture> truth_;
  Stages stages_;
  Quality quality_;
  double checking_seconds_ = 0;
  int factor_ = 1;
  int decoded_ = 0;
  int done_ = 0;
};

}  // namespace
}  // namespace nnvk::tools::camera

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): without memory for the options, it ends
  using nnvk::tools::camera::Options;
  Options options;
  CLI::App app{
      "Decodes a clip into shared frames, doubles their size by the upscaler in fenced executions, and encodes them again"};
  app.add_option("--file", options.file,
                 "A video of 8-bit YUV 4:2:0, or a camera like /dev/video0; default: FFmpeg's test picture, made into a clip");
  app.add_option("--source", options.source, "FFmpeg's source of that clip: testsrc2, mandelbrot, ...")->capture_default_str();
  app.add_option("--model", options.model, "The network, a .tflite file")->required();
  app.add_option("--device", options.device, "As in `nnvk run`");
  app.add_option("--folder", options.folder, "Folder for the results")->check(CLI::ExistingDirectory)->capture_default_str();
  app.add_option("--width", options.test_clip.width, "Size in pixels of the test clip, or the size to request from the camera")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app.add_option("--height", options.test_clip.height, "Size in pixels of the test clip, or the size to request from the camera")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app.add_option("--frames", options.frames, "Number of frames of the test clip; of a file: at most this many, 0 for all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--depth", options.depth, "Number of frames that the device may work on at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto status = nnvk::tools::camera::Pipeline::run(options);
  if (status) return EXIT_SUCCESS;
  fmt::print(stderr, "nnvk_camera: error: {}\n", status.error().message);
  return EXIT_FAILURE;
}
