// The first blocks of MobileNetV2 1.0 at 224x224 as one model, in NHWC and in NCHW: what the other layout costs.

#include <memory>

#include "perf/benchmarks.h"

namespace nnvk::perf {
namespace {

class BlocksBuilder {
 public:
  BlocksBuilder(const ElementType& type, bool nchw) : type_(type), nchw_(nchw), last_(builder_.input(type, dims(224, 3))) {}

  void convolution(uint32_t channels, uint32_t filter, uint32_t stride, bool is_last = false) {
    const uint32_t weights = builder_.weights(type_, {channels, filter, filter, channels_});
    layer(ANEURALNETWORKS_CONV_2D, weights, channels, stride, is_last);
  }
  void depthwise(uint32_t stride) {
    layer(ANEURALNETWORKS_DEPTHWISE_CONV_2D, builder_.weights(type_, {1, 3, 3, channels_}), channels_, stride, false);
  }
  // Adds what lay before the block to its result.
  void add(uint32_t before) {
    const uint32_t sum = builder_.temporary(type_, dims(size_, channels_));
    builder_.operation(ANEURALNETWORKS_ADD, {last_, before, builder_.scalar(ANEURALNETWORKS_FUSED_NONE)}, sum);
    last_ = sum;
  }
  uint32_t last() const { return last_; }
  std::unique_ptr<CompiledModel> compile(const Device& device) { return std::make_unique<CompiledModel>(builder_, device); }

 private:
  std::vector<uint32_t> dims(uint32_t size, uint32_t channels) const {
    return nchw_ ? std::vector<uint32_t>{1, channels, size, size} : std::vector<uint32_t>{1, size, size, channels};
  }
  void layer(ANeuralNetworksOperationType code, uint32_t weights, uint32_t channels, uint32_t stride, bool is_last) {
    const uint32_t bias = builder_.bias(type_, channels, type_.scale * type_.scale);
    std::vector<uint32_t> inputs{last_, weights, bias, builder_.scalar(ANEURALNETWORKS_PADDING_SAME)};
    for (int i = 0; i < 2; ++i) inputs.push_back(builder_.scalar(static_cast<int32_t>(stride)));
    if (code == ANEURALNETWORKS_DEPTHWISE_CONV_2D) inputs.push_back(builder_.scalar(1));
    inputs.push_back(builder_.scalar(ANEURALNETWORKS_FUSED_RELU6));
    inputs.push_back(builder_.flag(nchw_));
    size_ /= stride;
    channels_ = channels;
    last_ = is_last ? builder_.output(type_, dims(size_, channels)) : builder_.temporary(type_, dims(size_, channels));
    builder_.operation(code, inputs, last_);
  }

  ModelBuilder builder_;
  const ElementType type_;
  const bool nchw_;
  uint32_t size_ = 224;
  uint32_t channels_ = 3;
  uint32_t last_;
};

std::unique_ptr<CompiledModel> blocks(const ElementType& type, bool nchw, const Device& device) {
  BlocksBuilder network(type, nchw);
  network.convolution(32, 3, 2);
  network.depthwise(1);
  network.convolution(16, 1, 1);
  network.convolution(96, 1, 1);
  network.depthwise(2);
  network.convolution(24, 1, 1);
  const uint32_t block = network.last();
  network.convolution(144, 1, 1);
  network.depthwise(1);
  network.convolution(24, 1, 1);
  network.add(block);
  network.convolution(144, 1, 1);
  network.depthwise(2);
  network.convolution(32, 1, 1, true);
  return network.compile(device);
}

}  // namespace

void register_layout_benchmarks(const Device& device) {
  for (const ElementType& type : {kFloat32, kQuant8}) {
    for (const bool nchw : {false, true}) {
      register_benchmark(
          std::string("layout/mobilenet_v2_blocks_") + (nchw ? "nchw" : "nhwc") + "/" + type.name, device,
          [type, nchw](const Device& on) { return blocks(type, nchw, on); },
          [](benchmark::State& state, CompiledModel& model) {
            ANeuralNetworksExecution* execution = model.execution(true);
            require(ANeuralNetworksExecution_compute(execution), "the first compute");  // compiles what is compiled late
            for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
            ANeuralNetworksExecution_free(execution);
          })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace nnvk::perf
