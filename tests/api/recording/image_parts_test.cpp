// Several images of the application as one input: a renderer's colour, depth and motion vectors. Also images of other sizes,
// compared with filters in double precision, and the calls that nnvk refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>

#include "tests/api/recording/image_frames.h"

namespace nnvk::test {
namespace {

using testing::HasSubstr;

constexpr uint32_t kHeight = kSize.height;
constexpr uint32_t kWidth = kSize.width;

// An image with pixels, as a part of a tensor.
struct Part {
  Part(const Application& application, VkFormat format, VkExtent2D size, uint32_t channels, VkImageLayout layout = kGeneral)
      : image(application, format, size),
        info(image.info(layout)),
        channel_count(channels),
        staging(application, image.bytes()) {}

  void upload(const Application& application, uint32_t seed) {
    pixels = random_pixels(info, seed);
    staging.fill(pixels);
    Commands(application).run([&](VkCommandBuffer commands) {
      image.record_upload(commands, staging.buffer.get(), info.layout);
    });
  }
  NnvkVkImagePart description() const { return {sizeof(NnvkVkImagePart), nullptr, &info, channel_count, filter}; }

  Image image;
  NnvkVkImageInfo info;
  uint32_t channel_count;
  int32_t filter = NNVK_VK_FILTER_NONE;
  Staging staging;
  std::vector<std::byte> pixels;
};

MemoryPointer memory_of_parts(ANeuralNetworksDevice* device, const std::deque<Part>& parts) {
  std::vector<NnvkVkImagePart> descriptions;
  for (const Part& part : parts) descriptions.push_back(part.description());
  ANeuralNetworksMemory* made = nullptr;
  EXPECT_EQ(nnvk_vkMemoryFromImages(device, static_cast<uint32_t>(parts.size()), descriptions.data(), &made), kOk)
      << nnvk_lastError();
  return MemoryPointer(made);
}

// Joins the tensors of images of one size along the channels.
std::vector<std::byte> joined(const std::deque<Part>& parts, const TensorKind& kind) {
  const size_t element = kind.element_bytes();
  const size_t count = size_t{kHeight} * kWidth;
  const bool is_planar = parts.front().info.tensorLayout == NNVK_VK_TENSOR_NCHW;
  std::vector<std::byte> all(count * kind.channels * element);
  size_t first = 0;
  for (const Part& part : parts) {
    TensorKind own = kind;
    own.channels = part.channel_count;
    const std::vector<std::byte> tensor = as_tensor(part.info, own, part.pixels);
    for (size_t pixel = 0; pixel < count; ++pixel) {
      for (size_t c = 0; c < own.channels; ++c) {
        const size_t from = is_planar ? c * count + pixel : pixel * own.channels + c;
        const size_t to = is_planar ? (first + c) * count + pixel : pixel * kind.channels + first + c;
        std::memcpy(&all[to * element], &tensor[from * element], element);
      }
    }
    first += part.channel_count;
  }
  return all;
}

class ImagePartsTest : public RecordingTest {
 protected:
  // Adds the images of a renderer.
  std::deque<Part> frame(VkExtent2D colour, VkExtent2D depth, VkExtent2D motion) {
    std::deque<Part> parts;
    parts.emplace_back(*application_, VK_FORMAT_B10G11R11_UFLOAT_PACK32, colour, 3U, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    parts.emplace_back(*application_, VK_FORMAT_D32_SFLOAT, depth, 1U, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    parts.emplace_back(*application_, VK_FORMAT_R16G16_SFLOAT, motion, 2U, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    for (Part& part : parts) {
      for (size_t c = 0; c < 4; ++c) {
        part.info.scale[c] = 0.5F + 0.25F * static_cast<float>(c);
        part.info.bias[c] = 0.125F * static_cast<float>(c);
      }
    }
    return parts;
  }

  // The model's result for the memory, by a recording or a computation.
  std::vector<std::byte> result_of(const CompilationPointer& compilation, const MemoryPointer& x, size_t bytes,
                                   bool is_recorded) {
    if (!is_recorded) {
      std::vector<std::byte> y(bytes);
      EXPECT_EQ(compute(make_execution(compilation, {{x, 0, 0}}, {y})), kOk) << nnvk_lastError();
      return y;
    }
    const Tensor y(*application_, device_, NNVK_VK_ACCESS_WRITE, bytes);
    const RecordingPointer recording = recording_of(compilation, {x, 0, 0}, {y.memory, 0, bytes});
    Commands(*application_).run([&](VkCommandBuffer commands) {
      EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
    });
    const auto written = y.buffer->values<std::byte>();
    return {written.begin(), written.begin() + static_cast<std::ptrdiff_t>(bytes)};
  }
};

constexpr TensorKind kKinds[] = {{ANEURALNETWORKS_TENSOR_FLOAT32, 6},
                                 {ANEURALNETWORKS_TENSOR_FLOAT16, 6},
                                 {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 6, 1.0F / 255, 3},
                                 {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, 6, 0.0157F, -128}};

TEST_F(ImagePartsTest, ColourDepthAndMotionAreTheChannelsOfOneTensor) {
  std::deque<Part> parts = frame(kSize, kSize, kSize);
  for (const TensorKind& kind : kKinds) {
    for (const int32_t layout : {NNVK_VK_TENSOR_NHWC, NNVK_VK_TENSOR_NCHW}) {
      SCOPED_TRACE(testing::Message() << "type " << kind.type << ", layout " << layout);
      for (Part& part : parts) part.info.tensorLayout = layout;
      const bool is_float = kind.scale == 0;
      const Compiled compiled(make_unary(is_float ? ANEURALNETWORKS_LOGISTIC : ANEURALNETWORKS_RELU, kind.type,
                                         kind.dimensions(parts.front().info), kind.scale, kind.zero_point),
                              device_);
      const MemoryPointer x = memory_of_parts(device_, parts);
      for (uint32_t turn = 0; turn < 2; ++turn) {
        for (size_t i = 0; i < parts.size(); ++i) parts[i].upload(*application_, 10 * turn + static_cast<uint32_t>(i));
        const std::vector<std::byte> tensor = joined(parts, kind);
        const std::vector<std::byte> expected = through_buffers(*application_, device_, compiled.compilation, tensor);
        EXPECT_EQ(result_of(compiled.compilation, x, tensor.size(), turn == 0), expected);
      }
    }
  }
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
}

// The weights of the pixels of a row for each element of a row of the tensor, as nnvk/picture.h describes them.
std::vector<std::vector<double>> weights_of(int32_t filter, uint32_t pixels, uint32_t elements) {
  std::vector<std::vector<double>> rows(elements, std::vector<double>(pixels, 0.0));
  for (uint32_t i = 0; i < elements; ++i) {
    const double begin = i * static_cast<double>(pixels) / elements;
    const double end = (i + 1) * static_cast<double>(pixels) / elements;
    const double position = (begin + end) / 2;
    if (filter == NNVK_VK_FILTER_AREA && end - begin > 1) {
      for (uint32_t k = 0; k < pixels; ++k)
        rows[i][k] = std::max(0.0, std::min(k + 1.0, end) - std::max(static_cast<double>(k), begin));
      for (double& weight : rows[i]) weight /= end - begin;
    } else if (filter == NNVK_VK_FILTER_NEAREST) {
      rows[i][static_cast<size_t>(position)] = 1;
    } else {
      for (uint32_t k = 0; k < pixels; ++k) {
        const double inside = std::clamp(position, 0.5, pixels - 0.5);
        rows[i][k] = std::max(0.0, 1 - std::abs(k + 0.5 - inside));
      }
    }
  }
  return rows;
}

// The values of a channel of a part, resized in double precision.
std::vector<double> resized(const Part& part, uint32_t channel) {
  const VkExtent3D& from = part.info.extent;
  const ImageFormat& format = image_format(part.info.format);
  const auto rows = weights_of(part.filter, from.height, kHeight);
  const auto columns = weights_of(part.filter, from.width, kWidth);
  std::vector<double> values;
  for (const std::vector<double>& row : rows) {
    for (const std::vector<double>& column : columns) {
      double sum = 0;
      for (uint32_t y = 0; y < from.height; ++y) {
        for (uint32_t x = 0; x < from.width; ++x) {
          sum +=
              row[y] * column[x] * component_at(format, part.pixels, (size_t{y} * from.width + x) * format.components + channel);
        }
      }
      values.push_back(sum / format.most(channel) * part.info.scale[channel] + part.info.bias[channel]);
    }
  }
  return values;
}

TEST_F(ImagePartsTest, ImagesOfOtherSizesAreResizedByTheirFilter) {
  const TensorKind kind{ANEURALNETWORKS_TENSOR_FLOAT32, 6};
  const Compiled compiled(make_unary(ANEURALNETWORKS_NEG, kind.type, {1, kHeight, kWidth, 6}), device_);
  for (const int32_t filter : {NNVK_VK_FILTER_BILINEAR, NNVK_VK_FILTER_NEAREST, NNVK_VK_FILTER_AREA}) {
    SCOPED_TRACE(filter);
    // Larger, smaller, and larger in one direction alone.
    std::deque<Part> parts = frame({23, 29}, {4, 3}, {40, 5});
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].filter = filter;
      parts[i].upload(*application_, static_cast<uint32_t>(i) + 5);
    }
    const MemoryPointer x = memory_of_parts(device_, parts);
    const size_t count = size_t{kHeight} * kWidth;
    for (const bool is_recorded : {false, true}) {
      const std::vector<std::byte> bytes = result_of(compiled.compilation, x, count * 6 * sizeof(float), is_recorded);
      std::vector<float> y(count * 6);
      std::memcpy(y.data(), bytes.data(), bytes.size());
      size_t first = 0;
      for (const Part& part : parts) {
        for (uint32_t c = 0; c < part.channel_count; ++c) {
          const std::vector<double> expected = resized(part, c);
          for (size_t i = 0; i < count; ++i)
            ASSERT_NEAR(-y[i * 6 + first + c], expected[i], 4e-6) << i << ", channel " << first + c;
        }
        first += part.channel_count;
      }
    }
  }
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
}

// One part is a way to resize an image, and one image may be several parts.
TEST_F(ImagePartsTest, AllFormatsAreParts) {
  for (const ImageFormat& format : kImageFormats) {
    SCOPED_TRACE(format.format);
    std::deque<Part> parts;
    parts.emplace_back(*application_, format.format, VkExtent2D{8, 5}, format.components);
    std::ranges::fill(parts.front().info.scale, 1.0F);
    parts.front().filter = NNVK_VK_FILTER_BILINEAR;
    parts.front().upload(*application_, 3);
    const NnvkVkImagePart twice[] = {parts.front().description(), parts.front().description()};
    ANeuralNetworksMemory* made = nullptr;
    ASSERT_EQ(nnvk_vkMemoryFromImages(device_, 2, twice, &made), kOk) << nnvk_lastError();
    const MemoryPointer x(made);
    const uint32_t channels = 2 * format.components;
    const Compiled compiled(make_unary(ANEURALNETWORKS_NEG, kFloat, {1, kHeight, kWidth, channels}), device_);
    const size_t count = size_t{kHeight} * kWidth;
    const std::vector<std::byte> bytes = result_of(compiled.compilation, x, count * channels * sizeof(float), true);
    std::vector<float> y(count * channels);
    std::memcpy(y.data(), bytes.data(), bytes.size());
    for (uint32_t c = 0; c < channels; ++c) {
      const uint32_t own = c % format.components;
      const std::vector<double> expected = resized(parts.front(), format.is_blue_first && own < 3 ? 2 - own : own);
      for (size_t i = 0; i < count; ++i) ASSERT_NEAR(-y[i * channels + c], expected[i], 4e-6) << i << ", channel " << c;
    }
  }
  EXPECT_THAT(application_->take_complaints(), testing::IsEmpty());
}

TEST_F(ImagePartsTest, RecordOnlyImportsTakeParts) {
  ANeuralNetworksDevice* const record_only = application_->import({.with_queue = false});
  ASSERT_NE(record_only, nullptr);
  {
    std::deque<Part> parts = frame(kSize, kSize, kSize);
    for (Part& part : parts) part.upload(*application_, 8);
    const TensorKind& kind = kKinds[0];
    const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kind.type, kind.dimensions(parts.front().info)), record_only);
    const MemoryPointer x = memory_of_parts(record_only, parts);
    std::vector<std::byte> wanted = joined(parts, kind);
    const Tensor y(*application_, record_only, NNVK_VK_ACCESS_WRITE, wanted.size());
    const RecordingPointer recording = recording_of(compiled.compilation, {x, 0, 0}, {y.memory, 0, wanted.size()});
    Commands(*application_).run([&](VkCommandBuffer commands) {
      EXPECT_EQ(nnvk_vkRecord(recording.get(), commands, kBothBarriers), kOk) << nnvk_lastError();
    });
    for (size_t i = 0; i < wanted.size() / sizeof(float); ++i) {
      float value = 0;
      std::memcpy(&value, &wanted[i * sizeof value], sizeof value);
      ASSERT_EQ(y.values()[i], std::max(value, 0.0F)) << i;
    }
  }
  application_->release(record_only);
}

TEST_F(ImagePartsTest, PartsThatAreNoneAreRefused) {
  const std::deque<Part> parts = frame(kSize, kSize, kSize);
  struct Case {
    const char* text;  // that the error has
    std::function<void(NnvkVkImagePart&, NnvkVkImageInfo&)> change;
  };
  const Case cases[] = {
      {"parts[1]: part->structSize is 8", [](NnvkVkImagePart& part, NnvkVkImageInfo&) { part.structSize = 8; }},
      {"part->next", [](NnvkVkImagePart& part, NnvkVkImageInfo&) { part.next = &part; }},
      {"parts[1]: info->structSize", [](NnvkVkImagePart&, NnvkVkImageInfo& info) { info.structSize = 8; }},
      {"part->filter is 4", [](NnvkVkImagePart& part, NnvkVkImageInfo&) { part.filter = 4; }},
      {"channelCount is 2; images of VK_FORMAT_D32_SFLOAT fill 1 to 1 channels",
       [](NnvkVkImagePart& part, NnvkVkImageInfo&) { part.channelCount = 2; }},
      {"channelCount is 0", [](NnvkVkImagePart& part, NnvkVkImageInfo&) { part.channelCount = 0; }},
      {"another tensorLayout", [](NnvkVkImagePart&, NnvkVkImageInfo& info) { info.tensorLayout = NNVK_VK_TENSOR_NCHW; }},
      {"DEPTH_ATTACHMENT_OPTIMAL",
       [](NnvkVkImagePart&, NnvkVkImageInfo& info) { info.layout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR; }},
      {"TRANSFER_SRC", [](NnvkVkImagePart&, NnvkVkImageInfo& info) { info.usage = VK_IMAGE_USAGE_SAMPLED_BIT; }},
  };
  ANeuralNetworksMemory* memory = nullptr;
  for (const Case& c : cases) {
    NnvkVkImagePart changed[] = {parts[0].description(), parts[1].description()};
    NnvkVkImageInfo info = parts[1].info;
    changed[1].image = &info;
    c.change(changed[1], info);
    EXPECT_EQ(nnvk_vkMemoryFromImages(device_, 2, changed, &memory), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr(c.text));
    EXPECT_EQ(memory, nullptr);
  }
  NnvkVkImagePart part = parts[0].description();
  EXPECT_EQ(nnvk_vkMemoryFromImages(nullptr, 1, &part, &memory), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImages(device_, 1, nullptr, &memory), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImages(device_, 1, &part, nullptr), kNull);
  EXPECT_EQ(nnvk_vkMemoryFromImages(device_, 0, &part, &memory), kBadData);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("0 images"));
  const std::vector<NnvkVkImagePart> many(NNVK_VK_MAX_IMAGE_PARTS + 1, part);
  EXPECT_EQ(nnvk_vkMemoryFromImages(device_, NNVK_VK_MAX_IMAGE_PARTS + 1, many.data(), &memory), kBadData);
  EXPECT_EQ(nnvk_vkMemoryFromImages(const_cast<ANeuralNetworksDevice*>(cpu_device()), 1, &part, &memory), kBadData);
  part.image = nullptr;
  EXPECT_EQ(nnvk_vkMemoryFromImages(device_, 1, &part, &memory), kNull);
  EXPECT_THAT(nnvk_lastError(), HasSubstr("part->image"));
}

