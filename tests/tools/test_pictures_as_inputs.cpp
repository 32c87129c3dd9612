// Real networks on pictures in hardware buffers: the classes that `nnvk run` finds, while the client only binds a buffer.
#include <android/NeuralNetworks.h>
#include <gtest/gtest.h>
#include <nnvk/picture.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/nativewindow/buffer_fixture.h"
#include "tests/tools/model_files.h"
#include "tools/image/drawn_picture.h"
#include "tools/image/picture_shape.h"

namespace nnvk::tools {
namespace {

using test::BufferPointer;

// A buffer whose samples are sample(plane or channel, x, y).
template <class Sample>
BufferPointer make_buffer(uint32_t format, const Picture& picture, const Sample& sample) {
  BufferPointer buffer = test::allocate(test::image(format, picture.width, picture.height));
  AHardwareBuffer_Planes planes{};
  EXPECT_EQ(AHardwareBuffer_lockPlanes(buffer.get(), AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, nullptr, &planes), 0);
  const bool yuv = planes.planeCount == 3;
  for (uint32_t c = 0; c < 3; ++c) {
    const AHardwareBuffer_Plane& plane = planes.planes[yuv ? c : 0];
    const uint32_t shrink = yuv && c > 0 ? 2 : 1;
    for (uint32_t y = 0; y < (picture.height + shrink - 1) / shrink; ++y) {
      for (uint32_t x = 0; x < (picture.width + shrink - 1) / shrink; ++x) {
        const float value = std::clamp(std::round(sample(c, x, y)), 0.0F, 255.0F);
        static_cast<uint8_t*>(plane.data)[y * plane.rowStride + x * plane.pixelStride + (yuv ? 0 : c)] =
            static_cast<uint8_t>(value);
      }
    }
  }
  EXPECT_EQ(AHardwareBuffer_unlock(buffer.get(), nullptr), 0);
  return buffer;
}

float channel_at(const Picture& picture, uint32_t channel, uint32_t x, uint32_t y) {
  const uint32_t column = std::min(x, picture.width - 1);
  const uint32_t row = std::min(y, picture.height - 1);
  return picture.values[(size_t{row} * picture.width + column) * 3 + channel];
}

BufferPointer rgba_buffer(const Picture& picture) {
  return make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, picture,
                     [&](uint32_t c, uint32_t x, uint32_t y) { return channel_at(picture, c, x, y); });
}

// BT.601, limited range; chroma of two by two pixels is their mean.
BufferPointer yuv_buffer(const Picture& picture) {
  const auto at = [&](uint32_t x, uint32_t y, std::array<float, 3> weights) {
    float sum = 0;
    for (uint32_t c = 0; c < 3; ++c) sum += weights[c] * channel_at(picture, c, x, y) / 255;
    return sum;
  };
  return make_buffer(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, picture, [&](uint32_t plane, uint32_t x, uint32_t y) {
    if (plane == 0) return 16 + at(x, y, {65.481F, 128.553F, 24.966F});
    const std::array<float, 3> weights =
        plane == 1 ? std::array{-37.797F, -74.203F, 112.0F} : std::array{112.0F, -93.786F, -18.214F};
    return 128 + (at(2 * x, 2 * y, weights) + at(2 * x + 1, 2 * y, weights) + at(2 * x, 2 * y + 1, weights) +
                  at(2 * x + 1, 2 * y + 1, weights)) /
                     4;
  });
}

// The output, of `bytes` bytes, of a network whose input is a picture.
std::vector<uint8_t> output_for(ANeuralNetworksCompilation* compilation, const BufferPointer& buffer,
                                const nnvk_PictureConversion& conversion, size_t bytes) {
  ANeuralNetworksMemory* memory = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer.get(), &memory), ANEURALNETWORKS_NO_ERROR);
  const MemoryHandle memory_handle(memory);
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation, &execution), ANEURALNETWORKS_NO_ERROR);
  const ExecutionHandle execution_handle(execution);
  std::vector<uint8_t> output(bytes);
  EXPECT_EQ(nnvk_Execution_setInputPicture(execution, 0, &conversion), ANEURALNETWORKS_NO_ERROR) << nnvk_lastError();
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr, memory, 0, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, output.data(), output.size()), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution), ANEURALNETWORKS_NO_ERROR) << nnvk_lastError();
  return output;
}

// The output of a network whose 8-bit input holds the unchanged pixels.
std::vector<float> scores_of(const LoadedModel& loaded, const BufferPointer& buffer) {
  const OperandInfo& input = loaded.model.inputs[0].info;
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  conversion.filter = NNVK_PICTURE_AREA;
  const bool is_signed = input.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
  std::fill_n(conversion.mean, 4, static_cast<float>(input.zero_point + (is_signed ? 128 : 0)));
  std::fill_n(conversion.deviation, 4, 1.0F / input.scale);
  const OperandInfo& output = loaded.model.outputs[0].info;
  return decode(output_for(loaded.session.compilation(), buffer, conversion, output.bytes()), output);
}

