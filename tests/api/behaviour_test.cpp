// Normal use of the C API: every mode on every device gives the same result. Also shapes, memories, threads and diagnostics.
#include <nnvk/constants.h>
#include <sys/resource.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

// x + y = z over eight floats.
struct Addition {
  std::array<float, 8> x{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<float, 8> y{10, 20, 30, 40, 50, 60, 70, 80};
  std::array<float, 8> z{};

  ExecutionPointer bind(const CompilationPointer& compilation) { return make_execution(compilation, {x, y}, {z}); }
  bool right() const {
    for (size_t i = 0; i < z.size(); ++i) {
      if (z[i] != x[i] + y[i]) return false;
    }
    return true;
  }
};

TEST(Devices, TheCpuDeviceIsLastAndNamesAreDifferent) {
  const auto list = devices();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(name_of(list.back()), "nnapi-reference");
  int32_t type = 0;
  EXPECT_EQ(ANeuralNetworksDevice_getType(list.back(), &type), kOk);
  EXPECT_EQ(type, ANEURALNETWORKS_DEVICE_CPU);
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(name_of(list[i]), name_of(list[j]));
    int64_t level = 0;
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(list[i], &level), kOk);
    EXPECT_EQ(level, ANEURALNETWORKS_FEATURE_LEVEL_8);
    const char* version = nullptr;
    EXPECT_EQ(ANeuralNetworksDevice_getVersion(list[i], &version), kOk);
    EXPECT_STRNE(version, "");
  }
  EXPECT_EQ(devices(), list);
  EXPECT_EQ(ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_8);
  EXPECT_EQ(ANeuralNetworks_getDefaultLoopTimeout(), 2'000'000'000U);
  EXPECT_EQ(ANeuralNetworks_getMaximumLoopTimeout(), 15'000'000'000U);
}

TEST(Modes, AllGiveTheSameResultOnEveryDevice) {
  const ModelBuilder model = make_add({8});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    Addition synchronous;
    EXPECT_EQ(ANeuralNetworksExecution_compute(synchronous.bind(compilation).get()), kOk);
    EXPECT_TRUE(synchronous.right());

    Addition asynchronous;
    const ExecutionPointer started = asynchronous.bind(compilation);
    EXPECT_EQ(wait(start(started)), kOk);
    EXPECT_TRUE(asynchronous.right());

    Addition in_burst;
    const BurstPointer burst = make_burst(compilation);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(in_burst.bind(compilation).get(), burst.get()), kOk);
    EXPECT_TRUE(in_burst.right());

    Addition fenced;
    const ExecutionPointer dependent = fenced.bind(compilation);
    EXPECT_EQ(wait(start_fenced(dependent)), kOk);
    EXPECT_TRUE(fenced.right());
  }
}

TEST(Modes, AReusableExecutionReadsItsBuffersAnewEachTime) {
  const ModelBuilder model = make_add({8});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    Addition addition;
    const ExecutionPointer e = addition.bind(compilation);
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(e.get(), true), kOk);
    for (int i = 0; i < 5; ++i) {
      addition.x[3] = static_cast<float>(i);
      EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
      EXPECT_TRUE(addition.right());
    }
  }
}

TEST(Shapes, OpenOutputsReportWhatWasComputed) {
  const ModelBuilder model = make_add({0});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const TypeOf eight(kFloat, {8});
    Addition addition;
    for (const size_t room : {8, 3}) {
      const ExecutionPointer e = make_execution(compilation, {{addition.x, eight.get()}, {addition.y, eight.get()}},
                                                {std::span(addition.z).first(room)});
      const int expected = room == 8 ? kOk : kTooSmall;
      EXPECT_EQ(compute(e), expected);
      uint32_t rank = 0;
      uint32_t dims[1] = {};
      EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(e.get(), 0, &rank), expected);
      EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(e.get(), 0, dims), expected);
      EXPECT_EQ(rank, 1U);
      EXPECT_EQ(dims[0], 8U);
    }
    EXPECT_TRUE(addition.right());
  }
}

TEST(Memories, HoldConstantsInputsAndOutputs) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const int fd = ::memfd_create("shared", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, 256), 0);
    auto* mapped = static_cast<float*>(::mmap(nullptr, 256, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    const MemoryPointer memory = memory_of(fd, 256);
    for (int i = 0; i < 4; ++i) {
      mapped[i] = static_cast<float>(i);            // constant at 0
      mapped[16 + i] = static_cast<float>(10 * i);  // input at 64
    }
    ModelBuilder model;
    const uint32_t x = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {4});
    const uint32_t c = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {4});
    const uint32_t none = model.constant(0);
    const uint32_t z = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, {4});
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(c), memory.get(), 0, 16), kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {x, c, none}, {z}), kOk);
    model.finish({x}, {z});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    EXPECT_EQ(compute(make_execution(compilation, {{memory, 64, 16}}, {{memory, 128, 16}})), kOk);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(mapped[32 + i], static_cast<float>(11 * i));
    ::munmap(mapped, 256);
    ::close(fd);
  }
}

