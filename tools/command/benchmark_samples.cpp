// Reading samples, and comparing results with them.
#include "tools/command/benchmark_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "tools/answers/labels.h"
#include "tools/command/model_input.h"
#include "tools/image/drawn_picture.h"
#include "tools/image/picture_shape.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

using benchmark::ModelEntry;
using benchmark::Sample;

// Returns how a tensor holds a picture, if the manifest does not say that channels come first.
std::optional<PictureShape> picture_shape_of(const OperandInfo& info, const ModelEntry& entry) {
  const auto shape = picture_shape(info.dimensions, entry.channels_first ? std::optional(true) : std::nullopt);
  return shape && shape->batch == 1 ? shape : std::nullopt;
}

std::optional<Normalisation> normalisation_of(const ModelEntry& entry) {
  if (!entry.mean && !entry.deviation) return std::nullopt;
  return Normalisation{entry.mean.value_or(0), entry.deviation.value_or(1)};
}

Result<std::vector<uint8_t>> read_sample_input(const std::filesystem::path& file, const ModelEntry& entry,
                                               const OperandInfo& info) {
  TOOLS_ASSIGN(const auto contents, read_file(file));
  if (!is_picture(contents)) return read_input(file.string(), info, normalisation_of(entry));
  return picture_input(contents, file.string(), info, normalisation_of(entry),
                       entry.channels_first ? std::optional(true) : std::nullopt);
}

// Loads the input of a network that restores pictures, and the picture.
Status load_picture_to_restore(const Sample& sample, const ModelEntry& entry, const importers::ImportedModel& model,
                               LoadedSample& loaded) {
  const OperandInfo& in = model.inputs[0].info;
  const auto small = picture_shape_of(in, entry);
  const auto large = picture_shape_of(model.outputs[0].info, entry);
  if (!small || !large || model.inputs.size() != 1 || small->channels != large->channels || in.elements() == 0) {
    return fail("'original' and 'drawn' need a network from a picture to a picture with as many channels");
  }
  if (sample.drawn) {
    if (large->channels != 3) return fail("'drawn' needs a network for pictures with three channels");
    loaded.picture = drawn_picture(large->width, large->height, *sample.drawn);
  } else {
    TOOLS_ASSIGN(const Picture original, load_picture(sample.original, large->channels));
    loaded.picture = resized(original, large->width, large->height);
  }
  const Picture reduced = resized(*loaded.picture, small->width, small->height);
  const Normalisation chosen = normalisation_of(entry).value_or(pixel_normalisation(in));
  TOOLS_ASSIGN(auto bytes, picture_bytes(reduced, *small, in, std::span(&chosen, 1)));
  loaded.inputs.push_back(std::move(bytes));
  return {};
}

// Reads a class per pixel of the output, the nearest of the mask's.
Result<std::vector<size_t>> read_mask(const std::filesystem::path& file, const PictureShape& shape) {
  TOOLS_ASSIGN(const Picture mask, load_picture(file, 1));
  std::vector<size_t> classes;
  for (size_t y = 0; y < shape.height; ++y) {
    for (size_t x = 0; x < shape.width; ++x) {
      const size_t row = nearest_place(y, shape.height, mask.height);
      const size_t column = nearest_place(x, shape.width, mask.width);
      classes.push_back(static_cast<size_t>(mask.values[row * mask.width + column]));
    }
  }
  return classes;
}

Result<std::vector<float>> read_values(const std::filesystem::path& file) {
  TOOLS_ASSIGN(std::string text, read_text_file(file));
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  std::vector<float> values;
  for (std::string word; words >> word;) {
    size_t used = 0;
    try {
      values.push_back(std::stof(word, &used));
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != word.size()) return fail(fmt::format("{}: '{}' is no number", file.string(), word));
  }
  return values;
}

// Returns whether a segmentation's output has scores of all classes per pixel, and not a class per pixel.
bool has_scores(const OperandInfo& output) { return output.dimensions.size() == 4 && output.dimensions[3] > 1; }

std::optional<PictureShape> mask_shape(const OperandInfo& output) {
  auto d = output.dimensions;
  if (d.size() == 4) d.pop_back();
  if (d.size() == 3 && d[0] == 1) d.erase(d.begin());
  if (d.size() != 2) return std::nullopt;
  return PictureShape{.height = d[0], .width = d[1]};
}

Result<size_t> class_number(const benchmark::ClassLabel& label, const std::vector<std::string>& labels) {
  if (const auto* const number = std::get_if<size_t>(&label)) return *number;
  const auto& name = std::get<std::string>(label);
  const auto found = std::ranges::find(labels, name);
  if (found == labels.end()) return fail(fmt::format("the labels have no class '{}'", name));
  return static_cast<size_t>(found - labels.begin());
}

