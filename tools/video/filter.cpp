#include "tools/video/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tools/answers/drawing.h"
#include "tools/command/model_file.h"

namespace nnvk::tools::video {
namespace {

constexpr uint32_t kColours = 3;
constexpr uint32_t kWithAlpha = 4;

// Reads "#rrggbb"; none: it is something else.
std::optional<uint32_t> colour_of(const std::string& text) {
  constexpr size_t kLength = 7;
  if (text.size() != kLength || text.front() != '#') return std::nullopt;
  uint32_t colour = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), colour, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(colour) : std::nullopt;
}

// Returns the factor by which a network makes pictures larger; 0 if it does something else.
uint32_t factor_of(const OperandInfo& from, const OperandInfo& to) {
  const bool are_pictures = from.dimensions.size() == 4 && to.dimensions.size() == 4 &&
                            from.dimensions[kTensorChannels] == kColours && to.dimensions[kTensorChannels] == kColours;
  if (!are_pictures || to.dimensions[kTensorHeight] % from.dimensions[kTensorHeight] != 0) return 0;
  const uint32_t factor = to.dimensions[kTensorHeight] / from.dimensions[kTensorHeight];
  return factor > 1 && to.dimensions[kTensorWidth] == factor * from.dimensions[kTensorWidth] ? factor : 0;
}

}  // namespace

Effect usual_effect(const answers::ModelFacts& facts) {
  if (!facts.picture) return Effect::kDraw;
  if (mask_output_of(facts)) return Effect::kBackground;
  for (const auto& reading : answers::interpret(facts, 0)) {
    if (reading.family != answers::Family::kPicture || facts.is_onnx) continue;
    const auto made = answers::plane_of(facts.outputs[reading.outputs[0]].info, facts.picture->channels_first);
    if (made && made->width > facts.picture->width) return Effect::kEnlarge;
  }
  return Effect::kDraw;
}

Result<Filter> Filter::make(const FilterSettings& settings, const FrameShape& shape) {
  Filter filter;
  filter.shape_ = shape;
  filter.made_ = shape;
  TOOLS_ASSIGN(auto model, import_model_file(settings.model, {.memory = settings.memory}));
  filter.effect_ = settings.effect.value_or(usual_effect(answers::facts_of(model)));
  if (filter.effect_ == Effect::kEnlarge) {
    TOOLS_ASSIGN(filter.network_, Network::load_for_size(settings.model, settings.device, shape.width, shape.height));
    const auto& to = filter.network_->output(0).info;
    const uint32_t factor = factor_of(filter.network_->input(), to);
    if (factor == 0) {
      return fail(fmt::format("{} makes {} of {}; enlarging needs a network that makes a larger picture", settings.model,
                              to_string(to), to_string(filter.network_->input())));
    }
    filter.made_.width *= factor;
    filter.made_.height *= factor;
    TOOLS_ASSIGN(const auto planes, filter.made_.painted());
    TOOLS_ASSIGN(filter.painter_, FramePainter::make(to, planes, filter.network_->devices()));
  } else {
    TOOLS_ASSIGN(filter.network_, Network::compile(std::move(model), settings.model, settings.device));
  }
  if (filter.effect_ == Effect::kBackground) TOOLS_TRY(filter.prepare_background(settings, shape));
  filter.decoding_ = filter.network_->decoding_options();
  filter.decoding_.labels = settings.labels;
  filter.decoding_.least_score = settings.least_score;
  filter.conversion_ = filter.network_->conversion_for(shape.colours);
  TOOLS_TRY(filter.network_->run_on_zeros());  // compiles, so that it takes longer
  TOOLS_ASSIGN(const NetworkRun trial, filter.network_->run_on_zeros());
  filter.network_seconds_ = trial.run->seconds();
  if (filter.effect_ == Effect::kDraw) {
    TOOLS_TRY(filter.network_->decoded(*trial.results, filter.decoding_));  // whether the labels fit
    const auto& labels = settings.labels;
    const auto readings = answers::interpret(filter.network_->facts(), labels ? labels->names.size() : 0);
    if (std::ranges::all_of(readings, [](const auto& reading) { return reading.family == answers::Family::kTensor; })) {
      return fail(fmt::format("{} gives plain tensors (the first is {}), of which nothing can be drawn; `nnvk run` shows them",
                              settings.model, to_string(filter.network_->output(0).info)));
    }
  }
  return filter;
}

