#include "cpu_fallback/program_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "core/base/log.h"
#include "core/base/run_deadline.h"
#include "core/base/trace.h"
#include "core/runtime/output_delivery.h"
#include "cpu_fallback/client_buffers.h"
#include "cpu_fallback/node_runner.h"

namespace nnvk::cpu {
namespace {

using Clock = std::chrono::steady_clock;

class ProgramRun {
 public:
  ProgramRun(const Program& program, const Request& request, ThreadPool& threads, Workspace& workspace, RunCounts& counts)
      : program_(program), plan_(*program.plan), request_(request), threads_(threads), workspace_(workspace), counts_(counts) {}

  Status run(ExecutionReport& report) {
    if (has_passed(request_.deadline))
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution started");
    workspace_.inputs.resize(plan_.inputs.size());
    workspace_.outputs.resize(plan_.outputs.size());
    workspace_.staging.resize(plan_.inputs.size() + plan_.outputs.size());
    if (workspace_.arena.size() < program_.arena_bytes) {
      workspace_.arena = AlignedBuffer<std::byte>(program_.arena_bytes);
      ++counts_.temporary_allocations;
    }
    NNVK_TRY(bind_inputs());
    NNVK_TRY(bind_outputs(report));
    for (const Step& step : program_.steps) {
      const PlanNode& node = plan_.nodes[step.node];
      if (&step != &program_.steps.front() && has_passed(request_.deadline)) {
        return fail(Code::kMissedDeadlineTransient, "the deadline passed before " + plan_.describe(node));
      }
      if (log_enabled(Detail::kCpuExecution)) log_line(Detail::kCpuExecution, "CpuExecutor", plan_.describe(node));
      const trace::Section section("[NN_LC_PCO]", trace::may_be_on() ? operation_name(node.code) : std::string());
      const auto start = request_.profile ? Clock::now() : Clock::time_point{};
      if (auto status = run_step(step); !status) return fail(status.error().at(plan_.place_of(node)));
      if (request_.profile) record(step, nanoseconds_since(start), report);
    }
    threads_.rest();
    deliver_outputs();
    return {};
  }

 private:
  Status bind_inputs() {
    const trace::Section section("[NN_LC_PIO]inputs");
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const Binding& binding = request_.inputs[i];
      workspace_.inputs[i] = nullptr;
      if (binding.omitted) continue;
      const size_t size = byte_size(plan_.inputs[i]);
      NNVK_TRY(check_input_size(i, binding, size));
      workspace_.inputs[i] = binding.data;
      if (is_aligned(binding.data, info(plan_.inputs[i]).type)) continue;
      std::byte* const copy = stage(i, size);
      std::memcpy(copy, binding.data, size);
      counts_.bytes_copied_in += size;
      workspace_.inputs[i] = copy;
    }
    return {};
  }

  // Binds the outputs. All sizes are known, so an output that does not fit is an error before anything is computed.
  Status bind_outputs(ExecutionReport& report) {
    const trace::Section section("[NN_LC_PIO]outputs");
    NNVK_TRY(check_room_of_outputs(plan_, program_.resolution, request_, report.outputs));
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const TensorId id = plan_.outputs[i];
      const Binding& binding = request_.outputs[i];
      const size_t size = byte_size(id);
      if (!binding.omitted && binding.growable != nullptr) binding.growable->resize(std::max<size_t>(size, 1));
      std::byte* const data = binding.growable != nullptr ? binding.growable->data() : binding.data;
      const bool is_usable = !binding.omitted && data != nullptr && is_aligned(data, info(id).type);
      workspace_.outputs[i] = is_usable || size == 0 ? data : stage(plan_.inputs.size() + i, size);
    }
    return {};
  }

  Status run_step(const Step& step) {
    workspace_.step_inputs.clear();
    workspace_.step_outputs.clear();
    for (const Place& place : step.inputs) workspace_.step_inputs.push_back(find(place));
    for (const Place& place : step.outputs) workspace_.step_outputs.push_back(find_to_write(place));
    const KernelMemory memory{workspace_.step_inputs, workspace_.step_outputs, find(step.residual),
                              workspace_.arena.data() + program_.scratch_offset};
    if (step.kernel == nullptr) return run_reference(step, memory);
    NNVK_TRY(step.kernel->read_indices(memory));
    return catch_passed_deadline([&]() -> Status {
      step.kernel->run(memory, threads_);
      return {};
    });
  }

