// The first blocks of MobileNetV2 1.0 at 224x224 as one model, in NHWC and in NCHW, to compare their cost.

#include <memory>

#include "perf/benchmarks.h"
#include "perf/blocks_builder.h"

namespace nnvk::perf {
namespace {

std::unique_ptr<CompiledModel> blocks(const ElementType& type, bool nchw, const Device& device) {
  BlocksBuilder network(type, nchw, 224);
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
  return network.compile({&device, 1});
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
            require(ANeuralNetworksExecution_compute(execution), "the first compute");  // compiles kernels that are compiled late
            for (auto _ : state) require(ANeuralNetworksExecution_compute(execution), "compute");
            ANeuralNetworksExecution_free(execution);
          })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace nnvk::perf
