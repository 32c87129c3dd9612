// Each micro-benchmark repeats its work until submission overhead is negligible and then takes the shortest run.
#include "vulkan/ceilings.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <future>
#include <limits>

#include "ceilings_kernels.h"
#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"
#include "vulkan/recording/one_off_commands.h"

namespace nnvk::vulkan {
namespace {

constexpr double kLongEnough = 0.02;  // seconds
// A measurement ends after so many runs in a row without a clear gain, because other programs and low clocks disturb single runs.
constexpr int kRunsWithoutGain = 4;
constexpr int kMostRuns = 24;
constexpr double kClearGain = 0.99;  // of the shortest time before
constexpr uint32_t kMostRepetitions = 1U << 20;
constexpr uint64_t kCopiedBytes = uint64_t{32} << 20;
constexpr uint64_t kTexelBytes = 16;
constexpr uint64_t kMostTexels = uint64_t{2} << 20;
constexpr uint32_t kFewestTexels = 1U << 12;  // kMostTexels is this times a power of 8

class Bench {
 public:
  explicit Bench(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  Result<Ceilings> measure() {
    const DeviceTraits& traits = gpu_->context->plan().traits;
    const uint64_t texel_limit =
        traits.variants.contains(KernelVariant::kTexel) ? traits.max_texel_elements : traits.max_storage_range / kTexelBytes;
    texels_ =
        static_cast<uint32_t>(std::bit_floor(std::clamp<uint64_t>(texel_limit, uint64_t{kCeilingsReads} * 64, kMostTexels)));
    Context& context = *gpu_->context;
    const uint64_t size = std::min(2 * kCopiedBytes, std::bit_floor(context.plan().max_allocation_bytes));
    NNVK_ASSIGN(buffer_, Buffer::create(gpu_->context, size, MemoryUse::kDevice, activity_, "measuring ceilings"));
    NNVK_TRY(clear());

    Ceilings ceilings;
    NNVK_ASSIGN(ceilings.fp32_gflops, arithmetic_rate(kernels::kCeilingsFloat, 0.999F, 0.001F));
    NNVK_ASSIGN(ceilings.int8_gops, arithmetic_rate(kernels::kCeilingsInteger, 3.0F, 1.0F));
    NNVK_ASSIGN(ceilings.copy_gigabytes_per_second, copy_rate());
    for (uint32_t texels = std::min(kFewestTexels, texels_); texels <= texels_; texels *= 8) {
      NNVK_ASSIGN(ceilings.read_gigabytes_per_second, read_rate(texels));
      ceilings.traffic.push_back({texels * kTexelBytes, ceilings.read_gigabytes_per_second});
    }
    double& of_memory = ceilings.traffic.back().gigabytes_per_second;
    of_memory = std::max(of_memory, ceilings.copy_gigabytes_per_second);
    return ceilings;
  }

 private:
  using RecordRepeated = std::function<void(VkCommandBuffer commands, uint32_t repetitions)>;

  // Runs recorded commands at most `runs` times and waits for each; returns the shortest time in seconds.
  Result<double> shortest_run(const RecordCommands& record, int runs) {
    NNVK_ASSIGN(const auto pool, CommandPool::create(gpu_->context));
    NNVK_ASSIGN(const VkCommandBuffer commands, pool->begin());
    record(commands);
    NNVK_TRY(pool->end(commands, activity_));
    double shortest = std::numeric_limits<double>::infinity();
    int runs_without_gain = 0;
    for (int run = 0; run < runs && runs_without_gain < kRunsWithoutGain; ++run) {
      std::promise<Status> finished;
      const auto start = std::chrono::steady_clock::now();
      NNVK_TRY(gpu_->completions->submit(commands, "a measurement",
                                         [&finished](const Status& result) { finished.set_value(result); }));
      NNVK_TRY(finished.get_future().get());
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      runs_without_gain = elapsed.count() < kClearGain * shortest ? 0 : runs_without_gain + 1;
      shortest = std::min(shortest, elapsed.count());
    }
    return shortest;
  }

  // Returns repetitions per second. Multiplies the repetitions by 4 until a run takes kLongEnough, so that no run takes much
  // longer.
  Result<double> repetitions_per_second(const RecordRepeated& record) {
    for (uint32_t repetitions = 1;; repetitions *= 4) {
      const RecordCommands work = [&](VkCommandBuffer commands) { record(commands, repetitions); };
      NNVK_ASSIGN(const double probe, shortest_run(work, repetitions == 1 ? 2 : 1));  // the first run compiles the pipeline
      if (probe < kLongEnough && repetitions < kMostRepetitions) continue;
      NNVK_ASSIGN(const double seconds, shortest_run(work, kMostRuns));
      return repetitions / std::max(seconds, 1e-9);
    }
  }

  Status clear() {
    const auto record = [&](VkCommandBuffer commands) {
      gpu_->context->vk().vkCmdFillBuffer(commands, buffer_.handle(), 0, VK_WHOLE_SIZE, 0);
      record_barrier(*gpu_->context, commands, kFromCopiesToDispatches);
    };
    return run_once(*gpu_, activity_, {"a measurement", record}, nullptr, std::nullopt);
  }

  // Returns how often per second the device runs the kernel over the buffer; sets params.iterations.
  template <class Shape>
  Result<double> kernel_rate(TypedKernel<Shape> kernel, const typename Shape::Bindings& bindings, std::vector<Location> locations,
                             CeilingsParams params) {
    const DeviceTraits& traits = gpu_->context->plan().traits;
    DispatchProgram program;
    program.dispatches.resize(1);
    ProgramDispatch& dispatch = program.dispatches[0];
    const KernelInfo& info = kernel_info(kernel.id);
    dispatch.dispatch.kernel = kernel.id;
    dispatch.dispatch.bindings = bindings.in_order();
    dispatch.dispatch.label = info.name;
    NNVK_ASSIGN(dispatch.dispatch.groups, flat_groups(params.invocations, info.local_size[0], traits));
    std::vector<BoundBytes> bound;
    for (size_t b = 0; b < locations.size(); ++b) bound.push_back({dispatch.dispatch.bindings[b].format, locations[b].size});
    NNVK_ASSIGN(dispatch.variant, choose_variant(info, bound, traits));
    dispatch.locations = std::move(locations);
    NNVK_ASSIGN(const auto pipelines, gpu_->pipelines.get(pipeline_keys(program), activity_, std::nullopt));
    NNVK_ASSIGN(const auto descriptors, Descriptors::create(gpu_->context, {program, pipelines}, all_dispatches(program),
                                                            {{.arena = buffer_.handle()}, {}, {}}, activity_));
    return repetitions_per_second([&](VkCommandBuffer commands, uint32_t repetitions) {
      params.iterations = repetitions;
      const auto bytes = std::as_bytes(std::span(&params, 1));
      dispatch.dispatch.params.assign(bytes.begin(), bytes.end());
      record_dispatches(*gpu_->context, commands, {program, pipelines}, descriptors->sets(), {0, program.dispatches.size()});
    });
  }

  // Measures arithmetic, in 10^9 operations per second.
  Result<double> arithmetic_rate(TypedKernel<kernels::CeilingsFloat> kernel, float multiplier, float addend) {
    CeilingsParams params{};
    params.invocations = gpu_->context->plan().traits.is_software() ? 1U << 13 : 1U << 18;
    params.multiplier = multiplier;
    params.addend = addend;
    NNVK_ASSIGN(const double rate, kernel_rate(kernel, {.out_y = write_words(0)},
                                               {{Region::kArena, 0, 0, params.invocations * kTexelBytes}}, params));
    return rate * params.invocations * kCeilingsMultiplyAdds * 2 * 1e-9;
  }

  // Measures how fast invocations read the first `texels` texels of the buffer over and over. There are as many invocations as
  // all texels of the buffer need.
  Result<double> read_rate(uint32_t texels) {
    CeilingsParams params{};
    params.texels = texels;
    params.invocations = texels_ / kCeilingsReads;
    const uint64_t in_bytes = texels_ * kTexelBytes;
    const Location in{Region::kArena, 0, 0, in_bytes};
    const Location out{Region::kArena, 0, in_bytes, params.invocations * kTexelBytes};
    NNVK_ASSIGN(const double rate,
                kernel_rate(kernels::kCeilingsRead, {.in_x = read_quads(0, OperandType::kTensorFloat32), .out_y = write_words(1)},
                            {in, out}, params));
    return rate * static_cast<double>(in_bytes) * 1e-9;
  }

  // Measures copies: they read every byte of the buffer's first half once, and write it once.
  Result<double> copy_rate() {
    const uint64_t half = buffer_.size() / 2;
    NNVK_ASSIGN(const double rate, repetitions_per_second([&](VkCommandBuffer commands, uint32_t repetitions) {
                  const VkBufferCopy region{0, half, half};
                  for (uint32_t i = 0; i < repetitions; ++i) {
                    gpu_->context->vk().vkCmdCopyBuffer(commands, buffer_.handle(), buffer_.handle(), 1, &region);
                    record_barrier(*gpu_->context, commands,
                                   {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    kCopyAccess});
                  }
                }));
    return rate * static_cast<double>(2 * half) * 1e-9;
  }

  std::shared_ptr<Gpu> gpu_;
  Activity activity_;  // required by callees; never reported
  Buffer buffer_;
  uint32_t texels_ = 0;
};

}  // namespace

Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu) { return Bench(gpu).measure(); }

}  // namespace nnvk::vulkan