Result<LoadedSample> load_sample(const Sample& sample, const ModelEntry& entry, const importers::ImportedModel& model,
                                 const std::vector<std::string>& labels) {
  LoadedSample loaded{.counted_classes = sample.classes};
  if (sample.inputs.empty()) {
    TOOLS_TRY(load_picture_to_restore(sample, entry, model, loaded));
    return loaded;
  }
  if (sample.inputs.size() != model.inputs.size()) {
    return fail(fmt::format("the sample has {} inputs, but the model has {}", sample.inputs.size(), model.inputs.size()));
  }
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    TOOLS_ASSIGN(auto bytes, read_sample_input(sample.inputs[i], entry, model.inputs[i].info));
    loaded.inputs.push_back(std::move(bytes));
  }
  const OperandInfo& output = model.outputs[0].info;
  if (sample.label) {
    TOOLS_ASSIGN(loaded.label, class_number(*sample.label, labels));
    if (*loaded.label >= output.elements()) {
      return fail(fmt::format("there is no class {}: the output is {}", *loaded.label, to_string(output)));
    }
  }
  if (!sample.mask.empty()) {
    const auto shape = mask_shape(output);
    if (!shape) return fail(fmt::format("a mask needs an output with a class for each pixel, not {}", to_string(output)));
    TOOLS_ASSIGN(loaded.mask, read_mask(sample.mask, *shape));
  }
  if (!sample.values.empty()) {
    TOOLS_ASSIGN(loaded.values, read_values(sample.values));
    if (loaded.values.size() != output.elements()) {
      return fail(fmt::format("{} must hold {} numbers for the output {}, but holds {}", sample.values.string(),
                              output.elements(), to_string(output), loaded.values.size()));
    }
  }
  return loaded;
}

Result<std::vector<LoadedSample>> load_lines(const ModelEntry& entry, const importers::ImportedModel& model) {
  const OperandInfo& in = model.inputs[0].info;
  const Normalisation chosen{entry.mean.value_or(0), entry.deviation.value_or(1)};
  TOOLS_ASSIGN(const std::string text, read_text_file(entry.lines));
  std::istringstream lines(text);
  std::vector<LoadedSample> samples;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    auto parsed = benchmark::parse_line(line);
    if (!parsed) return fail(fmt::format("{}: line {} {}", entry.lines.string(), number, parsed.error().message));
    if (parsed->values.size() != in.elements()) {
      return fail(fmt::format("{}: line {} must have {} values for the input {}, and has {}", entry.lines.string(), number,
                              in.elements(), to_string(in), parsed->values.size()));
    }
    for (float& v : parsed->values) v = static_cast<float>((v - chosen.mean) / chosen.deviation);
    samples.push_back({.inputs = {encode(parsed->values, in)}, .label = parsed->label});
  }
  if (samples.empty()) return fail(entry.lines.string() + ": the file must have at least one line with a sample");
  return samples;
}

}  // namespace

Result<std::vector<LoadedSample>> load_samples(const ModelEntry& entry, const importers::ImportedModel& model) {
  const auto with_name = [&](Error error) {
    return tl::unexpected(Error{fmt::format("model '{}': {}", entry.name, error.message), error.code});
  };
  if (!entry.lines.empty()) {
    auto samples = load_lines(entry, model);
    if (!samples) return with_name(samples.error());
    return samples;
  }
  std::vector<std::string> labels;
  if (!entry.labels.empty()) {
    TOOLS_ASSIGN(auto read, answers::read_labels(entry.labels));
    labels = std::move(read.names);
  }
  std::vector<LoadedSample> samples;
  for (size_t i = 0; i < entry.samples.size(); ++i) {
    auto sample = load_sample(entry.samples[i], entry, model, labels);
    if (!sample) return with_name({fmt::format("samples[{}]: {}", i, sample.error().message)});
    samples.push_back(*std::move(sample));
  }
  if (!samples.empty()) return samples;
  LoadedSample made_up;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    made_up.inputs.push_back(made_up_input(model.inputs[i].info, static_cast<uint32_t>(i)));
  }
  samples.push_back(std::move(made_up));
  return samples;
}

Status Scores::add(const LoadedSample& sample, const Reals& outputs) {
  const auto& result = outputs[0];
  if (sample.label) {
    top_1_.add(benchmark::is_among_top(result, *sample.label, 1) ? 1 : 0);
    constexpr size_t kFew = 5;
    if (result.size() > kFew) top_5_.add(benchmark::is_among_top(result, *sample.label, kFew) ? 1 : 0);
  } else if (!sample.mask.empty()) {
    std::vector<size_t> classes;
    if (has_scores(output_.info)) {
      classes = benchmark::classes_of_scores(result, output_.info.dimensions[3]);
    } else {
      for (const float v : result) classes.push_back(static_cast<size_t>(std::max(0.0F, v)));
    }
    if (classes.size() != sample.mask.size()) return fail("the mask must have as many pixels as the output");
    if (const auto iou = benchmark::mean_intersection_over_union(sample.mask, classes, sample.counted_classes)) iou_.add(*iou);
  } else if (!sample.values.empty()) {
    benchmark::Difference difference;
    difference.add(result, sample.values);
    error_.add(difference.mean);
  } else if (sample.picture) {
    const PictureShape shape{1, sample.picture->height, sample.picture->width, sample.picture->channels, entry_.channels_first};
    const Normalisation chosen = normalisation_of(entry_).value_or(pixel_normalisation(output_.info));
    Picture restored = picture_of(result, shape, chosen);
    for (float& v : restored.values) v = std::clamp(v, 0.0F, 255.0F);
    psnr_.add(psnr(restored, *sample.picture));
  } else {
    return {};
  }
  ++samples_;
  return {};
}

benchmark::Accuracy Scores::means() const {
  return {.top_1 = top_1_.mean(),
          .top_5 = top_5_.mean(),
          .psnr = psnr_.mean(),
          .mean_iou = iou_.mean(),
          .mean_error = error_.mean(),
          .samples = samples_};
}

}  // namespace nnvk::tools
