// Writes a plan's parts in a fixed order and computes their checksum.
#include "core/plan/plan_fingerprint.h"

#include "core/base/byte_stream.h"
#include "core/base/checksum.h"

namespace nnvk {
namespace {

void write_list(ByteWriter& writer, const std::vector<uint32_t>& list) { writer.block(std::as_bytes(std::span(list))); }

// Writes the extension's name, because the prefixes in codes of extensions differ from process to process.
void write_extension(ByteWriter& writer, const ExtensionOperand& extension) {
  writer.text(extension.extension);
  writer.value(extension.type.code);
  writer.value(extension.type.is_tensor);
  writer.value(extension.type.byte_size);
  writer.block(extension.data);
}

void write_info(ByteWriter& writer, const OperandInfo& info) {
  const bool is_extension = info.extension != nullptr;
  writer.value(is_extension);
  is_extension ? write_extension(writer, *info.extension) : writer.value(info.type);
  writer.value(info.shape.rank_known);
  write_list(writer, info.shape.dims);
  writer.value(info.scale);
  writer.value(info.zero_point);
  writer.value(info.channel_quant != nullptr);
  if (info.channel_quant != nullptr) {
    writer.value(info.channel_quant->channel_dim);
    writer.block(std::as_bytes(std::span(info.channel_quant->scales)));
  }
}

void write_tensor(ByteWriter& writer, const PlanTensor& tensor) {
  write_info(writer, tensor.info);
  writer.value(tensor.role);
  writer.value(tensor.io_index);
  writer.value(tensor.subgraph);
  writer.value(tensor.view_of);
  writer.value(uint64_t{tensor.value.size()});
  writer.value(checksum(tensor.value));
  if (tensor.transposed == nullptr) return;
  write_list(writer, tensor.transposed->order);
  writer.value(checksum(tensor.transposed->source));
}

void write_node(ByteWriter& writer, const PlanNode& node) {
  writer.value(node.extension.has_value());
  if (node.extension) {
    writer.text(node.extension->extension);
    writer.value(node.extension->code);
  } else {
    writer.value(node.code);
  }
  write_list(writer, node.inputs);
  write_list(writer, node.outputs);
  writer.value(node.fused_activation);
  writer.value(node.residual);
  writer.value(node.is_view);
}

}  // namespace

uint64_t plan_fingerprint(const Plan& plan) {
  ByteWriter writer;
  writer.value(uint64_t{plan.tensors.size()});
  for (const PlanTensor& tensor : plan.tensors) write_tensor(writer, tensor);
  writer.value(uint64_t{plan.nodes.size()});
  for (const PlanNode& node : plan.nodes) write_node(writer, node);
  write_list(writer, plan.inputs);
  write_list(writer, plan.outputs);
  writer.value(plan.relaxed);
  for (const auto& subgraph : plan.subgraphs) writer.value(plan_fingerprint(*subgraph));
  return checksum(writer.view());
}

uint64_t constant_bytes(const Plan& plan) {
  uint64_t bytes = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    bytes += tensor.transposed == nullptr ? tensor.value.size() : tensor.transposed->source.size();
  }
  for (const auto& subgraph : plan.subgraphs) bytes += constant_bytes(*subgraph);
  return bytes;
}

}  // namespace nnvk
