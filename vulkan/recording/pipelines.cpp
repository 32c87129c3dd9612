#include "vulkan/recording/pipelines.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/thread.h"
#include "core/base/trace.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/recording/at_once.h"

namespace nnvk::vulkan {
namespace {

std::string key_name(const PipelineKey& key) {
  return std::string(kernel_info(key.kernel).name) + " (" + std::string(name_of(key.variant)) + ")";
}

// Returns whether the driver can refuse to compile. The plan has the extension only with its feature,
// pipelineCreationCacheControl.
bool makes_from_cache_alone(const DevicePlan& plan) {
  return std::ranges::find(plan.extensions, VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME) != plan.extensions.end();
}

// Runs work(0..count-1), which must not throw, on this thread and up to three more.
template <class Work>
void run_parallel(size_t count, const Work& work) {
  std::atomic<size_t> next{0};
  const auto loop = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
  };
  const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 4);
  std::array<Thread, 3> threads;
  for (size_t i = 0; i + 1 < std::min(cores, count); ++i) {
    auto thread = Thread::start("nnvk pipelines", [&loop] { loop(); });
    if (!thread) break;  // continues with fewer threads, only slower
    threads[i] = *std::move(thread);
  }
  loop();
  const trace::Section section("[NN_LU_PU]", "wait for other threads", trace::Category::kWait);
  for (Thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

// Returns the header data of a pipeline cache without pipelines, for this device's driver.
std::vector<std::byte> empty_driver_cache(const DeviceSnapshot& device) {
  VkPipelineCacheHeaderVersionOne header{};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = device.vendor_id;
  header.deviceID = device.device_id;
  std::copy(device.pipeline_cache_uuid.begin(), device.pipeline_cache_uuid.end(), header.pipelineCacheUUID);
  const auto bytes = std::as_bytes(std::span(&header, 1));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

PipelineKey pipeline_key(const Dispatch& dispatch, KernelVariant variant) {
  PipelineKey key{dispatch.kernel, variant, {}};
  for (const SpecializationConstant& constant : dispatch.specialization) {
    key.specialization.emplace_back(constant.id, constant.value);
  }
  std::sort(key.specialization.begin(), key.specialization.end());
  return key;
}

PipelineLibrary::~PipelineLibrary() {
  const VolkDeviceTable& vk = context_->vk();
  const VkDevice device = context_->device();
  for (const auto& [key, entry] : entries_) vk.vkDestroyPipeline(device, entry->pipeline.pipeline, context_->allocator());
  for (const auto& [key, layout] : layouts_) {
    vk.vkDestroyPipelineLayout(device, layout.pipeline, context_->allocator());
    vk.vkDestroyDescriptorSetLayout(device, layout.set, context_->allocator());
    vk.vkDestroyShaderModule(device, layout.module, context_->allocator());
  }
}

// Returns the layout of a kernel's variant. The caller holds mutex_.
Result<PipelineLibrary::Layout> PipelineLibrary::layout(KernelId kernel, KernelVariant variant) {
  Layout& layout = layouts_[{kernel, variant}];  // incomplete after an error: the next call makes the missing parts
  if (layout.module != VK_NULL_HANDLE) return layout;
  const KernelInfo& info = kernel_info(kernel);

  if (layout.set == VK_NULL_HANDLE) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (size_t b = 0; b < info.bindings.size(); ++b) {
      VkDescriptorSetLayoutBinding binding{};
      binding.binding = static_cast<uint32_t>(b);
      binding.descriptorType = is_texel_binding(variant, info.bindings[b].kind) ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                                                                : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      binding.descriptorCount = 1;
      binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
      bindings.push_back(binding);
    }
    auto set_info = vulkan_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set_info.bindingCount = static_cast<uint32_t>(bindings.size());
    set_info.pBindings = bindings.data();
    NNVK_TRY(NNVK_CREATE(*context_, vkCreateDescriptorSetLayout, set_info, layout.set));
  }
  if (layout.pipeline == VK_NULL_HANDLE) {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, info.params_bytes};
    auto layout_info = vulkan_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &layout.set;
    layout_info.pushConstantRangeCount = info.params_bytes > 0 ? 1 : 0;
    layout_info.pPushConstantRanges = &range;
    NNVK_TRY(NNVK_CREATE(*context_, vkCreatePipelineLayout, layout_info, layout.pipeline));
  }
  const std::span<const uint32_t> spirv = module_of(info, variant).spirv;
  auto module_info = vulkan_struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = spirv.size_bytes();
  module_info.pCode = spirv.data();
  NNVK_TRY(NNVK_CREATE(*context_, vkCreateShaderModule, module_info, layout.module));
  return layout;
}

Status PipelineLibrary::create(const PipelineKey& key, Entry& entry, Activity& activity, const Deadline& deadline) {
  const bool at_once = is_at_once(deadline);
  const auto not_prepared = [&] {
    return fail(Code::kNotPrepared,
                "the pipeline of " + key_name(key) + " must be compiled first: nnvk_vkPrepareRecording does so");
  };
  std::unique_lock making(entry.mutex, std::defer_lock);
  if (!at_once) making.lock();
  if (at_once && !making.try_lock()) return not_prepared();
  if (entry.pipeline.pipeline != VK_NULL_HANDLE) return {};
  if (at_once && !makes_from_cache_alone(context_->plan())) return not_prepared();
  if (!at_once && has_passed(deadline)) {
    return fail(Code::kMissedDeadlineTransient, "the deadline passed before the pipeline of " + key_name(key) + " was made");
  }
  Layout parts;
  bool known = false;
  {
    const std::lock_guard lock(mutex_);
    NNVK_ASSIGN(parts, layout(key.kernel, key.variant));
    known = known_.contains(key);
  }
  std::vector<VkSpecializationMapEntry> map;
  std::vector<uint32_t> values;
  for (const auto& [id, value] : key.specialization) {
    map.push_back({id, static_cast<uint32_t>(values.size() * sizeof(uint32_t)), sizeof(uint32_t)});
    values.push_back(value);
  }
  VkSpecializationInfo specialization{};
  specialization.mapEntryCount = static_cast<uint32_t>(map.size());
  specialization.pMapEntries = map.data();
  specialization.dataSize = values.size() * sizeof(uint32_t);
  specialization.pData = values.data();
  auto info = vulkan_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = parts.module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = map.empty() ? nullptr : &specialization;
  info.layout = parts.pipeline;
  const DeviceTraits& traits = context_->plan().traits;
  auto subgroups = vulkan_struct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  subgroups.requiredSubgroupSize = traits.matrix_subgroup_size;
  const bool uses_matrices = module_of(kernel_info(key.kernel), key.variant).features.contains(KernelFeature::kCooperativeMatrix);
  if (uses_matrices && traits.matrix_subgroup_size != 0) info.stage.pNext = &subgroups;
  VkPipelineCreationFeedback whole{};
  VkPipelineCreationFeedback stage{};
  const VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr, &whole,
                                                      1, &stage};
  if (context_->plan().pipeline_feedback) info.pNext = &feedback;
  if (at_once) info.flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  if (context_->plan().pipeline_statistics) info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  const trace::Section section("[NN_LD_PC]vkCreateComputePipelines ", kernel_info(key.kernel).name);
  VkPipeline pipeline = VK_NULL_HANDLE;
  {
    const std::shared_lock lock(driver_cache_mutex_);
    const VkResult made = context_->vk().vkCreateComputePipelines(context_->device(), context_->pipeline_cache(), 1, &info,
                                                                  context_->allocator(), &pipeline);
    if (made == VK_PIPELINE_COMPILE_REQUIRED) return not_prepared();
    NNVK_TRY(context_->status(made, "vkCreateComputePipelines for " + key_name(key)));
  }
  entry.pipeline = {pipeline, parts.pipeline, parts.set};
  (known ? activity.pipelines_restored : activity.pipelines_created).fetch_add(1, std::memory_order_relaxed);
  constexpr VkPipelineCreationFeedbackFlags kHit =
      VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  if ((whole.flags & kHit) == kHit) activity.driver_cache_hits.fetch_add(1, std::memory_order_relaxed);
  return {};
}

