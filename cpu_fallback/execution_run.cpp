#include "cpu_fallback/execution_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "core/base/deadline.h"
#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/operations/checked_operation.h"
#include "core/operations/rules/data_dependent_shape.h"
#include "core/plan/resolve.h"
#include "core/runtime/output_delivery.h"
#include "cpu_fallback/client_buffers.h"
#include "cpu_fallback/node_runner.h"

namespace nnvk::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// The bytes of a storage tensor (Plan::storage_of()) in a run. `data` points into the client's memory, a constant, or `owned`.
struct Storage {
  const std::byte* data = nullptr;
  std::unique_ptr<std::byte[]> owned;
};

// Returns BAD_DATA unless the client binds as many operands as the plan has. `kind`: inputs or outputs.
Status check_count(const char* kind, size_t given, size_t expected) {
  if (given == expected) return {};
  return fail(Code::kBadData, std::to_string(given) + " " + kind + " given, the plan has " + std::to_string(expected));
}

class NodeWalk {
 public:
  NodeWalk(const PreparedNodes& prepared, const Request& request, RunCounts& counts)
      : prepared_(prepared), plan_(*prepared.plan), request_(request), counts_(counts) {}

  Status run() {
    if (has_passed(request_.deadline))
      return fail(Code::kMissedDeadlinePersistent, "the deadline passed before the execution started");
    infos_.reserve(plan_.tensors.size());
    present_.reserve(plan_.tensors.size());
    storages_.resize(plan_.tensors.size());
    for (size_t t = 0; t < plan_.tensors.size(); ++t) {
      infos_.push_back(plan_.tensors[t].info);
      present_.push_back(plan_.tensors[t].role != TensorRole::kOmitted);
      if (plan_.is_constant(static_cast<TensorId>(t))) storages_[t].data = prepared_.constants[t].data();
    }
    NNVK_TRY(bind_inputs());
    NNVK_TRY(bind_outputs());
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      if (n > 0 && has_passed(request_.deadline)) {
        return fail(Code::kMissedDeadlineTransient, "the deadline passed before " + plan_.describe(plan_.nodes[n]));
      }
      if (log_enabled(Detail::kCpuExecution)) log_line(Detail::kCpuExecution, "CpuExecutor", plan_.describe(plan_.nodes[n]));
      if (auto status = run_one(n); !status) return fail(status.error().at(plan_.place_of(plan_.nodes[n])));
    }
    return deliver_outputs();
  }

  std::vector<OutputReport> take_reports() { return std::move(reports_); }
  std::vector<NodeProfile> take_profile() { return std::move(profile_); }

 private:
  // Completes the tensor's declared shape by the dimensions in the client's binding.
  Status bind_shape(const std::string& name, const Binding& binding, TensorId tensor) {
    if (binding.device_memory != nullptr)
      return fail(Code::kBadData, name + " lies in device memory, which the CPU device has not");
    Shape& shape = infos_[tensor].shape;
    auto merged = merge_shapes(shape, binding.shape);
    if (!merged) {
      return fail(Code::kBadData, name + " has shape " + binding.shape.to_string() + " but is declared as " + shape.to_string());
    }
    shape = *std::move(merged);
    return {};
  }

  Status bind_inputs() {
    const trace::Section section("[NN_LC_PIO]inputs");
    NNVK_TRY(check_count("inputs", request_.inputs.size(), plan_.inputs.size()));
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const TensorId id = plan_.inputs[i];
      const Binding& binding = request_.inputs[i];
      const std::string name = "input " + std::to_string(i);
      present_[id] = !binding.omitted;
      if (binding.omitted) continue;
      NNVK_TRY(bind_shape(name, binding, id));
      const auto size = infos_[id].byte_size();
      if (!size) {
        return fail(Code::kBadData,
                    name + " has shape " + infos_[id].shape.to_string() + ", which is not fully specified or too large");
      }
      NNVK_TRY(check_input_size(i, binding, *size));
      Storage& storage = storages_[id];
      storage.data = binding.data;
      if (!is_aligned(binding.data, infos_[id].type)) {
        std::memcpy(allocate(storage, *size), binding.data, *size);
        counts_.bytes_copied_in += *size;
      }
    }
    return {};
  }

  Status bind_outputs() {
    const trace::Section section("[NN_LC_PIO]outputs");
    NNVK_TRY(check_count("outputs", request_.outputs.size(), plan_.outputs.size()));
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const Binding& binding = request_.outputs[i];
      if (!binding.omitted) NNVK_TRY(bind_shape("output " + std::to_string(i), binding, plan_.outputs[i]));
    }
    return {};
  }

  Status run_one(size_t index) {
    const PlanNode& node = plan_.nodes[index];
    const std::string name = trace::may_be_on() ? operation_name(node.code) : std::string();
    const NodeView view = view_of(node);
    const bool data_dependent = has_data_dependent_shapes(node.code);
    const auto start = request_.profile ? Clock::now() : Clock::time_point{};
    std::vector<Shape> agreed;
    std::vector<OutputTensor> outputs;
    std::optional<CheckedOperation> operation;
    {
      const trace::Section section("[NN_LC_PTR]", name);
      auto settled = settle(node, view, agreed);
      if (!settled) return explain_failure(index, fail(std::move(settled).error()));
      operation = *std::move(settled);
      if (is_in_vain(node)) return {};
      if (!node.is_view) outputs = outputs_to_write(node);
    }
    if (!node.is_view) {
      const trace::Section section("[NN_LC_PCO]", name);
      std::span<const std::byte> residual;
      if (node.residual != kNoTensor) residual = {storages_[plan_.storage_of(node.residual)].data, byte_size(node.residual)};
      Status computed = run_node(node, *operation, outputs, residual);
      if (!computed) return explain_failure(index, std::move(computed));
      if (data_dependent) {
        for (size_t i = 0; i < outputs.size(); ++i) NNVK_TRY(narrow(node.outputs[i], agreed[i], outputs[i].info.shape));
      }
    }
    if (request_.profile) {
      profile_.push_back(profile_of(node, view.view(), kReferenceKernelName, nanoseconds_since(start)));
    }
    for (const TensorId id : prepared_.last_used_by[index]) storages_[id] = Storage{};
    return {};
  }

  // Sets the node's output shapes (upper bounds if they depend on data). `agreed` receives the shapes that final shapes must
  // match.
  Result<CheckedOperation> settle(const PlanNode& node, const NodeView& view, std::vector<Shape>& agreed) {
    std::vector<OperandInfo*> outputs;
    outputs.reserve(node.outputs.size());
    for (const TensorId id : node.outputs) outputs.push_back(&infos_[id]);
    return CheckedOperation::settle(view.view(), outputs, agreed);
  }

  // Sets the actual shape of an output whose size depends on data. Call it when a kernel has found that shape.
  Status narrow(TensorId tensor, const Shape& agreed, const Shape& actual) {
    const auto settled = settle_data_dependent_shape(agreed, actual);
    if (!settled) {
      return fail(Code::kOpFailed, "an output has shape " + actual.to_string() + " but is declared as " + agreed.to_string());
    }
    infos_[tensor].shape = *settled;
    if (*settled != actual) {
      const size_t size = byte_size(tensor);
      std::memset(allocate(storages_[plan_.storage_of(tensor)], size), 0, size);
    }
    return {};
  }

  NodeView view_of(const PlanNode& node) const {
    NodeView view;
    view.code = node.code;
    view.inputs.reserve(node.inputs.size());
    for (const TensorId id : node.inputs) {
      const std::byte* data = storages_[plan_.storage_of(id)].data;
      view.inputs.push_back(
          {&infos_[id], present_[id] != 0, present_[id] ? std::span(data, byte_size(id)) : std::span<const std::byte>()});
    }
    for (const TensorId id : node.outputs) view.outputs.push_back(&infos_[id]);
    return view;
  }

  // Returns whether the run can skip the node: it writes only plan outputs that do not fit and that no node reads. The run knows
  // their shapes already and would discard their values.
  bool is_in_vain(const PlanNode& node) const {
    return !node.is_view && !has_data_dependent_shapes(node.code) && std::ranges::all_of(node.outputs, [&](TensorId id) {
      const PlanTensor& tensor = plan_.tensors[id];
      if (tensor.role != TensorRole::kOutput || prepared_.is_read[id] != 0) return false;
      return !check_room(tensor.io_index, output_binding(id), {infos_[id].shape, byte_size(id)});
    });
  }

  // Returns the error for the client when node `index` rejects its inputs. If known shapes already show that an output does not
  // fit, the client gets that error: devices that know all sizes beforehand compute nothing then. The function ignores shapes
  // that depend on data or on computed values, because nobody knows them before a run.
  Status explain_failure(size_t index, Status failure) {
    const std::vector<bool> is_parameter = parameter_inputs(plan_);
    const auto is_known_before = [&](TensorId id) {
      const PlanTensor& tensor = plan_.tensors[id];
      return plan_.is_constant(id) || (tensor.role == TensorRole::kInput && is_parameter[tensor.io_index]);
    };
    std::vector<uint8_t> is_open(plan_.tensors.size(), 0);
    for (size_t n = index; n < plan_.nodes.size(); ++n) {
      const PlanNode& node = plan_.nodes[n];
      NodeView view = view_of(node);
      bool open = has_data_dependent_shapes(node.code);
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        open = open || is_open[node.inputs[i]] != 0;
        if (!is_known_before(node.inputs[i])) view.inputs[i].value = {};
      }
      std::vector<Shape> agreed;
      if (!open && !settle(node, view, agreed)) return failure;
      for (const TensorId id : node.outputs) is_open[id] = open ? 1 : 0;
    }
    std::vector<OutputReport> reports;
    Status result;
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const TensorId id = plan_.outputs[i];
      Status room;
      if (is_open[id] == 0) room = check_room(i, request_.outputs[i], {infos_[id].shape, byte_size(id)});
      reports.push_back({infos_[id].shape, room.has_value()});
      if (!room && result) result = std::move(room);
    }
    if (result) return failure;
    reports_ = std::move(reports);
    return result;
  }

  std::vector<OutputTensor> outputs_to_write(const PlanNode& node) {
    std::vector<OutputTensor> outputs(node.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorId id = node.outputs[i];
      const size_t size = byte_size(id);
      std::byte* const data = storage_to_write(id, size);
      const bool is_output = plan_.tensors[id].role == TensorRole::kOutput;
      outputs[i] = {infos_[id], std::span(data, size), !is_output || !output_binding(id).omitted};
    }
    return outputs;
  }

  // Returns the memory for `tensor`: the client's buffer for a plan output that fits and is aligned, else memory of this run.
  std::byte* storage_to_write(TensorId tensor, size_t size) {
    const TensorId owner = plan_.storage_of(tensor);
    Storage& storage = storages_[owner];
    if (plan_.tensors[owner].role == TensorRole::kOutput) {
      const Binding& binding = output_binding(owner);
      std::byte* bound = nullptr;
      if (!binding.omitted && binding.growable != nullptr) {
        binding.growable->resize(std::max<size_t>(size, 1));
        bound = binding.growable->data();
      } else if (!binding.omitted && binding.size >= size && is_aligned(binding.data, infos_[owner].type)) {
        bound = binding.data;
      }
      storage.data = bound;
      if (bound != nullptr) return bound;
    }
    return allocate(storage, size);
  }

  std::byte* allocate(Storage& storage, size_t size) {
    storage.owned.reset(new std::byte[std::max<size_t>(size, 1)]);  // not cleared: kernels write every byte
    storage.data = storage.owned.get();
    ++counts_.temporary_allocations;
    return storage.owned.get();
  }

  // Reports all outputs. Copies those that lie in memory of this run to the client's buffers if they are large enough.
  Status deliver_outputs() {
    const trace::Section section("[NN_LC_PR]outputs");
    Status result;
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const TensorId id = plan_.outputs[i];
      const std::byte* const data = storages_[plan_.storage_of(id)].data;
      const OutputExtent output{infos_[id].shape, byte_size(id)};
      Status room = check_room(i, request_.outputs[i], output);
      reports_.push_back({output.shape, room.has_value()});
      if (!room) {
        if (result) result = std::move(room);
        continue;
      }
      const bool is_wanted = !request_.outputs[i].omitted && output.size > 0;
      if (is_wanted && data == nullptr) return fail(Code::kOpFailed, "no operation writes output " + std::to_string(i));
      counts_.bytes_copied_out += deliver(request_.outputs[i], output, data);
    }
    return result;
  }

  const Binding& output_binding(TensorId tensor) const { return request_.outputs[plan_.tensors[tensor].io_index]; }
  size_t byte_size(TensorId tensor) const { return static_cast<size_t>(infos_[tensor].byte_size().value_or(0)); }

  const PreparedNodes& prepared_;
  const Plan& plan_;
  const Request& request_;
  RunCounts& counts_;
  std::vector<OperandInfo> infos_;
  std::vector<uint8_t> present_;
  std::vector<Storage> storages_;
  std::vector<OutputReport> reports_;  // per plan output
  std::vector<NodeProfile> profile_;
};

