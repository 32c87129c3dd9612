// Fenced executions in a row, as video pipelines start them: frames of a camera with four in flight, and chains in which every
// execution depends on the one before.
#include <android/hardware_buffer.h>
#include <nnvk/picture.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "perf/benchmarks.h"
#include "perf/blocks_builder.h"
#include "perf/raw_chain/raw_chain.h"

namespace nnvk::perf {
namespace {

using Clock = std::chrono::steady_clock;

// Memory that the client shares with executions.
ANeuralNetworksMemory* shared_memory(size_t size) {
  const int fd = ::memfd_create("pipeline_benchmark", MFD_CLOEXEC);
  require(::ftruncate(fd, static_cast<off_t>(size)) == 0 ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY, "memfd");
  ANeuralNetworksMemory* memory = nullptr;
  require(ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0, &memory), "createFromFd");
  ::close(fd);
  return memory;
}

ANeuralNetworksEvent* start(ANeuralNetworksExecution* execution, const ANeuralNetworksEvent* after) {
  ANeuralNetworksEvent* event = nullptr;
  require(ANeuralNetworksExecution_startComputeWithDependencies(execution, &after, after != nullptr ? 1 : 0, 0, &event),
          "startComputeWithDependencies");
  return event;
}

// ---- the camera ----

constexpr uint32_t kFrameWidth = 1280;
constexpr uint32_t kFrameHeight = 720;
constexpr size_t kCameraBuffers = 8;
constexpr size_t kInFlight = 4;
constexpr size_t kFrames = 48;  // per iteration
constexpr uint32_t kSide = 192;

// Fills frames on a thread of its own, in the order of the requests, and signals a fence for each.
class Camera {
 public:
  struct Frame {
    AHardwareBuffer* buffer = nullptr;
    ANeuralNetworksMemory* memory = nullptr;
    int fence = -1;  // readable when the frame is there
  };

  Camera() {
    for (Frame& frame : frames_) {
      AHardwareBuffer_Desc desc{};
      desc.width = kFrameWidth;
      desc.height = kFrameHeight;
      desc.layers = 1;
      desc.format = AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420;
      desc.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
      require(AHardwareBuffer_allocate(&desc, &frame.buffer), "AHardwareBuffer_allocate");
      require(ANeuralNetworksMemory_createFromAHardwareBuffer(frame.buffer, &frame.memory), "createFromAHardwareBuffer");
      frame.fence = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      take(frame, kFrameHeight);
    }
    thread_ = std::thread([this] { run(); });
  }
  ~Camera() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
    for (const Frame& frame : frames_) {
      ANeuralNetworksMemory_free(frame.memory);
      AHardwareBuffer_release(frame.buffer);
      ::close(frame.fence);
    }
  }
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  const Frame& frame(size_t number) const { return frames_[number % frames_.size()]; }
  // Allows the next frame to be filled. Its fence stays pending until the frame is complete.
  void ask_for_next() {
    eventfd_t seen = 0;
    ::eventfd_read(frame(asked_).fence, &seen);
    {
      const std::lock_guard lock(mutex_);
      ++asked_;
    }
    changed_.notify_one();
  }

 private:
  // A real camera writes by DMA. Writing a few rows shows that the frame changes, and costs next to nothing.
  void take(const Frame& frame, uint32_t rows) {
    AHardwareBuffer_Planes planes{};
    require(AHardwareBuffer_lockPlanes(frame.buffer, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, nullptr, &planes), "lockPlanes");
    ++shade_;
    for (uint32_t y = 0; y < rows; ++y) {
      std::memset(static_cast<uint8_t*>(planes.planes[0].data) + size_t{y} * planes.planes[0].rowStride, shade_ + y, kFrameWidth);
    }
    AHardwareBuffer_unlock(frame.buffer, nullptr);
  }
  void run() {
    for (size_t taken = 0;; ++taken) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || asked_ > taken; });
        if (stop_) return;
      }
      take(frame(taken), 8);
      ::eventfd_write(frame(taken).fence, 1);
    }
  }

  std::array<Frame, kCameraBuffers> frames_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t asked_ = 0;
  bool stop_ = false;
  uint8_t shade_ = 0;
  std::thread thread_;
};

