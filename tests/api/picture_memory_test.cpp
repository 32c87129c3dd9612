// Pictures in hardware buffers as inputs of executions, on every device and in every mode.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <nnvk/picture.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/api/descriptions.h"
#include "tests/api/hardware_buffers.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

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

// y = relu(x) over an image of 8-bit elements that equal the pixels.
ModelBuilder make_relu(const std::vector<uint32_t>& dims = {1, kHeight, kWidth, 3}, int32_t type = kQuant,
                       float scale = 1.0F / 255) {
  return make_unary(ANEURALNETWORKS_RELU, type, dims, scale);
}

// An output buffer for the model above, filled with a marker value.
std::vector<uint8_t> blank(size_t bytes = size_t{kWidth} * kHeight * 3) { return std::vector<uint8_t>(bytes, 7); }

std::vector<uint8_t> pixels(const std::function<int(uint32_t, uint32_t, uint32_t)>& value) {
  std::vector<uint8_t> expected;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      for (uint32_t c = 0; c < 3; ++c) expected.push_back(static_cast<uint8_t>(value(c, x, y)));
    }
  }
  return expected;
}

// The whole memory, as pictures are bound.
Input picture_in(const MemoryPointer& memory) { return {memory, 0, 0}; }

nlohmann::json picture_counters(const CompilationPointer& compilation) { return describe(compilation).at("pictures"); }

// Whether the compilation's device cannot read the client's memory in place.
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
      const MemoryPointer memory = memory_in(*buffer);
      std::vector<uint8_t> answer = blank();
      ASSERT_EQ(compute(make_execution(compilation, {picture_in(memory)}, {answer})), kOk) << nnvk_lastError();
      const auto black_and_white = [](uint32_t, uint32_t x, uint32_t) { return x == 0 ? 0 : 255; };
      EXPECT_EQ(answer, buffer == &yuv ? pixels(black_and_white) : pixels(ramp));
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
      std::vector<uint8_t> answer = blank();
      if (before) {
        ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      }
      ASSERT_EQ(set_input(execution, 0, picture_in(memory_)), kOk);
      if (!before) {
        ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      }
      ASSERT_EQ(set_output(execution, 0, answer), kOk);
      ASSERT_EQ(compute(execution), kOk);
      EXPECT_EQ(answer, pixels([](uint32_t c, uint32_t x, uint32_t y) { return ramp(2 - c, x, y); }));
    }
  });
}

// Programs of the first version: their struct ends before `rotation`, and other data may follow.
TEST_F(Pictures, ConversionsOfTheFirstVersionAreUpright) {
  paint(picture_, ramp);
  nnvk_PictureConversion conversion = defaults();
  conversion.size = offsetof(nnvk_PictureConversion, rotation);
  conversion.rotation = conversion.mirrored = -1;
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    std::vector<uint8_t> answer = blank();
    const ExecutionPointer execution = make_execution(compilation, {picture_in(memory_)}, {answer});
    ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk) << nnvk_lastError();
    ASSERT_EQ(compute(execution), kOk);
    EXPECT_EQ(answer, pixels(ramp));
  });
}

TEST_F(Pictures, AreReadAnewByEveryComputationAndConversionsAreMadeReadyOnce) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    std::vector<uint8_t> answer = blank();
    const ExecutionPointer execution = make_execution(compilation, {picture_in(memory_)}, {answer});
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kOk);
    const BurstPointer burst = make_burst(compilation);
    for (int frame = 0; frame < 6; ++frame) {
      paint(picture_, [frame](uint32_t c, uint32_t x, uint32_t y) { return ramp(c, x, y) + frame; });
      switch (frame % 3) {
        case 0:
          ASSERT_EQ(compute(execution), kOk);
          break;
        case 1:
          ASSERT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()), kOk);
          break;
        default:
          ASSERT_EQ(wait(start(execution)), kOk);
      }
      EXPECT_EQ(answer, pixels([frame](uint32_t c, uint32_t x, uint32_t y) { return ramp(c, x, y) + frame; }));
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
      std::vector<uint8_t> answer = blank();
      const ExecutionPointer execution = make_execution(compilation.get());
      ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      ASSERT_EQ(set_input(execution, 0, picture_in(memory_)), kOk);
      ASSERT_EQ(set_output(execution, 0, answer), kOk);
      ASSERT_EQ(compute(execution), kOk);
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
    const EventPointer gate = event_of_fence(ends[0]);
    std::vector<uint8_t> answer = blank();
    const ExecutionPointer execution = make_execution(compilation, {picture_in(memory_)}, {answer});
    const EventPointer event = start_fenced(execution, gate.get());
    paint(picture_, ramp);
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_EQ(wait(event), kOk);
    EXPECT_EQ(answer, pixels(ramp));
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

