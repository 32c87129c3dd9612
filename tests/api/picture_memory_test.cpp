// Pictures in hardware buffers as inputs of executions, on every device and in every mode.
#include <android/hardware_buffer.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <nnvk/picture.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

constexpr int kOk = ANEURALNETWORKS_NO_ERROR;
constexpr int kBadData = ANEURALNETWORKS_BAD_DATA;
constexpr int kUnmappable = ANEURALNETWORKS_UNMAPPABLE;
constexpr uint64_t kReadWrite = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

using BufferPointer = Owner<AHardwareBuffer, AHardwareBuffer_release>;

BufferPointer make_buffer(uint32_t format, uint32_t width, uint32_t height, uint64_t usage = kReadWrite, uint32_t layers = 1) {
  AHardwareBuffer_Desc desc{};
  desc.width = width;
  desc.height = height;
  desc.layers = layers;
  desc.format = format;
  desc.usage = usage;
  AHardwareBuffer* buffer = nullptr;
  EXPECT_EQ(AHardwareBuffer_allocate(&desc, &buffer), 0);
  return BufferPointer(buffer);
}

MemoryPointer memory_in(const BufferPointer& buffer) {
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer.get(), &memory), kOk);
  return MemoryPointer(memory);
}

// Writes all samples: value(plane or channel, x, y).
void paint(const BufferPointer& buffer, const std::function<int(uint32_t, uint32_t, uint32_t)>& value) {
  AHardwareBuffer_Desc desc{};
  AHardwareBuffer_describe(buffer.get(), &desc);
  AHardwareBuffer_Planes planes{};
  ASSERT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, nullptr, &planes), 0);
  const bool yuv = planes.planeCount == 3;
  for (uint32_t c = 0; c < (yuv ? 3U : std::min(planes.planes[0].pixelStride, 4U)); ++c) {
    const AHardwareBuffer_Plane& plane = planes.planes[yuv ? c : 0];
    const uint32_t shrink = yuv && c > 0 ? 2 : 1;
    for (uint32_t y = 0; y < (desc.height + shrink - 1) / shrink; ++y) {
      for (uint32_t x = 0; x < (desc.width + shrink - 1) / shrink; ++x) {
        static_cast<uint8_t*>(plane.data)[y * plane.rowStride + x * plane.pixelStride + (yuv ? 0 : c)] =
            static_cast<uint8_t>(value(c, x, y));
      }
    }
  }
  ASSERT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
}

int ramp(uint32_t channel, uint32_t x, uint32_t y) { return static_cast<int>(100 * channel + 10 * y + x); }

nnvk_PictureConversion defaults() { return NNVK_PICTURE_CONVERSION_DEFAULT; }

constexpr uint32_t kWidth = 5;
constexpr uint32_t kHeight = 5;

// y = relu(x) over an image of 8-bit elements that are the pixels as they are.
ModelBuilder make_relu(std::vector<uint32_t> dims = {1, kHeight, kWidth, 3}, int32_t type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                       float scale = 1.0F / 255) {
  ModelBuilder model;
  const uint32_t x = model.operand(type, dims, scale);
  const uint32_t y = model.operand(type, dims, scale);
  EXPECT_EQ(model.operation(ANEURALNETWORKS_RELU, {x}, {y}), kOk);
  EXPECT_EQ(model.identify({x}, {y}), kOk);
  EXPECT_EQ(model.finish(), kOk);
  return model;
}

// What the model above makes of the picture.
class Answer {
 public:
  explicit Answer(size_t bytes = size_t{kWidth} * kHeight * 3) : values_(bytes, 7) {}
  int bind(ANeuralNetworksExecution* execution) {
    return ANeuralNetworksExecution_setOutput(execution, 0, nullptr, values_.data(), values_.size());
  }
  const std::vector<uint8_t>& values() const { return values_; }

 private:
  std::vector<uint8_t> values_;
};

std::vector<uint8_t> pixels(const std::function<int(uint32_t, uint32_t, uint32_t)>& value) {
  std::vector<uint8_t> expected;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      for (uint32_t c = 0; c < 3; ++c) expected.push_back(static_cast<uint8_t>(value(c, x, y)));
    }
  }
  return expected;
}

int set_picture(const ExecutionPointer& execution, const MemoryPointer& memory) {
  return ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 0);
}

nlohmann::json picture_counters(const CompilationPointer& compilation) { return describe(compilation).at("pictures"); }