// Five layers over a crop: [1, 192, 192, 3] -> [1, 48, 48, 8].
std::unique_ptr<CompiledModel> camera_model(const Device& device) {
  ModelBuilder builder;
  const uint32_t same = builder.scalar(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = builder.scalar(1);
  const uint32_t two = builder.scalar(2);
  const uint32_t relu6 = builder.scalar(ANEURALNETWORKS_FUSED_RELU6);
  const uint32_t none = builder.scalar(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t picture = builder.input(kFloat32, {1, kSide, kSide, 3});
  // A convolution from `from` to `to` channels whose result is `side` pixels wide and high.
  struct Layer {
    uint32_t from, to;
    uint32_t filter;  // its width and height
    uint32_t stride;  // the operand
    uint32_t side;
  };
  const auto convolve = [&](uint32_t input, const Layer& layer, bool is_last) {
    const uint32_t filter = builder.weights(kFloat32, {layer.to, layer.filter, layer.filter, layer.from});
    const uint32_t bias = builder.bias(kFloat32, layer.to, 0);
    const std::vector<uint32_t> dims = {1, layer.side, layer.side, layer.to};
    const uint32_t result = is_last ? builder.output(kFloat32, dims) : builder.temporary(kFloat32, dims);
    builder.operation(ANEURALNETWORKS_CONV_2D, {input, filter, bias, same, layer.stride, layer.stride, is_last ? none : relu6},
                      result);
    return result;
  };
  const uint32_t first = convolve(picture, {3, 16, 3, two, kSide / 2}, false);
  const uint32_t filter = builder.weights(kFloat32, {1, 3, 3, 16});
  const uint32_t bias = builder.bias(kFloat32, 16, 0);
  const uint32_t second = builder.temporary(kFloat32, {1, kSide / 2, kSide / 2, 16});
  builder.operation(ANEURALNETWORKS_DEPTHWISE_CONV_2D, {first, filter, bias, same, one, one, one, relu6}, second);
  const uint32_t third = convolve(second, {16, 32, 1, one, kSide / 2}, false);
  const uint32_t fourth = convolve(third, {32, 32, 3, two, kSide / 4}, false);
  convolve(fourth, {32, 8, 1, one, kSide / 4}, true);
  return std::make_unique<CompiledModel>(builder, device);
}

// One reusable execution per camera buffer; frame n uses that of its buffer and the output n % 4.
class FramePipeline {
 public:
  explicit FramePipeline(CompiledModel& model) {
    constexpr size_t kOutputBytes = sizeof(float) * (kSide / 4) * (kSide / 4) * 8;
    for (auto& output : outputs_) output = shared_memory(kOutputBytes);
    nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
    conversion.cropLeft = (kFrameWidth - kFrameHeight) / 2.0F;
    conversion.cropWidth = conversion.cropHeight = kFrameHeight;
    for (size_t i = 0; i < kCameraBuffers; ++i) {
      executions_[i] = model.unbound_execution(true);
      require(nnvk_Execution_setInputPicture(executions_[i], 0, &conversion), "setInputPicture");
      require(ANeuralNetworksExecution_setInputFromMemory(executions_[i], 0, nullptr, camera_.frame(i).memory, 0, 0), "input");
      require(ANeuralNetworksExecution_setOutputFromMemory(executions_[i], 0, nullptr, outputs_[i % kInFlight], 0, kOutputBytes),
              "output");
    }
  }
  ~FramePipeline() {
    for (ANeuralNetworksExecution* execution : executions_) ANeuralNetworksExecution_free(execution);
    for (ANeuralNetworksMemory* output : outputs_) ANeuralNetworksMemory_free(output);
  }
  FramePipeline(const FramePipeline&) = delete;
  FramePipeline& operator=(const FramePipeline&) = delete;

  // Starts frame by frame as the camera delivers them; the consumer waits on the sync fence of the fourth last.
  void run(size_t frames) {
    for (size_t i = 0; i < frames; ++i) {
      InFlight& next = in_flight_[started_ % kInFlight];
      consume(next);
      const Camera::Frame& frame = camera_.frame(started_);
      camera_.ask_for_next();
      require(ANeuralNetworksEvent_createFromSyncFenceFd(frame.fence, &next.frame), "createFromSyncFenceFd");
      next.result = start(executions_[started_ % kCameraBuffers], next.frame);
      require(ANeuralNetworksEvent_getSyncFenceFd(next.result, &next.fence), "getSyncFenceFd");
      ++started_;
    }
    for (InFlight& frame : in_flight_) consume(frame);
  }

 private:
  struct InFlight {
    ANeuralNetworksEvent* frame = nullptr;
    ANeuralNetworksEvent* result = nullptr;
    int fence = -1;
  };
  static void consume(InFlight& frame) {
    if (frame.result == nullptr) return;
    pollfd fence{frame.fence, POLLIN, 0};
    while (::poll(&fence, 1, -1) < 0) {
    }
    require((fence.revents & POLLERR) == 0 ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED, "a frame");
    ::close(frame.fence);
    finish_event(frame.result);
    ANeuralNetworksEvent_free(frame.frame);
    frame = {};
  }

  Camera camera_;
  std::array<ANeuralNetworksMemory*, kInFlight> outputs_{};
  std::array<ANeuralNetworksExecution*, kCameraBuffers> executions_{};
  std::array<InFlight, kInFlight> in_flight_;
  size_t started_ = 0;
};

void camera_frames(benchmark::State& state, CompiledModel& model, const Device& device) {
  if (device.name == "nnapi-reference") return state.SkipWithError("its events have no sync fence");
  FramePipeline pipeline(model);
  pipeline.run(2 * kCameraBuffers * kInFlight);
  for (auto _ : state) pipeline.run(kFrames);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kFrames));
}

