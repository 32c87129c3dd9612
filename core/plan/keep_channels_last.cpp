// Runs NCHW networks in NHWC, because kernels read neighbouring channels together.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/operations/operation_enumerators.h"
#include "core/operations/parameters/data_movement_parameters.h"
#include "core/operations/rules/image_layout.h"
#include "core/plan/added_tensors.h"
#include "core/plan/plan_uses.h"
#include "core/plan/rewrites.h"

namespace nnvk {
namespace {

constexpr std::array<int32_t, 4> kToChannelsLast = {0, 2, 3, 1};
constexpr std::array<int32_t, 4> kToChannelsFirst = {0, 3, 1, 2};

// Rewrites a plan to NHWC: visits the nodes in order. Each tensor may exist as declared, in NHWC (its "twin"), or in both forms.
class ChannelsLast {
 public:
  explicit ChannelsLast(const Plan& plan)
      : plan_(plan),
        rewritten_(plan),
        twins_(plan.tensors.size(), kNoTensor),
        replacements_(plan.tensors.size(), kNoTensor),
        is_written_(plan.tensors.size(), true) {
    rewritten_.nodes.clear();
  }

  PlanPointer rewrite(const PlanPointer& plan) {
    bool changed = false;
    for (const PlanNode& original : plan_.nodes) {
      const PlanNode node = with_replacements(original);
      if (is_replaced(node)) {
        changed = true;
        continue;
      }
      if (gives_twin(node)) continue;
      const auto use = node.is_view ? std::nullopt : layout_use(declared_view(rewritten_, node).view());
      if (use && pays(node, *use)) {
        convert(node, *use);
        changed = true;
      } else {
        keep(node);
      }
    }
    if (!changed) return plan;
    for (size_t t = 0; t < plan_.tensors.size(); ++t) {
      if (!is_written_[t] || replacements_[t] != kNoTensor) rewritten_.tensors[t].role = TensorRole::kOmitted;
    }
    return std::make_shared<const Plan>(std::move(rewritten_));
  }

 private:
  bool has_twin(TensorId id) const { return id < twins_.size() && twins_[id] != kNoTensor; }

  // Returns the node with replaced inputs. A transposition to NHWC of a tensor that has a twin would compute that twin once more,
  // so its readers read the twin instead.
  PlanNode with_replacements(PlanNode node) const {
    const auto replace = [&](TensorId& id) {
      if (id != kNoTensor && replacements_[id] != kNoTensor) id = replacements_[id];
    };
    std::ranges::for_each(node.inputs, replace);
    replace(node.residual);
    return node;
  }

  // Drops a transposition to NHWC of a tensor that has a twin. Returns whether it did.
  bool is_replaced(const PlanNode& node) {
    if (!is_transposition(node, kToChannelsLast) || !has_twin(node.inputs[kFirstInput])) return false;
    const TensorId twin = twins_[node.inputs[kFirstInput]];
    if (!is_same(rewritten_.tensors[twin].info, plan_.tensors[node.outputs[kFirstOutput]].info)) return false;
    replacements_[node.outputs[kFirstOutput]] = twin;
    return true;
  }

  // Drops a transposition to NCHW until a node reads its result in NCHW: its input is the twin. Returns whether it did.
  bool gives_twin(const PlanNode& node) {
    if (!is_transposition(node, kToChannelsFirst)) return false;
    const TensorId result = node.outputs[kFirstOutput];
    OperandInfo twin = plan_.tensors[result].info;
    if (twin.shape.rank() != kToChannelsFirst.size()) return false;
    twin.shape = channels_last_shape(twin.shape);
    if (!is_same(rewritten_.tensors[node.inputs[kFirstInput]].info, twin)) return false;
    twins_[result] = node.inputs[kFirstInput];
    is_written_[result] = false;
    return true;
  }

  static bool is_same(const OperandInfo& a, const OperandInfo& b) { return a.shape == b.shape && same_encoding(a, b); }

  // Returns whether the node only transposes a tensor of the plan that no view shares and that is no output.
  bool is_transposition(const PlanNode& node, const std::array<int32_t, 4>& permutation) const {
    if (node.code != OperationCode::kTranspose || node.is_view) return false;
    const TensorId result = node.outputs[kFirstOutput];
    const auto is_view = [&](const PlanTensor& tensor) { return tensor.view_of == result; };
    if (plan_.tensors[result].role != TensorRole::kTemporary || std::ranges::any_of(plan_.tensors, is_view)) return false;
    const auto values = declared_view(rewritten_, node).view().values<int32_t>(transpose::kPermutation);
    return values && std::ranges::equal(*values, permutation);
  }

  // Returns true if it pays to convert the node: if its images have NHWC twins, the conversion needs no more transpositions than
  // leaving the node in NCHW.
  bool pays(const PlanNode& node, const LayoutUse& use) const {
    if (use.gains) return true;
    const auto is_converted = [&](size_t i) { return has_twin(node.inputs[i]); };
    return use.joins ? std::ranges::all_of(use.images, is_converted) : std::ranges::any_of(use.images, is_converted);
  }