// Whether the compilation's device cannot read the client's memory where it lies.
bool must_copy(const CompilationPointer& compilation) {
  const nlohmann::json name = describe(compilation).at("partitions").at(0).at("device");
  const nlohmann::json all = describe_devices();
  for (const auto& device : all.at("devices")) {
    if (device.at("name") != name) continue;
    for (const auto& property : device.at("properties")) {
      if (property.at("value") == "copied") return true;
    }
  }
  return false;
}

class Pictures : public ::testing::Test {
 protected:
  // Runs `test` with a finished compilation of `model` for each device.
  static void on_every_device(const ModelBuilder& model, const std::function<void(const CompilationPointer&)>& test) {
    for (const ANeuralNetworksDevice* device : devices()) {
      SCOPED_TRACE(name_of(device));
      test(compiled_on(model.get(), device));
    }
  }

  const ModelBuilder model_ = make_relu();
  const BufferPointer picture_ = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight);
  const MemoryPointer memory_ = memory_in(picture_);
};

TEST_F(Pictures, OfEveryFormatBecomeTheInput) {
  const BufferPointer rgbx = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, kWidth, kHeight);
  const BufferPointer rgb = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, kWidth, kHeight);
  const BufferPointer yuv = make_buffer(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, kWidth, kHeight);
  for (const BufferPointer* buffer : {&picture_, &rgbx, &rgb}) paint(*buffer, ramp);
  paint(yuv, [](uint32_t plane, uint32_t x, uint32_t) { return plane > 0 ? 128 : x == 0 ? 16 : 235; });
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    for (const BufferPointer* buffer : {&picture_, &rgbx, &rgb, &yuv}) {
      const ExecutionPointer execution = make_execution(compilation.get());
      const MemoryPointer memory = memory_in(*buffer);
      Answer answer;
      ASSERT_EQ(set_picture(execution, memory), kOk);
      ASSERT_EQ(answer.bind(execution.get()), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk) << nnvk_lastError();
      const auto black_and_white = [](uint32_t, uint32_t x, uint32_t) { return x == 0 ? 0 : 255; };
      EXPECT_EQ(answer.values(), buffer == &yuv ? pixels(black_and_white) : pixels(ramp));
      EXPECT_EQ(AHardwareBuffer_unlock(buffer->get(), nullptr), -EINVAL) << "a lock was left";
    }
  });
}

TEST_F(Pictures, ConversionsAreGivenBeforeOrAfterTheMemory) {
  paint(picture_, ramp);
  nnvk_PictureConversion conversion = defaults();
  conversion.channelOrder = NNVK_PICTURE_BGR;
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    for (const bool before : {true, false}) {
      const ExecutionPointer execution = make_execution(compilation.get());
      Answer answer;
      if (before) {
        ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      }
      ASSERT_EQ(set_picture(execution, memory_), kOk);
      if (!before) {
        ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      }
      ASSERT_EQ(answer.bind(execution.get()), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
      EXPECT_EQ(answer.values(), pixels([](uint32_t c, uint32_t x, uint32_t y) { return ramp(2 - c, x, y); }));
    }
  });
}

TEST_F(Pictures, AreReadAnewByEveryComputationAndConversionsAreMadeReadyOnce) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    const ExecutionPointer execution = make_execution(compilation.get());
    Answer answer;
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kOk);
    ASSERT_EQ(set_picture(execution, memory_), kOk);
    ASSERT_EQ(answer.bind(execution.get()), kOk);
    ANeuralNetworksBurst* handle = nullptr;
    ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &handle), kOk);
    const BurstPointer burst(handle);
    for (int frame = 0; frame < 6; ++frame) {
      paint(picture_, [frame](uint32_t c, uint32_t x, uint32_t y) { return ramp(c, x, y) + frame; });
      switch (frame % 3) {
        case 0:
          ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
          break;
        case 1:
          ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kOk);
          break;
        default: {
          ANeuralNetworksEvent* event = nullptr;
          ASSERT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), &event), kOk);
          const EventPointer owner(event);
          ASSERT_EQ(ANeuralNetworksEvent_wait(event), kOk);
        }
      }
      EXPECT_EQ(answer.values(), pixels([frame](uint32_t c, uint32_t x, uint32_t y) { return ramp(c, x, y) + frame; }));
    }
    const nlohmann::json counters = picture_counters(compilation);
    EXPECT_EQ(counters.at("prepared"), 1);
    EXPECT_EQ(counters.at("executions"), 6);
    EXPECT_EQ(counters.at("bytes_copied_in") != 0, must_copy(compilation)) << counters;
  });
}

