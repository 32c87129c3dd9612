#include "cpu_fallback/program.h"

#include <algorithm>
#include <iterator>

#include "core/plan/checked_node.h"
#include "core/plan/memory_planner.h"
#include "cpu_fallback/byte_functions.h"
#include "cpu_fallback/optimized/byte_table.h"

namespace nnvk::cpu {
namespace {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(Program& program)
      : program_(program), plan_(*program.plan), lifetimes_(plan_.tensors.size()), is_used_(plan_.tensors.size()) {}

  Status build(std::vector<PackedConstants>* packed) {
    find_running();
    if (packed != nullptr) functions_ = find_byte_functions(plan_, program_.resolution, running_);
    find_lifetimes();
    NNVK_TRY(plan_memory());
    size_t scratch = 0;
    for (const size_t n : running_) {
      if (is_inside_function(n)) continue;
      const ByteFunction* const function = function_at(n);
      NNVK_ASSIGN(Step made, function != nullptr ? Result<Step>(table_step(*function)) : step(n, packed));
      program_.steps.push_back(std::move(made));
      if (const auto* kernel = program_.steps.back().kernel.get()) scratch = std::max(scratch, kernel->scratch_bytes());
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

  // The function whose result this node writes.
  const ByteFunction* function_at(size_t n) const {
    const auto found = std::ranges::find(functions_, n, [](const ByteFunction& function) { return function.nodes.back(); });
    return found == functions_.end() ? nullptr : &*found;
  }
  bool is_inside_function(size_t n) const {
    return std::ranges::any_of(functions_, [&](const ByteFunction& function) {
      return n != function.nodes.back() && std::ranges::binary_search(function.nodes, n);
    });
  }

  void find_lifetimes() {
    for (size_t level = 0; level < running_.size(); ++level) {
      const size_t n = running_[level];
      const PlanNode& node = plan_.nodes[n];
      if (is_inside_function(n)) continue;
      if (const ByteFunction* const function = function_at(n)) {
        use(function->source, level);
        use(function->result, level);
        continue;
      }
      for (const TensorId id : node.inputs) use(id, level);
      for (const TensorId id : node.outputs) use(id, level);
      if (node.residual != kNoTensor) use(node.residual, level);
    }
    for (const TensorId id : plan_.outputs) use(id, running_.size());
  }

  Status plan_memory() {
    NNVK_ASSIGN(const ArenaPlan arena, plan_arena(lifetimes_, kVectorAlignment));
    offsets_ = arena.offsets;
    program_.arena_bytes = (arena.size + kVectorAlignment - 1) / kVectorAlignment * kVectorAlignment;
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

  // The constant's bytes, at an address that is aligned for its elements.
  const std::byte* constant(TensorId id) {
    const auto value = program_.resolution.host_values[id];
    const size_t width = std::max<size_t>(element_size(program_.resolution.infos[id].type), 1);
    if (reinterpret_cast<uintptr_t>(value.data()) % width == 0) return value.data();
    program_.aligned_constants.emplace_back(value.begin(), value.end());
    program_.resolution.host_values[id] = program_.aligned_constants.back();
    return program_.aligned_constants.back().data();
  }

  Step table_step(const ByteFunction& function) {
    Step step;
    step.node = function.nodes.back();
    step.kernel = make_byte_table_kernel(static_cast<size_t>(size_of(function.result)), function.table);
    step.inputs.push_back(place(function.source));
    step.outputs.push_back(place(function.result));
    for (const size_t n : function.nodes) {
      const PlanNode& node = plan_.nodes[n];
      if (n == step.node) continue;  // profile_of() names it, and what rewrites merged into it
      step.merged_operations.push_back(node.source_operation);
      std::ranges::copy(node.fused_operations, std::back_inserter(step.merged_operations));
    }
    return step;
  }

  Result<Step> step(size_t n, std::vector<PackedConstants>* packed) {
    const PlanNode& node = plan_.nodes[n];
    const auto checked = CheckedNode::check(plan_, node, program_.resolution);
    if (!checked) return fail(checked.error().at(plan_.place_of(node)));
    Step step;
    step.node = n;
    for (const TensorId id : node.inputs) step.inputs.push_back(place(id));
    for (const TensorId id : node.outputs) step.outputs.push_back(place(id));
    if (node.residual != kNoTensor) step.residual = place(node.residual);
    if (packed != nullptr) {
      step.kernel = make_optimized_kernel({node, checked->operation(), has_same_constants(node) ? &(*packed)[n] : nullptr});
    }
    return step;
  }

  // Whether the node's inputs that are constants in this program are constants in every program of the plan.
  bool has_same_constants(const PlanNode& node) const {
    return std::ranges::all_of(node.inputs, [&](TensorId id) { return !is_known(id) || plan_.is_constant(id); });
  }

  Program& program_;
  const Plan& plan_;
  std::vector<TensorLifetime> lifetimes_;  // per tensor; of temporaries that own their bytes
  std::vector<bool> is_used_;
  std::vector<size_t> running_;
  std::vector<ByteFunction> functions_;
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
