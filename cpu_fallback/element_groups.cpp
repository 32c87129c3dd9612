#include "cpu_fallback/element_groups.h"

#include <algorithm>
#include <array>

#include "cpu_fallback/optimized/arrays/broadcast_blocks.h"
#include "cpu_fallback/optimized/element_group.h"
#include "cpu_fallback/plan_readers.h"

namespace nnvk::cpu {
namespace {

using Member = ElementGroup::Member;
using Members = std::span<const Member>;

bool is_among(std::span<const TensorId> ids, TensorId id) { return std::ranges::find(ids, id) != ids.end(); }

bool is_result(Members members, TensorId id) {
  return std::ranges::any_of(members, [&](const Member& member) { return member.result == id; });
}

// Adds the tensors that `member` reads from outside the members to `inputs`, each once.
void add_inputs(Members members, const Member& member, std::vector<TensorId>& inputs) {
  for (const TensorId id : member.inputs) {
    if (!is_result(members, id) && !is_among(inputs, id)) inputs.push_back(id);
  }
}

// Finds a buffer for the result of every member that is no output; results that are needed at the same time have different ones.
// Returns false if kMostHeldResults buffers are not enough.
bool assign_buffers(std::span<Member> members) {
  std::vector<size_t> last_use(members.size());
  for (size_t m = 0; m < members.size(); ++m) {
    last_use[m] = m;
    for (size_t earlier = 0; earlier < m; ++earlier) {
      if (is_among(members[m].inputs, members[earlier].result)) last_use[earlier] = m;
    }
  }
  std::array<size_t, kMostHeldResults> free_after{};  // per buffer: the member after which it is free, counted from 1
  for (size_t m = 0; m < members.size(); ++m) {
    if (members[m].is_output) continue;
    // A member writes a buffer while it reads its operands, so it takes one that is free before it.
    const auto found = std::ranges::find_if(free_after, [&](size_t after) { return after <= m; });
    if (found == free_after.end()) return false;
    *found = last_use[m] + 1;
    members[m].buffer = static_cast<size_t>(found - free_after.begin());
  }
  return true;
}

class Search {
 public:
  Search(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes, const ElementOperands& operands_of)
      : plan_(plan), resolution_(resolution), nodes_(nodes), operands_of_(operands_of), readers_(plan, nodes) {}

  std::vector<ElementGroup> run() {
    std::vector<ElementGroup> found;
    for (size_t i = 0; i < nodes_.size();) {
      std::vector<Member> members = members_at(i);
      i += std::max<size_t>(members.size(), 1);
      if (members.size() < 2) continue;
      std::vector<TensorId> inputs;
      for (const Member& member : members) add_inputs(members, member, inputs);
      found.push_back({std::move(members), std::move(inputs)});
    }
    return found;
  }

 private:
  const Shape& shape(TensorId id) const { return resolution_.infos[id].shape; }

  // Returns the longest group that begins with node i, perhaps of one member or none.
  std::vector<Member> members_at(size_t i) const {
    std::vector<Member> members;
    std::vector<TensorId> inputs;
    for (; i < nodes_.size() && members.size() < kMostMembers; ++i) {
      const auto member = member_of(nodes_[i]);
      if (!member || !continues(members, inputs, *member)) break;
      members.push_back(*member);
    }
    for (find_outputs(members); !assign_buffers(members); find_outputs(members)) members.pop_back();
    return members;
  }

  std::optional<Member> member_of(size_t n) const {
    const PlanNode& node = plan_.nodes[n];
    const size_t count = operands_of_(n);
    if (count == 0 || node.residual != kNoTensor) return std::nullopt;
    return Member{n, {node.inputs.begin(), node.inputs.begin() + static_cast<ptrdiff_t>(count)}, node.outputs[kFirstOutput]};
  }

  // Returns whether the node may follow the members. If it may, adds the tensors that it reads from outside to `inputs`.
  bool continues(Members members, std::vector<TensorId>& inputs, const Member& next) const {
    if (!members.empty()) {
      if (shape(next.result) != shape(members.front().result)) return false;
      if (std::ranges::none_of(next.inputs, [&](TensorId id) { return is_result(members, id); })) return false;
    }
    const auto is_view_of_result = [&](TensorId id) {
      return std::ranges::any_of(
          members, [&](const Member& m) { return m.result != id && plan_.storage_of(m.result) == plan_.storage_of(id); });
    };
    if (std::ranges::any_of(next.inputs, is_view_of_result)) return false;
    std::vector<TensorId> all = inputs;
    add_inputs(members, next, all);
    const auto is_array = [&](TensorId id) { return shape(id).element_count() > 1; };
    if (static_cast<size_t>(std::ranges::count_if(all, is_array)) > BroadcastBlocks::kMostOperands) return false;
    inputs = std::move(all);
    return true;
  }

  void find_outputs(std::vector<Member>& members) const {
    std::vector<size_t> inside;
    for (const Member& member : members) inside.push_back(member.node);
    for (Member& member : members) member.is_output = !readers_.are_only(inside, member.result);
  }

  const Plan& plan_;
  const Resolution& resolution_;
  const std::span<const size_t> nodes_;
  const ElementOperands& operands_of_;
  const PlanReaders readers_;
};

}  // namespace

std::vector<ElementGroup> find_element_groups(const Plan& plan, const Resolution& resolution, std::span<const size_t> nodes,
                                              const ElementOperands& operands_of) {
  return Search(plan, resolution, nodes, operands_of).run();
}

}  // namespace nnvk::cpu
