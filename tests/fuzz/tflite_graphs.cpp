// The importer (importers/tflite) with well-formed files of any contents.
#include "importers/tflite/importer.h"
#include "tests/fuzz/surroundings.h"
#include "tests/fuzz/tflite_recipe.h"

namespace nnvk::fuzz {

void run(std::span<const std::byte> input) {
  static const bool is_settled = (settle_surroundings(), true);
  require(is_settled, "the surroundings are settled");
  ByteSource source(input);
  const Input file = tflite_file(source);
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  const auto graph = importers::tflite::read_graph({bytes, bytes + file.size()});
  if (!graph) return require(!graph.error().message.empty(), "an error says something");
  const auto model = importers::tflite::import_graph(*graph, {.memory = uint64_t{64} << 20});
  require(model || !model.error().message.empty(), "an error says something");
  const importers::ImportOptions others{.memory = uint64_t{64} << 20, .keep_states = true, .open_dimensions = true};
  const auto refused = importers::tflite::refusals(*graph, others);
  require(!refused || refused->size() == graph->operators.size(), "a dry run has an answer for every operator");
  const auto open = importers::tflite::import_graph(*graph, others);
  require(open || !open.error().message.empty(), "an error says something");
  if (!model) return;
  require(model->operation_origins.size() == model->builder.operations().size(), "every operation comes from an operator");
}

std::vector<Input> seeds() { return tflite_recipes(); }

}  // namespace nnvk::fuzz