  Status run_reference(const Step& step, const KernelMemory& memory) {
    const PlanNode& node = plan_.nodes[step.node];
    NodeView view = program_.resolution.view(node);
    for (size_t i = 0; i < view.inputs.size(); ++i) {
      if (view.inputs[i].value.data() != nullptr) continue;  // a constant, or a parameter in the bytes that were checked
      view.inputs[i].value = {memory.inputs[i], memory.inputs[i] != nullptr ? byte_size(node.inputs[i]) : 0};
    }
    NNVK_ASSIGN(const CheckedOperation operation, CheckedOperation::check(view.view()));
    std::vector<OutputTensor> outputs;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const PlanTensor& tensor = plan_.tensors[node.outputs[i]];
      const bool is_wanted = tensor.role != TensorRole::kOutput || !request_.outputs[tensor.io_index].omitted;
      outputs.push_back({info(node.outputs[i]), {memory.outputs[i], byte_size(node.outputs[i])}, is_wanted});
    }
    std::span<const std::byte> residual;
    if (node.residual != kNoTensor) residual = {memory.residual, byte_size(node.residual)};
    return run_node(node, operation, outputs, residual);
  }

  void deliver_outputs() {
    const trace::Section section("[NN_LC_PR]outputs");
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const TensorId id = plan_.outputs[i];
      counts_.bytes_copied_out += deliver(request_.outputs[i], {info(id).shape, byte_size(id)}, find(program_.outputs[i]));
    }
  }

  void record(const Step& step, uint64_t nanoseconds, ExecutionReport& report) const {
    const PlanNode& node = plan_.nodes[step.node];
    const NodeView view = program_.resolution.view(node);
    report.profile.push_back(
        profile_of(node, view.view(), step.kernel != nullptr ? step.kernel->name() : kReferenceKernelName, nanoseconds));
    std::ranges::copy(step.merged_operations, std::back_inserter(report.profile.back().merged_operations));
  }

  const OperandInfo& info(TensorId id) const { return program_.resolution.infos[id]; }
  size_t byte_size(TensorId id) const { return static_cast<size_t>(info(id).byte_size().value_or(0)); }
  std::byte* stage(size_t slot, size_t size) {
    AlignedBuffer<std::byte>& buffer = workspace_.staging[slot];
    if (buffer.size() < size || buffer.data() == nullptr) {
      buffer = AlignedBuffer<std::byte>(size);
      ++counts_.temporary_allocations;
    }
    return buffer.data();
  }

  const std::byte* find(const Place& place) const {
    return place.kind == Place::Kind::kConstant ? place.constant
           : place.kind == Place::Kind::kInput  ? workspace_.inputs[place.index]
                                                : find_to_write(place);
  }

  std::byte* find_to_write(const Place& place) const {
    return place.kind == Place::Kind::kOutput  ? workspace_.outputs[place.index]
           : place.kind == Place::Kind::kArena ? workspace_.arena.data() + place.offset
                                               : nullptr;
  }

  const Program& program_;
  const Plan& plan_;
  const Request& request_;
  ThreadPool& threads_;
  Workspace& workspace_;
  RunCounts& counts_;
};

}  // namespace

std::unique_ptr<Workspace> Workspaces::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<Workspace>();
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void Workspaces::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(workspace));
}

Status check_room_of_outputs(const Plan& plan, const Resolution& resolution, const Request& request,
                             std::vector<OutputReport>& reports) {
  Status result;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const OperandInfo& info = resolution.infos[plan.outputs[i]];
    Status room = check_room(i, request.outputs[i], {info.shape, static_cast<size_t>(info.byte_size().value_or(0))});
    reports.push_back({info.shape, room.has_value()});
    if (!room && result) result = std::move(room);
  }
  return result;
}

ExecutionReport run_program(const Program& program, const Request& request, ThreadPool& threads, Workspaces& workspaces,
                            RunCounts& counts) {
  const trace::Section section("[NN_LC_PE]run");
  ExecutionReport report;
  std::unique_ptr<Workspace> workspace = workspaces.take();
  report.result = ProgramRun(program, request, threads, *workspace, counts).run(report);
  workspaces.give_back(std::move(workspace));
  const bool shapes_known = report.result || report.result.error().code == Code::kOutputInsufficientSize;
  if (!shapes_known) report.outputs.clear();
  return report;
}

}  // namespace nnvk::cpu
