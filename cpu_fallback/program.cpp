#include "cpu_fallback/program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "core/plan/checked_node.h"
#include "core/plan/memory_planner.h"
#include "cpu_fallback/byte_functions.h"
#include "cpu_fallback/client_buffers.h"
#include "cpu_fallback/element_groups.h"
#include "cpu_fallback/optimized/aligned_buffer.h"
#include "cpu_fallback/optimized/byte_table.h"
#include "cpu_fallback/optimized/element_group.h"
#include "cpu_fallback/optimized/element_loop.h"

namespace nnvk::cpu {
namespace {

// Nodes that one kernel runs: at the place of the last one, in the plan's order.
struct KernelStep {
  std::vector<size_t> nodes;  // ascending
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::shared_ptr<const OptimizedKernel> kernel;  // null: the reference kernel of the only node
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(Program& program)
      : program_(program), plan_(*program.plan), lifetimes_(plan_.tensors.size()), is_used_(plan_.tensors.size()) {}

  Status build(std::vector<PackedConstants>* packed) {
    find_running();
    if (packed != nullptr) add_byte_functions();
    NNVK_TRY(add_nodes(packed));
    if (packed != nullptr) join_element_groups();
    find_lifetimes();
    NNVK_TRY(plan_memory());
    size_t scratch = 0;
    for (const KernelStep& step : steps_) {
      if (step.kernel != nullptr) scratch = std::max(scratch, step.kernel->scratch_bytes());
      program_.steps.push_back(placed(step));
    }
    for (const TensorId id : plan_.outputs) program_.outputs.push_back(place(id));
    program_.scratch_offset = program_.arena_bytes;
    program_.arena_bytes += scratch;
    return {};
  }

 private:
  uint64_t size_of(TensorId id) const { return program_.resolution.infos[id].byte_size().value_or(0); }
  bool is_known(TensorId id) const { return program_.resolution.host_values[id].data() != nullptr; }

  void use(TensorId id, size_t level) {
    const TensorId owner = plan_.storage_of(id);
    if (plan_.tensors[owner].role != TensorRole::kTemporary || is_known(owner)) return;
    TensorLifetime& lifetime = lifetimes_[owner];
    if (!is_used_[owner]) lifetime.first_level = static_cast<uint32_t>(level);
    is_used_[owner] = true;
    lifetime.last_level = static_cast<uint32_t>(level);
    lifetime.size = std::max(lifetime.size, size_of(id));
  }

  void find_running() {
    for (size_t n = 0; n < plan_.nodes.size(); ++n) {
      const PlanNode& node = plan_.nodes[n];
      if (node.is_view || program_.resolution.evaluated_on_host[n]) continue;
      const bool is_empty = std::ranges::all_of(node.outputs, [&](TensorId id) { return size_of(id) == 0; });
      if (!is_empty) running_.push_back(n);
    }
  }

  void add_byte_functions() {
    for (ByteFunction& function : find_byte_functions(plan_, program_.resolution, running_)) {
      auto kernel = make_byte_table_kernel(static_cast<size_t>(size_of(function.result)), function.table);
      steps_.push_back({std::move(function.nodes), {function.source}, {function.result}, std::move(kernel)});
    }
  }

  // Adds a step for every node that has none, and puts all steps in order.
  Status add_nodes(std::vector<PackedConstants>* packed) {
    std::set<size_t> has_step;
    for (const KernelStep& step : steps_) has_step.insert(step.nodes.begin(), step.nodes.end());
    for (const size_t n : running_) {
      if (has_step.contains(n)) continue;
      const PlanNode& node = plan_.nodes[n];
      const std::optional<size_t> filter = put_filter_in_order(node);
      const auto checked = CheckedNode::check(plan_, node, program_.resolution);
      if (!checked) return fail(checked.error().at(plan_.place_of(node)));
      KernelStep step{{n}, node.inputs, node.outputs, nullptr};
      if (packed != nullptr) {
        step.kernel = make_optimized_kernel({node, checked->operation(), has_same_constants(node) ? &(*packed)[n] : nullptr});
      }
      if (filter && step.kernel != nullptr && !step.kernel->reads(*filter)) drop_last_constant(node.inputs[*filter]);
      steps_.push_back(std::move(step));
    }
    std::ranges::sort(steps_, {}, [](const KernelStep& step) { return step.nodes.back(); });
    return {};
  }

