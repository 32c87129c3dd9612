// Translates the tables of a verified file into checked plain data.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "importers/tflite/file_check.h"
#include "importers/tflite/file_options.h"
#include "importers/tflite/graph.h"
#include "importers/tflite/operator_names.h"
#include "tools/nnapi/files.h"

namespace nnvk::importers::tflite {
namespace {

namespace fb = flatbuffers;

// Returns element `i` of a vector of 64-bit numbers, whose addresses may be any multiple of 4.
int64_t long_at(const fb::Vector<int64_t>& numbers, fb::uoffset_t i) {
  int64_t number = 0;
  std::memcpy(&number, numbers.Data() + i * sizeof number, sizeof number);
  return fb::EndianScalar(number);
}

// Reads one subgraph.
class Reader {
 public:
  Reader(const std::vector<uint8_t>& file, const format::Model* model, Graph& graph)
      : file_(file), model_(model), graph_(graph) {}

  Status read(const format::SubGraph* table) {
    const size_t at = offset_of(file_, table);
    if (!table->tensors() || !table->operators() || !table->inputs() || !table->outputs()) {
      return fail(
          fmt::format("the file is damaged: the subgraph at byte offset {} lacks tensors, operators, inputs or outputs", at));
    }
    for (const auto* tensor : *table->tensors()) TOOLS_TRY(read_tensor(tensor));
    for (const auto* op : *table->operators()) TOOLS_TRY(read_operator(op));
    const auto what = fmt::format("the subgraph at byte offset {}", at);
    TOOLS_TRY(read_indexes(table->inputs(), false, what + " (inputs)", graph_.inputs));
    return read_indexes(table->outputs(), false, what + " (outputs)", graph_.outputs);
  }

 private:
  Status read_tensor(const format::Tensor* table) {
    Tensor tensor;
    tensor.byte_offset = offset_of(file_, table);
    tensor.name = table->name() ? table->name()->str() : "";
    tensor.type = table->type();
    const auto where = fmt::format("tensor {} '{}' at byte offset {}", graph_.tensors.size(), tensor.name, tensor.byte_offset);
    tensor.variable = table->is_variable();
    if (table->sparsity()) {
      TOOLS_ASSIGN(tensor.sparsity, read_sparsity(*table->sparsity(), where));
    }
    uint64_t elements = 1;
    if (table->shape()) {
      for (const int32_t d : *table->shape()) {
        if (d < 0) return fail(fmt::format("{}: dimension {} is negative", where, d));
        tensor.dimensions.push_back(static_cast<uint32_t>(d));
        elements *= static_cast<uint64_t>(d);
        if (elements > std::numeric_limits<uint32_t>::max()) return fail(where + ": it may have 2^32 elements at most");
      }
    }
    if (const auto* signature = table->shape_signature(); signature && signature->size() == tensor.dimensions.size()) {
      for (const int32_t d : *signature) tensor.open.push_back(d == -1);
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
      return fail(fmt::format("{}: it must have as many zero points as scales, but has {} scales and {} zero points", where,
                              count, zero_count));
    }
    for (fb::uoffset_t i = 0; i < count; ++i) {
      const float scale = table->scale()->Get(i);
      if (!std::isfinite(scale) || scale < 0)
        return fail(fmt::format("{}: scale {} must be a finite number that is not negative, but is {}", where, i, scale));
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

  static std::vector<int32_t> indexes_of(format::IndexVector type, const void* table) {
    const auto copied = [](const auto* values) {
      return values ? std::vector<int32_t>(values->begin(), values->end()) : std::vector<int32_t>();
    };
    if (table == nullptr) return {};
    switch (type) {
      case format::IndexVector_Int32Vector:
        return copied(static_cast<const format::Int32Vector*>(table)->values());
      case format::IndexVector_Uint16Vector:
        return copied(static_cast<const format::Uint16Vector*>(table)->values());
      case format::IndexVector_Uint8Vector:
        return copied(static_cast<const format::Uint8Vector*>(table)->values());
      default:
        return {};
    }
  }

  static Result<std::shared_ptr<const Sparsity>> read_sparsity(const format::Sparsity& table, const std::string& where) {
    auto sparsity = std::make_shared<Sparsity>();
    if (!table.traversal_order() || !table.dim_metadata())
      return fail(where + ": its sparsity lacks the order of dimensions or their formats");
    sparsity->traversal_order.assign(table.traversal_order()->begin(), table.traversal_order()->end());
    if (table.block_map()) sparsity->block_map.assign(table.block_map()->begin(), table.block_map()->end());
    for (const auto* entry : *table.dim_metadata()) {
      sparsity->dimensions.push_back({.compressed = entry->format() == format::DimensionType_SPARSE_CSR,
                                      .size = entry->dense_size(),
                                      .segments = indexes_of(entry->array_segments_type(), entry->array_segments()),
                                      .indices = indexes_of(entry->array_indices_type(), entry->array_indices())});
    }
    return sparsity;
  }

  Status read_data(const format::Tensor* table, uint64_t elements, const std::string& where, Tensor& tensor) {
    const uint32_t index = table->buffer();
    const auto count = model_->buffers() ? model_->buffers()->size() : 0;
    if (index >= count && index != 0) return fail(fmt::format("{}: buffer {} of {} does not exist", where, index, count));
    const auto* data = index < count ? model_->buffers()->Get(index)->data() : nullptr;
    if (!data || data->size() == 0) return {};
    const uint64_t expected = stored_size(tensor.type, elements);
    if (element_size(tensor.type) == 0) return {};  // operators reject tensors of this type
    if (data->size() != expected && !tensor.sparsity) {
      return fail(fmt::format("{}: its data at byte offset {} has {} bytes instead of {}", where, offset_of(file_, data->data()),
                              data->size(), expected));
    }
    tensor.data = {data->data(), data->size()};
    return {};
  }

  Status read_operator(const format::Operator* table) {
    Operator op;
    op.options = file_options(*table);
    if (const auto* bytes = table->custom_options()) op.custom_options = {bytes->data(), bytes->size()};
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
    if (op.code == format::BuiltinOperator_CUSTOM)
      op.name = fmt::format("{}:{}", op.name, code->custom_code() ? code->custom_code()->str() : "?");
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

Result<Graph> read_graph(std::vector<uint8_t> file) {
  auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(file));
  TOOLS_ASSIGN(const auto* model, verified_model(*bytes));
  const auto* subgraphs = model->subgraphs();
  if (!subgraphs || subgraphs->size() == 0) return fail("the file is damaged: it has no subgraph");
  Graph graph;
  TOOLS_TRY(Reader(*bytes, model, graph).read(subgraphs->Get(0)));
  for (fb::uoffset_t i = 1; i < subgraphs->size(); ++i) {
    const Status read = Reader(*bytes, model, graph.others.emplace_back()).read(subgraphs->Get(i));
    if (!read) return fail(fmt::format("subgraph {}: {}", i, read.error().message));
  }
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
