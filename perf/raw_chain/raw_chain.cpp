// Kernels, weights and descriptors come from the library's own recorder, so that the two programs differ only in their
// submissions.
#include "perf/raw_chain/raw_chain.h"

#include <volk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/operations/operation_enumerators.h"
#include "core/plan/plan.h"
#include "core/plan/resolve.h"
#include "cpu_fallback/reference_device.h"
#include "vulkan/context/vulkan_forms.h"
#include "vulkan/memory/io_buffer.h"
#include "vulkan/memory/upload.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/constant_store.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/gpu.h"
#include "vulkan/recording/one_off_commands.h"
#include "vulkan/recording/recording_builder.h"

namespace nnvk::perf {
namespace {

using namespace nnvk::vulkan;
using Clock = std::chrono::steady_clock;

// A benchmark cannot continue usefully after an error.
void require(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "nnvk_benchmarks: raw chain: %s\n", status.error().text().c_str());
  std::exit(1);
}
template <class T>
T value_of(Result<T> result) {
  if (!result) require(fail(result.error()));
  return std::move(*result);
}
void require(VkResult result) {
  if (result != VK_SUCCESS) require(fail(Code::kOpFailed, "a Vulkan call failed: " + std::to_string(result)));
}

PlanTensor tensor(Shape shape, TensorRole role, OperandType type = OperandType::kTensorFloat32) {
  PlanTensor made;
  made.info.type = type;
  made.info.shape = std::move(shape);
  made.role = role;
  return made;
}

template <class T>
PlanTensor constant(Shape shape, OperandType type, std::vector<T> values) {
  PlanTensor made = tensor(std::move(shape), TensorRole::kConstant, type);
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  made.value = std::as_bytes(std::span(*owner));
  made.owner = owner;
  return made;
}

// The weights of ModelBuilder (nnapi_model.h), as a plan.
Plan convolution_plan() {
  std::vector<float> weights(size_t{64} * 3 * 3 * 64);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = (static_cast<float>(i * 7 % 13) - 6.0F) * 0.02F;
  const auto scalar = [](int32_t value) { return constant<int32_t>({}, OperandType::kInt32, {value}); };
  Plan plan;
  plan.tensors = {tensor({1, 28, 28, 64}, TensorRole::kInput),
                  constant<float>({64, 3, 3, 64}, OperandType::kTensorFloat32, std::move(weights)),
                  constant<float>({64}, OperandType::kTensorFloat32, std::vector<float>(64)),
                  scalar(1),  // SAME
                  scalar(1),
                  scalar(1),
                  scalar(0),
                  tensor({1, 28, 28, 64}, TensorRole::kOutput)};
  plan.inputs = {0};
  plan.outputs = {7};
  PlanNode node;
  node.code = OperationCode::kConv2d;
  node.inputs = {0, 1, 2, 3, 4, 5, 6};
  node.outputs = {7};
  plan.nodes.push_back(std::move(node));
  return plan;
}

std::shared_ptr<Gpu> open_gpu() {
  auto instance = Instance::create();
  if (!instance) return nullptr;
  for (const VkPhysicalDevice physical : (*instance)->physical_devices()) {
    DeviceSnapshot snapshot = read_snapshot(physical, (*instance)->functions());
    auto plan = device_plan(snapshot);
    if (!plan || !plan->timeline_semaphore) continue;
    auto context = Context::create(*instance, physical, std::move(snapshot), std::move(*plan));
    if (!context) continue;
    auto gpu = Gpu::create(*context);
    if (gpu) return *gpu;
  }
  return nullptr;
}

}  // namespace