// Returns, for each node, the temporary tensors that no later node touches.
std::vector<std::vector<TensorId>> last_uses(const Plan& plan) {
  std::vector<size_t> last(plan.tensors.size(), SIZE_MAX);
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    for (const TensorId id : plan.nodes[n].inputs) last[plan.storage_of(id)] = n;
    for (const TensorId id : plan.nodes[n].outputs) last[plan.storage_of(id)] = n;
    if (plan.nodes[n].residual != kNoTensor) last[plan.storage_of(plan.nodes[n].residual)] = n;
  }
  std::vector<std::vector<TensorId>> result(plan.nodes.size());
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    if (plan.tensors[t].role == TensorRole::kTemporary && last[t] != SIZE_MAX)
      result[last[t]].push_back(static_cast<TensorId>(t));
  }
  return result;
}

}  // namespace

Result<PreparedNodes> prepare_nodes(std::shared_ptr<const Plan> plan) {
  const trace::Section section("[NN_LC_PC]prepare");
  PreparedNodes prepared;
  for (const PlanNode& node : plan->nodes) {
    if (const char* reason = reason_not_supported(node)) return fail(Code::kOpFailed, plan->describe(node) + ": " + reason);
  }
  prepared.last_used_by = last_uses(*plan);
  prepared.is_read.resize(plan->tensors.size());
  for (const PlanNode& node : plan->nodes) {
    for (const TensorId id : node.inputs) prepared.is_read[plan->storage_of(id)] = 1;
    if (node.residual != kNoTensor) prepared.is_read[plan->storage_of(node.residual)] = 1;
  }
  for (const TensorId id : plan->outputs) {  // a view of it is an output as well
    if (plan->storage_of(id) != id) prepared.is_read[plan->storage_of(id)] = 1;
  }
  prepared.constants.resize(plan->tensors.size());
  for (size_t t = 0; t < plan->tensors.size(); ++t) {
    const PlanTensor& tensor = plan->tensors[t];
    if (tensor.role != TensorRole::kConstant) continue;
    prepared.constants[t] = tensor.value;
    if (is_aligned(tensor.value.data(), tensor.info.type)) continue;
    prepared.aligned_copies.emplace_back(tensor.value.begin(), tensor.value.end());
    prepared.constants[t] = prepared.aligned_copies.back();
  }
  prepared.plan = std::move(plan);
  return prepared;
}

ExecutionReport run_nodes(const PreparedNodes& prepared, const Request& request, RunCounts& counts) {
  const trace::Section section("[NN_LC_PE]run");
  ExecutionReport report;
  NodeWalk walk(prepared, request, counts);
  report.result = walk.run();
  const bool shapes_known = report.result || report.result.error().code == Code::kOutputInsufficientSize;
  if (shapes_known) report.outputs = walk.take_reports();
  report.profile = walk.take_profile();
  return report;
}

}  // namespace nnvk::cpu
