// Verifies the tables of a file, and finds the damage in one that is not sound.
#include "importers/tflite/file_check.h"

#include <fmt/format.h>

#include <optional>

namespace nnvk::importers::tflite {
namespace {

namespace fb = flatbuffers;

// Casts a table: the generated classes inherit privately from fb::Table, so only a cast converts them.
const fb::Table* as_table(const void* table) { return static_cast<const fb::Table*>(table); }

// Finds the damage in a file that the verifier rejected, as deep as it can safely follow the tables.
class DamageFinder {
 public:
  explicit DamageFinder(const std::vector<uint8_t>& file) : file_(file), verifier_(file.data(), file.size()) {}

  size_t find() {
    const auto root = verifier_.VerifyOffset(0);
    if (root == 0) return 0;
    const auto* model = as_table(file_.data() + root);
    if (!sound(model)) return root;
    using M = format::Model;
    if (const auto at = in_tables<format::OperatorCode>(model, M::VT_OPERATOR_CODES)) return *at;
    if (const auto at = in_tables<format::Buffer>(model, M::VT_BUFFERS)) return *at;
    if (const auto at = in_tables<format::SubGraph>(model, M::VT_SUBGRAPHS)) {
      if (const auto deeper = in_subgraph(as_table(file_.data() + *at))) return *deeper;
      return *at;
    }
    return root;
  }

 private:
  bool sound(const fb::Table* table) {
    fb::Verifier fresh(file_.data(), file_.size());
    return table->VerifyTableStart(fresh);
  }

  std::optional<size_t> in_subgraph(const fb::Table* subgraph) {
    if (offset_of(file_, subgraph) >= file_.size() || !sound(subgraph)) return std::nullopt;
    if (const auto at = in_tables<format::Tensor>(subgraph, format::SubGraph::VT_TENSORS)) return at;
    return in_tables<format::Operator>(subgraph, format::SubGraph::VT_OPERATORS);
  }

  // Returns the offset of the first damaged table of a vector of tables, or of the vector itself; nothing if all are sound.
  template <class T>
  std::optional<size_t> in_tables(const fb::Table* parent, fb::voffset_t field) {
    if (!parent->VerifyOffset(verifier_, field)) return offset_of(file_, parent);
    const auto* tables = parent->GetPointer<const fb::Vector<fb::Offset<T>>*>(field);
    if (!tables) return std::nullopt;
    if (!verifier_.VerifyVector(tables)) return offset_of(file_, tables);
    for (fb::uoffset_t i = 0; i < tables->size(); ++i) {
      const size_t slot = offset_of(file_, tables->Data()) + i * sizeof(fb::uoffset_t);
      const auto distance = verifier_.VerifyOffset(slot);
      if (distance == 0) return slot;
      fb::Verifier fresh(file_.data(), file_.size());
      const auto* table = reinterpret_cast<const T*>(file_.data() + slot + distance);
      if (!table->Verify(fresh)) return slot + distance;
    }
    return std::nullopt;
  }

  const std::vector<uint8_t>& file_;
  fb::Verifier verifier_;
};

}  // namespace

Result<const format::Model*> verified_model(const std::vector<uint8_t>& file) {
  if (file.size() < 8) {
    return fail(fmt::format("not a .tflite file: it has only {} bytes; check that it was downloaded completely", file.size()));
  }
  if (!format::ModelBufferHasIdentifier(file.data())) {
    return fail("not a .tflite file: the four bytes at offset 4 are not \"TFL3\"");
  }
  fb::Verifier verifier(file.data(), file.size());
  if (!format::VerifyModelBuffer(verifier)) {
    return fail(
        fmt::format("the file is damaged: the table at byte offset {} (of {}) refers to bytes that are not there; get the "
                    "file again",
                    DamageFinder(file).find(), file.size()));
  }
  const auto* model = format::GetModel(file.data());
  if (model->version() != 3) {
    return fail(fmt::format("the file has schema version {}, but nnvk reads only version 3", model->version()));
  }
  return model;
}

}  // namespace nnvk::importers::tflite
