// The layer for invented devices (tests/vulkan/weak_device_layer): it shows their features, and ends a process that uses more.
#include <gtest/gtest.h>
#include <volk.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/vulkan/memory/open_context.h"
#include "tests/vulkan/weak_device_layer/memory_types.h"
#include "tests/vulkan/weak_device_layer/module_facts.h"
#include "tests/vulkan/weak_device_layer/weakness.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/kernels/kernel_choice.h"

namespace nnvk::weak_device {
namespace {

using vulkan::Context;
using vulkan::vulkan_struct;

TEST(Weaknesses, FaultsBelongToSubmissions) {
  const Weaknesses faulty = Weaknesses::parse("hang_at_20,lost_at_7,garbage,crash_at_,kill_at_x");
  EXPECT_TRUE(faulty.has_faults());
  EXPECT_EQ(faulty.fault_at(20), Fault::kHang);
  EXPECT_EQ(faulty.fault_at(7), Fault::kLost);
  EXPECT_EQ(faulty.fault_at(8), Fault::kNone);
  EXPECT_EQ(faulty.unknown(), "crash_at_, kill_at_x");
  EXPECT_FALSE(Weaknesses::parse("all").has_faults());
}

TEST(Weaknesses, AreWordsAndUnknownOnesAreTold) {
  const Weaknesses some = Weaknesses::parse("buffers_4,,garbage,weakly");
  EXPECT_TRUE(some.has("buffers_4"));
  EXPECT_TRUE(some.has("garbage"));
  EXPECT_FALSE(some.has("bare"));
  EXPECT_EQ(some.unknown(), "weakly");
  const Weaknesses all = Weaknesses::parse("all");
  for (const Weakness& weakness : kWeaknesses) EXPECT_TRUE(all.has(weakness.word)) << weakness.word;
  EXPECT_TRUE(all.unknown().empty());
}

// One type with all properties, as software drivers have.
VkPhysicalDeviceMemoryProperties one_type() {
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryTypeCount = 1;
  memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                           0};
  memory.memoryHeapCount = 1;
  memory.memoryHeaps[0] = {1U << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  return memory;
}

TEST(MemoryTypes, TheOneThatNeedsFlushingComesFirstAndBothAreTheDriversOwn) {
  const MemoryTypes types = MemoryTypes::of(one_type(), Weaknesses::parse("non_coherent_first"));
  ASSERT_EQ(types.count(), 2U);
  EXPECT_EQ(types.flags(0) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0U);
  EXPECT_NE(types.flags(1) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0U);
  EXPECT_EQ(types.real(0), 0U);
  EXPECT_EQ(types.real(1), 0U);
  EXPECT_EQ(types.shown_mask(1), 3U);
}

TEST(MemoryTypes, MemoryOfTheDeviceThatNobodyMapsHasAHeapOfTheHostBesideIt) {
  const MemoryTypes types = MemoryTypes::of(one_type(), Weaknesses::parse("unmappable_local"));
  ASSERT_EQ(types.count(), 2U);
  EXPECT_EQ(types.flags(0), static_cast<VkMemoryPropertyFlags>(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  EXPECT_EQ(types.flags(1) & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0U);
  EXPECT_NE(types.shown().memoryTypes[1].heapIndex, types.shown().memoryTypes[0].heapIndex);
}

TEST(ModuleFacts, OfEveryKernelAreWhatItsManifestSays) {
  for (const vulkan::KernelInfo& kernel : vulkan::all_kernels()) {
    for (const vulkan::KernelModule& module : kernel.modules) {
      const ModuleFacts facts = read_module(module.spirv);
      EXPECT_EQ(facts.invocations({}), kernel.local_size[0] * kernel.local_size[1] * kernel.local_size[2]) << kernel.name;
      EXPECT_TRUE(facts.capabilities.contains(1)) << kernel.name << ": every shader has the capability Shader";
      EXPECT_LE(facts.shared_bytes, 16384U) << kernel.name << ": more than every device has";
    }
  }
}

TEST(ModuleFacts, SpecializationConstantsDecideWorkGroups) {
  // %1 = constant 0, default 64; %2 = 1; the composite %4 is the size of the work group.
  const std::vector<uint32_t> words = {0x07230203,      0x10000, 0,  9,  0,  //
                                       (4U << 16) | 71, 1,       1,  0,      // OpDecorate %1 SpecId 0
                                       (4U << 16) | 71, 4,       11, 25,     // OpDecorate %4 BuiltIn WorkgroupSize
                                       (4U << 16) | 50, 8,       1,  64,     // OpSpecConstant
                                       (4U << 16) | 43, 8,       2,  1,      // OpConstant
                                       (6U << 16) | 51, 7,       4,  1,  2, 2};
  const ModuleFacts facts = read_module(words);
  EXPECT_EQ(facts.invocations({}), 64U);
  EXPECT_EQ(facts.invocations({{0, 256}}), 256U);
}

// The device with these weaknesses. The process must not have used Vulkan before. Null if there is no Vulkan device at all.
std::shared_ptr<Context> weak_context(const char* words) {
  ::setenv("VK_ADD_LAYER_PATH", NNVK_WEAK_DEVICE_LAYER_FOLDER, 1);
  ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_NNVK_weak_device", 1);
  ::setenv("NNVK_WEAK_DEVICE", words, 1);
  return vulkan::open_context({});
}

// Device tests run in child processes, because the layer reads its variable only once. Each prints "as promised" before it ends.
class InventedDevice : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (vulkan::open_context({}) == nullptr) GTEST_SKIP() << "no Vulkan device on this machine";
  }
};

[[noreturn]] void end(bool as_promised) {
  std::fprintf(stderr, "%s", as_promised ? "as promised" : "broken promise");
  std::_Exit(0);
}

TEST_F(InventedDevice, ShowsTheLowerLimitsUnderAnotherName) {
  EXPECT_EXIT(
      {
        const auto context = weak_context("all");
        if (context == nullptr) end(false);
        const auto& s = context->snapshot();
        end(s.name.starts_with("weak ") && s.max_storage_buffers_per_stage == 4 && s.max_texel_buffer_elements == 65536 &&
            s.max_storage_buffer_range <= 128U << 20 && s.max_group_invocations == 128 && s.subgroup_size == 1 &&
            !s.timeline_semaphore && !context->plan().timestamps && !context->plan().direct_io && s.extensions.empty() &&
            s.min_storage_alignment == 256);
      },
      testing::ExitedWithCode(0), "as promised");
}

VkDescriptorSetLayout storage_buffers(const Context& context, uint32_t count) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(count);
  for (uint32_t i = 0; i < count; ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  auto info = vulkan_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = count;
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  context.vk().vkCreateDescriptorSetLayout(context.device(), &info, nullptr, &layout);
  return layout;
}

void make_pipeline_layout(const Context& context, uint32_t buffers) {
  const VkDescriptorSetLayout set = storage_buffers(context, buffers);
  auto info = vulkan_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  context.vk().vkCreatePipelineLayout(context.device(), &info, nullptr, &layout);
}

TEST_F(InventedDevice, TakesFourStorageBuffersAndNotFive) {
  EXPECT_EXIT(
      {
        make_pipeline_layout(*weak_context("buffers_4"), 4);
        end(true);
      },
      testing::ExitedWithCode(0), "as promised");
  EXPECT_DEATH(make_pipeline_layout(*weak_context("buffers_4"), 5), "a pipeline with 5 storage buffers");
}

TEST_F(InventedDevice, EndsAProcessThatMakesATimelineSemaphore) {
  const auto make = [] {
    const auto context = weak_context("no_timeline");
    auto type = vulkan_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    info.pNext = &type;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    context->vk().vkCreateSemaphore(context->device(), &info, nullptr, &semaphore);
  };
  EXPECT_DEATH(make(), "a timeline semaphore");
}

TEST_F(InventedDevice, LetsNoPipelineRequireASubgroupSize) {
  constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;
  const auto allowed = [](const Context& context) { return context.snapshot().required_subgroup_size_stages & kCompute; };
  if (allowed(*vulkan::open_context({})) == 0) GTEST_SKIP() << "no pipeline may do so on the driver's own device";
  EXPECT_EXIT(end(allowed(*weak_context("own_subgroup_size")) == 0), testing::ExitedWithCode(0), "as promised");
  const auto require = [] {
    const auto context = weak_context("own_subgroup_size");
    auto subgroups = vulkan_struct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    subgroups.requiredSubgroupSize = context->snapshot().subgroup_size;
    auto info = vulkan_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pNext = &subgroups;
    VkPipeline pipeline = VK_NULL_HANDLE;
    context->vk().vkCreateComputePipelines(context->device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  };
  EXPECT_DEATH(require(), "a pipeline that requires a subgroup size");
}

TEST_F(InventedDevice, EndsAProcessThatAsksForTimestamps) {
  const auto make = [] {
    const auto context = weak_context("no_timestamps");
    auto info = vulkan_struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 1;
    VkQueryPool pool = VK_NULL_HANDLE;
    context->vk().vkCreateQueryPool(context->device(), &info, nullptr, &pool);
  };
  EXPECT_DEATH(make(), "a query of timestamps");
}

// A buffer in memory of the first type that has all of `flags` and none of `without`.
struct BufferAndMemory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};
BufferAndMemory make_buffer(const Context& context, VkDeviceSize size, VkMemoryPropertyFlags flags,
                            VkMemoryPropertyFlags without) {
  BufferAndMemory made;
  auto info = vulkan_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  context.vk().vkCreateBuffer(context.device(), &info, nullptr, &made.buffer);
  VkMemoryRequirements wanted{};
  context.vk().vkGetBufferMemoryRequirements(context.device(), made.buffer, &wanted);
  auto memory = vulkan_struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  memory.allocationSize = wanted.size;
  const auto& types = context.snapshot().memory_types;
  while ((types[memory.memoryTypeIndex].flags & flags) != flags || (types[memory.memoryTypeIndex].flags & without) != 0) {
    ++memory.memoryTypeIndex;
  }
  context.vk().vkAllocateMemory(context.device(), &memory, nullptr, &made.memory);
  context.vk().vkBindBufferMemory(context.device(), made.buffer, made.memory, 0);
  return made;
}

TEST_F(InventedDevice, EndsAProcessThatReadsMoreTexelsThanABufferHas) {
  const auto view = [](VkDeviceSize texels, VkDeviceSize offset) {
    const auto context = weak_context("texels_65536,alignment_256");
    auto info = vulkan_struct<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
    info.buffer = make_buffer(*context, 1U << 20, 0, 0).buffer;
    info.format = VK_FORMAT_R32_SFLOAT;
    info.offset = offset;
    info.range = texels * sizeof(float);
    VkBufferView made = VK_NULL_HANDLE;
    context->vk().vkCreateBufferView(context->device(), &info, nullptr, &made);
    end(made != VK_NULL_HANDLE);
  };
  EXPECT_EXIT(view(65536, 256), testing::ExitedWithCode(0), "as promised");
  EXPECT_DEATH(view(65537, 0), "a texel buffer of 65537 texels");
  EXPECT_DEATH(view(1, 16), "a texel buffer at offset 16");
}

TEST_F(InventedDevice, EndsAProcessThatMapsMemoryOfTheDevice) {
  const auto map = [] {
    const auto context = weak_context("unmappable_local");
    const auto made = make_buffer(*context, 64, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    void* bytes = nullptr;
    context->vk().vkMapMemory(context->device(), made.memory, 0, VK_WHOLE_SIZE, 0, &bytes);
  };
  EXPECT_DEATH(map(), "memory that the host cannot map");
}

// The first byte that the host sees after writing 1, and mapping again, with a flush in between or without.
int byte_seen_again(bool flush) {
  const auto context = weak_context("non_coherent_first,garbage");
  const auto made = make_buffer(*context, 64, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const auto get = [&](const char* name) { return vkGetDeviceProcAddr(context->device(), name); };
  const auto flush_ranges = reinterpret_cast<PFN_vkFlushMappedMemoryRanges>(get("vkFlushMappedMemoryRanges"));
  const auto invalidate_ranges = reinterpret_cast<PFN_vkInvalidateMappedMemoryRanges>(get("vkInvalidateMappedMemoryRanges"));
  const auto unmap = reinterpret_cast<PFN_vkUnmapMemory>(get("vkUnmapMemory"));
  auto range = vulkan_struct<VkMappedMemoryRange>(VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
  range.memory = made.memory;
  range.size = VK_WHOLE_SIZE;
  void* bytes = nullptr;
  context->vk().vkMapMemory(context->device(), made.memory, 0, VK_WHOLE_SIZE, 0, &bytes);
  static_cast<uint8_t*>(bytes)[0] = 1;
  if (flush) flush_ranges(context->device(), 1, &range);
  unmap(context->device(), made.memory);
  context->vk().vkMapMemory(context->device(), made.memory, 0, VK_WHOLE_SIZE, 0, &bytes);
  invalidate_ranges(context->device(), 1, &range);
  return static_cast<uint8_t*>(bytes)[0];
}

TEST_F(InventedDevice, KeepsWhatIsNotFlushedFromTheDevice) {
  EXPECT_EXIT(end(byte_seen_again(true) == 1), testing::ExitedWithCode(0), "as promised");
  EXPECT_EXIT(end(byte_seen_again(false) == 0xd7), testing::ExitedWithCode(0), "as promised");
}

TEST_F(InventedDevice, EndsAProcessWhoseWordsMeanNothing) {
  EXPECT_DEATH(weak_context("buffers_five"), "words that mean nothing: buffers_five");
}

}  // namespace
}  // namespace nnvk::weak_device