// Programs of earlier versions get the table that they know.
TEST(ImagePartsInterface, IsInTheTableOfVersion4) {
  NnvkVulkanInterop table{};
  ASSERT_EQ(nnvk_getInterface(NNVK_VULKAN_INTEROP_NAME, 4, &table, sizeof table), kOk);
  EXPECT_EQ(table.memoryFromImages, &nnvk_vkMemoryFromImages);
  NnvkVulkanInterop earlier{};
  ASSERT_EQ(nnvk_getInterface(NNVK_VULKAN_INTEROP_NAME, 3, &earlier, offsetof(NnvkVulkanInterop, memoryFromImages)), kOk);
  EXPECT_EQ(earlier.recordSlice, &nnvk_vkRecordSlice);
  EXPECT_EQ(earlier.memoryFromImages, nullptr);
}

TEST_F(ImagePartsTest, TensorsThatThePartsDoNotFillAreRefusedWhenTheyAreBound) {
  std::deque<Part> parts = frame(kSize, {4, 3}, kSize);
  const auto refused = [&](const std::vector<uint32_t>& dimensions, const char* text) {
    const MemoryPointer x = memory_of_parts(device_, parts);
    const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kFloat, dimensions), device_);
    const ExecutionPointer execution = make_execution(compiled.compilation.get());
    EXPECT_EQ(set_input(execution, 0, {x, 0, 0}), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr(text));
    EXPECT_EQ(set_output(execution, 0, {x, 0, 0}), kBadData);
    EXPECT_THAT(nnvk_lastError(), HasSubstr("NNVK_VK_ACCESS_WRITE"));
  };
  refused({1, kHeight, kWidth, 5}, "with 6 channels");
  refused({2, kHeight, kWidth, 6}, "with 6 channels");
  refused({1, kHeight, kWidth, 6}, "parts[1]: the image has 4x3 pixels, the tensor 11x7; choose a filter");
  parts[1].filter = NNVK_VK_FILTER_AREA;
  const MemoryPointer x = memory_of_parts(device_, parts);
  const Compiled compiled(make_unary(ANEURALNETWORKS_RELU, kFloat, {1, kHeight, kWidth, 6}), device_);
  EXPECT_EQ(set_input(make_execution(compiled.compilation.get()), 0, {x, 0, 0}), kOk) << nnvk_lastError();
}

}  // namespace
}  // namespace nnvk::test