Result<std::vector<const Pipeline*>> PipelineLibrary::get(std::span<const PipelineKey> keys, Activity& activity,
                                                          const Deadline& deadline) {
  std::vector<Entry*> per_key;
  std::map<PipelineKey, Entry*> distinct;
  {
    const std::lock_guard lock(mutex_);
    for (const PipelineKey& key : keys) {
      std::unique_ptr<Entry>& entry = entries_[key];
      if (!entry) entry = std::make_unique<Entry>();
      per_key.push_back(entry.get());
      distinct.try_emplace(key, entry.get());
    }
  }
  const std::vector<std::pair<PipelineKey, Entry*>> wanted(distinct.begin(), distinct.end());
  std::vector<Status> results(wanted.size());
  const auto make = [&](size_t i) {
    results[i] = catch_out_of_memory([&] { return create(wanted[i].first, *wanted[i].second, activity, deadline); });
  };
  if (is_at_once(deadline)) {  // no threads, and nothing after the first pipeline that is missing
    for (size_t i = 0; i < wanted.size() && (i == 0 || results[i - 1]); ++i) make(i);
  } else {
    run_parallel(wanted.size(), make);
  }
  for (Status& result : results) NNVK_TRY(std::move(result));

  std::vector<const Pipeline*> pipelines;
  pipelines.reserve(per_key.size());
  for (const Entry* entry : per_key) pipelines.push_back(&entry->pipeline);
  return pipelines;
}

