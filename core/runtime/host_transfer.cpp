// The execution starts when the last read has settled, and writes follow it. No thread blocks.
#include "core/runtime/host_transfer.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/output_delivery.h"
#include "core/runtime/owned_request.h"

namespace nnvk {
namespace {

// Host memory for one execution, alive until its writes have settled.
struct Passing {
  Passing(const Request& from, std::span<const OperandInfo> outputs, LaunchQueue& queue, int32_t launch_priority)
      : on_host(from), infos(outputs.begin(), outputs.end()), launches(queue), priority(launch_priority) {}

  OwnedRequest on_host;
  std::vector<OperandInfo> infos;  // of the outputs
  LaunchQueue& launches;
  int32_t priority;
  std::vector<std::vector<std::byte>> input_bytes;
  std::vector<std::vector<std::byte>> output_bytes;
  std::vector<DeviceMemory*> targets;  // per output; null if the client's memory is bound directly
  std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
  Fence done = Fence::pending();

  void finish(const Status& result) {
    if (report->result) report->result = result;
    done.settle(result);
  }
};

// Runs `start` once `fence` has settled, whatever the fence's result. If `start` fails, its error ends the execution.
void go_on_after(const Fence& fence, const std::shared_ptr<Passing>& passing, std::function<Status()> start) {
  const auto failed = [passing](const Error& error) { passing->finish(fail(error)); };
  passing->launches.after(fence, {passing->priority, std::move(start), failed});
}

// Keeps the memory that the device reads or writes alive until `settled`, whatever the execution's result.
void keep_until(const Fence& settled, const std::shared_ptr<Passing>& passing) {
  AwaitUnlessHandedOn end(settled);
  settled.on_settled([passing](const Status&) {});
  end.release();
}

bool is_on_device(const Binding& binding) { return binding.device_memory != nullptr && !binding.omitted; }

Result<std::vector<Fence>> fetch_inputs(const std::shared_ptr<Passing>& passing) {
  std::vector<Fence> reads;
  passing->input_bytes.resize(passing->on_host.inputs.size());
  for (size_t i = 0; i < passing->on_host.inputs.size(); ++i) {
    Binding& binding = passing->on_host.inputs[i];
    if (!is_on_device(binding)) continue;
    std::vector<std::byte>& bytes = passing->input_bytes[i];
    const size_t size = available_bytes(binding);
    if (size == 0 && binding.device_offset > 0) return fail(Code::kBadData, "an input lies behind the end of its device memory");
    bytes.resize(size);
    reads.reserve(passing->on_host.inputs.size());
    NNVK_ASSIGN(const Fence read, binding.device_memory->read_from(binding.device_offset, bytes));
    keep_until(read, passing);
    reads.push_back(read);
    binding.data = bytes.data();
    binding.size = size;
    binding.device_memory = nullptr;
  }
  return reads;
}

void replace_outputs(Passing& passing) {
  passing.output_bytes.resize(passing.on_host.outputs.size());
  passing.targets.resize(passing.on_host.outputs.size());
  for (size_t i = 0; i < passing.on_host.outputs.size(); ++i) {
    Binding& binding = passing.on_host.outputs[i];
    if (!is_on_device(binding)) continue;
    std::vector<std::byte>& bytes = passing.output_bytes[i];
    const size_t room = available_bytes(binding);
    passing.targets[i] = std::exchange(binding.device_memory, nullptr);
    if (passing.targets[i]->grows()) {
      binding.growable = &bytes;
    } else {
      bytes.resize(room);
      binding.data = bytes.data();
      binding.size = bytes.size();
    }
  }
}

// Returns the bytes computed for output `index`; memory that grows has exactly the size of the output.
std::span<const std::byte> computed_bytes(const Passing& passing, size_t index) {
  const std::span<const std::byte> room = passing.output_bytes[index];
  if (passing.on_host.outputs[index].growable != nullptr || index >= passing.report->outputs.size()) return room;
  OperandInfo info = passing.infos[index];
  info.shape = passing.report->outputs[index].shape;
  return room.first(std::min<uint64_t>(room.size(), info.byte_size().value_or(room.size())));
}

Result<Fence> store_outputs(const std::shared_ptr<Passing>& passing) {
  std::vector<Fence> writes;
  writes.reserve(passing->targets.size());
  for (size_t i = 0; i < passing->targets.size(); ++i) {
    if (passing->targets[i] == nullptr) continue;
    NNVK_ASSIGN(const Fence write,
                passing->targets[i]->write_to(passing->on_host.outputs[i].device_offset, computed_bytes(*passing, i)));
    keep_until(write, passing);
    writes.push_back(write);
  }
  return when_all_settled(writes);  // not when_all(): writes in progress use this memory even if another write has failed
}

// Runs the plan on the fetched inputs and stores its results.
Status start(PreparedPlan& plan, const std::shared_ptr<Passing>& passing) {
  NNVK_ASSIGN(const Submission run, plan.submit(passing->on_host.request));
  AwaitUnlessHandedOn end(run.done);
  go_on_after(run.done, passing, [passing, run]() -> Status {
    if (run.report != nullptr) *passing->report = *run.report;
    NNVK_TRY(run.done.result());
    NNVK_ASSIGN(const Fence stored, store_outputs(passing));
    stored.on_settled([passing](const Status& settled) { passing->finish(settled); });
    return {};
  });
  end.release();
  return {};
}

}  // namespace

bool takes_all_device_memory(const PreparedPlan& plan, const Request& request) {
  const auto takes = [&](std::span<const Binding> bindings, bool is_input) {
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (is_on_device(bindings[i]) && !plan.takes_device_memory(*bindings[i].device_memory, is_input, i)) return false;
    }
    return true;
  };
  return takes(request.inputs, true) && takes(request.outputs, false);
}

Result<Submission> submit_through_host(PreparedPlan& plan, const Request& request, std::span<const OperandInfo> outputs,
                                       LaunchQueue& launches, int32_t priority) {
  const auto passing = std::make_shared<Passing>(request, outputs, launches, priority);
  NNVK_ASSIGN(const std::vector<Fence> reads, fetch_inputs(passing));
  replace_outputs(*passing);
  const Fence ready = when_all_settled(reads);
  if (ready.state() == Fence::State::kSignalled) {
    NNVK_TRY(start(plan, passing));
  } else {
    passing->on_host.request.may_run_inline = true;  // a launch thread may compute
    passing->on_host.request.caller_waits = false;   // but must not block: other launches wait for it
    go_on_after(ready, passing, [&plan, passing, ready]() -> Status {
      NNVK_TRY(ready.result());
      return start(plan, passing);
    });
  }
  return Submission{passing->done, passing->report};
}

}  // namespace nnvk