// ---- chains ----

constexpr size_t kLinks = 100;

// A hundred executions, each of which reads the output of the previous one. Memory i lies between the links i - 1 and i.
class Chain {
 public:
  // `memories`: how many tensors the links use in turn, at least 2.
  Chain(CompiledModel& model, size_t memories) {
    constexpr size_t kBytes = sizeof(float) * 28 * 28 * 64;
    for (size_t i = 0; i < memories; ++i) memories_.push_back(shared_memory(kBytes));
    for (size_t i = 0; i < kLinks; ++i) {
      ANeuralNetworksExecution* link = model.unbound_execution(true);
      require(ANeuralNetworksExecution_setInputFromMemory(link, 0, nullptr, memories_[i % memories], 0, kBytes), "input");
      require(ANeuralNetworksExecution_setOutputFromMemory(link, 0, nullptr, memories_[(i + 1) % memories], 0, kBytes), "output");
      links_.push_back(link);
    }
  }
  ~Chain() {
    for (ANeuralNetworksExecution* link : links_) ANeuralNetworksExecution_free(link);
    for (ANeuralNetworksMemory* memory : memories_) ANeuralNetworksMemory_free(memory);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Returns the time until the last link has ended. Events are freed afterwards.
  std::chrono::nanoseconds run() {
    std::vector<ANeuralNetworksEvent*> events;
    const auto begin = Clock::now();
    start_all(events, nullptr);
    return end(events, begin);
  }
  // Starts all links behind an eventfd, which is signalled when `started` has the time of all start calls together. Returns the
  // time from there until the last link has ended.
  std::chrono::nanoseconds run_gated(std::chrono::nanoseconds& started) {
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    ANeuralNetworksEvent* gate = nullptr;
    require(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &gate), "createFromSyncFenceFd");
    std::vector<ANeuralNetworksEvent*> events;
    const auto begin = Clock::now();
    start_all(events, gate);
    const auto opened = Clock::now();
    started = opened - begin;
    ::eventfd_write(fd, 1);
    const auto taken = end(events, opened);
    ANeuralNetworksEvent_free(gate);
    ::close(fd);
    return taken;
  }

