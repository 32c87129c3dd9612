// Single operations other than convolutions: reductions of few long and many short slices, concatenations, recurrent layers.

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "perf/benchmarks.h"

namespace nnvk::perf {
namespace {

constexpr ElementType kIndices = {"int32", ANEURALNETWORKS_TENSOR_INT32, 4, 0.0F, 0};

// Declares an operation with its operands.
using Declare = std::function<void(ModelBuilder& builder)>;

void run(benchmark::State& state, CompiledModel& model) {
  ANeuralNetworksExecution* execution = model.execution(true);
  require(ANeuralNetworksExecution_compute(execution), "the first compute");  // compiles kernels that are compiled late
  for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
  ANeuralNetworksExecution_free(execution);
}

void add(const Device& device, const std::string& name, Declare declare) {
  register_benchmark(
      "operation/" + name, device,
      [declare = std::move(declare)](const Device& on) {
        ModelBuilder builder;
        declare(builder);
        return std::make_unique<CompiledModel>(builder, on);
      },
      run)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

std::string label(const std::vector<uint32_t>& dims) {
  std::string text;
  for (const uint32_t size : dims) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

struct Slices {
  std::vector<uint32_t> dims;
  int32_t axis;
};

void add_softmax(const Device& device, const ElementType& type) {
  for (const Slices& s : {Slices{{1, 1001}, 1}, Slices{{1, 32000}, 1}, Slices{{12, 128, 128}, 2}, Slices{{4096, 10}, 1},
                          Slices{{1, 256, 31}, 1}, Slices{{1, 128, 56, 56}, 1}}) {
    add(device, "softmax_" + label(s.dims) + "_axis_" + std::to_string(s.axis) + "/" + type.name, [=](ModelBuilder& b) {
      const uint32_t x = b.input(type, s.dims);
      const std::vector<uint32_t> inputs{x, b.number(1), b.scalar(s.axis)};
      const ElementType out = {type.name, type.tensor_code, type.bytes, type.scale == 0 ? 0 : 1.0F / 256, 0};
      b.operation(ANEURALNETWORKS_SOFTMAX, inputs, b.output(out, s.dims));
    });
  }
}

void add_argmax(const Device& device, const ElementType& type) {
  for (const Slices& s : {Slices{{1, 1001}, 1}, Slices{{1, 65, 65, 21}, 3}, Slices{{1, 512, 8}, 1}}) {
    add(device, "argmax_" + label(s.dims) + "_axis_" + std::to_string(s.axis) + "/" + type.name, [=](ModelBuilder& b) {
      const std::vector<uint32_t> inputs{b.input(type, s.dims), b.scalar(s.axis)};
      std::vector<uint32_t> dims = s.dims;
      dims.erase(dims.begin() + s.axis);
      b.operation(ANEURALNETWORKS_ARGMAX, inputs, b.output(kIndices, dims));
    });
  }
}

void add_mean(const Device& device, const ElementType& type) {
  const auto mean = [&](std::vector<uint32_t> dims, std::vector<int32_t> axes) {
    std::string name = "mean_" + label(dims) + "_axes";
    for (const int32_t axis : axes) name += "_" + std::to_string(axis);
    add(device, name + "/" + type.name, [=](ModelBuilder& b) {
      const std::vector<uint32_t> inputs{b.input(type, dims), b.indices(axes), b.scalar(1)};
      std::vector<uint32_t> kept = dims;
      for (const int32_t axis : axes) kept[static_cast<size_t>(axis)] = 1;
      b.operation(ANEURALNETWORKS_MEAN, inputs, b.output(type, kept));
    });
  };
  mean({1, 112, 112, 64}, {1, 2});
  mean({1, 7, 7, 1280}, {1, 2});
  mean({1, 64, 112, 112}, {2, 3});
  mean({1, 112, 112, 3}, {1, 2});
  mean({1, 112, 112}, {1, 2});
  mean({1, 128, 768}, {2});
  mean({4, 16, 4096}, {0, 1});
}

void add_pool(const Device& device, const ElementType& type) {
  const auto pool = [&](uint32_t size, uint32_t channels, uint32_t filter, uint32_t stride) {
    const std::string name = "average_pool_" + std::to_string(filter) + "x" + std::to_string(filter) + "_of_" +
                             label({size, size, channels}) + "_stride_" + std::to_string(stride) + "/" + type.name;
    add(device, name, [=](ModelBuilder& b) {
      std::vector<uint32_t> inputs{b.input(type, {1, size, size, channels})};
      for (const uint32_t value : {uint32_t{ANEURALNETWORKS_PADDING_VALID}, stride, stride, filter, filter, 0U}) {
        inputs.push_back(b.scalar(static_cast<int32_t>(value)));
      }
      const uint32_t out = (size - filter) / stride + 1;
      b.operation(ANEURALNETWORKS_AVERAGE_POOL_2D, inputs, b.output(type, {1, out, out, channels}));
    });
  };
  pool(7, 1280, 7, 1);
  pool(112, 64, 112, 1);
  pool(112, 3, 112, 1);
  pool(56, 64, 3, 2);
  pool(56, 66, 3, 2);
  pool(56, 63, 3, 2);
}

void add_normalizations(const Device& device) {
  for (const Slices& s : {Slices{{1, 1001}, 1}, Slices{{1, 128, 512}, 2}, Slices{{1, 28, 28, 67}, 3}}) {
    add(device, "l2_normalization_" + label(s.dims), [=](ModelBuilder& b) {
      const std::vector<uint32_t> inputs{b.input(kFloat32, s.dims), b.scalar(s.axis)};
      b.operation(ANEURALNETWORKS_L2_NORMALIZATION, inputs, b.output(kFloat32, s.dims));
    });
  }
  for (const uint32_t channels : {3U, 64U}) {
    const std::vector<uint32_t> dims{1, 112, 112, channels};
    add(device, "instance_normalization_" + label(dims), [=](ModelBuilder& b) {
      const uint32_t x = b.input(kFloat32, dims);
      const std::vector<uint32_t> inputs{x, b.number(1), b.number(0), b.number(0.01F), b.flag(false)};
      b.operation(ANEURALNETWORKS_INSTANCE_NORMALIZATION, inputs, b.output(kFloat32, dims));
    });
  }
}

void add_concatenations(const Device& device, const ElementType& type, bool scales) {
  const auto join = [&](std::vector<uint32_t> dims, std::vector<uint32_t> channels) {
    std::string name = "concatenation_" + label(dims) + "_of_" + label(channels) + (scales ? "_scales" : "");
    add(device, name + "/" + type.name, [=](ModelBuilder& b) {
      std::vector<uint32_t> inputs;
      uint32_t total = 0;
      for (const uint32_t count : channels) {
        std::vector<uint32_t> part = dims;
        part.push_back(count);
        ElementType own = type;
        if (scales) own.scale *= static_cast<float>(inputs.size() + 1);
        inputs.push_back(b.input(own, part));
        total += count;
      }
      inputs.push_back(b.scalar(static_cast<int32_t>(dims.size())));
      std::vector<uint32_t> whole = dims;
      whole.push_back(total);
      b.operation(ANEURALNETWORKS_CONCATENATION, inputs, b.output(type, whole));
    });
  };
  join({1, 28, 28}, {64, 128, 32});
  join({1, 28, 28}, {64, 128, 32, 32});
  join({1, 56, 56}, {64, 32});
  join({1, 28, 28}, {63, 129, 31});
  join({1}, {1000, 24, 3});
}

// Innermost dimensions that are a multiple of four elements, or not.
void add_odd_channels(const Device& device, const ElementType& type) {
  for (const uint32_t channels : {64U, 63U, 3U}) {
    const std::vector<uint32_t> image{1, 56, 56, channels};
    const std::string of = label(image) + "/" + type.name;
    add(device, "add_bias_to_" + of, [=](ModelBuilder& b) {
      const uint32_t x = b.input(type, image);
      const std::vector<uint32_t> inputs{x, b.input(type, {channels}), b.scalar(0)};
      b.operation(ANEURALNETWORKS_ADD, inputs, b.output(type, image));
    });
    add(device, "resize_bilinear_2_of_" + of, [=](ModelBuilder& b) {
      const uint32_t x = b.input(type, image);
      const std::vector<uint32_t> inputs{x, b.scalar(112), b.scalar(112)};
      b.operation(ANEURALNETWORKS_RESIZE_BILINEAR, inputs, b.output(type, {1, 112, 112, channels}));
    });
    add(device, "max_pool_2x2_of_" + of, [=](ModelBuilder& b) {
      std::vector<uint32_t> inputs{b.input(type, image)};
      for (const int32_t value : {int32_t{ANEURALNETWORKS_PADDING_VALID}, 2, 2, 2, 2, 0}) inputs.push_back(b.scalar(value));
      b.operation(ANEURALNETWORKS_MAX_POOL_2D, inputs, b.output(type, {1, 28, 28, channels}));
    });
  }
}

// Batch 1, no peepholes, projection or normalization.
void add_lstm(const Device& device) {
  for (const auto& [input, units, steps] :
       {std::tuple{128U, 256U, 16U}, std::tuple{256U, 512U, 16U}, std::tuple{512U, 1024U, 16U}, std::tuple{128U, 256U, 1U}}) {
    const std::string name = "lstm_" + std::to_string(steps) + "_steps_" + label({input, units});
    add(device, name, [=, input = input, units = units, steps = steps](ModelBuilder& b) {
      std::vector<uint32_t> inputs{b.input(kFloat32, {steps, 1, input})};
      for (int i = 0; i < 4; ++i) inputs.push_back(b.weights(kFloat32, {units, input}));
      for (int i = 0; i < 4; ++i) inputs.push_back(b.weights(kFloat32, {units, units}));
      for (int i = 0; i < 3; ++i) inputs.push_back(b.omitted(kFloat32));  // peepholes
      for (int i = 0; i < 4; ++i) inputs.push_back(b.weights(kFloat32, {units}));
      for (int i = 0; i < 2; ++i) inputs.push_back(b.omitted(kFloat32));  // projection
      for (int i = 0; i < 2; ++i) inputs.push_back(b.input(kFloat32, {1, units}));
      inputs.push_back(b.scalar(4));  // TANH
      inputs.push_back(b.number(0));
      inputs.push_back(b.number(0));
      inputs.push_back(b.flag(true));
      for (int i = 0; i < 4; ++i) inputs.push_back(b.omitted(kFloat32));  // normalization
      b.operation(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, b.output(kFloat32, {steps, 1, units}));
    });
  }
}

void add_rnn(const Device& device) {
  for (const auto& [input, units, steps] : {std::tuple{256U, 512U, 16U}, std::tuple{512U, 1024U, 16U}}) {
    add(device, "rnn_" + std::to_string(steps) + "_steps_" + label({input, units}),
        [=, input = input, units = units, steps = steps](ModelBuilder& b) {
          std::vector<uint32_t> inputs{b.input(kFloat32, {steps, 1, input})};
          inputs.push_back(b.weights(kFloat32, {units, input}));
          inputs.push_back(b.weights(kFloat32, {units, units}));
          inputs.push_back(b.weights(kFloat32, {units}));
          inputs.push_back(b.input(kFloat32, {1, units}));
          inputs.push_back(b.scalar(4));
          inputs.push_back(b.scalar(1));  // time first
          b.operation(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, inputs, b.output(kFloat32, {steps, 1, units}));
        });
  }
}

}  // namespace

void register_operation_benchmarks(const Device& device) {
  for (const ElementType& type : {kFloat32, kQuant8}) {
    add_softmax(device, type);
    add_argmax(device, type);
    add_mean(device, type);
    add_pool(device, type);
    add_concatenations(device, type, false);
    add_odd_channels(device, type);
  }
  add_concatenations(device, kQuant8, true);
  add_normalizations(device);
  add_lstm(device);
  add_rnn(device);
}

}  // namespace nnvk::perf
