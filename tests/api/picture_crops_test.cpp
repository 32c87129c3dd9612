// Batches of crops of one picture as inputs: the same tensors as of each crop alone, on every device and in every mode.
#include <gmock/gmock.h>
#include <nnvk/picture.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/api/descriptions.h"
#include "tests/api/hardware_buffers.h"

namespace nnvk::test {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kSide = 4;          // of an element of the batch
constexpr uint32_t kPictureSide = 16;  // pixels
constexpr size_t kElements = size_t{kSide} * kSide * 3;

std::vector<uint32_t> dims_of(uint32_t batch, int32_t layout) {
  if (layout == NNVK_PICTURE_NCHW) return {batch, 3, kSide, kSide};
  return {batch, kSide, kSide, 3};
}

class PictureCrops : public ::testing::Test {
 protected:
  PictureCrops() {
    std::minstd_rand random(7);
    for (const BufferPointer* buffer : {&rgba_, &yuv_}) {
      void* bytes = nullptr;
      int32_t pixel = 0;
      int32_t stride = 0;
      EXPECT_EQ(AHardwareBuffer_lockAndGetInfo(buffer->get(), AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, -1, nullptr, &bytes, &pixel,
                                               &stride),
                0);
      // Both formats have at least a byte and a half for each pixel.
      for (size_t i = 0; i < size_t{kPictureSide} * kPictureSide * 3 / 2; ++i) {
        static_cast<uint8_t*>(bytes)[i] = static_cast<uint8_t>(random() >> 7);
      }
      EXPECT_EQ(AHardwareBuffer_unlock(buffer->get(), nullptr), 0);
    }
  }

  // The input of `conversion` for each crop alone, one after the other.
  static std::vector<float> one_by_one(const ANeuralNetworksDevice* device, const MemoryPointer& picture,
                                       nnvk_PictureConversion conversion, const std::vector<nnvk_PictureCrop>& crops) {
    const ModelBuilder model = make_unary(ANEURALNETWORKS_RELU, kFloat, dims_of(1, conversion.tensorLayout));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::vector<float> all;
    for (const nnvk_PictureCrop& crop : crops) {
      conversion.cropLeft = crop.left;
      conversion.cropTop = crop.top;
      conversion.cropWidth = crop.width;
      conversion.cropHeight = crop.height;
      const ExecutionPointer execution = make_execution(compilation.get());
      std::vector<float> answer(kElements);
      EXPECT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk) << nnvk_lastError();
      EXPECT_EQ(set_input(execution, 0, {picture, 0, 0}), kOk) << nnvk_lastError();
      EXPECT_EQ(set_output(execution, 0, answer), kOk);
      EXPECT_EQ(compute(execution), kOk) << nnvk_lastError();
      all.insert(all.end(), answer.begin(), answer.end());
    }
    return all;
  }

  const BufferPointer rgba_ = make_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, kPictureSide, kPictureSide);
  const BufferPointer yuv_ = make_buffer(AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, kPictureSide, kPictureSide);
};

// All crops shrink in at least one direction: then the filter area computes the same bits as for a crop alone.
const std::vector<nnvk_PictureCrop> kCrops = {
    {0, 0, 5, 7}, {9.5F, 2.25F, 6.5F, 13.75F}, {0, 0, 0, 0}, {3, 3, 2, 8}, {11, 1, 5, 4.5F}};

nnvk_PictureConversion defaults() { return NNVK_PICTURE_CONVERSION_DEFAULT; }

TEST_F(PictureCrops, AreTheElementsOfTheBatch) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    for (const BufferPointer* buffer : {&rgba_, &yuv_}) {
      const MemoryPointer picture = memory_in(*buffer);
      for (const int32_t filter : {NNVK_PICTURE_BILINEAR, NNVK_PICTURE_NEAREST, NNVK_PICTURE_AREA}) {
        nnvk_PictureConversion conversion = defaults();
        conversion.filter = filter;
        conversion.tensorLayout = filter == NNVK_PICTURE_NEAREST ? NNVK_PICTURE_NCHW : NNVK_PICTURE_NHWC;
        conversion.rotation = filter == NNVK_PICTURE_AREA ? 90 : 0;
        conversion.mirrored = filter == NNVK_PICTURE_BILINEAR ? 1 : 0;
        const ModelBuilder model = make_unary(ANEURALNETWORKS_RELU, kFloat, dims_of(5, conversion.tensorLayout));
        const CompilationPointer compilation = compiled_on(model.get(), device);
        const ExecutionPointer execution = make_execution(compilation.get());
        std::vector<float> answer(5 * kElements);
        ASSERT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, kCrops.data(), 5), kOk)
            << nnvk_lastError();
        ASSERT_EQ(set_input(execution, 0, {picture, 0, 0}), kOk) << nnvk_lastError();
        ASSERT_EQ(set_output(execution, 0, answer), kOk);
        ASSERT_EQ(compute(execution), kOk) << nnvk_lastError();
        EXPECT_EQ(answer, one_by_one(device, picture, conversion, kCrops)) << "filter " << filter;
      }
    }
  }
}