TEST_F(Pictures, OnlyTheLastConversionsAreKept) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    const auto convert = [&](int mean) {
      nnvk_PictureConversion conversion = defaults();
      conversion.mean[0] = static_cast<float>(mean);
      const ExecutionPointer execution = make_execution(compilation.get());
      Answer answer;
      ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      ASSERT_EQ(set_picture(execution, memory_), kOk);
      ASSERT_EQ(answer.bind(execution.get()), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
    };
    for (int mean = 0; mean < 9; ++mean) convert(mean);
    for (int mean = 8; mean > 0; --mean) convert(mean);
    EXPECT_EQ(picture_counters(compilation).at("prepared"), 9);
    convert(0);
    EXPECT_EQ(picture_counters(compilation).at("prepared"), 10);
  });
}

TEST_F(Pictures, OfFencedComputationsAreReadWhenTheDependenciesHaveSignalled) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    paint(picture_, [](uint32_t, uint32_t, uint32_t) { return 0; });
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ANeuralNetworksEvent* gate = nullptr;
    ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &gate), kOk);
    const EventPointer gate_owner(gate);
    Answer answer;
    EventPointer event;
    ExecutionPointer execution = make_execution(compilation.get());
    ASSERT_EQ(set_picture(execution, memory_), kOk);
    ASSERT_EQ(answer.bind(execution.get()), kOk);
    ANeuralNetworksEvent* started = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), &gate, 1, 0, &started), kOk);
    event.reset(started);
    paint(picture_, ramp);
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
    EXPECT_EQ(answer.values(), pixels(ramp));
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

TEST_F(Pictures, AreKeptByExecutionsWhoseMemoryAndBufferAreFreed) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    const ExecutionPointer execution = make_execution(compilation.get());
    Answer answer;
    {
      const BufferPointer buffer = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, kWidth, kHeight);
      paint(buffer, ramp);
      ASSERT_EQ(set_picture(execution, memory_in(buffer)), kOk);
    }
    ASSERT_EQ(answer.bind(execution.get()), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
    EXPECT_EQ(answer.values(), pixels(ramp));
  });
}

TEST_F(Pictures, FallBackAndChoiceOfDevicesWorkAsForOtherInputs) {
  paint(picture_, ramp);
  const CompilationPointer compilation = finished(compile_for_all(model_.get()));
  const ExecutionPointer execution = make_execution(compilation.get());
  Answer answer;
  ASSERT_EQ(set_picture(execution, memory_), kOk);
  ASSERT_EQ(answer.bind(execution.get()), kOk);
  ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(answer.values(), pixels(ramp));
}

// Two pictures and a buffer, cropped and resized, as real values.
TEST_F(Pictures, StandBesideEachOtherAndOtherInputs) {
  const std::vector<uint32_t> dims{1, 2, 2, 3};
  ModelBuilder model;
  const uint32_t a = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t b = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t c = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t sum = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  const uint32_t result = model.operand(ANEURALNETWORKS_TENSOR_FLOAT32, dims);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_ADD, {a, b, none}, {sum}), kOk);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_ADD, {sum, c, none}, {result}), kOk);
  ASSERT_EQ(model.identify({a, b, c}, {result}), kOk);
  ASSERT_EQ(model.finish(), kOk);
  paint(picture_, ramp);
  const BufferPointer grey = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 1, 1);
  paint(grey, [](uint32_t, uint32_t, uint32_t) { return 51; });
  const MemoryPointer grey_memory = memory_in(grey);
  nnvk_PictureConversion crop = defaults();
  crop.cropLeft = 1;
  crop.cropTop = 2;
  crop.cropWidth = crop.cropHeight = 2;
  std::fill_n(crop.deviation, 4, 1.0F);
  std::vector<float> thousands(12, 1000.0F);
  on_every_device(model, [&](const CompilationPointer& compilation) {
    const ExecutionPointer execution = make_execution(compilation.get());
    std::vector<float> values(12);
    ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &crop), kOk);
    ASSERT_EQ(set_picture(execution, memory_), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, thousands.data(), 48), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 2, nullptr, grey_memory.get(), 0, 0), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, values.data(), 48), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
    for (uint32_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(values[i], 1000.2F + static_cast<float>(ramp(i % 3, 1 + i / 3 % 2, 2 + i / 6)), 1e-3F) << i;
    }
  });
}

