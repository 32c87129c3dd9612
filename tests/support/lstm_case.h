// Operand lists of the LSTM operations from sizes and options, for tests of kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/operations/operation_definition.h"
#include "core/operations/operation_enumerators.h"

namespace nnvk::test {

struct LstmOperand {
  OperandInfo info;
  std::vector<float> values;  // elements or the value of a scalar
  bool given = true;
};

struct LstmCase {
  OperationCode code = OperationCode::kUnidirectionalSequenceLstm;
  OperandType type = OperandType::kTensorFloat32;
  uint32_t steps = 1;
  uint32_t batch = 1;
  uint32_t input_size = 1;
  uint32_t units = 1;
  uint32_t projected = 0;       // output size of a projection; 0: none
  uint32_t backward_units = 0;  // 0: like the forward cell
  uint32_t auxiliary_size = 0;  // 0: no auxiliary input
  bool auxiliary_weights = false;
  bool coupled = false;
  bool peephole = false;
  bool layer_norm = false;
  bool projection_bias = false;
  int32_t activation = 4;
  float cell_clip = 0.0F;
  float projection_clip = 0.0F;
  bool time_major = true;
  bool merged = false;
  bool state_outputs = true;

  bool bidirectional() const { return code == OperationCode::kBidirectionalSequenceLstm; }
  bool single_step() const { return code == OperationCode::kLstm; }
  uint32_t units_of(bool backward) const { return backward && backward_units != 0 ? backward_units : units; }
  uint32_t outputs_of(bool backward) const { return projected != 0 ? projected : units_of(backward); }

  // All tensors are zero; the caller fills them in. The list always has the layer-norm operands, given or omitted.
  std::vector<LstmOperand> inputs() const {
    std::vector<LstmOperand> list;
    list.push_back(sequence(input_size));
    const bool parallel = auxiliary_size != 0 && !auxiliary_weights;
    add_weights(list, false, input_size);
    if (bidirectional()) add_weights(list, true, parallel ? auxiliary_size : input_size);
    add_states(list, false);
    if (bidirectional()) {
      add_states(list, true);
      list.push_back(auxiliary_size != 0 ? sequence(auxiliary_size) : omitted());
      for (const bool backward : {false, true}) {
        for (int gate = 0; gate < 4; ++gate) {
          const bool given = auxiliary_weights && !(coupled && gate == 0);
          list.push_back(given ? tensor({units_of(backward), auxiliary_size}) : omitted());
        }
      }
    }
    const OperandType real = type == OperandType::kTensorFloat16 ? OperandType::kFloat16 : OperandType::kFloat32;
    list.push_back(scalar(OperandType::kInt32, static_cast<float>(activation)));
    list.push_back(scalar(real, cell_clip));
    list.push_back(scalar(real, projection_clip));
    if (bidirectional()) list.push_back(scalar(OperandType::kBool, merged ? 1.0F : 0.0F));
    if (!single_step()) list.push_back(scalar(OperandType::kBool, time_major ? 1.0F : 0.0F));
    add_gains(list, false);
    if (bidirectional()) add_gains(list, true);
    return list;
  }

  std::vector<OperandInfo> outputs() const {
    std::vector<OperandInfo> list;
    if (single_step()) {
      list.push_back(info({batch, (coupled ? 3 : 4) * units}));
      add_state_outputs(list, false);
      list.push_back(info({batch, outputs_of(false)}));
      return list;
    }
    if (bidirectional() && merged) {
      list.push_back(sequence(outputs_of(false) + outputs_of(true)).info);
    } else {
      list.push_back(sequence(outputs_of(false)).info);
      if (bidirectional()) list.push_back(sequence(outputs_of(true)).info);
    }
    if (state_outputs) add_state_outputs(list, false);
    if (state_outputs && bidirectional()) add_state_outputs(list, true);
    return list;
  }

  // For messages.
  std::string describe() const {
    return operation_name(code) + " steps " + std::to_string(steps) + " batch " + std::to_string(batch) + " input " +
           std::to_string(input_size) + " units " + std::to_string(units) + " projected " + std::to_string(projected) +
           (coupled ? " coupled" : "") + (peephole ? " peephole" : "") + (layer_norm ? " norm" : "") +
           (time_major ? "" : " batch-major") + (merged ? " merged" : "") +
           (type == OperandType::kTensorFloat16 ? " float16" : "");
  }

 private:
  OperandInfo info(Shape shape) const {
    OperandInfo result;
    result.type = type;
    result.shape = std::move(shape);
    return result;
  }
  LstmOperand tensor(Shape shape) const {
    LstmOperand operand{info(std::move(shape)), {}, true};
    operand.values.resize(operand.info.shape.element_count());
    return operand;
  }
  LstmOperand sequence(uint32_t size) const {
    if (single_step()) return tensor({batch, size});
    return time_major ? tensor({steps, batch, size}) : tensor({batch, steps, size});
  }
  LstmOperand omitted() const { return {info({0}), {}, false}; }
  LstmOperand when(bool given, Shape shape) const { return given ? tensor(std::move(shape)) : omitted(); }
  static LstmOperand scalar(OperandType type, float value) {
    LstmOperand operand;
    operand.info.type = type;
    operand.values = {value};
    return operand;
  }
  void add_weights(std::vector<LstmOperand>& list, bool backward, uint32_t input) const {
    const uint32_t n = units_of(backward);
    const uint32_t out = outputs_of(backward);
    for (int gate = 0; gate < 4; ++gate) list.push_back(when(gate > 0 || !coupled, {n, input}));
    for (int gate = 0; gate < 4; ++gate) list.push_back(when(gate > 0 || !coupled, {n, out}));
    list.push_back(when(peephole && !coupled, {n}));
    list.push_back(when(peephole, {n}));
    list.push_back(when(peephole, {n}));
    for (int gate = 0; gate < 4; ++gate) list.push_back(when(gate > 0 || !coupled, {n}));
    list.push_back(when(projected != 0, {out, n}));
    list.push_back(when(projected != 0 && projection_bias, {out}));
  }
  void add_states(std::vector<LstmOperand>& list, bool backward) const {
    list.push_back(tensor({batch, outputs_of(backward)}));
    list.push_back(tensor({batch, units_of(backward)}));
  }
  void add_gains(std::vector<LstmOperand>& list, bool backward) const {
    for (int gate = 0; gate < 4; ++gate) list.push_back(when(layer_norm && (gate > 0 || !coupled), {units_of(backward)}));
  }
  void add_state_outputs(std::vector<OperandInfo>& list, bool backward) const {
    list.push_back(info({batch, outputs_of(backward)}));
    list.push_back(info({batch, units_of(backward)}));
  }
};

}  // namespace nnvk::test
