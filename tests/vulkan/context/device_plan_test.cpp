// Device plans and memory types of invented devices.
#include "vulkan/context/device_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "vulkan/context/device_properties.h"

namespace nnvk::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

DeviceSnapshot least_device() {
  DeviceSnapshot s;
  s.name = "Least";
  s.queue_families = {{VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, 1, 0}};
  s.memory_types = {{kLocal, 0}, {kVisible, 1}};
  s.memory_heaps = {{1ULL << 30, true}, {1ULL << 30, false}};
  return s;
}

DeviceSnapshot desktop() {
  DeviceSnapshot s = least_device();
  s.name = "Example GPU 4000 (Board 12)";
  s.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  s.extensions = {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
  s.timeline_semaphore = true;
  s.texel_formats = true;
  s.timestamp_period = 1.0F;
  s.max_texel_buffer_elements = 1U << 27;
  s.subgroup_size = 32;
  s.subgroup_stages = VK_SHADER_STAGE_COMPUTE_BIT;
  s.subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  s.queue_families = {
      {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 16, 64}, {VK_QUEUE_TRANSFER_BIT, 2, 64}, {VK_QUEUE_COMPUTE_BIT, 8, 48}};
  s.memory_types = {{kLocal, 0}, {kVisible, 1}, {kVisible | kCached, 1}, {kLocal | kVisible, 2}};
  s.memory_heaps = {{8ULL << 30, true}, {16ULL << 30, false}, {256ULL << 20, true}};
  return s;
}

DeviceSnapshot mobile() {
  DeviceSnapshot s = desktop();
  s.name = "Mobile";
  s.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  s.max_texel_buffer_elements = 65536;
  s.max_storage_buffers_per_stage = 32;
  s.queue_families = {{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1, 0}};
  s.memory_types = {{kLocal, 0}, {kLocal | kVisible, 0}, {kLocal | kVisible | kCached, 0}};
  s.memory_heaps = {{4ULL << 30, true}};
  return s;
}

DeviceSnapshot lavapipe() {
  DeviceSnapshot s = mobile();
  s.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  s.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  s.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
  s.subgroup_size = 8;
  s.memory_types = {{kLocal | kVisible | kCached, 0}};
  return s;
}

TEST(DevicePlan, ADeviceWithNothingOptionalStillWorks) {
  const auto plan = device_plan(least_device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(plan->timeline_semaphore);
  EXPECT_FALSE(plan->timestamps);
  EXPECT_FALSE(plan->direct_io);
  EXPECT_FALSE(plan->direct_upload);
  EXPECT_EQ(plan->traits.variants, KernelVariants{KernelVariant::kWords});
  EXPECT_EQ(plan->traits.features, KernelFeatures{});
  EXPECT_EQ(plan->traits.subgroup_size, 0U);
  EXPECT_TRUE(plan->extensions.empty());
}

TEST(DevicePlan, TimestampsAreCalibratedWhereTheDriverRelatesThemToTheHostsClock) {
  DeviceSnapshot s = desktop();
  EXPECT_FALSE(device_plan(s)->calibrated_timestamps);
  s.extensions.insert(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  EXPECT_FALSE(device_plan(s)->calibrated_timestamps) << "the name alone proves nothing";
  s.monotonic_timestamps = true;
  const auto plan = device_plan(s);
  EXPECT_TRUE(plan->calibrated_timestamps);
  EXPECT_EQ(std::count(plan->extensions.begin(), plan->extensions.end(), VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME), 1);
  s.timestamp_period = 0.0F;
  EXPECT_FALSE(device_plan(s)->calibrated_timestamps);
}

TEST(DevicePlan, DevicesBelowTheFloorAreRefusedWithAReason) {
  DeviceSnapshot old = desktop();
  old.api_version = VK_API_VERSION_1_0;
  DeviceSnapshot without_compute = desktop();
  without_compute.queue_families = {{VK_QUEUE_TRANSFER_BIT, 1, 0}};
  DeviceSnapshot unmappable = desktop();
  unmappable.memory_types = {{kLocal, 0}};
  DeviceSnapshot few_constants = desktop();
  few_constants.max_push_constants = 64;
  const std::pair<DeviceSnapshot, const char*> cases[] = {
      {old, "Vulkan 1.0"}, {without_compute, "compute"}, {unmappable, "host-visible"}, {few_constants, "push constants"}};
  for (const auto& [snapshot, word] : cases) {
    const auto plan = device_plan(snapshot);
    ASSERT_FALSE(plan) << word;
    EXPECT_EQ(plan.error().code, Code::kUnavailableDevice);
    EXPECT_NE(plan.error().message.find(word), std::string::npos) << plan.error().message;
    EXPECT_NE(plan.error().message.find(snapshot.name), std::string::npos) << plan.error().message;
  }
}

TEST(DevicePlan, ADeviceForItsCompilerAloneNeedsNoMemory) {
  DeviceSnapshot null_device = desktop();
  null_device.memory_types = {{kLocal, 0}};
  null_device.extensions.insert(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  null_device.pipeline_statistics = true;
  EXPECT_FALSE(device_plan(null_device));
  const auto plan = device_plan(null_device, {.compile_only = true});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_TRUE(plan->pipeline_statistics);
  EXPECT_TRUE(std::ranges::count(plan->extensions, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME));
  // Without a request for statistics, devices must not enable them, because they cost time.
  const auto ordinary = device_plan(desktop());
  ASSERT_TRUE(ordinary);
  EXPECT_FALSE(ordinary->pipeline_statistics);
  null_device.queue_families = {{VK_QUEUE_TRANSFER_BIT, 1, 0}};
  EXPECT_FALSE(device_plan(null_device, {.compile_only = true})) << "the floor is otherwise the same";
}

TEST(DevicePlan, PrefersAComputeQueueWithoutGraphics) {
  EXPECT_EQ(device_plan(desktop())->queue_family, 2U);
  EXPECT_EQ(device_plan(desktop())->timestamp_valid_bits, 48U);
  EXPECT_EQ(device_plan(mobile())->queue_family, 0U);
}

TEST(DevicePlan, DiscreteGpusStageAndIntegratedOnesShareMemory) {
  EXPECT_FALSE(device_plan(desktop())->direct_io);
  EXPECT_FALSE(device_plan(desktop())->direct_upload) << "256 MiB of visible device memory are only a window";
  EXPECT_TRUE(device_plan(mobile())->direct_io);
  EXPECT_TRUE(device_plan(mobile())->direct_upload);
  EXPECT_TRUE(device_plan(lavapipe())->direct_io);
}

TEST(DevicePlan, ResizableBarLetsWeightsBeWrittenInPlaceButOutputsAreStaged) {
  DeviceSnapshot s = desktop();
  s.memory_heaps[2].bytes = 8ULL << 30;
  EXPECT_TRUE(device_plan(s)->direct_upload);
  EXPECT_FALSE(device_plan(s)->direct_io) << "reading uncached device memory is slow";
}

TEST(DevicePlan, TimelineSemaphoresNeedTheExtensionAndTheFeature) {
  EXPECT_TRUE(device_plan(desktop())->timeline_semaphore);
  EXPECT_EQ(device_plan(desktop())->extensions, std::vector<std::string>{VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  DeviceSnapshot without_feature = desktop();
  without_feature.timeline_semaphore = false;
  EXPECT_FALSE(device_plan(without_feature)->timeline_semaphore);
  DeviceSnapshot without_extension = desktop();
  without_extension.extensions.clear();
  EXPECT_FALSE(device_plan(without_extension)->timeline_semaphore);
  EXPECT_TRUE(device_plan(without_extension)->extensions.empty());
}

TEST(DevicePlan, KernelFencesNeedTheirFeatureAndTimelineSemaphores) {
  DeviceSnapshot s = desktop();
  EXPECT_FALSE(device_plan(s)->sync_files);
  s.sync_files = true;
  EXPECT_FALSE(device_plan(s)->sync_files) << "an application's device has only what it was made with";
  s.extensions.insert({VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME});
  const auto plan = device_plan(s);
  EXPECT_TRUE(plan->sync_files);
  for (const char* name : {VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME}) {
    EXPECT_EQ(std::ranges::count(plan->extensions, name), 1) << name;
  }
  EXPECT_FALSE(device_plan(s, {.force_fence_completion = true})->sync_files) << "the submission's fence is taken";
}

TEST(DevicePlan, HostMemoryIsImportedOnlyWithTheExtensionAndTheFeature) {
  DeviceSnapshot s = mobile();
  s.host_pointer_alignment = 4096;
  s.host_pointer_buffers = true;
  EXPECT_EQ(device_plan(s)->host_import_alignment, 0U);
  s.extensions.insert(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  const auto plan = device_plan(s);
  EXPECT_EQ(plan->host_import_alignment, 4096U);
  EXPECT_TRUE(std::count(plan->extensions.begin(), plan->extensions.end(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
  s.host_pointer_buffers = false;
  EXPECT_EQ(device_plan(s)->host_import_alignment, 0U);
}

TEST(DevicePlan, DmaBufsAreImportedWhereBothExtensionsAndTheFeatureAreThere) {
  DeviceSnapshot s = least_device();
  s.dma_buf_buffers = true;
  EXPECT_FALSE(device_plan(s)->imports_dma_bufs);
  s.extensions.insert(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
  EXPECT_FALSE(device_plan(s)->imports_dma_bufs);
  s.extensions.insert(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  const auto plan = device_plan(s);
  EXPECT_TRUE(plan->imports_dma_bufs);
  for (const char* name : {VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME}) {
    EXPECT_NE(std::find(plan->extensions.begin(), plan->extensions.end(), name), plan->extensions.end()) << name;
  }
  s.dma_buf_buffers = false;
  EXPECT_FALSE(device_plan(s)->imports_dma_bufs) << "the names alone prove nothing";
}

TEST(DevicePlan, InputsInPlaceAreAlignedForBuffersAndTexels) {
  DeviceSnapshot s = mobile();
  s.min_storage_alignment = 4;
  s.min_texel_alignment = 1;
  EXPECT_EQ(device_plan(s)->io_alignment, 16U);  // the widest loads of kernels
  s.min_texel_alignment = 64;
  EXPECT_EQ(device_plan(s)->io_alignment, 64U);
}

TEST(DevicePlan, OverridesTurnEveryOptionalPathOff) {
  const auto plan =
      device_plan(lavapipe(), {.variant = KernelVariant::kWords, .force_staging = true, .force_fence_completion = true});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->traits.variants, KernelVariants{KernelVariant::kWords});
  EXPECT_FALSE(plan->direct_io);
  EXPECT_FALSE(plan->direct_upload);
  EXPECT_FALSE(plan->timeline_semaphore);
}

TEST(DevicePlan, CooperativeMatricesNeedTheirFeatureAndTheirExtension) {
  DeviceSnapshot s = desktop();
  s.kernel_features = {KernelFeature::kMemoryModel, KernelFeature::kCooperativeMatrix};
  s.extensions.insert({VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME});
  s.matrices = {{{16, 16, 16},
                 VK_COMPONENT_TYPE_FLOAT16_KHR,
                 VK_COMPONENT_TYPE_FLOAT16_KHR,
                 VK_COMPONENT_TYPE_FLOAT32_KHR,
                 VK_COMPONENT_TYPE_FLOAT32_KHR,
                 false,
                 VK_SCOPE_SUBGROUP_KHR},
                {{16, 16, 32},
                 VK_COMPONENT_TYPE_SINT8_KHR,
                 VK_COMPONENT_TYPE_SINT8_KHR,
                 VK_COMPONENT_TYPE_SINT32_KHR,
                 VK_COMPONENT_TYPE_SINT32_KHR,
                 false,
                 VK_SCOPE_SUBGROUP_KHR}};
  const auto plan = device_plan(s);
  EXPECT_EQ(plan->traits.half_matrices, (MatrixShape{16, 16, 16}));
  EXPECT_EQ(plan->traits.byte_matrices, (MatrixShape{16, 16, 32}));
  EXPECT_THAT(plan->extensions, testing::IsSupersetOf({std::string(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
                                                       std::string(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)}));
  EXPECT_EQ(plan->traits.matrix_subgroup_size, 0U) << "the driver's subgroups";
  DeviceSnapshot intel = s;
  intel.vendor_id = 0x8086;
  intel.min_subgroup_size = 8;
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 0U) << "without the extension";
  intel.kernel_features.insert(KernelFeature::kSubgroupSize);
  intel.extensions.insert(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 0U) << "no stage may require a size";
  intel.required_subgroup_size_stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 0U) << "compute shaders may not require a size";
  intel.required_subgroup_size_stages |= VK_SHADER_STAGE_COMPUTE_BIT;
  intel.max_subgroup_size = 32;
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 16U);
  EXPECT_THAT(device_plan(intel)->extensions, testing::Contains(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
  intel.min_subgroup_size = 32;
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 32U) << "the least that it may require";
  intel.min_subgroup_size = 8;
  intel.max_subgroup_size = 8;
  EXPECT_EQ(device_plan(intel)->traits.matrix_subgroup_size, 8U) << "the most that it may require";
  DeviceSnapshot with_other_shape = s;
  with_other_shape.matrices[0].shape.depth = 8;
  EXPECT_NE(cache_identity(with_other_shape, *device_plan(with_other_shape)), cache_identity(s, *plan));
  s.extensions.erase(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  EXPECT_FALSE(device_plan(s)->traits.half_matrices.exists()) << "drivers may list shapes without the extension";
}

TEST(DevicePlan, TraitsCarryTheLimitsThatKernelsMustRespect) {
  const DeviceTraits traits = device_plan(lavapipe())->traits;
  EXPECT_TRUE(traits.is_software());
  EXPECT_EQ(traits.subgroup_size, 8U);
  EXPECT_TRUE(traits.features.contains(KernelFeature::kSubgroupShuffle));
  EXPECT_FALSE(traits.features.contains(KernelFeature::kSubgroupArithmetic));
  EXPECT_EQ(traits.max_texel_elements, 65536U);
  EXPECT_EQ(traits.max_storage_range, 128ULL << 20);
  EXPECT_EQ(traits.max_storage_buffers, 32U);
}

TEST(DevicePlan, SubgroupsThatComputeShadersCannotUseDoNotCount) {
  DeviceSnapshot s = desktop();
  s.subgroup_stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  EXPECT_EQ(device_plan(s)->traits.subgroup_size, 0U);
  EXPECT_FALSE(device_plan(s)->traits.features.contains(KernelFeature::kSubgroupShuffle));
}

TEST(DevicePlan, FeaturesForKernelsAreThoseThatTheDriverHasWithTheirExtensions) {
  DeviceSnapshot s = least_device();
  s.kernel_features = {KernelFeature::kInt64, KernelFeature::kFloat16, KernelFeature::kInt8, KernelFeature::kStorage16};
  EXPECT_EQ(device_plan(s)->traits.features, (KernelFeatures{KernelFeature::kInt64, KernelFeature::kStorage16}))
      << "float16 and int8 belong to an extension";
  s.extensions = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_KHR_8BIT_STORAGE_EXTENSION_NAME};
  const auto plan = device_plan(s);
  EXPECT_EQ(plan->traits.features, s.kernel_features) << "an extension without its feature, 8-bit storage, is none";
  EXPECT_EQ(plan->extensions, std::vector<std::string>{VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME}) << "once, for both";
}

TEST(DevicePlan, DotProductsAreFastWhereTheDriverSaysSoAndTheyCanBeSwitchedOn) {
  DeviceSnapshot s = desktop();
  s.fast_dot_products = true;
  EXPECT_FALSE(device_plan(s)->traits.fast_dot_products) << "without the feature";
  s.kernel_features = {KernelFeature::kDotProduct};
  EXPECT_FALSE(device_plan(s)->traits.fast_dot_products) << "without the extension";
  s.extensions.insert(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  EXPECT_TRUE(device_plan(s)->traits.fast_dot_products);
  EXPECT_THAT(device_plan(s)->extensions, ::testing::Contains(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME));
  s.fast_dot_products = false;
  EXPECT_FALSE(device_plan(s)->traits.fast_dot_products);
  EXPECT_TRUE(device_plan(s)->traits.features.contains(KernelFeature::kDotProduct));
}

TEST(DevicePlan, AForcedVariantLeavesWordsForKernelsThatLackIt) {
  const auto variants = [](const DeviceSnapshot& snapshot, KernelVariant forced) {
    return device_plan(snapshot, {.variant = forced})->traits.variants;
  };
  EXPECT_EQ(variants(desktop(), KernelVariant::kTexel), (KernelVariants{KernelVariant::kTexel, KernelVariant::kWords}));
  EXPECT_EQ(variants(desktop(), KernelVariant::kWords), KernelVariants{KernelVariant::kWords});
  EXPECT_EQ(variants(least_device(), KernelVariant::kTexel), KernelVariants{KernelVariant::kWords}) << "it cannot";
}

TEST(Quirks, ApplyOnlyToTheirDriverAndVersions) {
  Quirk quirk{"test", VK_DRIVER_ID_MESA_LLVMPIPE, 10, 20, "a test"};
  DeviceSnapshot s = lavapipe();
  s.driver_version = 10;
  EXPECT_TRUE(applies(quirk, s));
  s.driver_version = 21;
  EXPECT_FALSE(applies(quirk, s));
  s.driver_version = 15;
  s.driver_id = VK_DRIVER_ID_MESA_RADV;
  EXPECT_FALSE(applies(quirk, s));
}

TEST(Quirks, CutPipelineCachesOfLavapipe26AreKnown) {
  DeviceSnapshot s = lavapipe();
  s.driver_version = VK_MAKE_API_VERSION(0, 26, 2, 6);
  EXPECT_TRUE(device_plan(s)->needs(Workaround::kOwnPipelineCacheHeader));
  s.driver_version = VK_MAKE_API_VERSION(0, 25, 0, 7);
  EXPECT_FALSE(device_plan(s)->needs(Workaround::kOwnPipelineCacheHeader));
}

TEST(Quirks, EveryRowHasANameAndAReasonAndIdsAreUnique) {
  std::set<std::string_view> ids;
  for (const Quirk& quirk : quirk_table()) {
    EXPECT_FALSE(quirk.id.empty());
    EXPECT_FALSE(quirk.reason.empty());
    EXPECT_LE(quirk.first_version, quirk.last_version);
    EXPECT_TRUE(ids.insert(quirk.id).second) << quirk.id;
  }
}

TEST(MemoryTypes, EachUseGetsTheBestTypeOfADiscreteGpu) {
  const DeviceSnapshot s = desktop();
  EXPECT_EQ(choose_memory_type(s, 0xF, MemoryUse::kDevice), 0U);
  EXPECT_EQ(choose_memory_type(s, 0xF, MemoryUse::kUpload), 3U);
  EXPECT_EQ(choose_memory_type(s, 0xF, MemoryUse::kStaging), 2U);
}

TEST(DevicePlan, KernelsGetTheRegistersThatTheirGpuCanSpare) {
  const auto registers_of = [](uint32_t vendor, uint32_t min_subgroup_size) {
    DeviceSnapshot s = desktop();
    s.vendor_id = vendor;
    s.min_subgroup_size = min_subgroup_size;
    return device_plan(s)->traits.registers;
  };
  EXPECT_EQ(registers_of(0x1002, 32), 128U) << "AMD from RDNA on";
  EXPECT_EQ(registers_of(0x1002, 64), 64U) << "AMD before RDNA";
  EXPECT_EQ(registers_of(0x1002, 0), 64U) << "AMD, unknown";
  EXPECT_EQ(registers_of(0x10DE, 32), 128U) << "NVIDIA";
  EXPECT_EQ(registers_of(0x8086, 8), 48U) << "Intel before Xe2";
  EXPECT_EQ(registers_of(0x8086, 16), 64U) << "Intel from Xe2 on";
  EXPECT_EQ(registers_of(0x13B5, 16), 64U) << "Arm";
}

TEST(MemoryTypes, EachUseGetsTheBestTypeOfAnIntegratedGpu) {
  const DeviceSnapshot s = mobile();
  EXPECT_EQ(choose_memory_type(s, 0x7, MemoryUse::kDevice), 0U);
  EXPECT_EQ(choose_memory_type(s, 0x7, MemoryUse::kIo), 2U);
  EXPECT_EQ(choose_memory_type(s, 0x7, MemoryUse::kUpload), 1U);
}

TEST(MemoryTypes, TheMaskOfTheBufferIsRespected) {
  EXPECT_EQ(choose_memory_type(desktop(), 0x2, MemoryUse::kStaging), 1U);
  const auto none = choose_memory_type(desktop(), 0x1, MemoryUse::kStaging);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kResourceExhaustedPersistent);
}

TEST(MemoryTypes, ProtectedMemoryIsNeverChosen) {
  DeviceSnapshot s = mobile();
  s.memory_types.insert(s.memory_types.begin(), {kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0});
  EXPECT_EQ(choose_memory_type(s, 0xF, MemoryUse::kDevice), 1U);
}

TEST(DeviceProperties, NamesAreLowerCaseWordsUpToTheParenthesis) {
  EXPECT_EQ(device_name(lavapipe()), "vulkan-llvmpipe");
  EXPECT_EQ(device_name(desktop()), "vulkan-example-gpu-4000");
  DeviceSnapshot s = desktop();
  s.name = "(unnamed)";
  EXPECT_EQ(device_name(s), "vulkan-device");
}

TEST(DeviceProperties, TellTheChosenPlan) {
  const std::vector<Property> list = device_properties(lavapipe(), *device_plan(lavapipe()));
  const auto has = [&](const std::string& group, const std::string& name, const std::string& value) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Property& p) { return p.group == group && p.name == name && p.value == value; });
  };
  EXPECT_TRUE(has("device", "type", "software on the CPU"));
  EXPECT_TRUE(has("plan", "completion", "timeline semaphore"));
  EXPECT_TRUE(has("limits", "maxTexelBufferElements", "65536"));
}

}  // namespace
}  // namespace nnvk::vulkan