struct RawChain::Objects {
  explicit Objects(std::shared_ptr<Gpu> opened) : gpu(std::move(opened)), constants(gpu->context, activity) {}
  ~Objects() {
    const VolkDeviceTable& vk = gpu->context->vk();
    vk.vkDeviceWaitIdle(gpu->context->device());
    vk.vkDestroySemaphore(gpu->context->device(), timeline, nullptr);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  // Uploads and packs the weights as a compilation does.
  void prepare(const BuiltPrograms& built) {
    Uploads uploads(gpu->context);
    require(constants.add(built.constants, uploads));
    const auto make_local = [&](const DispatchProgram& program) {
      if (program.local_size == 0) return Buffer();
      return value_of(uploads.make(program.local_size, program.local, *activity, "constants"));
    };
    const Buffer packing_local = make_local(built.preparation);
    local = make_local(built.main);
    Buffer arena;
    if (built.preparation.arena_size > 0) {
      arena = value_of(Buffer::create(gpu->context, built.preparation.arena_size, MemoryUse::kDevice, *activity, "packing"));
    }
    const auto pipelines = value_of(gpu->pipelines.get(pipeline_keys(built.preparation), *activity, {}));
    const RunnableProgram packing{built.preparation, pipelines};
    const DescriptorTargets targets{{arena.handle(), VK_NULL_HANDLE, packing_local.handle()}, constants.places(), {}};
    const auto descriptors =
        value_of(Descriptors::create(gpu->context, packing, all_dispatches(built.preparation), targets, *activity));
    std::vector<VkDescriptorSet> sets(built.preparation.dispatches.size());
    descriptors->fill(sets);
    const auto record = [&](VkCommandBuffer commands) {
      uploads.record(commands);
      record_dispatches(*gpu->context, commands, packing, sets, {0, sets.size()});
      record_barrier(*gpu->context, commands, kBetweenDispatches);
    };
    require(run_once(*gpu, *activity, {"the packing of a chain's constants", record}, nullptr, {}));
  }

  // Link i reads tensor i % 2 and writes the other one.
  void record(const BuiltPrograms& built, size_t links) {
    const uint64_t bytes = padded_size(built.main.outputs[0].size);
    for (auto& memory : tensors) {
      memory = std::make_shared<const IoBuffer>(
          value_of(Buffer::create(gpu->context, bytes, MemoryUse::kDevice, *activity, "a link's tensor")));
    }
    if (built.main.arena_size > 0) {
      arena = value_of(Buffer::create(gpu->context, built.main.arena_size, MemoryUse::kDevice, *activity, "temporary tensors"));
    }
    const auto pipelines = value_of(gpu->pipelines.get(pipeline_keys(built.main), *activity, {}));
    const RunnableProgram runnable{built.main, pipelines};
    pool = value_of(CommandPool::create(gpu->context));
    std::vector<VkDescriptorSet> sets[2];
    for (size_t i = 0; i < 2; ++i) {
      std::vector<IoPlace> places(2);
      for (size_t p = 0; p < 2; ++p) {
        places[p].is_output = p == 1;
        places[p].memory = tensors[(i + p) % 2];
        places[p].buffer = places[p].memory->id();
        places[p].buffer_size = places[p].memory->size();
        places[p].size = built.main.outputs[0].size;
        places[p].access = IoAccess::kDirect;
      }
      const DescriptorTargets targets{{arena.handle(), VK_NULL_HANDLE, local.handle()}, constants.places(), places};
      descriptors[i] = value_of(Descriptors::create(gpu->context, runnable, all_dispatches(built.main), targets, *activity));
      sets[i].resize(built.main.dispatches.size());
      descriptors[i]->fill(sets[i]);
    }
    for (size_t i = 0; i < links; ++i) {
      const VkCommandBuffer link = value_of(pool->begin());
      record_dispatches(*gpu->context, link, runnable, sets[i % 2], {0, built.main.dispatches.size()});
      require(pool->end(link, *activity));
      commands.push_back(link);
    }
    auto type = vulkan_struct<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto info = vulkan_struct<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    info.pNext = &type;
    require(gpu->context->vk().vkCreateSemaphore(gpu->context->device(), &info, nullptr, &timeline));
  }

  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<Activity> activity = std::make_shared<Activity>();
  ConstantStore constants;
  Buffer local;
  Buffer arena;
  std::shared_ptr<const IoBuffer> tensors[2];
  std::unique_ptr<Descriptors> descriptors[2];
  std::unique_ptr<CommandPool> pool;
  std::vector<VkCommandBuffer> commands;
  VkSemaphore timeline = VK_NULL_HANDLE;
  uint64_t value = 0;
};

RawChain::RawChain(std::unique_ptr<Objects> objects) : objects_(std::move(objects)) {}
RawChain::~RawChain() = default;

std::unique_ptr<RawChain> RawChain::create(size_t links) {
  std::shared_ptr<Gpu> gpu = open_gpu();
  if (gpu == nullptr) return nullptr;
  auto objects = std::make_unique<Objects>(std::move(gpu));
  const Plan plan = convolution_plan();
  const Resolution resolution = value_of(resolve_declared(plan, cpu::reference_evaluator()));
  const BuiltPrograms built = value_of(build_programs({plan, resolution}, objects->gpu->context->plan().traits, {}, 0));
  objects->prepare(built);
  objects->record(built, links);
  return std::unique_ptr<RawChain>(new RawChain(std::move(objects)));
}

std::chrono::nanoseconds RawChain::run() {
  Objects& o = *objects_;
  const VolkDeviceTable& vk = o.gpu->context->vk();
  const auto start = Clock::now();
  for (const VkCommandBuffer& link : o.commands) {
    const uint64_t before = o.value++;
    auto values = vulkan_struct<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    values.waitSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &before;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &o.value;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    auto info = vulkan_struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.pNext = &values;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &o.timeline;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &link;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &o.timeline;
    const Result<QueueLease> lease = o.gpu->context->lease_queue();
    require(lease ? VK_SUCCESS : VK_ERROR_DEVICE_LOST);
    require(vk.vkQueueSubmit(lease->queue(), 1, &info, VK_NULL_HANDLE));
  }
  auto wait = vulkan_struct<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  wait.semaphoreCount = 1;
  wait.pSemaphores = &o.timeline;
  wait.pValues = &o.value;
  require(vk.vkWaitSemaphoresKHR(o.gpu->context->device(), &wait, UINT64_MAX));
  return Clock::now() - start;
}

}  // namespace nnvk::perf