TEST_F(Pictures, AreKeptByExecutionsWhoseMemoryAndBufferAreFreed) {
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    const ExecutionPointer execution = make_execution(compilation.get());
    std::vector<uint8_t> answer = blank();
    {
      const BufferPointer buffer = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, kWidth, kHeight);
      paint(buffer, ramp);
      ASSERT_EQ(set_input(execution, 0, picture_in(memory_in(buffer))), kOk);
    }
    ASSERT_EQ(set_output(execution, 0, answer), kOk);
    ASSERT_EQ(compute(execution), kOk);
    EXPECT_EQ(answer, pixels(ramp));
  });
}

TEST_F(Pictures, FallBackAndChoiceOfDevicesWorkAsForOtherInputs) {
  paint(picture_, ramp);
  const CompilationPointer compilation = finished(compile_for_all(model_.get()));
  std::vector<uint8_t> answer = blank();
  ASSERT_EQ(compute(make_execution(compilation, {picture_in(memory_)}, {answer})), kOk);
  EXPECT_EQ(answer, pixels(ramp));
}

// Inputs: two pictures and a buffer. Pictures are cropped and resized, and become real values.
TEST_F(Pictures, StandBesideEachOtherAndOtherInputs) {
  const std::vector<uint32_t> dims{1, 2, 2, 3};
  ModelBuilder model;
  const uint32_t a = model.operand(kFloat, dims);
  const uint32_t b = model.operand(kFloat, dims);
  const uint32_t c = model.operand(kFloat, dims);
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t sum = model.operand(kFloat, dims);
  const uint32_t result = model.operand(kFloat, dims);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_ADD, {a, b, none}, {sum}), kOk);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_ADD, {sum, c, none}, {result}), kOk);
  model.finish({a, b, c}, {result});
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
    std::vector<float> values(12);
    const ExecutionPointer execution =
        make_execution(compilation, {picture_in(memory_), thousands, picture_in(grey_memory)}, {values});
    ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &crop), kOk);
    ASSERT_EQ(compute(execution), kOk);
    for (uint32_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(values[i], 1000.2F + static_cast<float>(ramp(i % 3, 1 + i / 3 % 2, 2 + i / 6)), 1e-3F) << i;
    }
  });
}

// A picture with random pixels: the devices agree to the last bit, at any size.
TEST_F(Pictures, BecomeTheSameTensorOnEveryDevice) {
  const ModelBuilder model = make_relu({1, 3, 17, 23}, kFloat, 0);
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
      std::vector<uint8_t> answer = blank(size_t{3} * 17 * 23 * 4);
      const ExecutionPointer execution = make_execution(compilation, {picture_in(memory_in(buffer))}, {answer});
      ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      ASSERT_EQ(compute(execution), kOk);
      if (first.empty()) first = answer;
      EXPECT_EQ(answer, first);
    });
    EXPECT_NE(std::count(first.begin(), first.end(), first[0]), static_cast<ptrdiff_t>(first.size()));
  }
}

