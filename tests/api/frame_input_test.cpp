// Frames of other producers as inputs: every format on every device, compared with a conversion in double precision. In
// pipelines, the calls that start executions prepare nothing.
#include <gmock/gmock.h>
#include <nnvk/picture.h>

#include <deque>
#include <random>

#include "tests/api/descriptions.h"
#include "tests/api/frames.h"
#include "tests/support/frame_conversion.h"

namespace nnvk::test {
namespace {

nnvk_PictureConversion unchanged() {
  nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
  std::fill_n(conversion.deviation, 4, 1.0F);
  return conversion;
}

nlohmann::json picture_counters(const CompilationPointer& compilation) { return describe(compilation).at("pictures"); }

struct Format {
  uint32_t fourcc;
  std::vector<nnvk_FramePlane> planes;  // for 37 x 23 pixels in two memories of 16 KiB
};
const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {NNVK_FRAME_NV12, {{0, 3, 41}, {0, 5001, 43}}},
      {NNVK_FRAME_NV21, {{0, 0, 64}, {1, 77, 64}}},
      {NNVK_FRAME_YUV420, {{0, 0, 37}, {1, 1, 19}, {1, 3000, 19}}},
      {NNVK_FRAME_YVU420, {{1, 9, 48}, {1, 8000, 24}, {0, 2, 24}}},
      {NNVK_FRAME_P010, {{0, 6, 74}, {0, 9000, 128}}},
      {NNVK_FRAME_P210, {{1, 2, 76}, {0, 4, 78}}},
      {NNVK_FRAME_YUYV, {{0, 5, 79}}},
      {NNVK_FRAME_UYVY, {{1, 6, 77}}},
      {NNVK_FRAME_NV16, {{0, 1, 40}, {1, 3000, 39}}},
      {NNVK_FRAME_R8, {{1, 3, 39}}},
      {NNVK_FRAME_ABGR8888, {{0, 8, 156}}},
      {NNVK_FRAME_XBGR8888, {{0, 8, 148}}},
      {NNVK_FRAME_ARGB8888, {{1, 4, 152}}},
      {NNVK_FRAME_XRGB8888, {{0, 0, 160}}},
      {NNVK_FRAME_BGR888, {{0, 1, 113}}},
  };
  return all;
}

