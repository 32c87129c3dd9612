// `nnvk upscale`: doubles the size of a picture with a network, or measures the network's quality (--measure).
#include <fmt/format.h>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/upscaler.h"

namespace nnvk::tools {
namespace {

// Returns the picture without its last rows and columns, so that both sides are multiples of `factor`.
Picture cut_to_multiple(const Picture& picture, uint32_t factor) {
  Picture result = picture;
  result.width -= result.width % factor;
  result.height -= result.height % factor;
  const size_t row = size_t{result.width} * picture.channels;
  result.values.resize(row * result.height);
  for (size_t y = 0; y < result.height; ++y) {
    std::copy_n(picture.values.begin() + static_cast<ptrdiff_t>(y * picture.width * picture.channels), row,
                result.values.begin() + static_cast<ptrdiff_t>(y * row));
  }
  return result;
}

Status upscale(const UpscaleOptions& options, const std::string& model) {
  constexpr uint32_t kFactor = 2;  // --measure first reduces the picture by this factor
  TOOLS_ASSIGN(Picture picture, load_picture(options.input, 3));
  Picture truth;
  if (options.measure) {
    truth = cut_to_multiple(picture, kFactor);
    if (truth.width == 0 || truth.height == 0) return fail("the picture is too small to be halved");
    picture = resized(truth, truth.width / kFactor, truth.height / kFactor);
  }
  TOOLS_ASSIGN(auto upscaler, Upscaler::load(model, options.device, picture.width, picture.height));
  TOOLS_ASSIGN(const Picture large, upscaler.upscale(picture));
  nlohmann::json document{{"device", upscaler.loaded().device.name},
                          {"choice", to_json(upscaler.loaded().choice)},
                          {"from", {picture.width, picture.height}},
                          {"to", {large.width, large.height}},
                          {"seconds", upscaler.seconds()}};
  std::string text = fmt::format("{}x{} to {}x{} on {} in {:.1f} ms\n", picture.width, picture.height, large.width, large.height,
                                 upscaler.loaded().device.name, upscaler.seconds() * 1e3);
  if (options.measure) {
    if (upscaler.factor() != kFactor)
      return fail(
          fmt::format("--measure needs a network that makes pictures twice as large; this one makes them {} times as large",
                      upscaler.factor()));
    const Picture bicubic = resized(picture, truth.width, truth.height);
    const double of_network = psnr(large, truth);
    const double of_bicubic = psnr(bicubic, truth);
    document["psnr"] = {{"network", of_network}, {"bicubic", of_bicubic}};
    text += fmt::format("PSNR {:.2f} dB, bicubic {:.2f} dB\n", of_network, of_bicubic);
  }
  if (!options.output.empty()) TOOLS_TRY(save_picture(large, options.output));
  options.json ? print_json(std::move(document)) : fmt::print("{}", text);
  return {};
}

}  // namespace

int run_upscale(const UpscaleOptions& options) {
  const std::string model = options.model.empty() ? shipped_file("upscaler_float.tflite") : options.model;
  if (model.empty()) return report_error(Error{"upscaler_float.tflite is not beside this program; name a network with --model"});
  const auto status = upscale(options, model);
  return status ? kSuccess : report_error(status.error());
}

}  // namespace nnvk::tools
