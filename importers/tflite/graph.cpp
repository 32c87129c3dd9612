// Verifies a .tflite file and translates it into checked plain data.
#include "importers/tflite/graph.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "importers/tflite/operator_names.h"
#include "tools/nnapi/files.h"

namespace nnvk::importers::tflite {
namespace {

namespace fb = flatbuffers;

size_t offset_of(const std::vector<uint8_t>& file, const void* table) {
  return static_cast<size_t>(static_cast<const uint8_t*>(table) - file.data());
}

// Element `i` of a vector of 64-bit numbers, whose addresses may be any multiple of 4.
int64_t long_at(const fb::Vector<int64_t>& numbers, fb::uoffset_t i) {
  int64_t number = 0;
  std::memcpy(&number, numbers.Data() + i * sizeof number, sizeof number);
  return fb::EndianScalar(number);
}

// The generated classes of tables inherit privately from fb::Table, so only a cast converts them.
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

  // The offset of the first damaged table of a vector of tables, or of the vector itself; nothing if all are sound.
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

Result<const format::Model*> verified_model(const std::vector<uint8_t>& file) {
  if (file.size() < 8) {
    return fail(fmt::format("not a .tflite file: only {} bytes long; check that it was downloaded completely", file.size()));
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
    return fail(fmt::format("the file has schema version {}; only version 3 can be read", model->version()));
  }
  return model;
}

class Reader {
 public:
  Reader(const std::vector<uint8_t>& file, const format::Model* model, Graph& graph)
      : file_(file), model_(model), graph_(graph) {}

  Status read() {
    const auto* subgraphs = model_->subgraphs();
    if (!subgraphs || subgraphs->size() == 0) return fail("the file is damaged: it has no subgraph");
    const auto* main = subgraphs->Get(0);
    const size_t at = offset_of(file_, main);
    if (!main->tensors() || !main->operators() || !main->inputs() || !main->outputs()) {
      return fail(
          fmt::format("the file is damaged: the subgraph at byte offset {} lacks tensors, operators, inputs or outputs", at));
    }
    for (const auto* table : *main->tensors()) TOOLS_TRY(read_tensor(table));
    for (const auto* table : *main->operators()) TOOLS_TRY(read_operator(table));
    const auto what = fmt::format("the subgraph at byte offset {}", at);
    TOOLS_TRY(read_indexes(main->inputs(), false, what + " (inputs)", graph_.inputs));
    return read_indexes(main->outputs(), false, what + " (outputs)", graph_.outputs);
  }

 private:
  Status read_tensor(const format::Tensor* table) {
    Tensor tensor;
    tensor.byte_offset = offset_of(file_, table);
    tensor.name = table->name() ? table->name()->str() : "";
    tensor.type = table->type();
    const auto where = fmt::format("tensor {} '{}' at byte offset {}", graph_.tensors.size(), tensor.name, tensor.byte_offset);
    tensor.variable = table->is_variable();
    if (table->sparsity()) return fail(where + ": sparse tensors are not supported; convert the model without sparsity");
    uint64_t elements = 1;
    if (table->shape()) {
      for (const int32_t d : *table->shape()) {
        if (d < 0) return fail(fmt::format("{}: dimension {} is negative", where, d));
        tensor.dimensions.push_back(static_cast<uint32_t>(d));
        elements *= static_cast<uint64_t>(d);
        if (elements > std::numeric_limits<uint32_t>::max()) return fail(where + ": more than 2^32 elements");
      }
    }
    TOOLS_TRY(read_quantization(table->quantization(), where, tensor));
    TOOLS_TRY(read_data(table, elements, where, tensor));
    graph_.tensors.push_back(std::move(tensor));
    return {};
  }

  Status read_quantization(const format::QuantizationParameters* table, const std::string& where, Tensor& tensor) {
    if (!table || !table->scale() || table->scale()->size() == 0) return {};
    const auto count = table->scale()->size();
    const auto zero_count = table->zero_point() ? table->zero_point()->size() : 0;
    if (zero_count != 0 && zero_count != count) {
      return fail(fmt::format("{}: {} scales but {} zero points", where, count, zero_count));
    }
    for (fb::uoffset_t i = 0; i < count; ++i) {
      const float scale = table->scale()->Get(i);
      if (!std::isfinite(scale) || scale < 0) return fail(fmt::format("{}: scale {} is {}", where, i, scale));
      tensor.scales.push_back(scale);
      tensor.zero_points.push_back(zero_count != 0 ? long_at(*table->zero_point(), i) : 0);
    }
    if (count > 1) {
      const int32_t axis = table->quantized_dimension();
      if (axis < 0 || static_cast<size_t>(axis) >= tensor.dimensions.size() || tensor.dimensions[axis] != count) {
        return fail(fmt::format("{}: {} scales do not fit dimension {}", where, count, axis));
      }
    }
    tensor.quantized_dimension = static_cast<uint32_t>(std::max(0, table->quantized_dimension()));
    return {};
  }