// A detector finds other boxes in each frame.
TEST_F(PictureCrops, ChangeFromExecutionToExecutionWithoutAPreparation) {
  const MemoryPointer picture = memory_in(rgba_);
  const nnvk_PictureConversion conversion = defaults();
  const ModelBuilder model = make_unary(ANEURALNETWORKS_RELU, kFloat, dims_of(2, NNVK_PICTURE_NHWC));
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::vector<std::vector<nnvk_PictureCrop>> boxes;
    std::vector<std::vector<float>> answers(12, std::vector<float>(2 * kElements));
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
    const ANeuralNetworksEvent* before = nullptr;
    for (size_t i = 0; i < answers.size(); ++i) {
      const auto at = static_cast<float>(i);
      boxes.push_back({{at, 1, 4.5F, 9}, {0.5F * at, 12 - at, 3, 4}});
      executions.push_back(make_execution(compilation.get()));
      const ExecutionPointer& execution = executions.back();
      ASSERT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, boxes.back().data(), 2), kOk);
      ASSERT_EQ(set_input(execution, 0, {picture, 0, 0}), kOk) << nnvk_lastError();
      ASSERT_EQ(set_output(execution, 0, answers[i]), kOk);
      events.push_back(start_fenced(execution, before));
      before = events.back().get();
    }
    for (const EventPointer& event : events) EXPECT_EQ(ANeuralNetworksEvent_wait(event.get()), kOk);
    for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], one_by_one(device, picture, conversion, boxes[i])) << i;
    EXPECT_EQ(describe(compilation).at("pictures").at("prepared"), 1);
    EXPECT_EQ(describe(compilation).at("pictures").at("prepared_while_starting"), 0);
  }
}

TEST_F(PictureCrops, ThatDoNotFitAreRefused) {
  const MemoryPointer picture = memory_in(rgba_);
  const ModelBuilder model = make_unary(ANEURALNETWORKS_RELU, kFloat, dims_of(2, NNVK_PICTURE_NHWC));
  const CompilationPointer compilation = compiled_on(model.get(), cpu_device());
  const ExecutionPointer execution = make_execution(compilation.get());
  ASSERT_EQ(set_input(execution, 0, {picture, 0, 0}), kOk) << nnvk_lastError();
  const auto refuse = [&](
                          const std::vector<nnvk_PictureCrop>& crops, const char* text,
                          const std::function<void(nnvk_PictureConversion&)>& change = [](nnvk_PictureConversion&) {}) {
    nnvk_PictureConversion conversion = defaults();
    change(conversion);
    EXPECT_EQ(
        nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, crops.data(), static_cast<uint32_t>(crops.size())),
        kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr(text));
  };
  constexpr nnvk_PictureCrop kFits{1, 1, 3, 3};
  refuse({kFits}, "[1, height, width, channels]");
  refuse({kFits, kFits, kFits}, "one element of the batch for each crop");
  refuse({kFits, {14, 1, 3, 3}}, "crops[1]");
  refuse({kFits, {1, 1, 3, 0}}, "crops[1]");
  refuse({{1, 1, std::nanf(""), 3}, kFits}, "not finite");
  refuse({kFits, kFits}, "crop of its own", [](nnvk_PictureConversion& c) { c.cropWidth = c.cropHeight = 3; });
  refuse({kFits, kFits}, "size", [](nnvk_PictureConversion& c) { c.size = 3; });
  const nnvk_PictureConversion conversion = defaults();
  const nnvk_PictureCrop two[] = {kFits, kFits};
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, two, 0), kBadData);
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(nullptr, 0, &conversion, two, 2), kNull);
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, nullptr, two, 2), kNull);
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, nullptr, 2), kNull);
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 1, &conversion, two, 2), kBadData);
  EXPECT_EQ(nnvk_Execution_setInputPictureCrops(execution.get(), 0, &conversion, two, 2), kOk) << nnvk_lastError();
}

}  // namespace
}  // namespace nnvk::test