// A fully connected layer of the identity's multiples, whose weights stay in the memory of the test at an address that suits no
// float.
TEST(Constants, InPlaceMayLieAtAnyAddress) {
  constexpr uint32_t kSize = 16;
  std::vector<std::byte> bytes(1 + kSize * kSize * sizeof(float));
  for (uint32_t i = 0; i < kSize; ++i) {
    const auto value = static_cast<float>(i + 1);
    std::memcpy(&bytes[1 + (i * kSize + i) * sizeof value], &value, sizeof value);
  }
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    ModelBuilder model;
    const uint32_t x = model.operand(kFloat, {1, kSize});
    const uint32_t weights = model.operand(kFloat, {kSize, kSize});
    const uint32_t bias = model.constant<float>(kFloat, {kSize}, std::vector<float>(kSize, 0.5F));
    const uint32_t none = model.constant(0);
    const uint32_t y = model.operand(kFloat, {1, kSize});
    EXPECT_EQ(nnvk_Model_setOperandValueInPlace(model.get(), static_cast<int32_t>(weights), &bytes[1], bytes.size() - 1), kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_FULLY_CONNECTED, {x, weights, bias, none}, {y}), kOk);
    model.finish({x}, {y});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::array<float, kSize> in{};
    std::array<float, kSize> out{};
    in.fill(2.0F);
    EXPECT_EQ(compute(make_execution(compilation, {in}, {out})), kOk);
    for (uint32_t i = 0; i < kSize; ++i) EXPECT_EQ(out[i], 2.0F * static_cast<float>(i + 1) + 0.5F) << i;
  }
}

// A convolution of 3x3 whose filter the test has as [outputs, inputs, height, width]. Each filter picks one tap of one channel.
TEST(Constants, AFilterMayStandInAnotherOrder) {
  constexpr uint32_t kChannels = 4;
  constexpr size_t kTaps = 9;
  std::vector<float> filter(kChannels * kChannels * kTaps);
  for (size_t c = 0; c < kChannels; ++c) filter[(c * kChannels + c) * kTaps + c] = 1;  // output c: input c, tap c
  const uint32_t order[] = {0, 2, 3, 1};
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    ModelBuilder model;
    const uint32_t x = model.operand(kFloat, {1, 3, 3, kChannels});
    const uint32_t weights = model.operand(kFloat, {kChannels, 3, 3, kChannels});
    std::vector<uint32_t> inputs{x, weights, model.constant<float>(kFloat, {kChannels}, std::vector<float>(kChannels))};
    for (const int32_t value : {2, 1, 1, 0}) inputs.push_back(model.constant(value));  // VALID, strides of 1, no activation
    const uint32_t y = model.operand(kFloat, {1, 1, 1, kChannels});
    EXPECT_EQ(nnvk_Model_setOperandValueTransposed(model.get(), static_cast<int32_t>(weights), filter.data(),
                                                   filter.size() * sizeof(float), order, 4),
              kOk);
    EXPECT_EQ(model.operation(ANEURALNETWORKS_CONV_2D, inputs, {y}), kOk);
    model.finish({x}, {y});
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::array<float, kTaps * kChannels> in{};
    std::iota(in.begin(), in.end(), 0.0F);
    std::array<float, kChannels> out{};
    EXPECT_EQ(compute(make_execution(compilation, {in}, {out})), kOk);
    for (size_t c = 0; c < kChannels; ++c) EXPECT_EQ(out[c], in[c * kChannels + c]) << c;
  }
}

TEST(Memories, PaddingMayFollowInputsAndOutputs) {
  const ModelBuilder model = make_add({8});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::array<float, 16> x{};
    std::array<float, 16> y{};
    std::array<float, 16> z{};
    x.fill(1.0F);
    y.fill(2.0F);
    const ExecutionPointer e = make_execution(compilation.get());
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(e.get(), true), kOk);
    EXPECT_EQ(set_input(e, 0, x), kOk);
    EXPECT_EQ(set_input(e, 1, y), kOk);
    EXPECT_EQ(set_output(e, 0, z), kOk);
    EXPECT_EQ(compute(e), kOk);
    EXPECT_EQ(z[7], 3.0F);
  }
}

