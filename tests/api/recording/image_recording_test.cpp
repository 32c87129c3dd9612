// Images of the application as inputs and outputs of recordings: the same bits as with the same tensor in a buffer, image
// layouts, and the number of recorded commands.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "tests/api/recording/image_frames.h"

namespace nnvk::test {
namespace {

class ImageRecordingTest : public RecordingTest {
 protected:
  // The model's result for `tensor`, from a buffer to a buffer.
  std::vector<std::byte> through_buffers(const CompilationPointer& compilation, std::span<const std::byte> tensor) {
    return test::through_buffers(*application_, device_, compilation, tensor);
  }

  // The same from an image to an image, whose pixels it compares. `change` alters the description of both.
  template <class Change>
  void expect_as_buffers(const ImageFormat& format, const TensorKind& kind, uint32_t seed, const Change& change) {
    const Image from(*application_, format.format, kSize);
    const Image to(*application_, format.is_depth() ? VK_FORMAT_R32_SFLOAT : format.format, kSize);
    NnvkVkImageInfo in = from.info(kGeneral);
    NnvkVkImageInfo out = to.info(kGeneral);
    change(in);
    change(out);
    // Leaves every value unchanged that this tensor can hold.
    const bool is_float = kind.type == ANEURALNETWORKS_TENSOR_FLOAT32 || kind.type == ANEURALNETWORKS_TENSOR_FLOAT16;
    const Compiled compiled(make_unary(is_float ? ANEURALNETWORKS_LOGISTIC : ANEURALNETWORKS_RELU, kind.type, kind.dimensions(in),
                                       kind.scale, kind.zero_point),
                            device_);
    const MemoryPointer x = memory_of(device_, in, format.is_depth() ? uint32_t{NNVK_VK_ACCESS_READ} : kBothAccesses);
    const MemoryPointer y = memory_of(device_, out);
    const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y, 0, 0});
    Staging uploaded(*application_, from.bytes());
    const Staging downloaded(*application_, to.bytes());
    const std::vector<std::byte> pixels = random_pixels(in, seed);
    uploaded.fill(pixels);
    Commands(*application_).run([&](VkCommandBuffer commands) {
      from.record_upload(commands, uploaded.buffer.get(), in.layout);
      EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
      to.record_download(commands, downloaded.buffer.get(), out.layout);
    });
    const std::vector<std::byte> result = through_buffers(compiled.compilation, as_tensor(in, kind, pixels));
    EXPECT_EQ(downloaded.bytes(), as_pixels(out, kind, result));
  }
};

constexpr TensorKind kKinds[] = {{ANEURALNETWORKS_TENSOR_FLOAT32},
                                 {ANEURALNETWORKS_TENSOR_FLOAT16},
                                 {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, 1.0F / 255, 0},
                                 {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 4, 0.0157F, -128}};

std::string text_of(const ImageFormat& format, const TensorKind& kind) {
  return "VkFormat " + std::to_string(format.format) + ", type " + std::to_string(kind.type) + ", " +
         std::to_string(kind.channels) + " channels";
}

TEST_F(ImageRecordingTest, EveryFormatGivesTheBitsOfTheSameTensorInABuffer) {
  uint32_t seed = 1;
  for (const ImageFormat& format : kImageFormats) {
    for (TensorKind kind : kKinds) {
      for (const uint32_t channels : format.channel_counts()) {
        kind.channels = channels;
        SCOPED_TRACE(text_of(format, kind));
        expect_as_buffers(format, kind, seed++, [](NnvkVkImageInfo&) {});
      }
    }
  }
}

TEST_F(ImageRecordingTest, ScaleBiasOrderAndLayoutAreWhatTheHeaderSays) {
  uint32_t seed = 100;
  for (const ImageFormat& format : kImageFormats) {
    for (TensorKind kind : kKinds) {
      kind.channels = format.channel_counts().front();
      SCOPED_TRACE(text_of(format, kind));
      expect_as_buffers(format, kind, seed, [](NnvkVkImageInfo& info) {
        info.channelOrder = NNVK_VK_CHANNELS_BGRA;
        for (size_t c = 0; c < 4; ++c) {
          info.scale[c] = 2 + 0.25F * static_cast<float>(c);
          info.bias[c] = -1 + 0.125F * static_cast<float>(c);
        }
      });
      expect_as_buffers(format, kind, seed++, [](NnvkVkImageInfo& info) {
        info.tensorLayout = NNVK_VK_TENSOR_NCHW;
        info.scale[1] = -0.7F;
        info.bias[1] = 0.9F;
      });
    }
  }
}

