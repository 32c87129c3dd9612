// Recurrent operators, each computed step by step as it is defined, from states of zeros.
#include <cmath>

#include "tests/importers/tflite/operator_case.h"

namespace nnvk::test {
namespace {

using namespace format;
using Numbers = std::vector<float>;

constexpr int32_t kBatch = 2, kSteps = 3, kInput = 3, kUnits = 2;

FileTensor state(std::vector<int32_t> shape) {
  FileTensor tensor = real(std::move(shape), {});
  tensor.variable = true;
  return tensor;
}

// Adds the rows of `weights` times `vector` to `sums`.
void accumulate(const FileTensor& weights, const float* vector, Numbers& sums) {
  const auto width = static_cast<size_t>(weights.shape[1]);
  for (size_t row = 0; row < sums.size(); ++row) {
    for (size_t i = 0; i < width; ++i) sums[row] += weights.values[row * width + i] * vector[i];
  }
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

struct RnnCell {
  FileTensor weights, recurrent, bias;
  explicit RnnCell(int seed)
      : weights(made_up({kUnits, kInput}, seed)),
        recurrent(made_up({kUnits, kUnits}, seed + 1)),
        bias(made_up({kUnits}, seed + 2)) {}

  // The next state, with activation RELU6.
  Numbers step(const float* input, const Numbers& before) const {
    Numbers sums = bias.values;
    accumulate(weights, input, sums);
    accumulate(recurrent, before.data(), sums);
    for (float& value : sums) value = std::min(std::max(value, 0.0F), 6.0F);
    return sums;
  }
};

// The states after each step [steps, units] of one sequence.
template <class Cell>
Numbers sequence(const Cell& cell, const float* inputs, bool backwards) {
  Numbers results(static_cast<size_t>(kSteps * kUnits));
  auto before = typename Cell::State{};
  for (int32_t i = 0; i < kSteps; ++i) {
    const int32_t t = backwards ? kSteps - 1 - i : i;
    before = cell.next(inputs + t * kInput, before);
    for (int32_t u = 0; u < kUnits; ++u) results[static_cast<size_t>(t * kUnits + u)] = before.output[static_cast<size_t>(u)];
  }
  return results;
}

struct RnnSequence : RnnCell {
  using RnnCell::RnnCell;
  struct State {
    Numbers output = Numbers(kUnits);
  };
  State next(const float* input, const State& before) const { return {step(input, before.output)}; }
};

// An LSTM with an input gate, and without peepholes, projection or normalization.
struct LstmCell {
  FileTensor weights[4], recurrent[4], bias[4];  // of the gates: input, forget, new values, output
  explicit LstmCell(int seed) {
    for (int g = 0; g < 4; ++g) {
      weights[g] = made_up({kUnits, kInput}, seed + 3 * g);
      recurrent[g] = made_up({kUnits, kUnits}, seed + 3 * g + 1);
      bias[g] = made_up({kUnits}, seed + 3 * g + 2);
    }
  }
  struct State {
    Numbers output = Numbers(kUnits), cell = Numbers(kUnits);
  };
  State next(const float* input, const State& before) const {
    Numbers gates[4];
    for (int g = 0; g < 4; ++g) {
      gates[g] = bias[g].values;
      accumulate(weights[g], input, gates[g]);
      accumulate(recurrent[g], before.output.data(), gates[g]);
    }
    State after;
    for (size_t u = 0; u < kUnits; ++u) {
      after.cell[u] = sigmoid(gates[1][u]) * before.cell[u] + sigmoid(gates[0][u]) * std::tanh(gates[2][u]);
      after.output[u] = sigmoid(gates[3][u]) * std::tanh(after.cell[u]);
    }
    return after;
  }
  // The 17 inputs of a cell, without peepholes (3) and projection (2).
  void append_to(std::vector<FileTensor>& inputs) const {
    for (const FileTensor& tensor : weights) inputs.push_back(fixed(tensor));
    for (const FileTensor& tensor : recurrent) inputs.push_back(fixed(tensor));
    inputs.insert(inputs.end(), 3, kOmitted);
    for (const FileTensor& tensor : bias) inputs.push_back(fixed(tensor));
    inputs.insert(inputs.end(), 2, kOmitted);
  }
};

const FileTensor& sequences() {
  static const FileTensor data = made_up({kBatch, kSteps, kInput}, 77);
  return data;
}

template <class Cell>
FileTensor results(const Cell& cell, bool backwards) {
  FileTensor all = real({kBatch, kSteps, kUnits}, {});
  for (int32_t b = 0; b < kBatch; ++b) {
    const Numbers one = sequence(cell, &sequences().values[static_cast<size_t>(b * kSteps * kInput)], backwards);
    all.values.insert(all.values.end(), one.begin(), one.end());
  }
  return all;
}

// One step of two rows.
template <class Cell>
FileTensor one_step(const Cell& cell, const FileTensor& data) {
  FileTensor all = real({kBatch, kUnits}, {});
  for (int32_t b = 0; b < kBatch; ++b) {
    const auto after = cell.next(&data.values[static_cast<size_t>(b * kInput)], {});
    all.values.insert(all.values.end(), after.output.begin(), after.output.end());
  }
  return all;
}

std::vector<OperatorCase> rnn_cases() {
  const RnnSequence forward(20), backward(30);
  const FileTensor row = made_up({kBatch, kInput}, 40);
  const FileTensor zero = state({kBatch, kUnits});
  const auto tensors = [&](const FileTensor& data) {
    return std::vector<FileTensor>{data, fixed(forward.weights), fixed(forward.recurrent), fixed(forward.bias), zero};
  };
  std::vector<OperatorCase> cases;
  cases.push_back({.name = "",
                   .code = BuiltinOperator_RNN,
                   .inputs = tensors(row),
                   .outputs = {one_step(forward, row)},
                   .options = made([](auto& b) { return CreateRNNOptions(b, Activation_RELU6); })});
  OperatorCase compressed = cases[0];
  compressed.name = "WithWeightsInBytes";
  compressed.inputs[1] = fixed(quantized(forward.weights.shape, forward.weights.values, 0.25F, 0));
  cases.push_back(compressed);
  cases.push_back({.name = "",
                   .code = BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_RNN,
                   .inputs = tensors(sequences()),
                   .outputs = {results(forward, false)},
                   .options = made([](auto& b) { return CreateSequenceRNNOptions(b, false, Activation_RELU6); })});
  OperatorCase both{
      .name = "",
      .code = BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN,
      .inputs = tensors(sequences()),
      .outputs = {results(forward, false), results(backward, true)},
      .options = made([](auto& b) { return CreateBidirectionalSequenceRNNOptions(b, false, Activation_RELU6, false); })};
  for (const FileTensor& tensor : {fixed(backward.weights), fixed(backward.recurrent), fixed(backward.bias), zero}) {
    both.inputs.push_back(tensor);
  }
  both.inputs.insert(both.inputs.end(), 3, kOmitted);
  cases.push_back(both);
  return cases;
}

std::vector<OperatorCase> lstm_cases() {
  const LstmCell forward(50), backward(70);
  const FileTensor row = made_up({kBatch, kInput}, 41);
  const FileTensor zero = state({kBatch, kUnits});
  std::vector<OperatorCase> cases;
  std::vector<FileTensor> inputs{row};
  forward.append_to(inputs);
  inputs.insert(inputs.end(), 2, zero);
  cases.push_back({.name = "",
                   .code = BuiltinOperator_LSTM,
                   .inputs = inputs,
                   .outputs = {one_step(forward, row)},
                   .options = made([](auto& b) { return CreateLSTMOptions(b, Activation_TANH, 0, 0, LstmKernel_FULL); })});
  inputs[0] = sequences();
  cases.push_back(
      {.name = "",
       .code = BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM,
       .inputs = inputs,
       .outputs = {results(forward, false)},
       .options = made([](auto& b) { return CreateUnidirectionalSequenceLSTMOptions(b, Activation_TANH, 0, 0, false); })});
  inputs.resize(18);
  backward.append_to(inputs);
  inputs.insert(inputs.end(), 4, zero);
  inputs.insert(inputs.end(), 9, kOmitted);
  cases.push_back(
      {.name = "",
       .code = BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM,
       .inputs = inputs,
       .outputs = {results(forward, false), results(backward, true)},
       .options = made([](auto& b) { return CreateBidirectionalSequenceLSTMOptions(b, Activation_TANH, 0, 0, false, false); })});
  return cases;
}

// The older form of one step: all gates in one matrix, in the order input, new values, forget, output.
OperatorCase basic_lstm() {
  const LstmCell cell(90);
  const FileTensor row = made_up({kBatch, kInput}, 42);
  const FileTensor output = made_up({kBatch, kUnits}, 43, 0.125F), memory = made_up({kBatch, kUnits}, 44, 0.125F);
  constexpr int kOrder[] = {0, 2, 1, 3};
  FileTensor weights = real({4 * kUnits, kInput + kUnits}, {}), bias = real({4 * kUnits}, {});
  for (const int g : kOrder) {
    for (size_t u = 0; u < kUnits; ++u) {
      for (size_t i = 0; i < kInput; ++i) weights.values.push_back(cell.weights[g].values[u * kInput + i]);
      for (size_t i = 0; i < kUnits; ++i) weights.values.push_back(cell.recurrent[g].values[u * kUnits + i]);
      bias.values.push_back(cell.bias[g].values[u]);
    }
  }
  FileTensor new_output = real({kBatch, kUnits}, {}), new_memory = new_output;
  FileTensor joined = real({kBatch, kInput + kUnits}, {}), gates = real({kBatch, 4 * kUnits}, {});
  for (size_t b = 0; b < kBatch; ++b) {
    LstmCell::State before;
    for (size_t u = 0; u < kUnits; ++u) {
      before.output[u] = output.values[b * kUnits + u];
      before.cell[u] = memory.values[b * kUnits + u];
    }
    const auto after = cell.next(&row.values[b * kInput], before);
    new_output.values.insert(new_output.values.end(), after.output.begin(), after.output.end());
    new_memory.values.insert(new_memory.values.end(), after.cell.begin(), after.cell.end());
    Numbers whole_row(&row.values[b * kInput], &row.values[b * kInput] + kInput);
    whole_row.insert(whole_row.end(), before.output.begin(), before.output.end());
    joined.values.insert(joined.values.end(), whole_row.begin(), whole_row.end());
    Numbers sums = bias.values;
    accumulate(weights, whole_row.data(), sums);
    gates.values.insert(gates.values.end(), sums.begin(), sums.end());
  }
  return {.name = "OfTheOlderForm",
          .code = BuiltinOperator_LSTM,
          .inputs = {row, output, fixed(weights), fixed(bias), memory},
          .outputs = {new_output, new_memory, joined, gates},
          .options = made([](auto& b) { return CreateLSTMOptions(b, Activation_TANH, 0, 0, LstmKernel_BASIC); })};
}

// From a memory of zeros, only the newest column of the time filters counts.
OperatorCase svdf() {
  constexpr int32_t kRank = 2, kMemory = 4, kFilters = kRank * kUnits;
  const FileTensor row = made_up({kBatch, kInput}, 45);
  const FileTensor features = made_up({kFilters, kInput}, 46), times = made_up({kFilters, kMemory}, 47),
                   bias = made_up({kUnits}, 48);
  FileTensor result = real({kBatch, kUnits}, {});
  for (size_t b = 0; b < kBatch; ++b) {
    Numbers sums(kFilters);
    accumulate(features, &row.values[b * kInput], sums);
    for (size_t u = 0; u < kUnits; ++u) {
      float value = bias.values[u];
      for (size_t r = 0; r < kRank; ++r) value += sums[u * kRank + r] * times.values[(u * kRank + r) * kMemory + kMemory - 1];
      result.values.push_back(value);
    }
  }
  return {.name = "",
          .code = BuiltinOperator_SVDF,
          .inputs = {row, fixed(features), fixed(times), fixed(bias), state({kBatch, kMemory * kFilters})},
          .outputs = {result},
          .options = made([](auto& b) { return CreateSVDFOptions(b, kRank, Activation_NONE); })};
}

}  // namespace

std::vector<OperatorCase> recurrent_cases() {
  std::vector<OperatorCase> cases = rnn_cases();
  for (OperatorCase& one : lstm_cases()) cases.push_back(std::move(one));
  cases.push_back(basic_lstm());
  cases.push_back(svdf());
  return cases;
}

}  // namespace nnvk::test