  Status read_data(const format::Tensor* table, uint64_t elements, const std::string& where, Tensor& tensor) {
    const uint32_t index = table->buffer();
    const auto count = model_->buffers() ? model_->buffers()->size() : 0;
    if (index >= count && index != 0) return fail(fmt::format("{}: buffer {} of {} does not exist", where, index, count));
    const auto* data = index < count ? model_->buffers()->Get(index)->data() : nullptr;
    if (!data || data->size() == 0) return {};
    const uint64_t expected = elements * element_size(tensor.type);
    if (element_size(tensor.type) == 0) return {};  // operators reject tensors of this type
    if (data->size() != expected) {
      return fail(fmt::format("{}: its data at byte offset {} has {} bytes instead of {}", where, offset_of(file_, data->data()),
                              data->size(), expected));
    }
    tensor.data = {data->data(), data->size()};
    return {};
  }

  Status read_operator(const format::Operator* table) {
    Operator op;
    op.table = table;
    const size_t at = offset_of(file_, table);
    const auto number = graph_.operators.size();
    const auto count = model_->operator_codes() ? model_->operator_codes()->size() : 0;
    if (table->opcode_index() >= count) {
      return fail(fmt::format("operator {} at byte offset {}: operator code {} of {} does not exist", number, at,
                              table->opcode_index(), count));
    }
    const auto* code = model_->operator_codes()->Get(table->opcode_index());
    // Older files have only the 8-bit field; newer files repeat small codes in both fields.
    op.code = std::max(static_cast<int32_t>(code->deprecated_builtin_code()), static_cast<int32_t>(code->builtin_code()));
    op.name = builtin_operator_name(op.code);
    if (op.code == format::BuiltinOperator_CUSTOM) op.name += ":" + (code->custom_code() ? code->custom_code()->str() : "?");
    op.where = fmt::format("operator {} ({})", number, op.name);
    const auto where = fmt::format("{} at byte offset {}", op.where, at);
    TOOLS_TRY(read_indexes(table->inputs(), true, where + " (inputs)", op.inputs));
    TOOLS_TRY(read_indexes(table->outputs(), false, where + " (outputs)", op.outputs));
    graph_.operators.push_back(std::move(op));
    return {};
  }

  Status read_indexes(const fb::Vector<int32_t>* indexes, bool optional, const std::string& where, std::vector<int>& out) {
    if (!indexes) return {};
    for (const int32_t index : *indexes) {
      const bool known = index >= 0 && static_cast<size_t>(index) < graph_.tensors.size();
      if (!known && !(optional && index == -1)) {
        return fail(fmt::format("{}: tensor {} of {} does not exist", where, index, graph_.tensors.size()));
      }
      out.push_back(index);
    }
    return {};
  }

  const std::vector<uint8_t>& file_;
  const format::Model* model_;
  Graph& graph_;
};

}  // namespace

uint64_t Tensor::elements() const {
  uint64_t count = 1;
  for (const uint32_t d : dimensions) count *= d;
  return count;
}

std::string describe(const Graph& graph, int index) {
  const auto& tensor = graph.tensors[static_cast<size_t>(index)];
  return fmt::format("tensor {} '{}' ({})", index, tensor.name, format::EnumNameTensorType(tensor.type));
}

std::string shape_text(const Tensor& tensor) { return fmt::format("[{}]", fmt::join(tensor.dimensions, ",")); }

size_t element_size(format::TensorType type) {
  switch (type) {
    case format::TensorType_FLOAT32:
    case format::TensorType_INT32:
      return 4;
    case format::TensorType_FLOAT16:
    case format::TensorType_INT16:
      return 2;
    case format::TensorType_UINT8:
    case format::TensorType_INT8:
    case format::TensorType_BOOL:
      return 1;
    case format::TensorType_INT64:
      return 8;
    default:
      return 0;
  }
}

Result<Graph> read_graph(std::vector<uint8_t> file) {
  Graph graph;
  auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(file));
  TOOLS_ASSIGN(const auto* model, verified_model(*bytes));
  TOOLS_TRY(Reader(*bytes, model, graph).read());
  graph.file = std::move(bytes);
  return graph;
}

Result<Graph> read_graph_file(const std::filesystem::path& path) {
  TOOLS_ASSIGN(auto bytes, tools::read_file(path));
  auto graph = read_graph(std::move(bytes));
  if (!graph) return fail(fmt::format("{}: {}", path.string(), graph.error().message));
  return graph;
}

}  // namespace nnvk::importers::tflite
