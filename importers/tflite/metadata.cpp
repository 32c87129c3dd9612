// Reads the tables of the metadata, which are a file of their own inside a buffer of the model.
#include "importers/tflite/metadata.h"

#include "importers/tflite/file_check.h"
#include "metadata_subset_generated.h"

namespace nnvk::importers::tflite {
namespace {

namespace fb = flatbuffers;
namespace mf = metadata_format;

constexpr std::string_view kBufferName = "TFLITE_METADATA";

std::string text_of(const fb::String* text) { return text ? text->str() : std::string(); }

// Returns the bytes of the buffer with the metadata; empty if there is none.
std::vector<uint8_t> metadata_bytes(const format::Model& model) {
  if (!model.metadata() || !model.buffers()) return {};
  for (const auto* entry : *model.metadata()) {
    if (text_of(entry->name()) != kBufferName || entry->buffer() >= model.buffers()->size()) continue;
    const auto* data = model.buffers()->Get(entry->buffer())->data();
    if (data) return {data->begin(), data->end()};  // a copy: the tables need aligned addresses
  }
  return {};
}

void read_content(const mf::Content& content, TensorDescription& description) {
  using Content = TensorDescription::Content;
  if (content.content_properties_as_FeatureProperties()) description.content = Content::kFeatures;
  if (content.content_properties_as_ImageProperties()) description.content = Content::kPicture;
  const auto* boxes = content.content_properties_as_BoundingBoxProperties();
  if (!boxes || boxes->coordinate_type() != mf::CoordinateType_RATIO) return;
  if (boxes->type() != mf::BoundingBoxType_BOUNDARIES) return;
  description.content = Content::kBoxes;
  if (boxes->index()) description.box_order.assign(boxes->index()->begin(), boxes->index()->end());
}

TensorDescription description_of(const mf::TensorMetadata& table) {
  TensorDescription description{.name = text_of(table.name())};
  if (table.content()) read_content(*table.content(), description);
  if (table.process_units()) {
    for (const auto* unit : *table.process_units()) {
      const auto* options = unit->options_as_NormalizationOptions();
      if (!options || !options->mean() || !options->std() || options->mean()->size() != options->std()->size()) continue;
      description.means.assign(options->mean()->begin(), options->mean()->end());
      description.deviations.assign(options->std()->begin(), options->std()->end());
    }
  }
  if (table.associated_files()) {
    for (const auto* file : *table.associated_files()) {
      std::string* const name = file->type() == mf::AssociatedFileType_TENSOR_AXIS_LABELS    ? &description.axis_labels
                                : file->type() == mf::AssociatedFileType_TENSOR_VALUE_LABELS ? &description.value_labels
                                                                                             : nullptr;
      if (name && name->empty()) *name = text_of(file->name());  // the first one; the others are translations
    }
  }
  return description;
}

std::vector<TensorDescription> descriptions(const fb::Vector<fb::Offset<mf::TensorMetadata>>* tables) {
  std::vector<TensorDescription> result;
  if (!tables) return result;
  for (const auto* table : *tables) result.push_back(description_of(*table));
  return result;
}

}  // namespace

std::optional<Metadata> read_metadata(const std::vector<uint8_t>& file) {
  const auto model = verified_model(file);
  if (!model) return std::nullopt;
  const std::vector<uint8_t> bytes = metadata_bytes(**model);
  if (bytes.size() < 8 || !mf::ModelMetadataBufferHasIdentifier(bytes.data())) return std::nullopt;
  fb::Verifier verifier(bytes.data(), bytes.size());
  if (!mf::VerifyModelMetadataBuffer(verifier)) return std::nullopt;
  const auto* subgraphs = mf::GetModelMetadata(bytes.data())->subgraph_metadata();
  if (!subgraphs || subgraphs->size() == 0) return std::nullopt;
  const auto* first = subgraphs->Get(0);
  return Metadata{descriptions(first->input_tensor_metadata()), descriptions(first->output_tensor_metadata())};
}

}  // namespace nnvk::importers::tflite
