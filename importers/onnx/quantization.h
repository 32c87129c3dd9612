// The linear quantization of ONNX in NNAPI's types: 8-bit tensors with one scale, weights with one per channel.
#pragma once

#include <optional>

#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {

bool is_usable_scale(float scale);  // finite and above 0

// The inputs of a node that hold the scale and zero point of its 8-bit input `position`.
struct ParameterPlaces {
  size_t scale = 0;
  size_t zero_point = 0;
};
std::optional<ParameterPlaces> parameter_places(const Node& node, size_t position);
// Returns whether this node is a Clip to 0..6.
bool clips_to_six(const Lowering& lowering, const Node& node);

// Returns an input as integers with parameters that are known; nothing if they are not known, an error if they do not fit each
// other.
Result<std::optional<Quantized>> quantized_input(OperatorCall& call, size_t position, size_t scale, size_t zero_point,
                                                 int64_t axis);
// Emits an input as real numbers, also if operations compute its parameters.
Result<Tensor> dequantized_input(OperatorCall& call, size_t position, size_t scale, size_t zero_point, int64_t axis);
// Emits the real numbers of a quantized tensor. The host converts constants.
Result<Tensor> dequantized(Emitter& emitter, const Quantized& quantized);

// The parameters of an 8-bit result: known ones, or tensors.
struct ResultQuantization {
  int32_t type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  std::optional<float> scale;  // known, as is the zero point then
  int32_t zero_point = 0;
  Tensor scale_tensor;
  std::optional<Tensor> zero_tensor;
};
// Reads the parameters. `scale` and `zero_point` are the positions of these inputs.
Result<ResultQuantization> result_quantization(OperatorCall& call, size_t scale, size_t zero_point);
// Rounds real numbers to 8-bit integers. Parameters of rank 1 belong to the axis.
Result<Tensor> quantize(Emitter& emitter, const Tensor& input, const ResultQuantization& parameters, int64_t axis);

// Weights as NNAPI's operation has them: `tensor` in its order; `scales` has one element, or one per channel.
struct LayerWeights {
  Tensor tensor;
  std::vector<float> scales;
  bool per_channel = false;
};
// The order and types of weights that an operation wants.
struct WeightOrder {
  std::span<const int64_t> permutation;  // of the dimensions that the graph gives
  int64_t channel_axis = 0;              // before
  uint32_t channel_dimension = 0;        // and after the permutation
  bool per_channel = true;               // whether it takes a scale per channel
  bool is_filter = false;                // of CONV_2D, which nnvk can put in order
};
// Makes the weights of a layer for data of an 8-bit type. Returns nothing if NNAPI cannot express them.
Result<std::optional<LayerWeights>> layer_weights(Emitter& emitter, const Quantized& weights, int32_t data_type,
                                                  const WeightOrder& order);
// The bias of such a layer: integers whose scale is the product of the data's and the weights'.
struct LayerBias {
  std::optional<Quantized> integers;  // either
  std::optional<Tensor> reals;        // or; none: zeros
};
Result<std::optional<Tensor>> layer_bias(const LayerBias& bias, float data_scale, const LayerWeights& weights, int64_t channels);

}  // namespace nnvk::importers::onnx
