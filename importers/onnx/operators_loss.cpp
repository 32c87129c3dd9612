// Losses: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "importers/onnx/arithmetic.h"
#include "importers/onnx/movement.h"
#include "importers/onnx/operator_call.h"

namespace nnvk::importers::onnx {
namespace {

constexpr std::array<int64_t, 1> kClasses{1};  // the dimension of the scores' classes

// Emits the score of each target: the classes compared with the target leave one, which a sum picks.
Result<Tensor> picked_scores(Emitter& emitter, const Tensor& scores, const Tensor& targets) {
  std::vector<int64_t> numbers(static_cast<size_t>(scores.dimensions[1]));
  std::iota(numbers.begin(), numbers.end(), 0);
  Dimensions shape(scores.rank() - 1, 1);
  shape[0] = scores.dimensions[1];
  TOOLS_ASSIGN(const Tensor column, unsqueeze(emitter, targets, kClasses));
  const Tensor classes = Emitter::constant(integer_constant(ElementType::kInt64, std::move(shape), numbers));
  TOOLS_ASSIGN(const Tensor hit, compare(emitter, ANEURALNETWORKS_EQUAL, column, classes));
  TOOLS_ASSIGN(const Tensor alone, select(emitter, hit, scores, Emitter::number(0, scores)));
  return reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, alone, kClasses, false);
}

// Emits the weight of each target: that of its class, 0 if it is to be ignored. Returns nothing if all have 1.
Result<std::optional<Tensor>> target_weights(OperatorCall& call, const Tensor& scores, const Tensor& targets) {
  Emitter& emitter = call.emitter();
  std::optional<Tensor> weights;
  if (call.has(2)) {
    TOOLS_ASSIGN(const Tensor by_class, call.input(2));
    if (by_class.dimensions != Dimensions{scores.dimensions[1]}) {
      return fail("it needs a weight for each class of the scores " + describe(scores) + ", but its weights are " +
                  describe(by_class));
    }
    // Targets to be ignored may be no classes.
    TOOLS_ASSIGN(const Tensor low, binary(emitter, ANEURALNETWORKS_MAXIMUM, targets, 0));
    TOOLS_ASSIGN(const Tensor inside,
                 binary(emitter, ANEURALNETWORKS_MINIMUM, low, static_cast<double>(scores.dimensions[1] - 1)));
    TOOLS_ASSIGN(weights, gather(emitter, by_class, 0, inside));
  }
  if (!call.attribute("ignore_index")) return weights;
  TOOLS_ASSIGN(const int64_t ignored, call.integer("ignore_index", 0));
  TOOLS_ASSIGN(const Tensor counts, compare(emitter, ANEURALNETWORKS_NOT_EQUAL, targets, static_cast<double>(ignored)));
  const Tensor weight = weights ? *weights : Emitter::number(1, scores);
  TOOLS_ASSIGN(weights, select(emitter, counts, weight, Emitter::number(0, scores)));
  return weights;
}

Result<Tensor> loss_of(OperatorCall& call, const Tensor& scores) {
  Emitter& emitter = call.emitter();
  TOOLS_ASSIGN(const auto reduction, call.text("reduction", "mean"));
  TOOLS_ASSIGN(const Tensor targets, call.input(1));
  if (!targets.is_int() || targets.rank() + 1 != scores.rank() || !scores.is_float()) {
    return fail("it needs real scores, and integer targets with one dimension less, but has " + describe(scores) + " and " +
                describe(targets));
  }
  TOOLS_ASSIGN(const Tensor picked, picked_scores(emitter, scores, targets));
  TOOLS_ASSIGN(Tensor loss, unary(emitter, ANEURALNETWORKS_NEG, picked));
  TOOLS_ASSIGN(const auto weights, target_weights(call, scores, targets));
  if (weights) {
    TOOLS_ASSIGN(loss, binary(emitter, ANEURALNETWORKS_MUL, loss, *weights));
  }
  if (reduction == "none") return loss;
  if (reduction != "mean" && reduction != "sum") return fail("the reduction '" + reduction + "' is unknown");
  std::vector<int64_t> axes(loss.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (reduction == "mean" && !weights) return reduce(emitter, ANEURALNETWORKS_MEAN, loss, axes, false);
  TOOLS_ASSIGN(const Tensor sum, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, loss, axes, false));
  if (reduction == "sum") return sum;
  TOOLS_ASSIGN(const Tensor total, reduce(emitter, ANEURALNETWORKS_REDUCE_SUM, *weights, axes, false));
  return binary(emitter, ANEURALNETWORKS_DIV, sum, total);
}

Result<Tensor> checked_scores(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor scores, call.input(0));
  TOOLS_TRY(OperatorCall::expect_fixed(scores, "it"));
  if (scores.rank() < 2 || scores.rank() > 4)
    return fail(
        fmt::format("NNAPI reduces at most 4 dimensions, but the scores {} have rank {}", describe(scores), scores.rank()));
  return scores;
}

Result<Tensors> add_negative_log_likelihood(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor scores, checked_scores(call));
  return one(loss_of(call, scores));
}

Result<Tensors> add_softmax_cross_entropy(OperatorCall& call) {
  TOOLS_ASSIGN(const Tensor scores, checked_scores(call));
  TOOLS_ASSIGN(const Tensor logarithms, softmax(call.emitter(), ANEURALNETWORKS_LOG_SOFTMAX, scores, 1));
  TOOLS_ASSIGN(const Tensor loss, loss_of(call, logarithms));
  return Tensors{loss, logarithms};
}

constexpr OperatorRow kRows[] = {
    {"", "NegativeLogLikelihoodLoss", add_negative_log_likelihood, 12},
    {"", "SoftmaxCrossEntropyLoss", add_softmax_cross_entropy, 12},
};

}  // namespace

std::span<const OperatorRow> loss_operators() { return kRows; }

}  // namespace nnvk::importers::onnx