// Returns its input.
Result<ModelBuilder> identity(const OperandInfo& tensor) {
  TOOLS_ASSIGN(ModelBuilder model, ModelBuilder::create());
  TOOLS_ASSIGN(const uint32_t input, model.add_operand(tensor));
  const std::vector<int32_t> dimensions(tensor.dimensions.begin(), tensor.dimensions.end());
  TOOLS_ASSIGN(const uint32_t shape, model.add_int32_tensor(dimensions));
  TOOLS_ASSIGN(const uint32_t output, model.add_operand(tensor));
  TOOLS_TRY(model.add_operation(ANEURALNETWORKS_RESHAPE, {{input, shape}}, {{output}}, "the only operation"));
  TOOLS_TRY(model.finish({{input}}, {{output}}));
  return model;
}

size_t best(const std::vector<float>& scores) {
  return static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

class PicturesAsInputs : public test::OnDevice {};

TEST_P(PicturesAsInputs, DigitsAreReadFromBuffersOfAnySize) {
  auto loaded = load_model(NNVK_SOURCE_DIR "/models/digits_quant.tflite", GetParam());
  ASSERT_TRUE(loaded) << loaded.error().message;
  for (const char digit : {'0', '3', '7'}) {
    const std::string path = std::string(NNVK_SOURCE_DIR "/models/digit_") + digit + ".png";
    const auto picture = load_picture(path, 3);
    ASSERT_TRUE(picture) << picture.error().message;
    const auto expected = test::output_for_file(*loaded, path);
    const auto class_of_digit = static_cast<size_t>(digit - '0');
    EXPECT_EQ(best(expected), class_of_digit);
    EXPECT_EQ(best(scores_of(*loaded, rgba_buffer(*picture))), class_of_digit);
    EXPECT_EQ(best(scores_of(*loaded, yuv_buffer(*picture))), class_of_digit);
    EXPECT_EQ(best(scores_of(*loaded, rgba_buffer(resized(*picture, 20, 15)))), class_of_digit);
  }
}

// To the last bit: the tool's pictures and a program's buffers take one way.
TEST_P(PicturesAsInputs, AreTheTensorsThatTheToolMakesOfFiles) {
  const Picture picture = drawn_picture(150, 110, 9);
  const BufferPointer buffer = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, picture,
                                           [&](uint32_t c, uint32_t x, uint32_t y) { return channel_at(picture, c, x, y); });
  const OperandInfo tensors[] = {
      {ANEURALNETWORKS_TENSOR_FLOAT32, {1, 41, 60, 3}},
      {ANEURALNETWORKS_TENSOR_FLOAT32, {1, 300, 60, 4}},  // enlarges along one side
      {ANEURALNETWORKS_TENSOR_FLOAT16, {1, 3, 41, 60}},
      {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {1, 41, 60, 1}, 0.02F, 120},
      {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {1, 110, 150, 3}, 0.02F, -7},
  };
  const std::vector<Normalisation> normalisations{{123.675, 58.395}, {116.28, 57.12}, {103.53, 57.375}, {0, 255}};
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  conversion.filter = NNVK_PICTURE_AREA;
  for (size_t c = 0; c < normalisations.size(); ++c) {
    conversion.mean[c] = static_cast<float>(normalisations[c].mean);
    conversion.deviation[c] = static_cast<float>(normalisations[c].deviation);
  }
  const auto device = find_device(GetParam());
  for (const OperandInfo& tensor : tensors) {
    const auto model = identity(tensor);
    ASSERT_TRUE(model) << model.error().message;
    const auto compilation = compile_for(*model, std::span(&*device, 1), {}, {});
    ASSERT_TRUE(compilation) << compilation.error().message;
    const PictureShape shape = picture_shape(tensor.dimensions).value();
    conversion.tensorLayout = shape.channels_first ? NNVK_PICTURE_NCHW : NNVK_PICTURE_NHWC;
    const auto of_tool = picture_bytes(picture, shape, tensor, normalisations);
    ASSERT_TRUE(of_tool) << of_tool.error().message;
    EXPECT_EQ(output_for(compilation->get(), buffer, conversion, tensor.bytes()), *of_tool) << to_string(tensor);
  }
}

TEST_P(PicturesAsInputs, MobilenetSeesWhatItSeesInTheFile) {
  const std::string folder = NNVK_SHARED_DIR "/models/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published models";
  auto loaded = load_model(folder + "mobilenet_v2_1.0_224_quant.tflite", GetParam());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::string path = folder + "grace_hopper.bmp";
  const auto picture = load_picture(path, 3);
  ASSERT_TRUE(picture) << picture.error().message;
  constexpr size_t kMilitaryUniform = 653;
  EXPECT_EQ(best(test::output_for_file(*loaded, path)), kMilitaryUniform);
  EXPECT_EQ(best(scores_of(*loaded, rgba_buffer(*picture))), kMilitaryUniform);
  EXPECT_EQ(best(scores_of(*loaded, yuv_buffer(*picture))), kMilitaryUniform);
}

INSTANTIATE_TEST_SUITE_P(Devices, PicturesAsInputs, testing::Values("cpu", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace nnvk::tools
