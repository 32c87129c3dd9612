#include "tools/command/upscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "importers/tflite/picture_size.h"
#include "tools/command/progress.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

constexpr uint32_t kChannels = 3;

bool is_picture(const OperandInfo& info) {
  return info.dimensions.size() == 4 && info.dimensions[0] == 1 && info.dimensions[3] == kChannels && info.elements() != 0;
}

}  // namespace

std::vector<Tile> tiles(uint32_t length, uint32_t size, uint32_t reach) {
  if (length <= size) return {Tile{0, 0, length}};
  std::vector<Tile> result;
  const uint32_t step = size - 2 * reach;
  uint32_t kept = 0;
  for (uint32_t first = 0; kept < length; first += step) {
    const bool last = first + size >= length;
    const uint32_t end = last ? length : first + size - reach;
    result.push_back({last ? length - size : first, kept, end});
    kept = end;
  }
  return result;
}

Result<Upscaler> Upscaler::load(const std::string& model, const std::string& device, uint32_t width, uint32_t height,
                                uint32_t tile) {
  TOOLS_ASSIGN(auto graph, importers::tflite::read_graph_file(model));
  const uint32_t reach = importers::tflite::reach(graph);
  if (tile <= 2 * reach)
    return fail(fmt::format("tiles of {} pixels are too small: results depend on {} neighbours", tile, reach));
  const auto resized = importers::tflite::set_picture_size(graph, std::min(tile, height), std::min(tile, width));
  if (!resized) return fail(model + ": " + resized.error().message);
  TOOLS_ASSIGN(auto imported, importers::tflite::import_graph(graph));
  const OperandInfo& in = imported.inputs[0].info;
  const OperandInfo& out = imported.outputs[0].info;
  const bool doubles = imported.outputs.size() == 1 && is_picture(in) && is_picture(out) &&
                       uint64_t{out.dimensions[1]} * in.dimensions[2] == uint64_t{out.dimensions[2]} * in.dimensions[1];
  if (!doubles)
    return fail(fmt::format("{}: the network must enlarge a picture, but makes {} of {}", model, to_string(out), to_string(in)));
  const uint32_t factor = out.dimensions[1] / in.dimensions[1];
  TOOLS_ASSIGN(auto loaded, compile_loaded(std::move(imported), device));
  Upscaler upscaler(std::move(loaded));
  upscaler.columns_ = tiles(width, tile, reach);
  upscaler.rows_ = tiles(height, tile, reach);
  upscaler.factor_ = factor;
  return upscaler;
}

Result<Picture> Upscaler::upscale(const Picture& picture) {
  const OperandInfo& in = loaded_.model.inputs[0].info;
  const OperandInfo& out = loaded_.model.outputs[0].info;
  const size_t in_row = size_t{in.dimensions[2]} * kChannels;
  const size_t out_row = size_t{out.dimensions[2]} * kChannels;
  if (picture.channels != kChannels || picture.width != columns_.back().keep_end || picture.height != rows_.back().keep_end) {
    return fail("the upscaler was made for pictures of another size");
  }
  Picture result{.width = picture.width * factor_, .height = picture.height * factor_, .channels = kChannels, .values = {}};
  result.values.resize(size_t{result.width} * result.height * kChannels);
  const Normalisation before = pixel_normalisation(in);
  const Normalisation after = pixel_normalisation(out);
  std::vector<float> reals(in.elements());
  Progress progress("enlarging", rows_.size() * columns_.size());
  size_t done = 0;
  for (const Tile& row : rows_) {
    for (const Tile& column : columns_) {
      progress.update(done++, loaded_.device.name);
      for (size_t y = 0; y < in.dimensions[1]; ++y) {
        const float* from = picture.values.data() + ((row.first + y) * picture.width + column.first) * kChannels;
        std::transform(from, from + in_row, reals.begin() + static_cast<ptrdiff_t>(y * in_row),
                       [&](float v) { return static_cast<float>((v - before.mean) / before.deviation); });
      }
      std::ranges::copy(encode(reals, in), loaded_.session.input(0).begin());
      TOOLS_ASSIGN(const double seconds, loaded_.session.run());
      seconds_ += seconds;
      const auto large = decode(loaded_.session.output(0), out);
      for (size_t y = size_t{row.keep_first} * factor_; y < size_t{row.keep_end} * factor_; ++y) {
        const float* from = large.data() + (y - size_t{row.first} * factor_) * out_row +
                            size_t{column.keep_first - column.first} * factor_ * kChannels;
        float* to = result.values.data() + (y * result.width + size_t{column.keep_first} * factor_) * kChannels;
        std::transform(from, from + size_t{column.keep_end - column.keep_first} * factor_ * kChannels, to,
                       [&](float v) { return std::clamp(static_cast<float>(v * after.deviation + after.mean), 0.0f, 255.0f); });
      }
    }
  }
  return result;
}

std::string shipped_file(const std::string& name) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto* models : {"../share/nnvk/models", "../../../models"}) {
    auto path = (folder / models / name).lexically_normal();
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

}  // namespace nnvk::tools
