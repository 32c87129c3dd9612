// A network inside a renderer's frame. The program has its own VkDevice. Its command buffer fills a VkImage with a town at night,
// where a renderer would draw; a network reads the image and makes the lights glow. The program submits both at once: nnvk has no
// queue. The picture shows the town, and its glow below. (recorded.c also enables what makes networks faster.)
//
//   c++ -std=c++20 renderer.cpp $(pkg-config --cflags --libs nnvk) -o renderer && ./renderer renderer.ppm
#include <android/NeuralNetworks.h>
#include <nnvk/diagnostics.h>
#include <nnvk/vulkan_interop.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vulkan/vulkan_raii.hpp>

constexpr int kWidth = 320, kHeight = 200, kValues = kWidth * kHeight * 4, kBytes = kValues * 4, kWindow = 15, kSkipped = 77;

void check(int code) {
  if (code != ANEURALNETWORKS_NO_ERROR) std::fprintf(stderr, "%s\n", nnvk_lastError()), std::exit(1);
}

// Returns the object that `create` makes. It is freed when nothing holds it any more.
template <class T>
std::shared_ptr<T> make(auto(*free)(T*), auto create, auto... inputs) {
  T* object = nullptr;
  check(create(inputs..., &object));
  return {object, free};
}

// The glow: each value becomes the mean of those around it, if that is more.
std::shared_ptr<ANeuralNetworksModel> make_model() {
  enum : int32_t { kScene, kPadding, kStride, kSide, kActivation, kSoft, kResult };  // in the order in which they are added
  const uint32_t shape[4] = {1, kHeight, kWidth, 4}, scene = kScene, soft = kSoft, result = kResult;
  const ANeuralNetworksOperandType picture = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, shape, 0, 0};
  const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, nullptr, 0, 0};
  auto model = make(ANeuralNetworksModel_free, ANeuralNetworksModel_create);
  for (const auto* operand : {&picture, &number, &number, &number, &number, &picture, &picture})
    check(ANeuralNetworksModel_addOperand(model.get(), operand));
  const int32_t same = ANEURALNETWORKS_PADDING_SAME, none = ANEURALNETWORKS_FUSED_NONE;
  const std::pair<int32_t, int32_t> values[4] = {{kPadding, same}, {kStride, 1}, {kSide, kWindow}, {kActivation, none}};
  for (const auto& [index, value] : values) check(ANeuralNetworksModel_setOperandValue(model.get(), index, &value, 4));
  const uint32_t pooled[7] = {kScene, kPadding, kStride, kStride, kSide, kSide, kActivation}, compared[2] = {kScene, kSoft};
  check(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_AVERAGE_POOL_2D, 7, pooled, 1, &soft));
  check(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_MAXIMUM, 2, compared, 1, &result));
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &scene, 1, &result));
  check(ANeuralNetworksModel_finish(model.get()));
  return model;
}

// The town: red, green, blue and alpha, in turn.
float scene(int x, int y, int channel) {
  const float lamp[4] = {1, 0.8f, 0.4f, 1}, wall[4] = {0.02f, 0.02f, 0.03f, 1}, sky[4] = {0.02f, 0.03f, 0.13f, 1};
  const int house = x / 40, column = (x - 6) % 40 / 8, top = 50 + house * 53 % 90, row = (y - top - 5) / 14;
  if (x % 40 < 4 || y < top) return channel < 3 ? sky[channel] + static_cast<float>(y) * 4e-4f : 1;
  const bool window = x % 40 > 6 && (x - 6) % 8 > 3 && y > top + 5 && (y - top - 5) % 14 < 8;
  return (window && (house * 31 + row * 17 + column * 23) % 10 < 4 ? lamp : wall)[channel];
}

