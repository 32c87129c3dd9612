#include "cpu_fallback/element_groups.h"

#include <algorithm>

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

std::vector<TensorId> inputs_of(Members members) {
  std::vector<TensorId> inputs;
  for (const Member& member : members) {
    for (const TensorId id : member.inputs) {
      if (!is_result(members, id) && !is_among(inputs, id)) inputs.push_back(id);
    }
  }
  return inputs;
}

// The most results that must be held at the same time, outputs not counted.
size_t most_held_results(Members members) {
  size_t most = 0;
  for (size_t m = 0; m < members.size(); ++m) {
    const auto is_read = [&](TensorId result) {
      return std::ranges::any_of(members.subspan(m), [&](const Member& reader) { return is_among(reader.inputs, result); });
    };
    const auto is_held = [&](const Member& member) {
      return !member.is_output && (&member == &members[m] || is_read(member.result));
    };
    most = std::max(most, static_cast<size_t>(std::ranges::count_if(members.first(m + 1), is_held)));
  }
  return most;
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
      std::vector<TensorId> inputs = inputs_of(members);
      found.push_back({std::move(members), std::move(inputs)});
    }
    return found;
  }

 private:
  const Shape& shape(TensorId id) const { return resolution_.infos[id].shape; }

  // The longest group that begins with node i, perhaps of one member or none.
  std::vector<Member> members_at(size_t i) const {
    std::vector<Member> members;
    for (; i < nodes_.size(); ++i) {
      const auto member = member_of(nodes_[i]);
      if (!member || !continues(members, *member)) break;
      members.push_back(*member);
    }
    for (find_outputs(members); most_held_results(members) > kMostHeldResults; find_outputs(members)) members.pop_back();
    return members;
  }

  std::optional<Member> member_of(size_t n) const {
    const PlanNode& node = plan_.nodes[n];
    const size_t count = operands_of_(n);
    if (count == 0 || node.residual != kNoTensor) return std::nullopt;
    return Member{
        n, {node.inputs.begin(), node.inputs.begin() + static_cast<ptrdiff_t>(count)}, node.outputs[kFirstOutput], false};
  }

  bool continues(const std::vector<Member>& members, const Member& next) const {
    if (members.empty()) return true;
    if (shape(next.result) != shape(members.front().result)) return false;
    if (std::ranges::none_of(next.inputs, [&](TensorId id) { return is_result(members, id); })) return false;
    const auto is_view_of_result = [&](TensorId id) {
      return std::ranges::any_of(
          members, [&](const Member& m) { return m.result != id && plan_.storage_of(m.result) == plan_.storage_of(id); });
    };
    if (std::ranges::any_of(next.inputs, is_view_of_result)) return false;
    std::vector<Member> all = members;
    all.push_back(next);
    const auto is_array = [&](TensorId id) { return shape(id).element_count() > 1; };
    return static_cast<size_t>(std::ranges::count_if(inputs_of(all), is_array)) <= BroadcastBlocks::kMostOperands;
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
