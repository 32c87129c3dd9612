#include "tools/command/run_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/command/model_input.h"
#include "tools/image/picture_shape.h"
#include "tools/nnapi/files.h"
#include "tools/nnapi/names.h"
#include "tools/nnapi/values.h"

namespace nnvk::tools {
namespace {

Result<Picture> decoded(std::span<const uint8_t> file, const std::string& name, uint32_t channels) {
  auto picture = decode_picture(file, channels);
  if (!picture) return fail(fmt::format("cannot read the picture {}: {}", name, picture.error().message));
  return picture;
}

// Fills one input that may be a batch of pictures.
Result<std::vector<SeenPicture>> fill_batch(const InputFiles& files, const PictureShape* shape,
                                            std::span<const Normalisation> normalisations, LoadedModel& loaded) {
  const OperandInfo& info = loaded.model.inputs[0].info;
  std::vector<SeenPicture> seen;
  auto to = loaded.session.input(0);
  std::vector<uint8_t> bytes;
  for (const auto& name : files) {
    TOOLS_ASSIGN(auto file, read_file(name));
    if (!is_picture(file)) {
      if (files.size() > 1) return fail(fmt::format("{} is no picture, and a batch is made of pictures only", name));
      TOOLS_ASSIGN(bytes, raw_input(std::move(file), name, info));
      std::ranges::copy(bytes, to.begin());
      return std::vector<SeenPicture>{{name, {}}};
    }
    if (!shape) {
      return fail(
          fmt::format("{} is a picture, but the model's input {} is none; give a file of raw values", name, to_string(info)));
    }
    constexpr uint32_t kColours = 3;
    TOOLS_ASSIGN(Picture picture, decoded(file, name, kColours));
    if (shape->channels <= kColours) {
      TOOLS_ASSIGN(bytes, picture_bytes(picture, *shape, info, normalisations));
    } else {
      TOOLS_ASSIGN(const Picture with_alpha, decoded(file, name, shape->channels));
      TOOLS_ASSIGN(bytes, picture_bytes(with_alpha, *shape, info, normalisations));
    }
    seen.push_back({name, std::move(picture)});
    to = to.subspan(static_cast<size_t>(std::ranges::copy(bytes, to.begin()).out - to.begin()));
  }
  for (; !to.empty() && !bytes.empty(); to = to.subspan(bytes.size())) std::ranges::copy(bytes, to.begin());
  return seen;
}

}  // namespace

Result<std::vector<InputFiles>> files_of_executions(std::span<const std::string> files, const importers::ImportedModel& model,
                                                    const answers::ModelFacts& facts) {
  const size_t inputs = model.inputs.size();
  if (files.empty()) return std::vector<InputFiles>(1);
  size_t at_once = inputs;
  if (inputs == 1 && facts.picture && facts.picture->batch > 1 && files.size() > 1) at_once = facts.picture->batch;
  if (inputs > 1 && files.size() > inputs && files.size() % inputs != 0) {
    return fail(fmt::format("--input names {} files, but the model has {} inputs; give one file per input, or a multiple of {}",
                            files.size(), inputs, inputs));
  }
  std::vector<InputFiles> executions;
  for (size_t at = 0; at < files.size(); at += at_once) {
    const auto part = files.subspan(at, std::min(at_once, files.size() - at));
    executions.emplace_back(part.begin(), part.end());
  }
  return executions;
}

Result<std::vector<SeenPicture>> fill_inputs(const InputFiles& files, const answers::ModelFacts& facts,
                                             std::span<const Normalisation> normalisations, LoadedModel& loaded) {
  const auto& ports = loaded.model.inputs;
  if (ports.size() == 1 && !files.empty()) {
    return fill_batch(files, facts.picture ? &*facts.picture : nullptr, normalisations, loaded);
  }
  std::vector<SeenPicture> seen(1);
  for (size_t i = 0; i < ports.size(); ++i) {
    if (i >= files.size()) {
      std::ranges::copy(made_up_input(ports[i].info, static_cast<uint32_t>(i)), loaded.session.input(i).begin());
      continue;
    }
    auto bytes = read_input(files[i], ports[i].info, normalisations.empty() ? std::nullopt : std::optional(normalisations[0]));
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    std::ranges::copy(*bytes, loaded.session.input(i).begin());
  }
  return seen;
}

std::string to_text(std::span<const Normalisation> normalisations) {
  if (normalisations.empty()) return "pixels as they are";
  std::string text;
  for (const auto& n : normalisations) {
    const auto one = fmt::format("values from {:.4g} to {:.4g}", (0 - n.mean) / n.deviation, (255 - n.mean) / n.deviation);
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

}  // namespace nnvk::tools