// The same floats on every device, to the last bit, and those of the conversion in doubles up to rounding.
TEST(FrameInputs, OfEveryFormatAreWhatTheStandardsSayOnEveryDevice) {
  const FrameMemory first(16384);
  const FrameMemory second(16384);
  std::minstd_rand random(1);
  for (const FrameMemory* memory : {&first, &second}) {
    for (size_t i = 0; i < memory->size(); ++i) memory->bytes()[i] = static_cast<uint8_t>(random() >> 9);
  }
  std::vector<nnvk_PictureConversion> conversions(6, unchanged());
  conversions[0].colourRange = NNVK_PICTURE_FULL_RANGE;
  conversions[1].colourMatrix = NNVK_PICTURE_BT709;
  conversions[2].colourMatrix = NNVK_PICTURE_BT709;
  conversions[2].colourRange = NNVK_PICTURE_FULL_RANGE;
  conversions[2].filter = NNVK_PICTURE_NEAREST;
  conversions[3].cropLeft = 3.25F;
  conversions[3].cropTop = 1.5F;
  conversions[3].cropWidth = 30.5F;
  conversions[3].cropHeight = 20;
  conversions[4].colourMatrix = NNVK_PICTURE_BT2020;
  conversions[4].channelOrder = NNVK_PICTURE_BGR;
  conversions[5].cropLeft = 36;  // the last column and row, which have chroma samples of their own
  conversions[5].cropTop = 22;
  conversions[5].cropWidth = conversions[5].cropHeight = 1;
  for (const int32_t filter : {NNVK_PICTURE_BILINEAR, NNVK_PICTURE_NEAREST, NNVK_PICTURE_AREA}) {
    for (const int32_t rotation : {0, 90, 180, 270}) {
      for (const int32_t mirrored : {0, 1}) {
        conversions.push_back(conversions[mirrored == 0 ? 0 : 3]);
        conversions.back().filter = filter;
        conversions.back().rotation = rotation;
        conversions.back().mirrored = mirrored;
      }
    }
  }
  for (const uint32_t channels : {3U, 1U, 4U}) {
    const ModelBuilder model = image_model(11, 17, channels);
    std::vector<std::vector<float>> of_first_device;
    for (const ANeuralNetworksDevice* device : devices()) {
      const CompilationPointer compilation = compiled_on(model.get(), device);
      size_t run = 0;
      for (const Format& format : formats()) {
        const RawFrame frame{frame_layout(format.fourcc, 37, 23, format.planes, kRead), {first.bytes(), second.bytes()}};
        const BufferPointer buffer = wrap(frame.layout, {first.fd(), second.fd()});
        for (const nnvk_PictureConversion& conversion : conversions) {
          SCOPED_TRACE(testing::Message() << name_of(device) << ", " << channels << " channels, conversion "
                                          << &conversion - conversions.data() << ", fourcc "
                                          << std::string(reinterpret_cast<const char*>(&format.fourcc), 4));
          std::vector<float> answer(size_t{11} * 17 * channels, -1.0F);
          const MemoryPointer memory = memory_in(buffer);
          const ExecutionPointer execution = make_execution(compilation.get());
          ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk) << nnvk_lastError();
          ASSERT_EQ(set_input(execution, 0, {memory, 0, 0}), kOk) << nnvk_lastError();
          ASSERT_EQ(set_output(execution, 0, answer), kOk);
          ASSERT_EQ(compute(execution), kOk) << nnvk_lastError();
          const std::vector<double> wanted = convert_in_doubles(frame, conversion, 11, 17, channels);
          for (size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(answer[i], wanted[i], 2e-3) << i;
          if (device == devices().front()) of_first_device.push_back(answer);
          ASSERT_EQ(answer, of_first_device[run++]) << "devices differ";
        }
      }
      EXPECT_EQ(picture_counters(compilation).at("prepared_while_starting"), 0);
    }
  }
}

// Without a hardware buffer; the client closes its descriptor, so only the memory keeps the frame alive.
TEST(FrameInputs, AMemoryOfDescriptorsIsAPictureWithoutMore) {
  auto frame = std::make_unique<FrameMemory>(size_t{64} * 16);
  for (size_t i = 0; i < frame->size(); ++i) frame->bytes()[i] = static_cast<uint8_t>(i * 37);
  const std::vector<uint8_t> bytes(frame->bytes(), frame->bytes() + frame->size());
  const nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_ABGR8888, 16, 16, {{0, 0, 64}}, 0);
  const int fd = frame->fd();
  ANeuralNetworksMemory* made = nullptr;
  ASSERT_EQ(nnvk_Memory_createFromFds(&layout, &fd, 1, &made), kOk) << nnvk_lastError();
  const MemoryPointer memory(made);
  frame.reset();  // closes its descriptor
  const ModelBuilder model = image_model(16, 16, 4);
  const nnvk_PictureConversion conversion = unchanged();
  for (const ANeuralNetworksDevice* device : devices()) {
    const CompilationPointer compilation = compiled_on(model.get(), device);
    std::vector<float> answer(bytes.size(), -1.0F);
    const ExecutionPointer execution = make_execution(compilation.get());
    ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk) << nnvk_lastError();
    ASSERT_EQ(set_input(execution, 0, {memory, 0, 0}), kOk) << nnvk_lastError();
    ASSERT_EQ(set_output(execution, 0, answer), kOk);
    ASSERT_EQ(compute(execution), kOk) << nnvk_lastError();
    EXPECT_TRUE(std::equal(answer.begin(), answer.end(), bytes.begin())) << name_of(device);
  }
}

// Frames in flight over a camera's buffers.
class Pipeline {
 public:
  static constexpr int kPictures = 8;
  static constexpr int kInFlight = 4;
  static constexpr uint32_t kSide = 48;

