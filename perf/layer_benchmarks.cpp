// Single convolution layers with the shapes of MobileNetV2 1.0 at 224x224, SAME padding, RELU6.

#include <memory>

#include "perf/benchmarks.h"

namespace nnvk::perf {
namespace {

struct Layer {
  const char* name;
  bool depthwise;
  uint32_t size;  // height and width of the input
  uint32_t in_channels;
  uint32_t out_channels;
  uint32_t filter;
  uint32_t stride;

  uint32_t out_size() const { return (size + stride - 1) / stride; }
  double multiply_adds() const {
    const double taps = static_cast<double>(filter) * filter * (depthwise ? 1 : in_channels);
    return static_cast<double>(out_size()) * out_size() * out_channels * taps;
  }
};

constexpr Layer kLayers[] = {
    {"first_224x224x3_to_32_3x3_s2", false, 224, 3, 32, 3, 2}, {"pointwise_112x112x16_to_96", false, 112, 16, 96, 1, 1},
    {"pointwise_56x56x24_to_144", false, 56, 24, 144, 1, 1},   {"pointwise_28x28x192_to_32", false, 28, 192, 32, 1, 1},
    {"pointwise_14x14x96_to_576", false, 14, 96, 576, 1, 1},   {"pointwise_7x7x320_to_1280", false, 7, 320, 1280, 1, 1},
    {"depthwise_112x112x96_3x3_s2", true, 112, 96, 96, 3, 2},  {"depthwise_56x56x144_3x3_s1", true, 56, 144, 144, 3, 1},
    {"depthwise_14x14x576_3x3_s1", true, 14, 576, 576, 3, 1},
};

std::unique_ptr<CompiledModel> layer_model(const Layer& layer, const ElementType& type, const Device& device) {
  ModelBuilder builder;
  const uint32_t image = builder.input(type, {1, layer.size, layer.size, layer.in_channels});
  const uint32_t filter = builder.weights(
      type, layer.depthwise ? std::vector<uint32_t>{1, layer.filter, layer.filter, layer.out_channels}
                            : std::vector<uint32_t>{layer.out_channels, layer.filter, layer.filter, layer.in_channels});
  const uint32_t bias = builder.bias(type, layer.out_channels, type.scale * type.scale);
  std::vector<uint32_t> inputs{image, filter, bias, builder.scalar(ANEURALNETWORKS_PADDING_SAME)};
  inputs.push_back(builder.scalar(static_cast<int32_t>(layer.stride)));
  inputs.push_back(builder.scalar(static_cast<int32_t>(layer.stride)));
  if (layer.depthwise) inputs.push_back(builder.scalar(1));
  inputs.push_back(builder.scalar(ANEURALNETWORKS_FUSED_RELU6));
  const uint32_t result = builder.output(type, {1, layer.out_size(), layer.out_size(), layer.out_channels});
  builder.operation(layer.depthwise ? ANEURALNETWORKS_DEPTHWISE_CONV_2D : ANEURALNETWORKS_CONV_2D, inputs, result);
  return std::make_unique<CompiledModel>(builder, device);
}

void run_layer(benchmark::State& state, const Layer& layer, CompiledModel& model) {
  ANeuralNetworksExecution* execution = model.execution(true);
  require(ANeuralNetworksExecution_compute(execution), "the first compute");  // compiles kernels that are compiled late
  for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
  ANeuralNetworksExecution_free(execution);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * layer.multiply_adds() * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

void register_layer_benchmarks(const Device& device) {
  for (const Layer& layer : kLayers) {
    for (const ElementType& type : {kFloat32, kQuant8}) {
      register_benchmark(
          std::string("layer/") + layer.name + "/" + type.name, device,
          [&layer, type](const Device& on) { return layer_model(layer, type, on); },
          [&layer](benchmark::State& state, CompiledModel& model) { run_layer(state, layer, model); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace nnvk::perf
