// `nnvk soak --mode`: very many executions of an addition, one after the other. At the end, memory use and open files must equal
// those after the first thousand.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/command/command.h"
#include "tools/command/device_choice.h"
#include "tools/command/json_output.h"
#include "tools/command/process_use.h"
#include "tools/command/progress.h"
#include "tools/command/terminal.h"
#include "tools/nnapi/session.h"

namespace nnvk::tools {
namespace {

constexpr uint64_t kWarmUp = 1000;
// The allocator may fragment memory by this much. A leak of one byte in ten executions would exceed it in a million executions.
constexpr size_t kAllowedGrowthKilobytes = 96;
constexpr uint64_t kDeadlineNanoseconds = 60'000'000'000;
constexpr float kFirst = 1.5F;
constexpr float kSecond = 2.0F;

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

std::vector<uint8_t> bytes_of(float number) {
  const auto bytes = std::bit_cast<std::array<uint8_t, sizeof number>>(number);
  return {bytes.begin(), bytes.end()};
}

// Adds two numbers, one execution per call, in one of the modes.
class Adder {
 public:
  explicit Adder(ANeuralNetworksCompilation* compilation) : compilation_(compilation) {}
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  // Runs one reusable execution in a burst.
  Status burst() {
    if (!burst_) {
      ANeuralNetworksBurst* burst = nullptr;
      TOOLS_TRY(check(ANeuralNetworksBurst_create(compilation_, &burst), "creating a burst"));
      burst_.reset(burst);
      TOOLS_TRY(make_execution());
      TOOLS_TRY(check(ANeuralNetworksExecution_setReusable(execution_.get(), true), "making the execution reusable"));
    }
    TOOLS_TRY(check(ANeuralNetworksExecution_burstCompute(execution_.get(), burst_.get()), "computing in a burst"));
    return check_sum();
  }

  // Starts a new execution with a deadline. It depends on the previous execution, through that one's sync fence if there is one.
  Status fenced() {
    TOOLS_TRY(make_execution());
    TOOLS_TRY(check(ANeuralNetworksExecution_setTimeout(execution_.get(), kDeadlineNanoseconds), "setting a timeout"));
    const ANeuralNetworksEvent* dependency = dependency_.get();
    ANeuralNetworksEvent* started = nullptr;
    TOOLS_TRY(check(ANeuralNetworksExecution_startComputeWithDependencies(
                        execution_.get(), &dependency, dependency != nullptr ? 1 : 0, kDeadlineNanoseconds, &started),
                    "starting with dependencies"));
    EventHandle event(started);
    int fd = -1;
    ANeuralNetworksEvent* foreign = nullptr;
    has_sync_fences_ = has_sync_fences_ && ANeuralNetworksEvent_getSyncFenceFd(started, &fd) == ANEURALNETWORKS_NO_ERROR;
    if (has_sync_fences_) {
      const int result = ANeuralNetworksEvent_createFromSyncFenceFd(fd, &foreign);
      ::close(fd);
      TOOLS_TRY(check(result, "taking a sync fence"));
    }
    TOOLS_TRY(check(ANeuralNetworksEvent_wait(started), "waiting for the event"));
    dependency_ = foreign != nullptr ? EventHandle(foreign) : std::move(event);
    return check_sum();
  }

 private:
  Status make_execution() {
    TOOLS_ASSIGN(execution_, bound_execution(compilation_, inputs_, outputs_));
    return {};
  }
  // Checks the sum, then clears the output, so that the next check notices an execution that writes nothing.
  Status check_sum() {
    float sum = 0;
    std::memcpy(&sum, outputs_[0].data(), sizeof sum);
    std::ranges::fill(outputs_[0], uint8_t{0});
    if (sum == kFirst + kSecond) return {};
    return fail(fmt::format("{} + {} must give {}, but gave {}", kFirst, kSecond, kFirst + kSecond, sum));
  }

  ANeuralNetworksCompilation* compilation_;
  bool has_sync_fences_ = true;  // false once an event has had none: asking again would only log errors
  Buffers inputs_{bytes_of(kFirst), bytes_of(kSecond)};
  Buffers outputs_{bytes_of(0)};
  BurstHandle burst_;
  ExecutionHandle execution_;
  EventHandle dependency_;  // declared last: freed before the execution
};

Status add_often(Adder& adder, const SoakOptions& options, ProcessUse& early) {
  Progress progress("soaking", options.executions);
  for (uint64_t i = 0; i < options.executions; ++i) {
    if (i == kWarmUp) early = process_use();
    TOOLS_TRY(options.mode == "burst" ? adder.burst() : adder.fenced());
    if (i % 10'000 == 0) progress.update(i, options.mode);
  }
  return {};
}

}  // namespace

int run_counted_soak(const SoakOptions& options) {
  const auto devices = find_devices(options.device);
  if (!devices) return report_error(devices.error());
  const auto model = addition();
  if (!model) return report_error(model.error());
  const auto session = Session::compile(*model, *devices);
  if (!session) return report_error(session.error());
  const auto choice = choice_for(options.device, *model, *session);
  if (!choice) return report_error(choice.error());
  print_choice(*choice);
  const std::string device = fmt::format("{}", fmt::join(choice->devices, ", "));
  Adder adder(session->compilation());
  UseOverTime use;
  if (const Status status = add_often(adder, options, use.early); !status) return report_error(status.error());
  use.late = process_use();
  const bool good = use.is_steady(kAllowedGrowthKilobytes);
  if (options.json) {
    nlohmann::json document{{"device", device},
                            {"choice", to_json(*choice)},
                            {"mode", options.mode},
                            {"executions", options.executions},
                            {"passed", good}};
    use.add_to(document);
    print_json(document);
  } else {
    fmt::print("device    {}\nexecuted  {} times, {}\n", device, options.executions, options.mode);
    fmt::print("{}{}\n", use.to_text(fmt::format("after {}", kWarmUp)), coloured_verdict(stdout, good ? "passed" : "failed"));
  }
  return good ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
