// Messages of the plugin protocol as seeds for fuzzing.
#pragma once

#include <utility>
#include <vector>

#include "accelerators/protocol/messages.h"
#include "tests/fuzz/target.h"

namespace nnvk::fuzz {

using namespace accelerators;

// A model that uses every feature: constants in both places, channel scales, types and operations of extensions.
inline ModelDescription various_model() {
  ModelDescription model;
  const auto operand = [&](int32_t type, std::vector<uint32_t> dimensions, OperandLife life) -> ModelOperand& {
    ModelOperand& made = model.operands.emplace_back();
    made.type = type;
    made.dimensions = std::move(dimensions);
    made.life = life;
    return made;
  };
  operand(3, {1, 4}, OperandLife::kInput);
  operand(5, {2, 0}, OperandLife::kTemporary).scale = 0.5F;
  operand(0, {}, OperandLife::kConstant).bytes.resize(4);
  ModelOperand& filter = operand(11, {2, 1}, OperandLife::kConstant);
  filter.range = {RegionId{1}, 64, 2};
  filter.channel_quant = ChannelQuant{0, {0.5F, 0.25F}};
  operand(3, {}, OperandLife::kOmitted);
  operand(0, {4}, OperandLife::kOutput).extension =
      ExtensionOperand{"org.test.types", {7, true, 4}, {std::byte{1}, std::byte{2}}};
  model.operations.push_back({0, std::nullopt, {0, 2, 4}, {1}});
  model.operations.push_back({0, ExtensionOperation{"org.test.operations", 3}, {1, 3}, {5}});
  model.inputs = {0};
  model.outputs = {5};
  model.relaxed = true;
  return model;
}

inline ExecutionRequest various_execution() {
  ExecutionRequest request;
  request.compilation = CompilationId{3};
  request.inputs = {{{RegionId{1}, 0, 16}, MemoryId::kNone, {1, 4}}, {{}, MemoryId{2}, {}}};
  request.outputs = {{{}, MemoryId::kNone, {}}, {{RegionId{2}, 64, 64}, MemoryId::kNone, {0, 4}}};
  request.deadline = std::chrono::steady_clock::time_point(std::chrono::seconds(100));
  request.measure_timing = true;
  request.attributes[{"org.test.attributes", 1}] = {std::byte{5}};
  return request;
}

}  // namespace nnvk::fuzz
