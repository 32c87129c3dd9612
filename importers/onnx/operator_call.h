// One node as its operator function sees it: inputs as tensors, constants, attributes, and the quantization around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/onnx/emitter.h"
#include "importers/onnx/graph.h"

namespace nnvk::importers::onnx {

class Lowering;

// An integer tensor and the real numbers that its integers stand for: real = scale * (integer - zero point), with one pair or one
// per element of `axis`.
struct Quantized {
  Tensor tensor;  // 8-bit tensors carry the quantization if it is one pair
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int64_t axis = 0;

  bool per_axis() const { return scales.size() > 1; }
};

// The 8-bit result that a node computes in place of its real one, because only a QuantizeLinear reads the real result.
struct Requantization {
  int32_t type = 0;
  float scale = 0;
  int32_t zero_point = 0;
  int32_t activation = ANEURALNETWORKS_FUSED_NONE;  // of an activation between the two
  int value = -1;                                   // that QuantizeLinear writes
  std::vector<size_t> nodes;                        // that the operation absorbs
};

class OperatorCall {
 public:
  OperatorCall(Lowering& lowering, const Node& node) : lowering_(lowering), node_(node) {}

  const Node& node() const { return node_; }
  Emitter& emitter();
  int opset() const { return node_.opset; }

  size_t input_count() const { return node_.inputs.size(); }
  bool has(size_t input) const { return input < node_.inputs.size() && node_.inputs[input] >= 0; }
  // Returns the tensor of an input. Fails if the input is omitted, or its shape is unknown.
  Result<Tensor> input(size_t position);
  Result<Tensors> inputs();
  // Returns the contents of an input that must be known at import. `what` names it in the error.
  Result<ConstantPointer> constant(size_t position, std::string_view what);
  Result<std::vector<int64_t>> integers(size_t position, std::string_view what);
  // Returns whether the contents of the input are known.
  bool is_constant(size_t position) const;
  Result<std::vector<double>> reals(size_t position, std::string_view what);
  // Returns whether the graph uses this output.
  bool wants(size_t output) const { return output < node_.outputs.size() && node_.outputs[output] >= 0; }
  size_t output_count() const { return node_.outputs.size(); }
  // Returns the type that the graph declares for an output.
  ElementType output_type(size_t output) const;
  // Returns the shape that the graph declares for an output, if it is known, for operators whose parameters are not.
  std::optional<Dimensions> declared_shape(size_t output) const;

  // These functions return attributes. An attribute of another type is an error.
  const Attribute* attribute(std::string_view name) const;
  Result<int64_t> integer(std::string_view name, int64_t missing) const;
  Result<float> real(std::string_view name, float missing) const;
  Result<std::string> text(std::string_view name, std::string missing) const;
  // Returns the attribute's list; empty if the node does not have the attribute.
  Result<std::vector<int64_t>> integer_list(std::string_view name) const;
  Result<std::vector<float>> real_list(std::string_view name) const;
  Result<std::vector<std::string>> text_list(std::string_view name) const;
  // Returns a list such as "axes", which older opsets have as an attribute and newer ones as an input; nothing if neither is
  // there.
  Result<std::optional<std::vector<int64_t>>> list_or_input(std::string_view name, size_t position) const;
  // Returns an axis attribute, counted from 0.
  Result<int64_t> axis(int64_t missing, size_t rank, std::string_view name = "axis") const;

  // Returns the input as integers, if a DequantizeLinear with known parameters writes it.
  std::optional<Quantized> quantized(size_t position) const;
  // Returns the 8-bit result to compute, if only a QuantizeLinear with one known pair reads output 0, maybe behind a Relu or Clip
  // to 0..6.
  std::optional<Requantization> requantization() const;
  // Gives the 8-bit result to the readers of the QuantizeLinear. The operator function then returns no outputs.
  void absorb(const Requantization& requantization, Tensor result);
  // Defers an input's conversion to reals: output 0 is `quantized` as real numbers. The operator function then returns no
  // outputs.
  void defer(Quantized quantized);

  // Fails with `why` if the importer does not know the length of the tensor.
  static Status expect_fixed(const Tensor& tensor, std::string_view why);

 private:
  Lowering& lowering_;
  const Node& node_;
};

// Adds the node's operations and returns its outputs, or nothing if it has absorbed or deferred them. Errors are reasons, without
// the node's name.
using OperatorFunction = Result<Tensors> (*)(OperatorCall& call);

struct OperatorRow {
  std::string_view domain;
  std::string_view name;
  OperatorFunction function;
  int since = 1;  // the first opset that the function knows
};

// Returns the function for a node; an error that gives the reason why there is none.
Result<OperatorFunction> find_operator(const Node& node);

// Returns every operator of the table, by domain and name.
std::vector<OperatorRow> known_operators();

// Each function returns the rows of one family, which has a file of its own.
std::span<const OperatorRow> elementwise_operators();
std::span<const OperatorRow> function_operators();
std::span<const OperatorRow> shape_operators();
std::span<const OperatorRow> index_operators();
std::span<const OperatorRow> convolution_operators();
std::span<const OperatorRow> pooling_operators();
std::span<const OperatorRow> normalization_operators();
std::span<const OperatorRow> matrix_operators();
std::span<const OperatorRow> einsum_operators();
std::span<const OperatorRow> reduction_operators();
std::span<const OperatorRow> resize_operators();
std::span<const OperatorRow> recurrent_operators();
std::span<const OperatorRow> quantization_operators();
std::span<const OperatorRow> quantized_operators();
std::span<const OperatorRow> loss_operators();

// Returns one tensor as the outputs of an operator function.
inline Result<Tensors> one(Result<Tensor> result) {
  if (!result) return tl::unexpected<Error>(std::move(result).error());
  return Tensors{*std::move(result)};
}

}  // namespace nnvk::importers::onnx
