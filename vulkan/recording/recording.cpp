// Builds recordings and drives their slots.
#include "vulkan/recording/recording.h"

#include <utility>

#include "vulkan/recording/recording_builder.h"

namespace nnvk::vulkan {
namespace {

// Constants of one program, uploaded.
Result<Buffer> upload_local(const DispatchProgram& program, Uploads& uploads, Activity& activity) {
  if (program.local_size == 0) return Buffer();
  std::vector<PlacedBytes> contents;
  for (const LocalConstant& constant : program.local) contents.push_back({constant.offset, constant.bytes});
  return uploads.make(program.local_size, contents, activity, "constants of one shape");
}

// What the one run of uploads and packing needs until it has completed.
struct Preparation {
  explicit Preparation(std::shared_ptr<Context> context) : uploads(std::move(context)) {}
  Uploads uploads;
  Buffer local;  // raw weights that only packing reads
  Buffer arena;
  std::unique_ptr<Descriptors> descriptors;
  std::unique_ptr<CommandPool> pool;
};

// Submits uploads and packing dispatches, if there are any.
Status submit_preparation(Gpu& gpu, const std::shared_ptr<Activity>& activity, const DispatchProgram& program,
                          std::span<const ConstantPlace> constants, std::shared_ptr<Preparation> work, const Fence& prepared) {
  if (program.dispatches.empty() && work->uploads.empty()) {
    prepared.signal();
    return {};
  }
  NNVK_ASSIGN(const auto pipelines, gpu.pipelines.get(program, *activity));
  if (program.arena_size > 0) {
    NNVK_ASSIGN(work->arena,
                Buffer::create(gpu.context, program.arena_size, MemoryUse::kDevice, *activity, "packing of weights"));
  }
  std::vector<VkDescriptorSet> sets(program.dispatches.size());
  const DescriptorTargets targets{{work->arena.handle(), VK_NULL_HANDLE, work->local.handle()}, constants, {}};
  NNVK_ASSIGN(work->descriptors,
              Descriptors::create(gpu.context, program, pipelines, all_dispatches(program), targets, *activity));
  work->descriptors->fill(sets);
  NNVK_ASSIGN(work->pool, CommandPool::create(gpu.context));
  NNVK_ASSIGN(const VkCommandBuffer commands, work->pool->begin());
  work->uploads.record(commands);
  record_dispatches(*gpu.context, commands, program, pipelines, sets, Measure::kNothing, VK_NULL_HANDLE);
  record_barrier(*gpu.context, commands, kBetweenDispatches);  // for submissions after this one
  NNVK_TRY(work->pool->end(commands, *activity));
  return gpu.completions->submit(commands, [work, prepared](const Status& result) mutable {
    work.reset();
    result ? prepared.signal() : prepared.fail(result.error());
  });
}

}  // namespace

struct Recording::Run {
  Measure measure = Measure::kNothing;
  RunHooks hooks;
};

Recording::Recording(std::shared_ptr<Gpu> gpu, SlotBlueprint blueprint)
    : gpu_(std::move(gpu)), blueprint_(std::move(blueprint)), slots_(kMaxSlots) {
  for (const ProgramDispatch& dispatch : blueprint_.program.dispatches) {
    uint64_t bytes = 0;
    for (size_t b = 0; b < dispatch.locations.size(); ++b) {
      bytes += dispatch.locations[b].size * (dispatch.dispatch.bindings[b].access == Access::kReadWrite ? 2 : 1);
    }
    dispatch_bytes_.push_back(bytes);
  }
}

Result<std::shared_ptr<Recording>> Recording::build(std::shared_ptr<Gpu> gpu, std::shared_ptr<Activity> activity,
                                                    const Plan& plan, const Resolution& resolution, ConstantStore& store,
                                                    Fence& prepared) {
  NNVK_ASSIGN(BuiltPrograms built, build_programs(plan, resolution, gpu->context->plan().traits, store.index(), store.next_id()));
  auto preparation = std::make_shared<Preparation>(gpu->context);
  NNVK_TRY(store.add(built.constants, preparation->uploads));
  NNVK_TRY(store.check(built.main));
  NNVK_ASSIGN(preparation->local, upload_local(built.preparation, preparation->uploads, *activity));

  SlotBlueprint blueprint;
  blueprint.context = gpu->context;
  blueprint.activity = activity;
  NNVK_ASSIGN(blueprint.local, upload_local(built.main, preparation->uploads, *activity));
  NNVK_ASSIGN(blueprint.pipelines, gpu->pipelines.get(built.main, *activity));
  blueprint.constants = store.places();
  for (LocalConstant& constant : built.main.local) constant.bytes = {};  // uploaded; the source may go
  blueprint.program = std::move(built.main);

  prepared = Fence::pending();
  NNVK_TRY(submit_preparation(*gpu, activity, built.preparation, store.places(), std::move(preparation), prepared));
  store.commit(built.constants);
  activity->recordings_built.fetch_add(1, std::memory_order_relaxed);
  return std::shared_ptr<Recording>(new Recording(std::move(gpu), std::move(blueprint)));
}

Result<Slot*> Recording::slot(uint32_t index) {
  const std::lock_guard lock(slots_mutex_);
  if (!slots_[index]) {
    NNVK_ASSIGN(slots_[index], Slot::create(blueprint_));
  }
  return slots_[index].get();
}

void Recording::run(Measure measure, RunHooks hooks) {
  auto run = std::make_shared<Run>(Run{measure, std::move(hooks)});
  schedule_.run([self = shared_from_this(), run](uint32_t slot_index) { self->start(run, slot_index); });
}

void Recording::start(const std::shared_ptr<Run>& run, uint32_t slot_index) {
  const Result<Slot*> slot = this->slot(slot_index);
  if (!slot) {
    const bool waits =
        schedule_.withdraw(slot_index, [self = shared_from_this(), run](uint32_t other) { self->start(run, other); });
    if (!waits) finish(run, slot_index, fail(slot.error()));
    return;
  }
  const auto commands = (*slot)->commands(blueprint_, run->measure, run->hooks.places);
  if (!commands) {
    finish(run, slot_index, fail(commands.error()));
    return;
  }
  if (run->hooks.fill) run->hooks.fill((*slot)->io_bytes());
  const Status submitted = gpu_->completions->submit(
      *commands, [self = shared_from_this(), run, slot_index](const Status& result) { self->finish(run, slot_index, result); });
  if (!submitted) finish(run, slot_index, submitted);
}

void Recording::finish(const std::shared_ptr<Run>& run, uint32_t slot_index, Status result) {
  RunTimes times;
  if (result) {
    Slot& slot = *slots_[slot_index];
    if (run->hooks.drain) result = run->hooks.drain(slot.io_bytes());
    std::vector<uint64_t> stamps = slot.timestamps(blueprint_, run->measure);
    if (!stamps.empty()) times.hardware_nanoseconds = stamps.back();
    if (run->measure == Measure::kEachDispatch) {
      for (size_t i = 1; i < stamps.size(); ++i) times.dispatch_nanoseconds.push_back(stamps[i] - stamps[i - 1]);
    }
  }
  schedule_.release(slot_index);  // the next run starts before anybody hears about this one: the GPU must not idle
  run->hooks.done(result, times);
}

}  // namespace nnvk::vulkan