  explicit Pipeline(const ANeuralNetworksDevice* device)
      : model_(image_model(kSide, kSide, 3)), compilation_(compiled_on(model_.get(), device)) {
    for (int i = 0; i < kPictures; ++i) {
      frames_.push_back(std::make_unique<FrameMemory>(size_t{64} * 96));
      std::fill_n(frames_.back()->bytes(), frames_.back()->size(), static_cast<uint8_t>(128));
      std::fill_n(frames_.back()->bytes(), size_t{64} * 64, static_cast<uint8_t>(20 * i));
      buffers_.push_back(wrap(frame_layout(NNVK_FRAME_NV12, 64, 64, {{0, 0, 64}, {0, 4096, 64}}, kRead), {frames_.back()->fd()}));
      pictures_.push_back(memory_in(buffers_.back()));
      answers_.push_back(make_blob(kSide * kSide * 3 * 4));
      results_.push_back(memory_in(answers_.back()));
    }
  }

  void run(int executions) {
    nnvk_PictureConversion conversion = unchanged();
    conversion.colourRange = NNVK_PICTURE_FULL_RANGE;
    std::deque<std::pair<ExecutionPointer, EventPointer>> flying;
    for (int i = 0; i < executions; ++i) {
      if (flying.size() == kInFlight) {
        ASSERT_EQ(wait(flying.front().second), kOk);
        flying.pop_front();
      }
      const size_t which = static_cast<size_t>(i % kPictures);
      ExecutionPointer execution = make_execution(compilation_.get());
      ASSERT_EQ(nnvk_Execution_setInputPicture(execution.get(), 0, &conversion), kOk);
      ASSERT_EQ(set_input(execution, 0, {pictures_[which], 0, 0}), kOk);
      ASSERT_EQ(set_output(execution, 0, {results_[which], 0, kSide * kSide * 3 * 4}), kOk);
      EventPointer event = start_fenced(execution);
      flying.emplace_back(std::move(execution), std::move(event));
    }
    for (const auto& [execution, event] : flying) ASSERT_EQ(wait(event), kOk);
    for (int i = 0; i < kPictures; ++i) {
      EXPECT_NEAR(reinterpret_cast<const float*>(content_of(answers_[static_cast<size_t>(i)]))[7], 20.0F * static_cast<float>(i),
                  1e-3F);
    }
  }

  const CompilationPointer& compilation() const { return compilation_; }

 private:
  ModelBuilder model_;
  CompilationPointer compilation_;
  std::vector<std::unique_ptr<FrameMemory>> frames_;
  std::vector<BufferPointer> buffers_;
  std::vector<MemoryPointer> pictures_;
  std::vector<BufferPointer> answers_;
  std::vector<MemoryPointer> results_;
};

// The calls that start executions prepare no conversion. A slot records nothing again for a picture that it has seen.
TEST(FrameInputs, OfAPipelineAreWiredOnce) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    Pipeline pipeline(device);
    pipeline.run(150);
    const nlohmann::json pictures = picture_counters(pipeline.compilation());
    EXPECT_EQ(pictures.at("prepared"), 1);
    EXPECT_EQ(pictures.at("prepared_while_starting"), 0);
    EXPECT_EQ(pictures.at("executions"), 150);
    EXPECT_EQ(pictures.at("bytes_copied_in"), 0);
    EXPECT_LE(pictures.at("tensors"), Pipeline::kPictures);
    // One recording for each picture in each of up to four slots, and those of the warm-up.
    constexpr int kMost = 4 * Pipeline::kPictures + 4;
    EXPECT_LE(pictures.at("command_buffers_recorded"), kMost);
    const auto recorded = [&] {
      return describe(pipeline.compilation()).at("counters").at("command_buffers_recorded").get<int>() +
             picture_counters(pipeline.compilation()).at("command_buffers_recorded").get<int>();
    };
    EXPECT_LE(recorded(), 2 * kMost);
    const int before = recorded();
    RecordProperty(name_of(device), before);
    pipeline.run(150);
    EXPECT_LE(recorded(), 2 * kMost) << "it was " << before;
    EXPECT_EQ(picture_counters(pipeline.compilation()).at("prepared"), 1);
  }
}

