// `nnvk soak --mode`: very many executions of an addition, one after the other; memory and open files must be at the end what
// they were after the first thousand.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/command/command.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools {
namespace {

constexpr uint64_t kWarmUp = 1000;
// Allocators keep what fragmentation leaves over. A leak of one byte in ten executions would show in a million.
constexpr size_t kAllowedGrowthKilobytes = 96;
constexpr uint64_t kDeadlineNanoseconds = 60'000'000'000;

struct Use {
  size_t kilobytes = resident_kilobytes();
  size_t files = open_files();
};

const OperandInfo kNumber{ANEURALNETWORKS_TENSOR_FLOAT32, {1}, 0, 0};

Result<ModelBuilder> addition() {
  auto builder = ModelBuilder::create();
  if (!builder) return builder;
  std::array<uint32_t, 4> operands{};
  for (const size_t i : {0, 1, 3}) {
    auto operand = builder->add_operand(kNumber);
    if (!operand) return tl::unexpected(operand.error());
    operands[i] = *operand;
  }
  auto activation = builder->add_int32(ANEURALNETWORKS_FUSED_NONE);
  if (!activation) return tl::unexpected(activation.error());
  operands[2] = *activation;
  TOOLS_TRY(
      builder->add_operation(ANEURALNETWORKS_ADD, std::span(operands).first(3), std::span(operands).last(1), "the addition"));
  TOOLS_TRY(builder->finish(std::span(operands).first(2), std::span(operands).last(1)));
  return builder;
}

// Adds its numbers in one way, again and again.
class Adder {
 public:
  explicit Adder(ANeuralNetworksCompilation* compilation) : compilation_(compilation) {}
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  // One reusable execution in a burst.
  Status burst() {
    if (!burst_) {
      ANeuralNetworksBurst* burst = nullptr;
      TOOLS_TRY(check(ANeuralNetworksBurst_create(compilation_, &burst), "creating a burst"));
      burst_.reset(burst);
      TOOLS_TRY(make_execution(execution_));
      TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(execution_.get(), true), "making the execution reusable"));
    }
    TOOLS_TRY(check(ANeuralNetworksExecution_burstCompute(execution_.get(), burst_.get()), "computing in a burst"));
    return check_sum();
  }

  // A new execution with a deadline that depends on the one before, through its sync fence where it has one.
  Status fenced() {
    TOOLS_TRY(make_execution(execution_));
    TOOLS_TRY(check(ANeuralNetworksExecution_setTimeout(execution_.get(), kDeadlineNanoseconds), "setting a timeout"));
    const ANeuralNetworksEvent* dependency = dependency_.get();
    ANeuralNetworksEvent* started = nullptr;
    TOOLS_TRY(check(ANeuralNetworksExecution_startComputeWithDependencies(
                        execution_.get(), &dependency, dependency != nullptr ? 1 : 0, kDeadlineNanoseconds, &started),
                    "starting with dependencies"));
    EventHandle event(started);
    int fd = -1;
    ANeuralNetworksEvent* foreign = nullptr;
    if (ANeuralNetworksEvent_getSyncFenceFd(started, &fd) == ANEURALNETWORKS_NO_ERROR) {
      const int result = ANeuralNetworksEvent_createFromSyncFenceFd(fd, &foreign);
      ::close(fd);
      TOOLS_TRY(check(result, "taking a sync fence"));
    }
    TOOLS_TRY(check(ANeuralNetworksEvent_wait(started), "waiting for the event"));
    dependency_ = foreign != nullptr ? EventHandle(foreign) : std::move(event);
    return check_sum();
  }

 private:
  Status make_execution(ExecutionHandle& handle) {
    ANeuralNetworksExecution* execution = nullptr;
    TOOLS_TRY(check(ANeuralNetworksExecution_create(compilation_, &execution), "creating an execution"));
    handle.reset(execution);
    for (int32_t i : {0, 1}) {
      TOOLS_TRY(check(ANeuralNetworksExecution_setInput(execution, i, nullptr, &numbers_[static_cast<size_t>(i)], sizeof(float)),
                      fmt::format("setting input {}", i)));
    }
    sum_ = 0;
    return check(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, &sum_, sizeof sum_), "setting the output");
  }
  Status check_sum() {
    if (sum_ != numbers_[0] + numbers_[1]) return fail(fmt::format("{} + {} gave {}", numbers_[0], numbers_[1], sum_));
    sum_ = 0;
    return {};
  }

  ANeuralNetworksCompilation* compilation_;
  std::array<float, 2> numbers_{1.5F, 2.0F};
  float sum_ = 0;
  BurstHandle burst_;
  ExecutionHandle execution_;
  EventHandle dependency_;  // freed first
};

Status add_often(Adder& adder, const SoakOptions& options, Use& early) {
  Progress progress("soaking", options.executions);
  for (uint64_t i = 0; i < options.executions; ++i) {
    if (i == kWarmUp) early = Use();
    TOOLS_TRY(options.mode == "burst" ? adder.burst() : adder.fenced());
    if (i % 10'000 == 0) progress.update(i, options.mode);
  }
  return {};
}

}  // namespace

int run_counted_soak(const SoakOptions& options) {
  const auto device = find_device(options.device);
  if (!device) return report_error(device.error());
  const auto model = addition();
  if (!model) return report_error(model.error());
  const auto session = Session::compile(*model, {&*device, 1}, {}, {}, {});
  if (!session) return report_error(session.error());
  Adder adder(session->compilation());
  Use early;
  if (const Status status = add_often(adder, options, early); !status) return report_error(status.error());
  const Use late;
  const bool good = late.kilobytes <= early.kilobytes + kAllowedGrowthKilobytes && late.files <= early.files;
  if (options.json) {
    const nlohmann::json document{{"device", device->name},
                                  {"mode", options.mode},
                                  {"executions", options.executions},
                                  {"resident_kilobytes_early", early.kilobytes},
                                  {"resident_kilobytes_late", late.kilobytes},
                                  {"open_files_early", early.files},
                                  {"open_files_late", late.files},
                                  {"passed", good}};
    fmt::print("{}\n", document.dump(2));
  } else {
    fmt::print("device    {}\nexecuted  {} times, {}\n", device->name, options.executions, options.mode);
    fmt::print("memory    {} KiB resident after {}, {} KiB at the end; open files {} and {}\n{}\n", early.kilobytes, kWarmUp,
               late.kilobytes, early.files, late.files, good ? "passed" : "failed");
  }
  return good ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