TEST_F(ImageRecordingTest, FloatsOfTheTensorsOwnTypeKeepTheirBits) {
  const Image from(*application_, VK_FORMAT_R32_SFLOAT, kSize);
  const Image to(*application_, VK_FORMAT_R32_SFLOAT, kSize);
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 1};
  const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(from.info(kGeneral))), device_);
  const MemoryPointer x = memory_of(device_, from.info(kGeneral));
  const MemoryPointer y = memory_of(device_, to.info(kGeneral));
  const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y, 0, 0});
  std::vector<float> values(size_t{kSize.width} * kSize.height);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(1.0F + static_cast<float>(i) / 1024, static_cast<int>(i) - 40);
  Staging uploaded(*application_, from.bytes());
  const Staging downloaded(*application_, to.bytes());
  uploaded.fill(std::as_bytes(std::span(values)));
  const uint64_t dispatches = info_of(compiled.compilation).dispatchCount;
  const uint64_t before = vulkan_counts().recorded;
  Commands(*application_).run([&](VkCommandBuffer commands) {
    from.record_upload(commands, uploaded.buffer.get(), kGeneral);
    EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk);
    to.record_download(commands, downloaded.buffer.get(), kGeneral);
  });
  EXPECT_EQ(downloaded.bytes(), uploaded.bytes());
  // Barrier, copy in, barrier; per dispatch pipeline, set, parameters, dispatch; barrier, layout, copy out, barrier: no
  // conversion.
  EXPECT_LE(vulkan_counts().recorded - before, 7 + 4 * dispatches);
}

// EXPECTs do not see layouts: the validation layers report an image that is not in the layout that the later commands name.
TEST_F(ImageRecordingTest, ImagesAreInTheirLayoutAfterwards) {
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 3};
  for (const VkImageLayout layout :
       {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL}) {
    SCOPED_TRACE(layout);
    const Image from(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize);
    const Image to(*application_, VK_FORMAT_B8G8R8A8_UNORM, kSize);
    const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(from.info(layout))), device_);
    const MemoryPointer x = memory_of(device_, from.info(layout));
    const MemoryPointer y = memory_of(device_, to.info(layout));
    const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y, 0, 0});
    Staging uploaded(*application_, from.bytes());
    const Staging input_again(*application_, from.bytes());
    const Staging downloaded(*application_, to.bytes());
    std::vector<std::byte> pixels = random_pixels(from.info(layout), 5);
    uploaded.fill(pixels);
    Commands commands(*application_);
    for (int frame = 0; frame < 3; ++frame) {
      commands.run([&](VkCommandBuffer buffer) {
        if (frame == 0) from.record_upload(buffer, uploaded.buffer.get(), layout);
        EXPECT_EQ(nnvk_vkRecord(recording.get(), buffer, kBothBarriers), kOk);
        from.record_download(buffer, input_again.buffer.get(), layout);
        to.record_download(buffer, downloaded.buffer.get(), layout);
      });
      EXPECT_EQ(nnvk_vkResetRecording(recording.get()), kOk);
    }
    EXPECT_EQ(input_again.bytes(), pixels);
    for (size_t i = 0; i < pixels.size(); i += 4) {
      std::swap(pixels[i], pixels[i + 2]);
      pixels[i + 3] = std::byte{255};
    }
    EXPECT_EQ(downloaded.bytes(), pixels);
    EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
  }
}

TEST_F(ImageRecordingTest, OneLevelOfOneLayerIsMeant) {
  const Subresource part{3, 4, 1, 2};
  const Image from(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize, part);
  const Image to(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize, part);
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 4};
  const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(from.info(kGeneral))), device_);
  const MemoryPointer x = memory_of(device_, from.info(kGeneral));
  const MemoryPointer y = memory_of(device_, to.info(kGeneral));
  const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y, 0, 0});
  Staging uploaded(*application_, from.bytes());
  const Staging downloaded(*application_, to.bytes());
  const std::vector<std::byte> pixels = random_pixels(from.info(kGeneral), 9);
  uploaded.fill(pixels);
  Commands(*application_).run([&](VkCommandBuffer commands) {
    from.record_upload(commands, uploaded.buffer.get(), kGeneral);
    EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk);
    to.record_download(commands, downloaded.buffer.get(), kGeneral);
  });
  EXPECT_EQ(downloaded.bytes(), pixels);
}