  // Gives the program the bytes of a filter in another order, and returns which input it is. Nothing if the node has none. As one
  // node follows the other, filters that kernels pack need memory one at a time.
  std::optional<size_t> put_filter_in_order(const PlanNode& node) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const PlanTensor& tensor = plan_.tensors[node.inputs[i]];
      if (tensor.transposed == nullptr) continue;
      program_.made_constants.push_back(in_order(*tensor.transposed));
      program_.resolution.host_values[node.inputs[i]] = program_.made_constants.back();
      return i;
    }
    return std::nullopt;
  }
  void drop_last_constant(TensorId id) {
    program_.resolution.host_values[id] = {};
    program_.made_constants.pop_back();
  }

  // Replaces the steps of every group of element-wise nodes by one.
  void join_element_groups() {
    std::map<size_t, size_t> step_of;  // of a node that has a step for itself
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].nodes.size() == 1) step_of[steps_[s].nodes.front()] = s;
    }
    const auto operands_of = [&](size_t n) -> size_t {
      const auto step = step_of.find(n);
      if (step == step_of.end() || steps_[step->second].kernel == nullptr) return 0;
      const ElementLoop* const loop = steps_[step->second].kernel->element_loop();
      return loop != nullptr ? loop->operand_count() : 0;
    };
    for (const ElementGroup& group : find_element_groups(plan_, program_.resolution, running_, operands_of)) join(group, step_of);
    std::erase_if(steps_, [](const KernelStep& step) { return step.nodes.empty(); });
  }

  void join(const ElementGroup& group, const std::map<size_t, size_t>& step_of) {
    const auto width = [&](TensorId id) { return element_size(program_.resolution.infos[id].type); };
    std::map<TensorId, GroupOperand> operand_of;
    std::vector<GroupInput> inputs;
    for (const TensorId id : group.inputs) {
      operand_of[id] = {false, inputs.size()};
      inputs.push_back({program_.resolution.infos[id].shape, width(id)});
    }
    KernelStep joined{{}, group.inputs, {}, nullptr};
    std::vector<GroupMember> members;
    for (const ElementGroup::Member& member : group.members) {
      GroupMember made{steps_[step_of.at(member.node)].kernel, {}, width(member.result), member.is_output, member.buffer};
      for (const TensorId id : member.inputs) made.operands.push_back(operand_of.at(id));
      operand_of[member.result] = {true, members.size()};
      members.push_back(std::move(made));
      if (member.is_output) joined.outputs.push_back(member.result);
      joined.nodes.push_back(member.node);
    }
    joined.kernel = make_element_group(program_.resolution.infos[group.members.front().result].shape, inputs, std::move(members));
    if (joined.kernel == nullptr) return;
    for (const size_t n : joined.nodes) steps_[step_of.at(n)].nodes.clear();
    steps_[step_of.at(joined.nodes.back())] = std::move(joined);
  }

  TensorId residual_of(const KernelStep& step) const {
    return step.nodes.size() == 1 ? plan_.nodes[step.nodes.front()].residual : kNoTensor;
  }

  void find_lifetimes() {
    for (size_t level = 0; level < steps_.size(); ++level) {
      const KernelStep& step = steps_[level];
      for (const TensorId id : step.inputs) use(id, level);
      for (const TensorId id : step.outputs) use(id, level);
      if (residual_of(step) != kNoTensor) use(residual_of(step), level);
    }
    for (const TensorId id : plan_.outputs) use(id, steps_.size());
  }

  Status plan_memory() {
    NNVK_ASSIGN(const ArenaPlan arena, plan_arena(lifetimes_, kVectorAlignment));
    offsets_ = arena.offsets;
    program_.arena_bytes = padded_to_vectors(arena.size);
    return {};
  }

  Place place(TensorId id) {
    if (!program_.resolution.present[id]) return {};
    const TensorId owner = plan_.storage_of(id);
    const PlanTensor& tensor = plan_.tensors[owner];
    Place place;
    place.index = tensor.io_index;
    if (tensor.role == TensorRole::kInput) {
      place.kind = program_.resolution.present[owner] ? Place::Kind::kInput : Place::Kind::kNothing;
    } else if (tensor.role == TensorRole::kOutput) {
      place.kind = Place::Kind::kOutput;
    } else if (is_known(owner) || is_known(id)) {
      place.kind = Place::Kind::kConstant;
      place.constant = constant(is_known(owner) ? owner : id);
    } else if (tensor.role == TensorRole::kTemporary && is_used_[owner]) {
      place.kind = Place::Kind::kArena;
      place.offset = offsets_[owner];
    }
    return place;
  }

  // Returns the constant's bytes, at an address that is aligned for its elements.
  const std::byte* constant(TensorId id) {
    const auto value = program_.resolution.host_values[id];
    if (is_aligned(value.data(), program_.resolution.infos[id].type)) return value.data();
    program_.made_constants.emplace_back(value.begin(), value.end());
    program_.resolution.host_values[id] = program_.made_constants.back();
    return program_.made_constants.back().data();
  }

  Step placed(const KernelStep& step) {
    Step placed;
    placed.node = step.nodes.back();
    placed.kernel = step.kernel;
    for (const TensorId id : step.inputs) placed.inputs.push_back(place(id));
    for (const TensorId id : step.outputs) placed.outputs.push_back(place(id));
    if (residual_of(step) != kNoTensor) placed.residual = place(residual_of(step));
    for (const size_t n : step.nodes) {
      const PlanNode& node = plan_.nodes[n];
      if (n == placed.node) continue;  // profile_of() names it, and what rewrites merged into it
      placed.merged_operations.push_back(node.source_operation);
      std::ranges::copy(node.fused_operations, std::back_inserter(placed.merged_operations));
    }
    return placed;
  }

  // Returns whether the node's inputs that are constants in this program are constants in every program of the plan.
  bool has_same_constants(const PlanNode& node) const {
    return std::ranges::all_of(node.inputs, [&](TensorId id) { return !is_known(id) || plan_.is_constant(id); });
  }

  Program& program_;
  const Plan& plan_;
  std::vector<TensorLifetime> lifetimes_;  // per tensor; of temporaries that own their bytes
  std::vector<bool> is_used_;
  std::vector<size_t> running_;  // nodes
  std::vector<KernelStep> steps_;
  std::vector<uint64_t> offsets_;
};

}  // namespace

bool has_fixed_sizes(const Plan& plan, const Resolution& resolution) {
  for (size_t t = 0; t < plan.tensors.size(); ++t) {
    if (!resolution.present[t] || plan.tensors[t].role == TensorRole::kSubgraph) continue;
    if (resolution.data_dependent[t] != nullptr || !resolution.infos[t].byte_size()) return false;
  }
  return std::ranges::none_of(plan.nodes,
                              [&](const PlanNode& node) { return open_parameter(plan, node, resolution).has_value(); });
}

Result<std::unique_ptr<const Program>> make_program(std::shared_ptr<const Plan> plan, Resolution resolution,
                                                    std::vector<PackedConstants>* packed) {
  auto program = std::make_unique<Program>();
  program->plan = std::move(plan);
  program->resolution = std::move(resolution);
  NNVK_TRY(ProgramBuilder(*program).build(packed));
  return std::unique_ptr<const Program>(std::move(program));
}

}  // namespace nnvk::cpu