// If executions run one after the other, they use one slot, which is recorded once for each picture.
TEST(FrameInputs, OneAtATimeAreRecordedOncePerPicture) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    SCOPED_TRACE(name_of(device));
    const ModelBuilder model = image_model(9, 9, 3);
    const CompilationPointer compilation = compiled_on(model.get(), device);
    const FrameMemory memory(8 * 4096);
    std::vector<MemoryPointer> pictures;
    for (uint32_t i = 0; i < 8; ++i) {
      pictures.push_back(memory_in(wrap(frame_layout(NNVK_FRAME_ABGR8888, 16, 16, {{0, 4096 * i, 64}}, kRead), {memory.fd()})));
    }
    const BufferPointer answer = make_blob(9 * 9 * 3 * 4);
    const MemoryPointer result = memory_in(answer);
    const auto round = [&] {
      for (const MemoryPointer& picture : pictures) {
        ASSERT_EQ(compute(make_execution(compilation, {{picture, 0, 0}}, {{result, 0, 9 * 9 * 3 * 4}})), kOk);
      }
    };
    round();
    const auto counters = [&] {
      nlohmann::json model_counters = describe(compilation).at("counters");
      const nlohmann::json of_pictures = picture_counters(compilation);
      return std::vector<int>{model_counters.at("command_buffers_recorded"), model_counters.at("descriptor_sets_written"),
                              of_pictures.at("command_buffers_recorded"), of_pictures.at("descriptor_sets_written")};
    };
    const std::vector<int> before = counters();
    EXPECT_LE(before[2], 8 + 2);
    for (int i = 0; i < 10; ++i) round();
    EXPECT_EQ(counters(), before);
  }
}

// A network draws a frame, the next one reads it as a picture. Both are started before the frame is drawn.
TEST(FrameInputs, AFrameThatTheLinkBeforeDrawsIsConvertedBehindIt) {
  constexpr uint32_t kSide = 16;
  constexpr uint32_t kSize = kSide * kSide * 4;
  const ModelBuilder drawing = make_unary(ANEURALNETWORKS_RELU, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {1, kSide, kSide, 4}, 1.0F);
  const ModelBuilder reading = image_model(kSide, kSide, 4);
  const nnvk_PictureConversion conversion = unchanged();
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer drawer = compiled_on(drawing.get(), device);
    const CompilationPointer reader = compiled_on(reading.get(), device);
    for (int round = 0; round < 20; ++round) {
      const FrameMemory frame(kSize);
      const FrameMemory source(kSize);
      const FrameMemory result(size_t{kSize} * sizeof(float));
      for (size_t i = 0; i < kSize; ++i) source.bytes()[i] = static_cast<uint8_t>(i * 7 + static_cast<size_t>(round));
      const MemoryPointer drawn = memory_of(frame.fd(), kSize);
      const nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_ABGR8888, kSide, kSide, {{0, 0, kSide * 4}}, 0);
      const int fd = frame.fd();
      ANeuralNetworksMemory* made = nullptr;
      ASSERT_EQ(nnvk_Memory_createFromFds(&layout, &fd, 1, &made), kOk) << nnvk_lastError();
      const MemoryPointer picture(made);
      const MemoryPointer input = memory_of(source.fd(), kSize);
      const MemoryPointer output = memory_of(result.fd(), result.size());
      const ExecutionPointer first = make_execution(drawer, {{input, 0, kSize}}, {{drawn, 0, kSize}});
      const ExecutionPointer second = make_execution(reader.get());
      ASSERT_EQ(nnvk_Execution_setInputPicture(second.get(), 0, &conversion), kOk) << nnvk_lastError();
      ASSERT_EQ(set_input(second, 0, {picture, 0, 0}), kOk) << nnvk_lastError();
      ASSERT_EQ(set_output(second, 0, {output, 0, result.size()}), kOk);
      const EventPointer before = start_fenced(first);
      ASSERT_EQ(wait(start_fenced(second, before.get())), kOk) << nnvk_lastError();
      const auto* const values = reinterpret_cast<const float*>(result.bytes());
      ASSERT_TRUE(std::equal(values, values + kSize, source.bytes())) << round;
    }
    const nlohmann::json dependent = describe(reader).at("dependent_executions");
    EXPECT_FALSE(dependent.at("reasons").contains("picture")) << dependent;
  }
}

}  // namespace
}  // namespace nnvk::test
