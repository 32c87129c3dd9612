// Walks a plan in a fixed order.
#include "core/plan/plan_fingerprint.h"

#include "core/base/byte_stream.h"
#include "core/base/checksum.h"

namespace nnvk {
namespace {

void write_list(ByteWriter& writer, const std::vector<uint32_t>& list) { writer.block(std::as_bytes(std::span(list))); }

void write_name(ByteWriter& writer, const std::string& name) { writer.block(std::as_bytes(std::span(name))); }

void write_info(ByteWriter& writer, const OperandInfo& info) {
  // Numbers of extension types depend on what the process saw first; their names do not.
  writer.value(info.extension != nullptr ? OperandType{} : info.type);
  writer.value(info.shape.rank_known);
  write_list(writer, info.shape.dims);
  writer.value(info.scale);
  writer.value(info.zero_point);
  writer.value(info.channel_quant != nullptr);
  if (info.channel_quant != nullptr) {
    writer.value(info.channel_quant->channel_dim);
    writer.block(std::as_bytes(std::span(info.channel_quant->scales)));
  }
  writer.value(info.extension != nullptr);
  if (info.extension != nullptr) {
    write_name(writer, info.extension->extension);
    writer.value(info.extension->type.code);
    writer.value(info.extension->type.byte_size);
    writer.block(info.extension->data);
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
}

void write_node(ByteWriter& writer, const PlanNode& node) {
  writer.value(node.extension.has_value() ? OperationCode{} : node.code);
  if (node.extension.has_value()) {
    write_name(writer, node.extension->extension);
    writer.value(node.extension->code);
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
  for (const PlanTensor& tensor : plan.tensors) bytes += tensor.value.size();
  for (const auto& subgraph : plan.subgraphs) bytes += constant_bytes(*subgraph);
  return bytes;
}

}  // namespace nnvk