int main(int argc, char** argv) try {  // NOLINT(bugprone-exception-escape): others end the program with their text
  const vk::raii::Context context;
  const vk::ApplicationInfo application("renderer", 1, nullptr, 0, VK_API_VERSION_1_2);
  const vk::raii::Instance instance(context, vk::InstanceCreateInfo({}, &application));
  const vk::raii::PhysicalDevices gpus(instance);
  if (gpus.empty()) return kSkipped;
  const vk::raii::PhysicalDevice& gpu = gpus[0];
  uint32_t family = 0;
  while (!(gpu.getQueueFamilyProperties().at(family).queueFlags & vk::QueueFlagBits::eCompute)) ++family;
  const float priority = 1;
  const vk::DeviceQueueCreateInfo queue_info({}, family, 1, &priority);
  const vk::raii::Device device(gpu, vk::DeviceCreateInfo({}, queue_info));
  const auto allocate = [&](const auto& resource, vk::MemoryPropertyFlags properties) {
    const auto types = gpu.getMemoryProperties().memoryTypes;
    const vk::MemoryRequirements needs = resource.getMemoryRequirements();
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (types[type].propertyFlags & properties) != properties) ++type;
    vk::raii::DeviceMemory memory(device, vk::MemoryAllocateInfo(needs.size, type));
    resource.bindMemory(*memory, 0);
    return memory;
  };
  // An image for the town, and a buffer that the program fills with it. Behind the town, the buffer has room for the result.
  using enum vk::BufferUsageFlagBits;
  const auto image_usage = vk::ImageUsageFlagBits::eTransferDst | vk::ImageUsageFlagBits::eTransferSrc;
  const vk::raii::Image image(
      device, vk::ImageCreateInfo({}, vk::ImageType::e2D, vk::Format::eR32G32B32A32Sfloat, {kWidth, kHeight, 1}, 1, 1,
                                  vk::SampleCountFlagBits::e1, {}, image_usage));
  const auto image_memory = allocate(image, vk::MemoryPropertyFlagBits::eDeviceLocal);
  const auto usage = eTransferSrc | eStorageBuffer | eUniformTexelBuffer;
  const vk::raii::Buffer buffer(device, vk::BufferCreateInfo({}, vk::DeviceSize{2} * kBytes, usage));
  const auto buffer_memory =
      allocate(buffer, vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent);
  float *const drawn = static_cast<float*>(buffer_memory.mapMemory(0, VK_WHOLE_SIZE)), *const glowing = drawn + kValues;
  for (int i = 0; i < kValues; ++i) drawn[i] = scene(i / 4 % kWidth, i / 4 / kWidth, i % 4);

  // The same VkDevice for nnvk, the network for it, and its tensors: the image, and the second half of the buffer.
  NnvkVkDeviceDesc desc = {};
  desc.structSize = sizeof(desc), desc.apiVersion = VK_API_VERSION_1_2, desc.recordFamilyCount = 1, desc.recordFamilies = &family;
  desc.instance = *instance, desc.physicalDevice = *gpu, desc.device = *device;
  desc.getInstanceProcAddr = instance.getDispatcher()->vkGetInstanceProcAddr;
  const auto imported = make(nnvk_vkReleaseDevice, nnvk_vkImportDevice, &desc);
  const ANeuralNetworksDevice* const devices[1] = {imported.get()};
  const auto model = make_model();
  const auto create = ANeuralNetworksCompilation_createForDevices;
  const auto compilation = make(ANeuralNetworksCompilation_free, create, model.get(), devices, 1);
  check(ANeuralNetworksCompilation_finish(compilation.get()));
  NnvkVkImageInfo info = {};
  info.structSize = sizeof(info), info.image = *image, info.usage = VkImageUsageFlags(image_usage);
  info.format = VK_FORMAT_R32G32B32A32_SFLOAT, info.extent = {kWidth, kHeight, 1}, info.layout = VK_IMAGE_LAYOUT_GENERAL;
  const auto input = make(ANeuralNetworksMemory_free, nnvk_vkMemoryFromImage, imported.get(), &info, NNVK_VK_ACCESS_READ);
  const auto output = make(ANeuralNetworksMemory_free, nnvk_vkMemoryFromBuffer, imported.get(), *buffer, kBytes, kBytes,
                           VkBufferUsageFlags(usage), NNVK_VK_ACCESS_WRITE);
  const auto execution = make(ANeuralNetworksExecution_free, ANeuralNetworksExecution_create, compilation.get());
  check(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, input.get(), 0, 0));  // as a whole
  check(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, output.get(), 0, kBytes));
  const auto recording = make(nnvk_vkFreeRecording, nnvk_vkCreateRecording, execution.get(), VkBuffer{}, 0);

  // The frame.
  const vk::raii::CommandPool pool(device, vk::CommandPoolCreateInfo({}, family));
  const auto commands = std::move(device.allocateCommandBuffers({*pool, vk::CommandBufferLevel::ePrimary, 1})[0]);
  commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
  check(nnvk_vkRecordPreparation(compilation.get(), imported.get(), *commands));  // uploads weights, if there are any
  const vk::ImageMemoryBarrier to_general({}, vk::AccessFlagBits::eTransferWrite, {}, vk::ImageLayout::eGeneral, family, family,
                                          *image, {vk::ImageAspectFlagBits::eColor, 0, 1, 0, 1});
  const auto transfer = vk::PipelineStageFlagBits::eTransfer;
  commands.pipelineBarrier(transfer, transfer, {}, {}, {}, to_general);
  const vk::BufferImageCopy whole(0, 0, 0, {vk::ImageAspectFlagBits::eColor, 0, 0, 1}, {}, {kWidth, kHeight, 1});
  commands.copyBufferToImage(*buffer, *image, vk::ImageLayout::eGeneral, whole);
  check(nnvk_vkRecord(recording.get(), *commands, NNVK_VK_RECORD_INPUT_BARRIER | NNVK_VK_RECORD_OUTPUT_BARRIER));
  commands.end();
  device.getQueue(family, 0).submit(vk::SubmitInfo({}, {}, *commands));
  device.waitIdle();

  int wrong = 0;
  for (int i = 0; i < kValues; ++i) {
    float sum = 0, count = 0;
    for (int n = 0; n < kWindow * kWindow; ++n) {
      const int x = i / 4 % kWidth + n % kWindow - kWindow / 2, y = i / 4 / kWidth + n / kWindow - kWindow / 2;
      if (x >= 0 && x < kWidth && y >= 0 && y < kHeight) sum += drawn[(y * kWidth + x) * 4 + i % 4], ++count;
    }
    wrong += !(std::abs(glowing[i] - std::fmax(drawn[i], sum / count)) < 1e-4f);
  }
  std::printf("%d of %d values are wrong\n", wrong, kValues);
  std::ofstream file(argc > 1 ? argv[1] : "renderer.ppm", std::ios::binary);
  file << "P6 " << kWidth << ' ' << 2 * kHeight << " 255\n";
  for (int i = 0; i < 2 * kValues; ++i)
    if (i % 4 != 3) file << static_cast<uint8_t>(std::lround(drawn[i] * 255));
  return wrong == 0 && file.flush() ? 0 : 1;
} catch (const vk::IncompatibleDriverError&) {
  return kSkipped;
}
