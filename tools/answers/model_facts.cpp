// Follows a model's outputs back to the operations that compute them, and reads metadata.
#include "tools/answers/model_facts.h"

#include <algorithm>
#include <array>
#include <map>

#include "importers/tflite/metadata.h"
#include "tools/answers/packed_files.h"
#include "tools/nnapi/names.h"

namespace nnvk::tools::answers {
namespace {

using importers::tflite::Metadata;
using importers::tflite::TensorDescription;

// The operation that computes an operand, and which of its outputs that is.
struct Origin {
  const BuiltOperation* operation = nullptr;
  size_t output = 0;
};

// Marks the outputs that DETECTION_POSTPROCESSING computes, perhaps with a CAST behind it.
void mark_detection(const ModelBuilder& builder, ModelFacts& facts) {
  std::map<uint32_t, Origin> origins;
  for (const auto& operation : builder.operations()) {
    for (size_t i = 0; i < operation.outputs.size(); ++i) origins[operation.outputs[i]] = {&operation, i};
  }
  constexpr std::array kParts{DetectionPart::kScores, DetectionPart::kBoxes, DetectionPart::kClasses, DetectionPart::kNumber};
  for (size_t i = 0; i < facts.outputs.size(); ++i) {
    auto found = origins.find(builder.outputs()[i]);
    if (found != origins.end() && found->second.operation->code == ANEURALNETWORKS_CAST) {
      found = origins.find(found->second.operation->inputs[0]);
    }
    if (found == origins.end() || found->second.operation->code != ANEURALNETWORKS_DETECTION_POSTPROCESSING) continue;
    const auto& scores = builder.operand(found->second.operation->inputs[0]).dimensions;
    facts.outputs[i].part = kParts.at(found->second.output);
    if (!scores.empty() && scores.back() > 0) facts.detection_classes = scores.back() - 1;  // one is the background
  }
}

// Returns the part that an output is by its metadata; the names are those that TensorFlow's own tools give.
DetectionPart described_part(const TensorDescription& description) {
  const std::string name = lower(description.name);
  if (description.content == TensorDescription::Content::kBoxes || name == "location") return DetectionPart::kBoxes;
  if (!description.value_labels.empty() || name == "category" || name == "class") return DetectionPart::kClasses;
  if (name == "score" || name == "scores") return DetectionPart::kScores;
  if (name.starts_with("number of detection")) return DetectionPart::kNumber;
  return DetectionPart::kNone;
}

void add_metadata(const Metadata& metadata, std::span<const uint8_t> file, ModelFacts& facts) {
  if (metadata.inputs.size() == 1 && facts.picture) {
    const TensorDescription& input = metadata.inputs[0];
    const size_t count = input.means.size();
    const bool fits =
        (count == 1 || count == facts.picture->channels) && std::ranges::find(input.deviations, 0) == input.deviations.end();
    if (fits) facts.normalisations.clear();
    for (size_t i = 0; fits && i < count; ++i) {
      facts.normalisations.push_back({.mean = input.means[i], .deviation = input.deviations[i]});
    }
  }
  if (metadata.outputs.size() != facts.outputs.size()) return;
  const bool is_detection =
      std::ranges::count_if(metadata.outputs, [](const auto& d) { return described_part(d) != DetectionPart::kNone; }) == 4;
  const bool is_marked = std::ranges::any_of(facts.outputs, [](const auto& o) { return o.part != DetectionPart::kNone; });
  for (size_t i = 0; i < facts.outputs.size(); ++i) {
    const TensorDescription& description = metadata.outputs[i];
    OutputFacts& output = facts.outputs[i];
    const auto& name = description.axis_labels.empty() ? description.value_labels : description.axis_labels;
    if (const auto text = name.empty() ? std::nullopt : packed_file(file, name)) output.labels = labels_in(*text, name);
    if (is_marked || !is_detection) continue;
    output.part = described_part(description);
    auto order = description.box_order;
    std::ranges::sort(order);
    if (std::ranges::equal(order, std::array{0U, 1U, 2U, 3U})) output.box_order = description.box_order;
  }
}

}  // namespace

ModelFacts facts_of(const importers::ImportedModel& model) {
  ModelFacts facts;
  if (model.inputs.size() == 1) facts.picture = picture_shape(model.inputs[0].info.dimensions);
  if (!model.inputs.empty()) {
    constexpr Normalisation kUnchanged{.mean = 0, .deviation = 1};
    facts.is_pixels = is_quant8(model.inputs[0].info.type);
    if (model.inputs[0].info.type == ANEURALNETWORKS_TENSOR_INT32) facts.normalisations = {kUnchanged};
  }
  const uint32_t batch = facts.picture ? facts.picture->batch : 1;
  for (const auto& port : model.outputs) {
    OutputFacts output{.name = port.name, .info = port.info};
    if (batch > 1 && !output.info.dimensions.empty() && output.info.dimensions[0] == batch) output.info.dimensions[0] = 1;
    facts.outputs.push_back(std::move(output));
  }
  mark_detection(model.builder, facts);
  const bool has_identifier =
      model.file && model.file->size() >= 8 && std::string(model.file->begin() + 4, model.file->begin() + 8) == "TFL3";
  facts.is_onnx = !has_identifier;
  if (!has_identifier) return facts;
  if (const auto metadata = importers::tflite::read_metadata(*model.file)) add_metadata(*metadata, *model.file, facts);
  return facts;
}

}  // namespace nnvk::tools::answers