 private:
  void start_all(std::vector<ANeuralNetworksEvent*>& events, const ANeuralNetworksEvent* before) {
    for (ANeuralNetworksExecution* link : links_) events.push_back(start(link, events.empty() ? before : events.back()));
  }
  static std::chrono::nanoseconds end(const std::vector<ANeuralNetworksEvent*>& events, Clock::time_point begin) {
    require(ANeuralNetworksEvent_wait(events.back()), "Event_wait");
    const auto taken = Clock::now() - begin;
    for (ANeuralNetworksEvent* event : events) finish_event(event);
    return taken;
  }

  std::vector<ANeuralNetworksMemory*> memories_;
  std::vector<ANeuralNetworksExecution*> links_;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The chain and its raw twin (raw_chain.h) take turns; `times_raw` is the median of their ratios. Without a Vulkan device
// only the chain is timed.
void run_chain(benchmark::State& state, CompiledModel& model, const Device& device, size_t memories) {
  Chain chain(model, memories);
  const bool on_vulkan = device.name.starts_with("vulkan");
  const std::unique_ptr<RawChain> raw = on_vulkan ? RawChain::create(kLinks) : nullptr;
  for (int i = 0; i < 3; ++i) {
    chain.run();
    if (raw != nullptr) raw->run();
  }
  std::vector<double> times;
  std::vector<double> raw_times;
  std::vector<double> ratios;
  for (auto _ : state) {
    const double raw_time = raw != nullptr ? std::chrono::duration<double>(raw->run()).count() : 0;
    const double time = std::chrono::duration<double>(chain.run()).count();
    state.SetIterationTime(time);
    times.push_back(time);
    raw_times.push_back(raw_time);
    ratios.push_back(raw_time > 0 ? time / raw_time : 0);
  }
  state.counters["link_us"] = median(times) * 1e6 / kLinks;
  if (raw == nullptr) return;
  state.counters["raw_link_us"] = median(raw_times) * 1e6 / kLinks;
  state.counters["times_raw"] = median(ratios);
}

// The same chain behind a foreign fence. `start_us` is the median time of a start call, while the fence is pending.
void run_gated_chain(benchmark::State& state, CompiledModel& model) {
  Chain chain(model, 101);
  for (int i = 0; i < 3; ++i) chain.run();
  std::vector<double> starts;
  for (auto _ : state) {
    std::chrono::nanoseconds started{};
    state.SetIterationTime(std::chrono::duration<double>(chain.run_gated(started)).count());
    starts.push_back(std::chrono::duration<double>(started).count());
  }
  state.counters["start_us"] = median(starts) * 1e6 / kLinks;
}

}  // namespace

void register_pipeline_benchmarks(const Device& device) {
  register_benchmark("pipeline/camera_720p", device, camera_model,
                     [device](benchmark::State& state, CompiledModel& model) { camera_frames(state, model, device); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  const std::pair<const char*, size_t> chains[] = {{"chain_100_convolutions", 2}, {"chain_100_convolutions_101_tensors", 101}};
  for (const auto& [name, count] : chains) {
    const size_t memories = count;
    register_benchmark(
        std::string("pipeline/") + name, device, [](const Device& on) { return one_convolution(on, 28); },
        [device, memories](benchmark::State& state, CompiledModel& model) { run_chain(state, model, device, memories); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  register_benchmark(
      "pipeline/gated_chain_100_convolutions", device, [](const Device& on) { return one_convolution(on, 28); }, run_gated_chain)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace nnvk::perf