Status Filter::prepare_background(const FilterSettings& settings, const FrameShape& shape) {
  const auto mask = mask_output_of(network_->facts());
  if (!mask) {
    return fail(fmt::format("{} makes no mask: its first output is {}; backgrounds need a network for segmentation",
                            settings.model, to_string(network_->output(0).info)));
  }
  mask_ = *mask;
  radius_ = settings.radius;
  if (settings.background.empty()) return {};
  const FrameView like = shape.view({});
  if (const auto colour = colour_of(settings.background)) {
    background_ = StillFrame::of_colour(*colour, like);
    return {};
  }
  if (settings.background.starts_with('#')) {
    return fail(fmt::format("'{}' is no colour; write #rrggbb, such as #00b140", settings.background));
  }
  TOOLS_ASSIGN(background_, StillFrame::of_picture(settings.background, like));
  return {};
}

Result<std::shared_ptr<Frame>> Filter::taken(std::vector<std::shared_ptr<Frame>>& free, const FrameShape& shape) {
  if (free.empty()) return Frame::make(shape);
  auto frame = std::move(free.back());
  free.pop_back();
  return frame;
}

Result<std::shared_ptr<Frame>> Filter::free_frame() { return taken(free_, shape_); }

Status Filter::start(std::shared_ptr<Frame> frame, std::string parameters) {
  Job job{.frame = std::move(frame), .enlarged = nullptr, .parameters = std::move(parameters), .run = {}, .last = nullptr};
  TOOLS_ASSIGN(job.run, network_->start(job.frame->picture(copied_frames_), conversion_, {}, job.frame));
  job.last = job.run.run;
  if (painter_) {
    TOOLS_ASSIGN(job.enlarged, taken(free_enlarged_, made_));
    TOOLS_ASSIGN(const WritableFrame target, job.enlarged->writable());
    TOOLS_ASSIGN(job.last, painter_->start(*network_, job.run, target));
  }
  jobs_.push_back(std::move(job));
  return {};
}

Status Filter::wait() {
  TOOLS_TRY(jobs_.front().run.run->wait());
  return jobs_.front().last->wait();
}

Result<Filter::Finished> Filter::finish() {
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  const Slot& results = *job.run.results;
  if (job.enlarged) {
    free_.push_back(std::move(job.frame));
    return Finished{std::move(job.enlarged), std::move(job.parameters)};
  }
  const FrameView view = job.frame->view();
  if (effect_ == Effect::kDraw) {
    TOOLS_TRY(draw(results, view));
  } else {
    const AlphaMask mask = alpha_of(mask_, *network_, results);
    if (background_) {
      replace_background(view, mask, *background_);
    } else {
      blur_background(view, mask, radius_);
    }
  }
  return Finished{std::move(job.frame), std::move(job.parameters)};
}

void Filter::reuse(std::shared_ptr<Frame> frame) { (painter_ ? free_enlarged_ : free_).push_back(std::move(frame)); }

Status Filter::draw(const Slot& results, const FrameView& frame) const {
  TOOLS_ASSIGN(const auto answers, network_->decoded(results, decoding_));
  for (const auto& answer : answers) {
    const auto* made = std::get_if<answers::PictureAnswer>(&answer.value);
    if (made == nullptr) continue;
    lay_over(frame, tools::resized(made->picture, frame.width, frame.height));
    return {};
  }
  Picture transparent{.width = frame.width, .height = frame.height, .channels = kWithAlpha, .values = {}};
  transparent.values.resize(size_t{frame.width} * frame.height * kWithAlpha);
  lay_over(frame, answers::drawn(transparent, answers));
  return {};
}

}  // namespace nnvk::tools::video
