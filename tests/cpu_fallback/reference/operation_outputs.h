// Runs the reference kernel of an operation with several outputs, sizes that depend on data included.
#pragma once

#include "cpu_fallback/reference/kernel.h"
#include "tests/cpu_fallback/reference/device_runner.h"

namespace nnvk::test {

// What an operation gave: shapes and bytes of all outputs, or the error.
struct Outputs {
  Status status;
  std::vector<OperandInfo> infos;
  std::vector<std::vector<std::byte>> bytes;

  Code code() const { return status ? Code::kNoError : status.error().code; }
  template <class T>
  std::vector<T> values(size_t i) const {
    std::vector<T> result(infos[i].shape.element_count());
    if (!result.empty()) std::memcpy(result.data(), bytes[i].data(), result.size() * sizeof(T));
    return result;
  }
};

// `outputs`: types and quantization; shapes are inferred.
inline Outputs run_outputs(OperationCode code, const std::vector<Operand>& inputs, std::vector<OperandInfo> outputs) {
  Outputs result;
  std::vector<OperandView> views;
  for (const Operand& input : inputs) views.push_back({&input.info, input.present, input.bytes});
  std::vector<const OperandInfo*> declared;
  for (OperandInfo& output : outputs) {
    output.shape = Shape::unknown_rank();
    declared.push_back(&output);
  }
  const OperationView operation{code, views, declared};
  auto shapes = infer_output_shapes(operation);
  if (shapes) shapes = bound_output_shapes(operation, *shapes);
  if (!shapes) {
    result.status = fail(shapes.error());
    return result;
  }
  std::vector<cpu::OutputTensor> tensors;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].shape = (*shapes)[i];
    result.bytes.emplace_back(outputs[i].byte_size().value());
  }
  for (size_t i = 0; i < outputs.size(); ++i) tensors.push_back({outputs[i], result.bytes[i], true});
  cpu::KernelContext context{operation, tensors};
  result.status = cpu::find_reference_kernel(code)(context);
  for (const cpu::OutputTensor& tensor : tensors) result.infos.push_back(tensor.info);
  return result;
}

inline OperandInfo output_of(OperandType type, float scale = 0, int32_t zero_point = 0) {
  OperandInfo info;
  info.type = type;
  info.scale = scale;
  info.zero_point = zero_point;
  return info;
}

}  // namespace nnvk::test