TEST(Threads, SixteenComputeOneCompilationAtTheSameTime) {
  const ModelBuilder model = make_add({8});
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) {
      threads.emplace_back([&compilation, &right, t] {
        for (int i = 0; i < 20; ++i) {
          Addition addition;
          addition.x.fill(static_cast<float>(100 * t + i));
          ANeuralNetworksExecution* e = nullptr;
          if (ANeuralNetworksExecution_create(compilation.get(), &e) != kOk) return;
          const ExecutionPointer owner(e);
          const bool ok = ANeuralNetworksExecution_setInput(e, 0, nullptr, addition.x.data(), 32) == kOk &&
                          ANeuralNetworksExecution_setInput(e, 1, nullptr, addition.y.data(), 32) == kOk &&
                          ANeuralNetworksExecution_setOutput(e, 0, nullptr, addition.z.data(), 32) == kOk &&
                          ANeuralNetworksExecution_compute(e) == kOk;
          if (ok && addition.right()) ++right;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 16 * 20);
  }
}

TEST(Compilation, WithoutChosenDevicesComputesSomewhere) {
  const ModelBuilder model = make_add({8});
  const CompilationPointer compilation = finished(compile_for_all(model.get()));
  Addition addition;
  EXPECT_EQ(ANeuralNetworksExecution_compute(addition.bind(compilation).get()), kOk);
  EXPECT_TRUE(addition.right());
}

TEST(Diagnostics, DescribeDevicesPlacementsCompilationsAndExecutions) {
  const ModelBuilder model = make_add({8});
  auto all = describe_devices();
  ASSERT_EQ(all.at("devices").size(), devices().size());
  EXPECT_EQ(all["devices"].back()["name"], "nnapi-reference");

  auto explained = explain(model);
  EXPECT_EQ(explained["operations"][0]["name"], "ADD");
  EXPECT_EQ(explained["operations"][0]["devices"].size(), devices().size());
  EXPECT_EQ(explained["operations"][0]["devices"].back()["supported"], true);
  EXPECT_EQ(explained["operations"][0]["devices"].back()["kernel"], "reference");
  ASSERT_EQ(explained["transfers"].size(), devices().size());
  EXPECT_EQ(explained["transfers"].back()["device"], "nnapi-reference");
  EXPECT_GT(explained["transfers"].back()["seconds_per_step"], 0);

  const CompilationPointer compilation = compiled_on(model.get(), cpu_device());
  Addition addition;
  const ExecutionPointer e = addition.bind(compilation);
  char* text = nullptr;
  EXPECT_EQ(nnvk_describeExecution(e.get(), &text), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(nnvk_enableProfiling(e.get(), true), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
  auto compiled = describe(compilation);
  EXPECT_EQ(compiled["partitions"][0]["device"], "nnapi-reference");
  EXPECT_EQ(compiled["partitions"][0]["counters"]["executions"], 1);
  EXPECT_EQ(compiled["operations"][0]["removed"], false);
  auto described = describe(e);
  EXPECT_EQ(described["result"], "NO_ERROR");
  EXPECT_EQ(described["outputs"][0]["shape"], nlohmann::json({8}));
  ASSERT_EQ(described["nodes"].size(), 1U);
  EXPECT_EQ(described["nodes"][0]["name"], "ADD");
}

TEST(Diagnostics, TheLastErrorSaysWhatWhereAndBelongsToItsThread) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_STREQ(nnvk_lastError(), "ANeuralNetworksModel_finish (UNEXPECTED_NULL): model is NULL");
  std::string elsewhere = "unset";
  std::thread([&] { elsewhere = nnvk_lastError(); }).join();
  EXPECT_EQ(elsewhere, "");
}

long peak_kilobytes() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// Compiles on every CPU device and computes into 16 bytes. `shape`: of the output, of more than 1 GB.
template <size_t rank>
void expect_not_computed(const ModelBuilder& model, std::array<uint32_t, rank> shape) {
  for (const ANeuralNetworksDevice* device : devices()) {
    if (!is_cpu(device)) continue;  // others decline tensors larger than their buffers
    SCOPED_TRACE(name_of(device));
    const long before = peak_kilobytes();
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const float in = 1.0F;
    std::array<float, 4> out{};
    const ExecutionPointer execution = make_execution(compilation, {in}, {out});
    EXPECT_EQ(compute(execution), kTooSmall);
    EXPECT_LT(peak_kilobytes() - before, 1 << 20) << "all that would be thrown away";
    std::array<uint32_t, rank> told{};
    EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, told.data()), kTooSmall);
    EXPECT_EQ(told, shape);
    EXPECT_EQ(out[0], 0.0F);
  }
}

TEST(OutputsThatDoNotFit, AreNotComputed) {
  ModelBuilder model;
  const uint32_t dimensions = model.constant<int32_t>(ANEURALNETWORKS_TENSOR_INT32, {2}, {30000, 30000});
  const uint32_t value = model.operand(ANEURALNETWORKS_FLOAT32);
  const uint32_t filled = model.operand(kFloat, {0, 0});
  ASSERT_EQ(model.operation(ANEURALNETWORKS_FILL, {dimensions, value}, {filled}), kOk);
  model.finish({value}, {filled});
  expect_not_computed<2>(model, {30000, 30000});
}

TEST(OutputsThatDoNotFit, HaveNoTablesMade) {
  for (const int32_t code : {ANEURALNETWORKS_RESIZE_BILINEAR, ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR}) {
    ModelBuilder model;
    const uint32_t image = model.operand(kFloat, {1, 1, 1, 1});
    const uint32_t width = model.constant(400'000'000);
    const uint32_t height = model.constant(1);
    const uint32_t layout = model.constant<uint8_t>(ANEURALNETWORKS_BOOL, {}, {0});
    const uint32_t resized = model.operand(kFloat, {0, 0, 0, 0});
    ASSERT_EQ(model.operation(code, {image, width, height, layout}, {resized}), kOk);
    model.finish({image}, {resized});
    expect_not_computed<4>(model, {1, 1, 400'000'000, 1});
  }
}

}  // namespace
}  // namespace nnvk::test