Status PipelineLibrary::merge(std::span<const std::byte> driver_cache) {
  const VolkDeviceTable& vk = context_->vk();
  auto info = vulkan_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = driver_cache.size();
  info.pInitialData = driver_cache.data();
  VkPipelineCache kept = VK_NULL_HANDLE;
  NNVK_TRY(NNVK_CREATE(*context_, vkCreatePipelineCache, info, kept));
  VkResult merged = VK_SUCCESS;
  {
    const std::lock_guard lock(driver_cache_mutex_);
    merged = vk.vkMergePipelineCaches(context_->device(), context_->pipeline_cache(), 1, &kept);
  }
  vk.vkDestroyPipelineCache(context_->device(), kept, context_->allocator());
  return context_->status(merged, "vkMergePipelineCaches");
}

void PipelineLibrary::learn(std::span<const std::byte> driver_cache, std::span<const PipelineKey> pipelines) {
  if (!context_->owns_pipeline_cache()) return;
  if (const Status merged = merge(driver_cache); !merged) {
    log_line(LogLevel::kInfo, "Vulkan", "the driver refuses its kept pipeline cache: " + merged.error().text());
    return;
  }
  const std::lock_guard lock(mutex_);
  known_.insert(pipelines.begin(), pipelines.end());
}

Result<std::vector<std::byte>> PipelineLibrary::driver_cache() const {
  if (!context_->owns_pipeline_cache()) return std::vector<std::byte>();
  const std::shared_lock lock(driver_cache_mutex_);
  const auto read = [&](size_t* size, void* data) {
    return context_->vk().vkGetPipelineCacheData(context_->device(), context_->pipeline_cache(), size, data);
  };
  std::vector<std::byte> data;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {  // other compilations may enlarge the cache between the two calls
    size_t size = 0;
    NNVK_TRY(context_->status(read(&size, nullptr), "vkGetPipelineCacheData"));
    data.resize(size);
    result = read(&size, data.data());
    data.resize(size);
  }
  NNVK_TRY(context_->status(result, "vkGetPipelineCacheData"));
  const bool cut = data.size() < sizeof(VkPipelineCacheHeaderVersionOne);
  if (cut && context_->plan().needs(Workaround::kOwnPipelineCacheHeader)) return empty_driver_cache(context_->snapshot());
  return data;
}

}  // namespace nnvk::vulkan
