#include "vulkan/recording/recording.h"

#include <algorithm>
#include <utility>

#include "core/base/trace.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

// Uploads the constants of one program.
Result<Buffer> upload_local(const DispatchProgram& program, Uploads& uploads, Activity& activity) {
  if (program.local_size == 0) return Buffer();
  return uploads.make(program.local_size, program.local, activity, "constants of one shape");
}

// Returns how many bytes each dispatch reads and writes.
std::vector<uint64_t> bytes_of(const DispatchProgram& program) {
  std::vector<uint64_t> all;
  for (const ProgramDispatch& dispatch : program.dispatches) {
    uint64_t bytes = 0;
    for (size_t b = 0; b < dispatch.locations.size(); ++b) {
      bytes += dispatch.locations[b].size * (dispatch.dispatch.bindings[b].access == Access::kReadWrite ? 2 : 1);
    }
    all.push_back(bytes);
  }
  return all;
}

std::vector<size_t> first_cuts(const SlotBlueprint& blueprint) {
  std::vector<size_t> cuts;
  if (!blueprint.context->plan().one_dispatch_per_submission) return cuts;
  for (size_t d = 1; d < blueprint.program.dispatches.size(); ++d) cuts.push_back(d);
  return cuts;
}

// Returns the bytes and multiply-adds of each dispatch, by which LearnedCuts divides a recording into submissions.
std::vector<uint64_t> weights_of(const SlotBlueprint& blueprint, std::vector<uint64_t> weights) {
  if (blueprint.context->plan().one_submission) return {};
  for (size_t d = 0; d < weights.size(); ++d) weights[d] += blueprint.program.dispatches[d].dispatch.multiply_adds;
  return weights;
}

// Keeps everything alive that uploads and packing use, until they have completed.
struct Preparation {
  Preparation(std::shared_ptr<Context> context, DispatchProgram packing)
      : uploads(std::move(context)), program(std::move(packing)) {}
  Uploads uploads;
  DispatchProgram program;
  Buffer local;  // raw weights that only packing reads
  Buffer arena;
  std::vector<const Pipeline*> pipelines;
  std::unique_ptr<Descriptors> descriptors;

  RunnableProgram runnable() const { return {program, pipelines}; }
};

// Returns the commands for uploads and packing, which own all that they use; null if there is nothing to do.
Result<std::function<void(VkCommandBuffer)>> packing_commands(Gpu& gpu, Activity& activity,
                                                              std::span<const ConstantPlace> constants,
                                                              std::shared_ptr<Preparation> work, const Deadline& deadline) {
  const DispatchProgram& program = work->program;
  if (program.dispatches.empty() && work->uploads.empty()) return nullptr;
  NNVK_ASSIGN(work->pipelines, gpu.pipelines.get(pipeline_keys(program), activity, deadline));
  if (program.arena_size > 0) {
    NNVK_ASSIGN(work->arena, Buffer::create(gpu.context, program.arena_size, MemoryUse::kDevice, activity, "packing of weights"));
  }
  const DescriptorTargets targets{{work->arena.handle(), VK_NULL_HANDLE, work->local.handle()}, constants, {}};
  NNVK_ASSIGN(work->descriptors, Descriptors::create(gpu.context, work->runnable(), all_dispatches(program), targets, activity));
  return [work = std::move(work), context = gpu.context](VkCommandBuffer commands) {
    work->uploads.record(commands);
    record_dispatches(*context, commands, work->runnable(), work->descriptors->sets(), {0, work->program.dispatches.size()});
    record_barrier(*context, commands, kBetweenDispatches);  // for submissions after this one
  };
}

}  // namespace

Recording::Recording(std::shared_ptr<Gpu> gpu, SlotBlueprint blueprint)
    : gpu_(std::move(gpu)),
      blueprint_(std::move(blueprint)),
      dispatch_bytes_(bytes_of(blueprint_.program)),
      cuts_(first_cuts(blueprint_), weights_of(blueprint_, dispatch_bytes_)) {}

Result<std::shared_ptr<Recording>> Recording::build(std::shared_ptr<Gpu> gpu, const std::shared_ptr<Activity>& activity,
                                                    const ResolvedPlan& resolved, const Constants& constants,
                                                    const Deadline& deadline) {
  ConstantStore& store = constants.store;
  const trace::Section section("[SUB][NN_LD_PC]record");
  NNVK_ASSIGN(BuiltPrograms built, build_programs(resolved, gpu->context->plan().traits, store.index(), store.next_id()));
  auto preparation = std::make_shared<Preparation>(gpu->context, std::move(built.preparation));
  NNVK_TRY(store.add(built.constants, preparation->uploads));
  NNVK_TRY(store.check(built.main));
  NNVK_ASSIGN(preparation->local, upload_local(preparation->program, preparation->uploads, *activity));

  SlotBlueprint blueprint;
  blueprint.context = gpu->context;
  blueprint.activity = activity;
  NNVK_ASSIGN(blueprint.local, upload_local(built.main, preparation->uploads, *activity));
  NNVK_ASSIGN(blueprint.pipelines, gpu->pipelines.get(pipeline_keys(built.main), *activity, deadline));
  blueprint.constants = store.places();
  for (PlacedBytes& constant : built.main.local) constant.bytes = {};  // uploaded; the source may be freed
  blueprint.program = std::move(built.main);

  NNVK_ASSIGN(auto packing, packing_commands(*gpu, *activity, store.places(), std::move(preparation), deadline));
  std::shared_ptr<Recording> recording(new Recording(std::move(gpu), std::move(blueprint)));
  if (packing) NNVK_TRY(recording->pack(activity, std::move(packing), constants.owner));
  store.commit(built.constants);
  activity->recordings_built.fetch_add(1, std::memory_order_relaxed);
  return recording;
}

// Submits the packing at once if there is a queue, else keeps it for record_packing().
Status Recording::pack(const std::shared_ptr<Activity>& activity, RecordPacking packing, std::shared_ptr<const void> owner) {
  if (!gpu_->submits()) {
    packing_ = std::move(packing);
    return {};
  }
  prepared_ = Fence::pending();
  const auto done = [packing, owner = std::move(owner), prepared = prepared_](const Status& result) mutable {
    packing = nullptr;  // with everything that the commands used
    owner = nullptr;
    prepared.settle(result);
  };
  return submit_once(*gpu_, *activity, {"uploads of constants and their packing", packing}, done);
}

std::string Recording::describe(size_t begin, size_t end) const {
  constexpr size_t kNamed = 8;
  std::vector<uint32_t> nodes;
  std::string text;
  for (size_t d = begin; d < end; ++d) {
    const Dispatch& dispatch = blueprint_.program.dispatches[d].dispatch;
    if (std::ranges::find(nodes, dispatch.node) != nodes.end()) continue;
    nodes.push_back(dispatch.node);
    if (nodes.size() <= kNamed) text += (text.empty() ? "" : ", ") + dispatch.label;
  }
  if (nodes.size() > kNamed) text += " and " + std::to_string(nodes.size() - kNamed) + " more operations";
  return text.empty() ? "copies of inputs and outputs" : text;
}

}  // namespace nnvk::vulkan
