// The importer (importers/tflite) and the reader of metadata with any bytes as a file.
#include "importers/tflite/importer.h"
#include "importers/tflite/metadata.h"
#include "tests/fuzz/surroundings.h"
#include "tests/fuzz/tflite_recipe.h"

namespace nnvk::fuzz {

void run(std::span<const std::byte> input) {
  static const bool is_settled = (settle_surroundings(), true);
  require(is_settled, "the surroundings are settled");
  const auto* bytes = reinterpret_cast<const uint8_t*>(input.data());
  const std::vector<uint8_t> file(bytes, bytes + input.size());
  importers::tflite::read_metadata(file);
  const auto graph = importers::tflite::read_graph(file);
  if (!graph) return require(!graph.error().message.empty(), "an error says something");
  const auto model = importers::tflite::import_graph(*graph, {.memory = uint64_t{64} << 20});
  require(model || !model.error().message.empty(), "an error says something");
}

std::vector<Input> seeds() {
  std::vector<Input> files;
  for (const Input& recipe : tflite_recipes()) {
    ByteSource source(recipe);
    files.push_back(tflite_file(source));
  }
  return files;
}

}  // namespace nnvk::fuzz