// A picture that nobody worked out by hand: the devices agree to the last bit, whatever the sizes.
TEST_F(Pictures, BecomeTheSameTensorOnEveryDevice) {
  const ModelBuilder model = make_relu({1, 3, 17, 23}, ANEURALNETWORKS_TENSOR_FLOAT32, 0);
  for (const uint32_t format : {AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM}) {
    const BufferPointer buffer = make_buffer(format, 101, 67);
    std::minstd_rand random(format);
    paint(buffer, [&](uint32_t, uint32_t, uint32_t) { return static_cast<int>(random() >> 8); });
    nnvk_PictureConversion conversion = defaults();
    conversion.tensorLayout = NNVK_PICTURE_NCHW;
    conversion.colourMatrix = NNVK_PICTURE_BT709;
    conversion.colourRange = NNVK_PICTURE_FULL_RANGE;
    conversion.cropLeft = 3.25F;
    conversion.cropWidth = 90.5F;
    conversion.cropHeight = 66;
    std::vector<uint8_t> first;
    on_every_device(model, [&](const CompilationPointer& compilation) {
      const ExecutionPointer execution = make_execution(compilation.get());
      Answer answer(size_t{3} * 17 * 23 * 4);
      ASSERT_EQ(set_picture(execution, memory_in(buffer)), kOk);
      ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      ASSERT_EQ(answer.bind(execution.get()), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
      if (first.empty()) first = answer.values();
      EXPECT_EQ(answer.values(), first);
    });
    EXPECT_NE(std::count(first.begin(), first.end(), first[0]), static_cast<ptrdiff_t>(first.size()));
  }
}

// The picture is an input of the branches, which the host chooses.
TEST_F(Pictures, GoThroughControlFlow) {
  const std::vector<uint32_t> dims{1, kHeight, kWidth, 3};
  const ModelBuilder same = make_relu();
  ModelBuilder largest;
  const uint32_t in = largest.operand(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, dims, 1.0F / 255);
  const uint32_t out = largest.operand(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, dims, 1.0F / 255);
  ASSERT_EQ(largest.operation(ANEURALNETWORKS_MAXIMUM, {in, in}, {out}), kOk);
  ASSERT_EQ(largest.identify({in}, {out}), kOk);
  ASSERT_EQ(largest.finish(), kOk);
  ModelBuilder model;
  const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t then_model = model.operand(ANEURALNETWORKS_MODEL);
  const uint32_t else_model = model.operand(ANEURALNETWORKS_MODEL);
  const uint32_t x = model.operand(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, dims, 1.0F / 255);
  const uint32_t y = model.operand(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, dims, 1.0F / 255);
  ASSERT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), static_cast<int32_t>(then_model), same.get()), kOk);
  ASSERT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), static_cast<int32_t>(else_model), largest.get()), kOk);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, then_model, else_model, x}, {y}), kOk);
  ASSERT_EQ(model.identify({x, condition}, {y}), kOk);
  ASSERT_EQ(model.finish(), kOk);
  paint(picture_, ramp);
  on_every_device(model, [&](const CompilationPointer& compilation) {
    for (const uint8_t choice : {0, 1}) {
      const ExecutionPointer execution = make_execution(compilation.get());
      Answer answer;
      ASSERT_EQ(set_picture(execution, memory_), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, &choice, 1), kOk);
      ASSERT_EQ(answer.bind(execution.get()), kOk);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk) << nnvk_lastError();
      EXPECT_EQ(answer.values(), pixels(ramp));
    }
  });
}

