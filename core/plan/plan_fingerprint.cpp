// Walks a plan in a fixed order.
#include "core/plan/plan_fingerprint.h"

#include "core/base/byte_stream.h"
#include "core/base/checksum.h"

namespace nnvk {
namespace {

void write_list(ByteWriter& writer, const std::vector<uint32_t>& list) { writer.block(std::as_bytes(std::span(list))); }

// A type or an operation. Prefixes of extensions differ from process to process: their names stand for them.
void write_code(ByteWriter& writer, int32_t code, const std::string* extension) {
  writer.value(extension != nullptr);
  writer.value(extension != nullptr ? static_cast<int32_t>(static_cast<uint16_t>(code)) : code);
  if (extension != nullptr) writer.text(*extension);
}

void write_info(ByteWriter& writer, const OperandInfo& info) {
  write_code(writer, static_cast<int32_t>(info.type), info.extension != nullptr ? &info.extension->extension : nullptr);
  writer.value(info.shape.rank_known);
  write_list(writer, info.shape.dims);
  writer.value(info.scale);
  writer.value(info.zero_point);
  writer.value(info.channel_quant != nullptr);
  if (info.channel_quant != nullptr) {
    writer.value(info.channel_quant->channel_dim);
    writer.block(std::as_bytes(std::span(info.channel_quant->scales)));
  }
  if (info.extension != nullptr) writer.block(info.extension->data);
}

void write_tensor(ByteWriter& writer, const PlanTensor& tensor) {
  write_info(writer, tensor.info);
  writer.value(tensor.role);
  writer.value(tensor.io_index);
  writer.value(tensor.subgraph);
  writer.value(tensor.view_of);
  writer.value(uint64_t{tensor.value.size()});
  writer.value(checksum(tensor.value));
}

void write_node(ByteWriter& writer, const PlanNode& node) {
  write_code(writer, static_cast<int32_t>(node.code), node.extension ? &node.extension->extension : nullptr);
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
  for (const PlanTensor& tensor : plan.tensors) bytes += tensor.value.size();
  for (const auto& subgraph : plan.subgraphs) bytes += constant_bytes(*subgraph);
  return bytes;
}

}  // namespace nnvk
