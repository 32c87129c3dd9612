// Measures how much time a model loses if the GPU declines one operation in its middle (README.md of this folder).
#include <nnvk/diagnostics.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "perf/blocks_builder.h"

namespace nnvk::perf {
namespace {

using Clock = std::chrono::steady_clock;

// Samples of the ROI_ALIGN in the middle. If the channels are no multiple of 4, a Vulkan device declines more than 1874: one
// submission would take too long.
constexpr int32_t kAccepted = 1874;
constexpr int32_t kCheap = 1;
constexpr int32_t kDeclined = 1875;
constexpr uint32_t kChannels = 22;
constexpr size_t kRounds = 40;
constexpr double kMillisecondsPerTurn = 20;

void fill(std::vector<std::byte>& floats) {
  for (size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    const float value = static_cast<float>(i * 7 % 255) / 255.0F - 0.5F;
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
}

std::unique_ptr<CompiledModel> compile(BlocksBuilder& blocks, std::span<const Device> devices) {
  auto model = blocks.compile(devices);
  if (!model->supported()) {
    std::fprintf(stderr, "%s does not run the network\n", devices.front().name.c_str());
    std::exit(1);
  }
  fill(model->input(0));
  return model;
}

std::unique_ptr<CompiledModel> network(uint32_t size, int32_t samples, std::span<const Device> devices) {
  BlocksBuilder blocks(kFloat32, false, size);
  blocks.convolution(32, 3, 2);
  blocks.depthwise(1);
  blocks.convolution(16, 1, 1);
  blocks.convolution(96, 1, 1);
  blocks.depthwise(2);
  blocks.convolution(kChannels, 1, 1);
  blocks.scale_by(blocks.means(samples));
  const uint32_t block = blocks.last();
  blocks.convolution(144, 1, 1);
  blocks.depthwise(1);
  blocks.convolution(kChannels, 1, 1);
  blocks.add(block);
  blocks.convolution(144, 1, 1);
  blocks.depthwise(2);
  blocks.convolution(32, 1, 1, true);
  return compile(blocks, devices);
}

// ROI_ALIGN alone, on the same input as in the network.
std::unique_ptr<CompiledModel> declined_operation(uint32_t size, const Device& device) {
  BlocksBuilder blocks(kFloat32, false, size / 4, kChannels);
  blocks.means(kDeclined, true);
  return compile(blocks, {&device, 1});
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A workload that takes turns with others, so that all meet the same speed of the machine.
class Contender {
 public:
  Contender(std::string name, std::function<void()> run) : name_(std::move(name)), run_(std::move(run)) { run_(); }
  void take_turn() {
    std::vector<double> milliseconds;
    const auto turn = Clock::now();
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    do {
      const auto start = Clock::now();
      run_();
      milliseconds.push_back(since(start));
    } while (since(turn) < kMillisecondsPerTurn);
    turns_.push_back(median(std::move(milliseconds)));
  }
  const std::string& name() const { return name_; }
  const std::vector<double>& turns() const { return turns_; }  // the median of each

 private:
  std::string name_;
  std::function<void()> run_;
  std::vector<double> turns_;
};

Contender executions(const std::string& name, CompiledModel& model) {
  const std::shared_ptr<ANeuralNetworksExecution> execution(model.execution(true), ANeuralNetworksExecution_free);
  return {name, [execution] { require(ANeuralNetworksExecution_compute(execution.get()), "compute"); }};
}

// Copies between a device and the host.
class Transfers {
 public:
  Transfers(const std::vector<uint32_t>& shape, const Device& device) : model_(relu(shape, device)) {
    size_t bytes = sizeof(float);
    for (const uint32_t dim : shape) bytes *= dim;
    ANeuralNetworksMemoryDesc* desc = nullptr;
    require(ANeuralNetworksMemoryDesc_create(&desc), "MemoryDesc_create");
    require(ANeuralNetworksMemoryDesc_addInputRole(desc, model_->compilation(), 0, 1.0F), "addInputRole");
    require(ANeuralNetworksMemoryDesc_finish(desc), "MemoryDesc_finish");
    require(ANeuralNetworksMemory_createFromDesc(desc, &on_device_), "createFromDesc");
    ANeuralNetworksMemoryDesc_free(desc);
    const int file = ::memfd_create("transfers", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) std::exit(1);
    require(ANeuralNetworksMemory_createFromFd(bytes, PROT_READ | PROT_WRITE, file, 0, &on_host_), "createFromFd");
    ::close(file);
  }
  ~Transfers() {
    ANeuralNetworksMemory_free(on_device_);
    ANeuralNetworksMemory_free(on_host_);
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void to_device() { require(ANeuralNetworksMemory_copy(on_host_, on_device_), "copy to the device"); }
  void to_host() { require(ANeuralNetworksMemory_copy(on_device_, on_host_), "copy from the device"); }

 private:
  static std::unique_ptr<CompiledModel> relu(const std::vector<uint32_t>& shape, const Device& device) {
    ModelBuilder builder;
    const uint32_t x = builder.input(kFloat32, shape);
    builder.operation(ANEURALNETWORKS_RELU, {x}, builder.output(kFloat32, shape));
    return std::make_unique<CompiledModel>(builder, device);
  }

  std::unique_ptr<CompiledModel> model_;
  ANeuralNetworksMemory* on_device_ = nullptr;
  ANeuralNetworksMemory* on_host_ = nullptr;
};

// Devices and node counts of the partitions: "vulkan 6, cpu 1, vulkan 7".
std::string partitions_of(const CompiledModel& model) {
  char* json = nullptr;
  require(nnvk_describeCompilation(model.compilation(), &json), "describeCompilation");
  const auto description = nlohmann::json::parse(json);
  nnvk_freeString(json);
  std::string text;
  for (const auto& part : description["partitions"]) {
    text += (text.empty() ? "" : ", ") + part["device"].get<std::string>() + " " + std::to_string(part["nodes"].get<int>());
  }
  return text;
}

// Largest difference over all values, relative to the largest value.
double largest_difference(const CompiledModel& a, const CompiledModel& b) {
  double largest = 0;
  double difference = 0;
  for (size_t i = 0; i + sizeof(float) <= a.output(0).size(); i += sizeof(float)) {
    float x = 0;
    float y = 0;
    std::memcpy(&x, a.output(0).data() + i, sizeof x);
    std::memcpy(&y, b.output(0).data() + i, sizeof y);
    largest = std::max(largest, std::abs(double{x}));
    difference = std::max(difference, std::abs(double{x} - double{y}));
  }
  return largest > 0 ? difference / largest : 1;
}

enum Turn : size_t { kGpu, kCpu, kBoth, kTransfers, kGpuWithLittle, kOperation };

// Returns whether the answers agree. `is_forced`: the GPU counts as the better device.
bool measure(uint32_t size, const Device& gpu, const Device& cpu, bool is_forced) {
  const Device both[] = {gpu, cpu};
  const auto gpu_alone = network(size, kAccepted, {&gpu, 1});
  const auto gpu_with_little = network(size, kCheap, {&gpu, 1});
  const auto cpu_alone = network(size, kDeclined, {&cpu, 1});
  const auto operation_alone = declined_operation(size, cpu);
  const auto together = network(size, kDeclined, both);
  Transfers image({1, size / 4, size / 4, kChannels}, gpu);
  Transfers means({1, 1, 1, kChannels}, gpu);
  image.to_device();                  // else the device's copy has no value yet
  std::vector<Contender> contenders;  // in the order of Turn
  contenders.push_back(executions("GPU alone, where it takes ROI_ALIGN", *gpu_alone));
  contenders.push_back(executions("CPU alone", *cpu_alone));
  contenders.push_back(executions("both: " + partitions_of(*together), *together));
  contenders.emplace_back("transfers: what ROI_ALIGN reads to the host, its results to the GPU", [&] {
    image.to_host();
    means.to_device();
  });
  contenders.push_back(executions("GPU alone, with one sample in place of all", *gpu_with_little));
  contenders.push_back(executions("ROI_ALIGN alone, on the CPU", *operation_alone));
  for (size_t round = 0; round < kRounds; ++round) {
    for (Contender& contender : contenders) contender.take_turn();
  }
  std::printf("picture of %u by %u\n", size, size);
  for (const Contender& contender : contenders) {
    std::printf("  %8.3f ms  %s\n", median(contender.turns()), contender.name().c_str());
  }
  const double difference = largest_difference(*gpu_alone, *together);
  // The machine is faster in some rounds than in others, so the result is the median of the rounds' ratios.
  const auto ratio = [&](std::initializer_list<Turn> parts) {
    std::vector<double> ratios;
    for (size_t round = 0; round < kRounds; ++round) {
      double sum = 0;
      for (const Turn part : parts) sum += contenders[part].turns()[round];
      ratios.push_back(contenders[kBoth].turns()[round] / sum);
    }
    return median(std::move(ratios));
  };
  const double to_gpu = ratio({kGpu, kTransfers});
  const double to_cpu = ratio({kCpu});
  if (is_forced || to_gpu > to_cpu) {
    std::printf("  %8.3f     times the GPU alone with the transfers\n", to_gpu);
    std::printf("  %8.3f     times the GPU with one sample, ROI_ALIGN on the CPU and the transfers\n",
                ratio({kGpuWithLittle, kOperation, kTransfers}));
  } else {
    std::printf("  %8.3f     times the CPU alone\n", to_cpu);
  }
  std::printf("  %8.1e     largest difference of the answers\n", difference);
  return difference < 1e-4;
}

int run(bool is_forced) {
  // Must happen before the first use of the library: it makes the library expect the CPU to be slow at everything.
  if (is_forced) ::setenv("NNVK_COST_FACTORS", "nnvk-cpu=1000", 1);
  const std::vector<Device> all = devices();
  const auto cpu = std::ranges::find(all, "nnvk-cpu", &Device::name);
  const auto gpu = std::ranges::find_if(all, [](const Device& device) { return device.name.starts_with("vulkan"); });
  if (gpu == all.end() || cpu == all.end()) {
    std::fprintf(stderr, "there is no Vulkan device, or no nnvk-cpu\n");
    return 1;
  }
  bool good = true;
  for (const uint32_t size : {224U, 96U, 32U}) good = measure(size, *gpu, *cpu, is_forced) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace nnvk::perf

int main(int argc, char** argv) {
  const bool is_forced = argc == 2 && std::string_view(argv[1]) == "--forced";
  if (argc > 1 && !is_forced) {
    std::fprintf(stderr, "usage: nnvk_declined_operation [--forced]\n");
    return 2;
  }
  return nnvk::perf::run(is_forced);
}