// The picture is an input of the branches, which the host chooses.
TEST_F(Pictures, GoThroughControlFlow) {
  const std::vector<uint32_t> dims{1, kHeight, kWidth, 3};
  const ModelBuilder same = make_relu();
  ModelBuilder largest;
  const uint32_t in = largest.operand(kQuant, dims, 1.0F / 255);
  const uint32_t out = largest.operand(kQuant, dims, 1.0F / 255);
  ASSERT_EQ(largest.operation(ANEURALNETWORKS_MAXIMUM, {in, in}, {out}), kOk);
  largest.finish({in}, {out});
  ModelBuilder model;
  const uint32_t condition = model.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t then_model = model.reference(same);
  const uint32_t else_model = model.reference(largest);
  const uint32_t x = model.operand(kQuant, dims, 1.0F / 255);
  const uint32_t y = model.operand(kQuant, dims, 1.0F / 255);
  ASSERT_EQ(model.operation(ANEURALNETWORKS_IF, {condition, then_model, else_model, x}, {y}), kOk);
  model.finish({x, condition}, {y});
  paint(picture_, ramp);
  on_every_device(model, [&](const CompilationPointer& compilation) {
    for (const uint8_t choice : {0, 1}) {
      std::vector<uint8_t> answer = blank();
      ASSERT_EQ(compute(make_execution(compilation, {picture_in(memory_), choice}, {answer})), kOk) << nnvk_lastError();
      EXPECT_EQ(answer, pixels(ramp));
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
      {"knows 72 and 80", [](auto& c) { c.size = 76; }, false},
      {"filter is 3", [](auto& c) { c.filter = 3; }, false},
      {"rotation is 45 degrees", [](auto& c) { c.rotation = 45; }, false},
      {"rotation is 360 degrees", [](auto& c) { c.rotation = 360; }, false},
      {"rotation is -90 degrees", [](auto& c) { c.rotation = -90; }, false},
      {"mirrored is 2", [](auto& c) { c.mirrored = 2; }, false},
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
    std::vector<uint8_t> answer = blank();
    const ExecutionPointer late = make_execution(compilation, {picture_in(memory_)}, {answer});
    EXPECT_EQ(nnvk_Execution_setInputPicture(late.get(), 0, &conversion), kBadData) << refusal.why;
    EXPECT_THAT(nnvk_lastError(), HasSubstr(refusal.why));
    EXPECT_EQ(compute(late), kOk);
    EXPECT_EQ(answer, pixels(ramp));

    const ExecutionPointer early = make_execution(compilation.get());
    EXPECT_EQ(nnvk_Execution_setInputPicture(early.get(), 0, &conversion), refusal.needs_the_picture ? kOk : kBadData);
    EXPECT_EQ(set_input(early, 0, picture_in(memory_)), refusal.needs_the_picture ? kBadData : kOk) << refusal.why;
  }
}

TEST_F(Pictures, ConversionsAreForPicturesOfExecutionsThatHaveNotStarted) {
  const CompilationPointer compilation = compiled_on(model_.get(), cpu_device());
  const nnvk_PictureConversion conversion = defaults();
  std::vector<uint8_t> bytes(size_t{kWidth} * kHeight * 3);
  const MemoryPointer plain = make_memory(bytes.size());
  ExecutionPointer execution = make_execution(compilation.get());
  EXPECT_EQ(nnvk_Execution_setInputPicture(nullptr, 0, &conversion), kNull);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, nullptr), kNull);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 1, &conversion), kBadData);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), -1, &conversion), kBadData);
  ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
  EXPECT_EQ(set_input(execution, 0, bytes), kBadData);
  EXPECT_EQ(set_input(execution, 0, {plain, 0, bytes.size()}), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("no picture"));
  std::vector<uint8_t> answer = blank();
  ASSERT_EQ(set_output(execution, 0, answer), kOk);
  EXPECT_EQ(compute(execution), kBadData) << "the input was never set";
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kBadState);
  execution = make_execution(compilation.get());
  ASSERT_EQ(set_input(execution, 0, bytes), kOk);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kBadData);
}

TEST_F(Pictures, ThatCannotBeReadAreUnmappable) {
  const BufferPointer unread = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight,
                                           AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN);
  const BufferPointer layered = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, kReadWrite, 2);
  const BufferPointer other = make_buffer(AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, kWidth, kHeight);
  const ModelBuilder two_channels = make_relu({1, kHeight, kWidth, 2});
  const auto compute_with = [](const CompilationPointer& compilation, const BufferPointer& buffer, size_t bytes) {
    std::vector<uint8_t> answer = blank(bytes);
    return compute(make_execution(compilation, {picture_in(memory_in(buffer))}, {answer}));
  };
  on_every_device(model_, [&](const CompilationPointer& compilation) {
    EXPECT_EQ(compute_with(compilation, unread, size_t{kWidth} * kHeight * 3), kUnmappable);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("AHARDWAREBUFFER_USAGE_CPU_READ"));
    EXPECT_EQ(compute_with(compilation, layered, size_t{kWidth} * kHeight * 3), kUnmappable);
    EXPECT_EQ(compute_with(compilation, other, size_t{kWidth} * kHeight * 3), kUnmappable);
    const ExecutionPointer execution = make_execution(compilation, {picture_in(memory_)}, {{memory_, 0, 0}});
    EXPECT_EQ(compute(execution), kUnmappable) << "a picture is not an output";
  });
  on_every_device(two_channels, [&](const CompilationPointer& compilation) {
    EXPECT_EQ(compute_with(compilation, picture_, size_t{kWidth} * kHeight * 2), kUnmappable);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("1, 3 or 4 channels"));
  });
}

}  // namespace
}  // namespace nnvk::test
