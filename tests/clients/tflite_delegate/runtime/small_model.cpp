#include "tests/clients/tflite_delegate/runtime/small_model.h"

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {

std::vector<uint8_t> elementwise_model(const std::vector<int32_t>& shape) {
  ModelFile file;
  const int x = file.add(real(shape, {}));
  const int magnitude = file.add(real(shape, {}));
  const int sum = file.add(real(shape, {}));
  const int y = file.add(real(shape, {}));
  file.add_operator(format::BuiltinOperator_ABS, {x}, {magnitude});
  const auto options = made([](auto& builder) { return format::CreateAddOptions(builder); })(file.builder());
  file.add_operator(format::BuiltinOperator_ADD, {magnitude, x}, {sum}, options);
  file.add_operator(format::BuiltinOperator_RELU, {sum}, {y});
  file.end_subgraph({x}, {y});
  return file.finish();
}

std::vector<uint8_t> dynamic_model() {
  ModelFile file;
  const int x = file.add(real({4}, {}));
  const int shape = file.add(whole({2}, {}));
  const int reshaped = file.add(real({2, 2}, {}));
  const int y = file.add(real({2, 2}, {}));
  file.add_operator(format::BuiltinOperator_RESHAPE, {x, shape}, {reshaped});
  file.add_operator(format::BuiltinOperator_ABS, {reshaped}, {y});
  file.end_subgraph({x, shape}, {y});
  return file.finish();
}

std::vector<uint8_t> recurrent_model() {
  ModelFile file;
  const int x = file.add(real({1, 4, 3}, {}));
  const int weights = file.add(fixed(real({2, 3}, {0.1F, -0.2F, 0.3F, 0.4F, 0.5F, -0.6F})));
  const int recurrent = file.add(fixed(real({2, 2}, {0.7F, -0.3F, 0.2F, 0.9F})));
  const int bias = file.add(fixed(real({2}, {0.05F, -0.1F})));
  FileTensor state = real({1, 2}, {});
  state.variable = true;
  const int hidden = file.add(state);
  const int y = file.add(real({1, 4, 2}, {}));
  const auto options =
      made([](auto& builder) { return format::CreateSequenceRNNOptions(builder, false, format::Activation_TANH); });
  file.add_operator(format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN, {x, weights, recurrent, bias, hidden}, {y},
                    options(file.builder()));
  file.end_subgraph({x}, {y});
  return file.finish();
}

}  // namespace nnvk::test