  void keep(const PlanNode& node) {
    for (const TensorId id : node.inputs) write_as_declared(id, node);
    if (node.residual != kNoTensor) write_as_declared(node.residual, node);
    rewritten_.nodes.push_back(node);
  }

  void convert(const PlanNode& node, const LayoutUse& use) {
    PlanNode converted = node;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (std::ranges::find(use.images, i) != use.images.end()) {
        converted.inputs[i] = twin_of(node.inputs[i], node);
      } else {
        write_as_declared(node.inputs[i], node);  // for example a filter that a converted node has computed
      }
    }
    if (node.residual != kNoTensor) converted.residual = twin_of(node.residual, node);
    if (use.flag) converted.inputs[*use.flag] = false_flag();
    if (use.sizes) converted.inputs[*use.sizes] = channels_last_sizes(node.inputs[*use.sizes]);
    if (use.axes) converted.inputs[*use.axes] = channels_last_axes(node.inputs[*use.axes]);
    if (!use.gives_image) {
      rewritten_.nodes.push_back(std::move(converted));
      return;
    }
    const TensorId output = node.outputs[kFirstOutput];
    twins_[output] = add_twin(output);
    is_written_[output] = false;
    converted.outputs = {twins_[output]};
    rewritten_.nodes.push_back(std::move(converted));
    if (plan_.tensors[output].role == TensorRole::kOutput) write_as_declared(output, node);
  }

  TensorId add_twin(TensorId id) {
    OperandInfo info = rewritten_.tensors[id].info;
    info.shape = channels_last_shape(info.shape);
    return add_tensor(rewritten_, std::move(info));
  }

  // Returns the NHWC form of the tensor for the node `reader`, which reads it next.
  TensorId twin_of(TensorId id, const PlanNode& reader) {
    if (has_twin(id)) {
      write_as_declared(twins_[id], reader);  // the twin may be another tensor of the plan, with a twin of its own
      return twins_[id];
    }
    const PlanTensor& tensor = rewritten_.tensors[id];
    if (tensor.role == TensorRole::kConstant && tensor.info.shape.fully_known() &&
        tensor.info.byte_size() == tensor.value.size()) {
      OperandInfo info = tensor.info;
      info.shape = channels_last_shape(info.shape);
      std::vector<std::byte> bytes =
          in_order({tensor.value, element_size(info.type), info.shape.dims, {kToChannelsLast.begin(), kToChannelsLast.end()}});
      twins_[id] = add_constant(rewritten_, std::move(info), std::move(bytes));
      return twins_[id];
    }
    const TensorId twin = add_twin(id);
    add_transposition(id, twin, kToChannelsLast, reader);
    if (id < twins_.size()) twins_[id] = twin;
    return twin;
  }

  void write_as_declared(TensorId id, const PlanNode& reader) {
    if (id >= is_written_.size() || is_written_[id]) return;
    is_written_[id] = true;
    write_as_declared(twins_[id], reader);
    add_transposition(twins_[id], id, kToChannelsFirst, reader);
  }

  // Returns the constant `id`, which holds the four sizes of an NCHW image, in NHWC order.
  TensorId channels_last_sizes(TensorId id) {
    std::array<int32_t, 4> sizes{};
    std::memcpy(sizes.data(), plan_.tensors[id].value.data(), sizeof sizes);
    return add_int_constant(rewritten_, {4}, std::array{sizes[0], sizes[2], sizes[3], sizes[1]});
  }

  // Returns the constant `id`, which holds indexes of dimensions in NCHW, with their indexes in NHWC.
  TensorId channels_last_axes(TensorId id) {
    const PlanTensor& tensor = plan_.tensors[id];
    std::vector<int32_t> axes(tensor.value.size() / sizeof(int32_t));
    std::memcpy(axes.data(), tensor.value.data(), axes.size() * sizeof(int32_t));
    for (int32_t& axis : axes) axis = channels_last_axis(axis);
    return add_int_constant(rewritten_, tensor.info.shape, axes);
  }

  // Adds a TRANSPOSE, whose errors name the operation of `node`.
  void add_transposition(TensorId from, TensorId to, const std::array<int32_t, 4>& permutation, const PlanNode& node) {
    const TensorId order = add_int_constant(rewritten_, {4}, permutation);
    add_node(rewritten_, OperationCode::kTranspose, {from, order}, {to}, node.source_operation);
  }

  TensorId false_flag() {
    if (false_flag_ == kNoTensor) {
      false_flag_ = add_constant(rewritten_, operand_info(OperandType::kBool, {}), {std::byte{0}});
    }
    return false_flag_;
  }

  const Plan& plan_;
  Plan rewritten_;
  // Per tensor of plan_:
  std::vector<TensorId> twins_;         // kNoTensor: not there in NHWC
  std::vector<TensorId> replacements_;  // what nodes read instead of it; kNoTensor: itself
  std::vector<bool> is_written_;        // whether it exists in the declared layout
  TensorId false_flag_ = kNoTensor;
};

}  // namespace

PlanPointer keep_channels_last(const PlanPointer& plan) { return ChannelsLast(*plan).rewrite(plan); }

}  // namespace nnvk