// The second recording reads the output of the first, and both convert the same image, without barriers of the application.
TEST_F(ImageRecordingTest, RecordingsFollowEachOtherOverAnImage) {
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 4};
  const Image from(*application_, VK_FORMAT_R32G32B32A32_SFLOAT, kSize);
  const Image between(*application_, VK_FORMAT_R16G16B16A16_SFLOAT, kSize);
  const Image to(*application_, VK_FORMAT_R32G32B32A32_SFLOAT, kSize);
  constexpr VkImageLayout kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  const Compiled compiled(make_unary(ANEURALNETWORKS_TANH, kind.type, kind.dimensions(from.info(kRead))), device_);
  const MemoryPointer x = memory_of(device_, from.info(kRead));
  const MemoryPointer middle = memory_of(device_, between.info(kRead));
  const MemoryPointer y = memory_of(device_, to.info(kRead));
  const RecordingPointer first = recording_of(compiled.compilation, {x, 0, 0}, {middle, 0, 0});
  const RecordingPointer second = recording_of(compiled.compilation, {middle, 0, 0}, {y, 0, 0});
  Staging uploaded(*application_, from.bytes());
  const Staging downloaded(*application_, to.bytes());
  const std::vector<std::byte> pixels = random_pixels(from.info(kRead), 3);
  uploaded.fill(pixels);
  Commands(*application_).run([&](VkCommandBuffer commands) {
    from.record_upload(commands, uploaded.buffer.get(), kRead);
    EXPECT_EQ(nnvk_vkRecord(first.get(), commands, NNVK_VK_RECORD_INPUT_BARRIER), kOk);
    EXPECT_EQ(nnvk_vkRecord(second.get(), commands, NNVK_VK_RECORD_OUTPUT_BARRIER), kOk);
    to.record_download(commands, downloaded.buffer.get(), kRead);
  });
  const NnvkVkImageInfo halves = between.info(kRead);
  const std::vector<std::byte> once = through_buffers(compiled.compilation, pixels);
  const std::vector<std::byte> rounded = as_tensor(halves, kind, as_pixels(halves, kind, once));
  EXPECT_EQ(downloaded.bytes(), through_buffers(compiled.compilation, rounded));
}

// The same image is input and output of one execution, which reads all of it before it writes.
TEST_F(ImageRecordingTest, AnImageMayBeInputAndOutput) {
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 4};
  const Image image(*application_, VK_FORMAT_R32G32B32A32_SFLOAT, kSize);
  const Compiled compiled(make_unary(ANEURALNETWORKS_TANH, kind.type, kind.dimensions(image.info(kGeneral))), device_);
  const MemoryPointer memory = memory_of(device_, image.info(kGeneral));
  const RecordingPointer recording = recording_of(compiled.compilation, {memory, 0, 0}, {memory, 0, 0});
  Staging uploaded(*application_, image.bytes());
  const Staging downloaded(*application_, image.bytes());
  const std::vector<std::byte> pixels = random_pixels(image.info(kGeneral), 4);
  uploaded.fill(pixels);
  Commands(*application_).run([&](VkCommandBuffer commands) {
    image.record_upload(commands, uploaded.buffer.get(), kGeneral);
    EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk);
    image.record_download(commands, downloaded.buffer.get(), kGeneral);
  });
  EXPECT_EQ(downloaded.bytes(), through_buffers(compiled.compilation, pixels));
}

// The application records the barriers that nnvk requires; the validation layers would report a missing one.
TEST_F(ImageRecordingTest, TheApplicationMayMakeTheBarriersItself) {
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 3};
  constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  constexpr VkImageLayout kTarget = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const Image from(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize);
  const Image to(*application_, VK_FORMAT_R8G8B8A8_UNORM, kSize);
  const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(from.info(kTarget))), device_);
  const NnvkVkRecordInfo needs = info_of(compiled.compilation);
  const MemoryPointer x = memory_of(device_, from.info(kTarget));
  const MemoryPointer y = memory_of(device_, to.info(kSource));
  const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y, 0, 0});
  const Staging downloaded(*application_, to.bytes());
  const auto barrier = [](VkCommandBuffer commands, VkPipelineStageFlags before, VkAccessFlags written,
                          VkPipelineStageFlags after, VkAccessFlags used) {
    auto memory = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    memory.srcAccessMask = written;
    memory.dstAccessMask = used;
    vkCmdPipelineBarrier(commands, before, after, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  Commands(*application_).run([&](VkCommandBuffer commands) {
    auto first = make<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
    first.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    first.newLayout = kTarget;
    first.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    first.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    first.image = from.get();
    first.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr,
                         1, &first);
    const VkClearColorValue colour{{0.2F, 0.4F, 0.6F, 0.0F}};
    vkCmdClearColorImage(commands, from.get(), kTarget, &colour, 1, &first.subresourceRange);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, needs.firstStages, needs.inputAccess);
    EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, 0), kOk);
    barrier(commands, needs.lastStages, needs.outputAccess, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    VkBufferImageCopy all{};
    all.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    all.imageExtent = {kSize.width, kSize.height, 1};
    vkCmdCopyImageToBuffer(commands, to.get(), kSource, downloaded.buffer.get(), 1, &all);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
  });
  const std::vector<std::byte> pixels = downloaded.bytes();
  for (size_t i = 0; i < pixels.size(); i += 4) {
    ASSERT_THAT(std::span(pixels).subspan(i, 4),
                testing::ElementsAre(std::byte{51}, std::byte{102}, std::byte{153}, std::byte{255}));
  }
}