TEST_F(Pictures, ConversionsThatDoNotFitAreBadDataAndChangeNothing) {
  paint(picture_, ramp);
  const CompilationPointer compilation = compiled_on(model_.get(), cpu_device());
  struct Refusal {
    const char* why;
    std::function<void(nnvk_PictureConversion&)> spoil;
    bool needs_the_picture;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Refusal refusals[] = {
      {"size is 8", [](auto& c) { c.size = 8; }, false},
      {"filter is 2", [](auto& c) { c.filter = 2; }, false},
      {"channel order is -1", [](auto& c) { c.channelOrder = -1; }, false},
      {"tensor layout is 2", [](auto& c) { c.tensorLayout = 2; }, false},
      {"colour matrix is 3", [](auto& c) { c.colourMatrix = 3; }, false},
      {"colour range is 2", [](auto& c) { c.colourRange = 2; }, false},
      {"not finite", [nan](auto& c) { c.cropWidth = nan; }, false},
      {"deviation[3]", [](auto& c) { c.deviation[3] = 0; }, false},
      {"mean[0]", [nan](auto& c) { c.mean[0] = nan; }, false},
      {"the picture has 5", [](auto& c) { c.cropWidth = 5.5F, c.cropHeight = 1; }, true},
      {"not empty", [](auto& c) { c.cropWidth = 5; }, true},
      {"[1, channels, height, width]", [](auto& c) { c.tensorLayout = NNVK_PICTURE_NCHW; }, true},
  };
  for (const Refusal& refusal : refusals) {
    nnvk_PictureConversion conversion = defaults();
    refusal.spoil(conversion);
    const ExecutionPointer late = make_execution(compilation.get());
    Answer answer;
    ASSERT_EQ(set_picture(late, memory_), kOk);
    EXPECT_EQ(nnvk_Execution_setInputPicture(late.get(), 0, &conversion), kBadData) << refusal.why;
    EXPECT_THAT(nnvk_lastError(), HasSubstr(refusal.why));
    ASSERT_EQ(answer.bind(late.get()), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_compute(late.get()), kOk);
    EXPECT_EQ(answer.values(), pixels(ramp));

    const ExecutionPointer early = make_execution(compilation.get());
    EXPECT_EQ(nnvk_Execution_setInputPicture(early.get(), 0, &conversion), refusal.needs_the_picture ? kOk : kBadData);
    EXPECT_EQ(set_picture(early, memory_), refusal.needs_the_picture ? kBadData : kOk) << refusal.why;
  }
}

TEST_F(Pictures, ConversionsAreForPicturesOfExecutionsThatHaveNotStarted) {
  const CompilationPointer compilation = compiled_on(model_.get(), cpu_device());
  const nnvk_PictureConversion conversion = defaults();
  std::vector<uint8_t> bytes(size_t{kWidth} * kHeight * 3);
  const MemoryPointer plain = make_memory(bytes.size());
  ExecutionPointer execution = make_execution(compilation.get());
  EXPECT_EQ(nnvk_Execution_setInputPicture(nullptr, 0, &conversion), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 1, &conversion), kBadData);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), -1, &conversion), kBadData);
  ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, bytes.data(), bytes.size()), kBadData);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, plain.get(), 0, bytes.size()), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("no picture"));
  Answer answer;
  ASSERT_EQ(answer.bind(execution.get()), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kBadData) << "the input was never set";
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), ANEURALNETWORKS_BAD_STATE);
  execution = make_execution(compilation.get());
  ASSERT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, bytes.data(), bytes.size()), kOk);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kBadData);
}

TEST_F(Pictures, ThatCannotBeReadAreUnmappable) {
  const BufferPointer unread = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight,
                                           AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
  const BufferPointer layered = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, kReadWrite, 2);
  const BufferPointer other = make_buffer(AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, kWidth, kHeight);
  const ModelBuilder two_channels = make_relu({1, kHeight, kWidth, 2});
  const auto compute = [](const CompilationPointer& compilation, const BufferPointer& buffer, size_t bytes) {
    const ExecutionPointer execution = make_execution(compilation.get());
    Answer answer(bytes);
    EXPECT_EQ(set_picture(execution, memory_in(buffer)), kOk);
    EXPECT_EQ(answer.bind(execution.get()), kOk);
    return ANeuralNetworksExecution_compute(execution.get());
  };
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    EXPECT_EQ(compute(compilation, unread, size_t{kWidth} * kHeight * 3), kUnmappable);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("AHARDWAREBUFFER_USAGE_CPU_READ"));
    EXPECT_EQ(compute(compilation, layered, size_t{kWidth} * kHeight * 3), kUnmappable);
    EXPECT_EQ(compute(compilation, other, size_t{kWidth} * kHeight * 3), kUnmappable);
    const ExecutionPointer execution = make_execution(compilation.get());
    EXPECT_EQ(set_picture(execution, memory_), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, memory_.get(), 0, 0), kOk);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kUnmappable) << "a picture is no output";
  });
  on_every_device(two_channels, [&](const CompilationPointer& compilation) {
    EXPECT_EQ(compute(compilation, picture_, size_t{kWidth} * kHeight * 2), kUnmappable);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("1, 3 or 4 channels"));
  });
}

}  // namespace
}  // namespace nnvk::test
