// Each benchmark repeats its work until the overhead of a submission is negligible, and then takes the shortest run.
#include "vulkan/device_rates.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <future>
#include <limits>

#include "vulkan/kernels/emit_common.h"
#include "vulkan/kernels/kernel_choice.h"
#include "vulkan/recording/command_recorder.h"
#include "vulkan/recording/descriptors.h"

namespace nnvk::vulkan {
namespace {

constexpr double kClearGain = 0.99;  // of the shortest time before
constexpr uint32_t kMostRepetitions = 1U << 20;
constexpr uint64_t kMostTexels = uint64_t{2} << 20;
constexpr uint32_t kSmallDispatch = 64;  // invocations: one work group
constexpr CeilingsParams kSmallWork{.iterations = 1, .invocations = kSmallDispatch, .texels = 0, .multiplier = 0, .addend = 0};

constexpr Effort kThorough{.long_enough = 0.02, .most_runs = 24, .runs_without_gain = 4, .buffer_bytes = uint64_t{64} << 20};
constexpr uint32_t kFewestTexels = 1U << 12;  // the most are this times a power of 8

constexpr Barrier kBetweenCopies{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 kCopyAccess};

}  // namespace

Result<DeviceRates> DeviceRates::create(std::shared_ptr<Gpu> gpu, const Effort& effort) {
  DeviceRates rates(std::move(gpu), effort);
  NNVK_TRY(rates.make_buffer());
  return rates;
}

Status DeviceRates::make_buffer() {
  const DevicePlan& plan = gpu_->context->plan();
  const DeviceTraits& traits = plan.traits;
  const uint64_t size = std::min(effort_.buffer_bytes, std::bit_floor(plan.max_allocation_bytes));
  const uint64_t texel_limit =
      traits.variants.contains(KernelVariant::kTexel) ? traits.max_texel_elements : traits.max_storage_range / kTexelBytes;
  // The kernel also writes a texel for every few that it reads.
  const uint64_t that_fit = std::min({texel_limit, kMostTexels, size / 2 / kTexelBytes});
  texels_ = static_cast<uint32_t>(std::bit_floor(std::max(that_fit, uint64_t{kCeilingsReads} * kSmallDispatch)));
  NNVK_ASSIGN(buffer_, Buffer::create(gpu_->context, size, MemoryUse::kDevice, *activity_, "measuring speeds"));
  const auto clear = [this](VkCommandBuffer commands) {
    gpu_->context->vk().vkCmdFillBuffer(commands, buffer_.handle(), 0, VK_WHOLE_SIZE, 0);
    record_barrier(*gpu_->context, commands, kFromCopiesToDispatches);
  };
  return run_once(*gpu_, *activity_, {"a measurement", clear}, nullptr, std::nullopt);
}

// Runs recorded commands at most `runs` times and waits for each; returns the shortest time in seconds.
Result<double> DeviceRates::shortest_run(const RecordCommands& record, int runs) {
  NNVK_ASSIGN(const auto pool, CommandPool::create(gpu_->context));
  NNVK_ASSIGN(const VkCommandBuffer commands, pool->begin());
  record(commands);
  NNVK_TRY(pool->end(commands, *activity_));
  double shortest = std::numeric_limits<double>::infinity();
  int runs_without_gain = 0;
  for (int run = 0; run < runs && runs_without_gain < effort_.runs_without_gain; ++run) {
    std::promise<Status> finished;
    const auto start = std::chrono::steady_clock::now();
    NNVK_TRY(
        gpu_->completions->submit(commands, "a measurement", [&finished](const Status& result) { finished.set_value(result); }));
    NNVK_TRY(finished.get_future().get());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    runs_without_gain = elapsed.count() < kClearGain * shortest ? 0 : runs_without_gain + 1;
    shortest = std::min(shortest, elapsed.count());
  }
  return shortest;
}

// Multiplies the repetitions by 4 until a run takes long enough, so that no run takes much longer.
Result<double> DeviceRates::repetitions_per_second(const RecordRepeated& record) {
  for (uint32_t repetitions = 1;; repetitions *= 4) {
    const RecordCommands work = [&](VkCommandBuffer commands) { record(commands, repetitions); };
    NNVK_ASSIGN(const double probe, shortest_run(work, repetitions == 1 ? 2 : 1));  // the first run compiles the pipeline
    if (probe < effort_.long_enough && repetitions < kMostRepetitions) continue;
    NNVK_ASSIGN(const double seconds, shortest_run(work, effort_.most_runs));
    return repetitions / std::max(std::min(seconds, probe), 1e-9);
  }
}

template <class Use>
Result<double> DeviceRates::with_kernel(Benchmark benchmark, uint32_t invocations, const Use& use) {
  const DeviceTraits& traits = gpu_->context->plan().traits;
  DispatchProgram program;
  program.dispatches.resize(1);
  ProgramDispatch& dispatch = program.dispatches[0];
  const KernelInfo& info = kernel_info(benchmark.kernel);
  dispatch.dispatch.kernel = benchmark.kernel;
  dispatch.dispatch.bindings = std::move(benchmark.bindings);
  dispatch.dispatch.label = info.name;
  NNVK_ASSIGN(dispatch.dispatch.groups, flat_groups(invocations, info.local_size[0], traits));
  std::vector<BoundBytes> bound;
  for (size_t b = 0; b < benchmark.locations.size(); ++b) {
    bound.push_back({dispatch.dispatch.bindings[b].format, benchmark.locations[b].size});
  }
  NNVK_ASSIGN(dispatch.variant, choose_variant(info, bound, traits));
  dispatch.locations = std::move(benchmark.locations);
  NNVK_ASSIGN(const auto pipelines, gpu_->pipelines.get(pipeline_keys(program), *activity_, std::nullopt));
  NNVK_ASSIGN(const auto descriptors, Descriptors::create(gpu_->context, {program, pipelines}, all_dispatches(program),
                                                          {{.arena = buffer_.handle()}, {}, {}}, *activity_));
  return use([&](VkCommandBuffer commands, const CeilingsParams& params) {
    const auto bytes = std::as_bytes(std::span(&params, 1));
    dispatch.dispatch.params.assign(bytes.begin(), bytes.end());
    record_dispatches(*gpu_->context, commands, {program, pipelines}, descriptors->sets(), {0, program.dispatches.size()});
  });
}

// Returns how often per second the device does the work of one iteration; sets params.iterations.
Result<double> DeviceRates::iterations_per_second(Benchmark benchmark, CeilingsParams params) {
  return with_kernel(std::move(benchmark), params.invocations, [&](const auto& record) {
    return repetitions_per_second([&](VkCommandBuffer commands, uint32_t repetitions) {
      params.iterations = repetitions;
      record(commands, params);
    });
  });
}

// Makes a benchmark of arithmetic: each invocation writes one texel.
DeviceRates::Benchmark DeviceRates::writing_kernel(KernelId kernel, uint32_t invocations) {
  return {kernel,
          kernels::CeilingsFloat::Bindings{.out_y = write_words(0)}.in_order(),
          {{Region::kArena, 0, 0, invocations * kTexelBytes}}};
}

Result<double> DeviceRates::arithmetic(KernelId kernel, float multiplier, float addend) {
  CeilingsParams params{};
  params.invocations = gpu_->context->plan().traits.is_software() ? 1U << 13 : 1U << 18;
  params.multiplier = multiplier;
  params.addend = addend;
  const auto rate = iterations_per_second(writing_kernel(kernel, params.invocations), params);
  return rate.map([&](double of_kernel) { return of_kernel * params.invocations * kCeilingsMultiplyAdds; });
}

Result<double> DeviceRates::float_multiply_adds() { return arithmetic(kernels::kCeilingsFloat.id, 0.999F, 0.001F); }

Result<double> DeviceRates::integer_multiply_adds() { return arithmetic(kernels::kCeilingsInteger.id, 3.0F, 1.0F); }

// As many invocations read as the whole buffer needs.
Result<double> DeviceRates::read_bytes(uint32_t texels) {
  CeilingsParams params{};
  params.texels = texels;
  params.invocations = texels_ / kCeilingsReads;
  const uint64_t in_bytes = texels_ * kTexelBytes;
  const std::vector<TensorBinding> bindings =
      kernels::CeilingsRead::Bindings{.in_x = read_quads(0, OperandType::kTensorFloat32), .out_y = write_words(1)}.in_order();
  const auto rate =
      iterations_per_second({kernels::kCeilingsRead.id,
                             bindings,
                             {{Region::kArena, 0, 0, in_bytes}, {Region::kArena, 0, in_bytes, params.invocations * kTexelBytes}}},
                            params);
  return rate.map([&](double of_kernel) { return of_kernel * static_cast<double>(in_bytes); });
}

Result<double> DeviceRates::copies(VkBuffer from, uint64_t to_offset, uint64_t size) {
  const auto rate = repetitions_per_second([&](VkCommandBuffer commands, uint32_t repetitions) {
    const VkBufferCopy region{0, to_offset, size};
    for (uint32_t i = 0; i < repetitions; ++i) {
      gpu_->context->vk().vkCmdCopyBuffer(commands, from, buffer_.handle(), 1, &region);
      record_barrier(*gpu_->context, commands, kBetweenCopies);
    }
  });
  return rate.map([&](double of_copies) { return of_copies * static_cast<double>(size); });
}

Result<double> DeviceRates::copied_bytes() {
  const uint64_t half = buffer_.size() / 2;
  return copies(buffer_.handle(), half, half).map([](double bytes) { return 2 * bytes; });
}

Result<double> DeviceRates::uploaded_bytes() {
  NNVK_ASSIGN(const Buffer mapped,
              Buffer::create(gpu_->context, buffer_.size() / 2, MemoryUse::kStaging, *activity_, "measuring speeds"));
  return copies(mapped.handle(), 0, mapped.size());
}

Result<double> DeviceRates::dispatches() {
  return with_kernel(writing_kernel(kernels::kCeilingsFloat.id, kSmallDispatch), kSmallDispatch, [&](const auto& record) {
    return repetitions_per_second([&](VkCommandBuffer commands, uint32_t repetitions) {
      for (uint32_t i = 0; i < repetitions; ++i) {
        record(commands, kSmallWork);
        record_barrier(*gpu_->context, commands, kBetweenDispatches);
      }
    });
  });
}

Result<double> DeviceRates::seconds_per_submission() {
  return with_kernel(writing_kernel(kernels::kCeilingsFloat.id, kSmallDispatch), kSmallDispatch, [&](const auto& record) {
    return shortest_run([&](VkCommandBuffer commands) { record(commands, kSmallWork); }, effort_.most_runs);
  });
}

Result<Ceilings> measure_ceilings(const std::shared_ptr<Gpu>& gpu) {
  constexpr double kGiga = 1e9;
  constexpr double kOperations = 2;  // of a multiply-add
  NNVK_ASSIGN(DeviceRates rates, DeviceRates::create(gpu, kThorough));
  Ceilings ceilings;
  NNVK_ASSIGN(const double floats, rates.float_multiply_adds());
  NNVK_ASSIGN(const double integers, rates.integer_multiply_adds());
  NNVK_ASSIGN(const double copied, rates.copied_bytes());
  ceilings.fp32_gflops = kOperations * floats / kGiga;
  ceilings.int8_gops = kOperations * integers / kGiga;
  ceilings.copy_gigabytes_per_second = copied / kGiga;
  for (uint32_t texels = std::min(kFewestTexels, rates.texels()); texels <= rates.texels(); texels *= 8) {
    NNVK_ASSIGN(const double read, rates.read_bytes(texels));
    ceilings.read_gigabytes_per_second = read / kGiga;
    ceilings.traffic.push_back({texels * DeviceRates::kTexelBytes, ceilings.read_gigabytes_per_second});
  }
  double& of_memory = ceilings.traffic.back().gigabytes_per_second;
  of_memory = std::max(of_memory, ceilings.copy_gigabytes_per_second);
  return ceilings;
}

}  // namespace nnvk::vulkan