TEST_F(ImageRecordingTest, RecordOnlyImportsTakeImages) {
  ANeuralNetworksDevice* const record_only = application_->import({.with_queue = false});
  ASSERT_NE(record_only, nullptr);
  {
    const Image from(*application_, VK_FORMAT_R8_UNORM, kSize);
    const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 1};
    const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(from.info(kGeneral))), record_only);
    const MemoryPointer x = memory_of(record_only, from.info(kGeneral));
    const Tensor y(*application_, record_only, NNVK_VK_ACCESS_WRITE, from.bytes() * 4);
    const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y.memory, 0, from.bytes() * 4});
    Staging uploaded(*application_, from.bytes());
    const std::vector<std::byte> pixels = random_pixels(from.info(kGeneral), 7);
    uploaded.fill(pixels);
    Commands(*application_).run([&](VkCommandBuffer commands) {
      from.record_upload(commands, uploaded.buffer.get(), kGeneral);
      EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
    });
    const std::vector<std::byte> wanted = as_tensor(from.info(kGeneral), kind, pixels);
    EXPECT_EQ(std::memcmp(y.values().data(), wanted.data(), wanted.size()), 0);
  }
  application_->release(record_only);
}

// A frame whose input and output are images.
struct ImageFrame {
  static constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  ImageFrame(const Application& application, ANeuralNetworksDevice* device, const CompilationPointer& compilation)
      : from(application, VK_FORMAT_R32G32B32A32_SFLOAT, {kSide, kSide}),
        to(application, VK_FORMAT_R32G32B32A32_SFLOAT, {kSide, kSide}),
        x(memory_of(device, info_of(from), NNVK_VK_ACCESS_READ)),
        y(memory_of(device, info_of(to), NNVK_VK_ACCESS_WRITE)),
        uploaded(application, kBytes),
        downloaded(application, kBytes),
        commands(application),
        recording(recording_of(compilation, {x, 0, 0}, {y, 0, 0})) {}
  // With half of the pixels as tensor, so that there is something to convert.
  static NnvkVkImageInfo info_of(const Image& image) {
    NnvkVkImageInfo info = image.info(kLayout);
    std::ranges::fill(info.scale, 0.5F);
    return info;
  }
  void fill(uint32_t seed) {
    input = numbers(kCount, seed);
    std::ranges::transform(input, uploaded.buffer.values<float>().begin(), [](float value) { return 2 * value; });
  }
  void check() const {
    std::vector<float> halves;
    for (const float value : downloaded.buffer.values<float>()) halves.push_back(value / 2);
    expect_close(halves, expected(input));
  }
  void record_before(VkCommandBuffer buffer) const { from.record_upload(buffer, uploaded.buffer.get(), kLayout); }
  void record_after(VkCommandBuffer buffer) const { to.record_download(buffer, downloaded.buffer.get(), kLayout); }

  Image from;
  Image to;
  MemoryPointer x;
  MemoryPointer y;
  Staging uploaded;
  Staging downloaded;
  Commands commands;
  std::vector<float> input;
  RecordingPointer recording;
};

TEST_F(ImageRecordingTest, RecordingImagesTakesNoMemoryAndNoLock) {
  if (!kHeapCanBeWatched) GTEST_SKIP() << "the sanitizer has hooks of its own";
  const Compiled network(make_network(), device_);
  std::array<std::optional<ImageFrame>, 2> frames;
  for (auto& frame : frames) frame.emplace(*application_, device_, network.compilation);
  expect_recording_takes_nothing(frames);
}

}  // namespace
}  // namespace nnvk::test
