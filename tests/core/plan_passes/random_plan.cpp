// Grows a plan operation by operation.
#include "tests/core/plan_passes/random_plan.h"

#include <algorithm>

namespace nnvk::test {
namespace {

using enum OperationCode;
constexpr auto kFloat = OperandType::kTensorFloat32;
const Shape kImage{2, 2, 2, 2};
const Shape kBias{2};
// Limit of all elements: within it floats represent every whole number, including partial sums.
constexpr double kMostExact = 1 << 22;
constexpr int32_t kSame = 1;
constexpr int32_t kValid = 2;

}  // namespace

RandomPlan::RandomPlan(uint32_t seed, size_t operations) : random_(seed), operations_left_(operations) {
  images_.push_back(leaf(kImage));
  while (operations_left_ > 0) add_operation();
  // The plan's outputs are the results that no node reads, and two more.
  const std::shared_ptr<const Plan> plan = fixture_.plan();
  std::vector<TensorId> results;
  for (const PlanNode& node : plan->nodes) results.push_back(node.outputs[0]);
  Plan& raw = fixture_.raw();
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_last = i + 1 == results.size();
    if (!is_last && pick(5) > 0) continue;
    PlanTensor& tensor = raw.tensors[results[i]];
    tensor.role = TensorRole::kOutput;
    tensor.io_index = static_cast<uint32_t>(raw.outputs.size());
    raw.outputs.push_back(results[i]);
  }
}

std::vector<float> RandomPlan::small_numbers(size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(pick(4)) - 2.0F;
  return values;
}

// A constant or an input of the plan.
RandomPlan::Tensor RandomPlan::leaf(const Shape& shape) {
  std::vector<float> values = small_numbers(shape.element_count());
  if (!images_.empty() && toss()) return {fixture_.constant<float>(shape, kFloat, values), 2};
  input_values_.push_back(std::move(values));
  return {fixture_.input(shape), 2};
}

RandomPlan::Tensor RandomPlan::any_image() {
  if (pick(4) == 0) images_.push_back(leaf(kImage));
  return images_[pick(static_cast<uint32_t>(images_.size() - 1))];
}

RandomPlan::Tensor RandomPlan::bias() {
  const Tensor given = leaf(kBias);
  return pick(3) > 0 ? given : result(kRelu, {given.id}, given.bound, kBias);
}

RandomPlan::Tensor RandomPlan::result(OperationCode code, std::vector<TensorId> inputs, double bound, const Shape& shape) {
  const TensorId id = fixture_.temporary(shape);
  fixture_.node(code, std::move(inputs), {id});
  operations_left_ -= std::min<size_t>(operations_left_, 1);
  if (shape == kImage) images_.push_back({id, bound});
  return {id, bound};
}

// PAD of height and width, then a convolution that takes the padding away again.
RandomPlan::Tensor RandomPlan::padded_convolution(const Tensor& image, const Tensor& filter) {
  const TensorId amounts = fixture_.constant<int32_t>({4, 2}, OperandType::kTensorInt32, {0, 0, 1, 0, 0, 1, 0, 0});
  const Tensor padded = result(kPad, {image.id, amounts}, image.bound, {2, 3, 3, 2});
  const Tensor added = bias();
  std::vector<TensorId> inputs = {padded.id, filter.id, added.id, fixture_.scalar(kValid)};
  for (const int32_t value : {1, 1, 0}) inputs.push_back(fixture_.scalar(value));
  return result(kConv2d, std::move(inputs), 8 * image.bound * filter.bound + added.bound, kImage);
}

// A convolution whose dilation leaves one tap per padded axis that reads only padding.
RandomPlan::Tensor RandomPlan::dilated_convolution(const Tensor& image, const Tensor& filter) {
  const Tensor added = bias();
  std::vector<TensorId> inputs = {image.id, filter.id, added.id};
  for (const int32_t value : {2, 0, 0, 2, 1, 1, 0}) inputs.push_back(fixture_.scalar(value));  // padding, strides, activation
  inputs.push_back(fixture_.flag(toss()));
  for (const int32_t dilation : {2, 2}) inputs.push_back(fixture_.scalar(dilation));
  return result(kConv2d, std::move(inputs), 8 * image.bound * filter.bound + added.bound, kImage);
}

void RandomPlan::add_convolution() {
  const Tensor image = any_image();
  const Tensor filter = any_image();
  if (8 * image.bound * filter.bound + 2 > kMostExact) return;
  Tensor sum{};
  const uint32_t kind = pick(5);
  if (kind == 0) {
    sum = padded_convolution(image, filter);
  } else if (kind == 1) {
    sum = dilated_convolution(image, filter);
  } else {
    const Tensor added = bias();
    std::vector<TensorId> inputs = {image.id,           filter.id,         added.id, fixture_.scalar(kSame),
                                    fixture_.scalar(1), fixture_.scalar(1)};
    const bool is_grouped = pick(3) == 0;
    if (is_grouped) inputs.push_back(fixture_.scalar(1));
    inputs.push_back(fixture_.scalar(pick(3) == 0 ? 3 : 0));
    inputs.push_back(fixture_.flag(pick(2) > 0));  // channels first more often than last
    sum = result(is_grouped ? kGroupedConv2d : kConv2d, std::move(inputs), 8 * image.bound * filter.bound + added.bound, kImage);
  }
  if (toss()) {
    const Tensor other = any_image();
    sum = result(kAdd, {sum.id, other.id, fixture_.scalar(0)}, sum.bound + other.bound, kImage);
  }
  if (pick(3) > 0) result(toss() ? kRelu6 : kRelu1, {sum.id}, 6, kImage);
}

void RandomPlan::add_operation() {
  const Tensor image = any_image();
  const TensorId target = fixture_.constant<int32_t>({4}, OperandType::kTensorInt32, {2, 2, 2, 2});
  switch (pick(7)) {
    case 0:
      result(kReshape, {image.id, target}, image.bound, kImage);
      return;
    case 1:
      result(kTranspose, {image.id, fixture_.constant<int32_t>({4}, OperandType::kTensorInt32, {0, 3, 1, 2})}, image.bound,
             kImage);
      return;
    case 2:
      result(kChannelShuffle, {image.id, fixture_.scalar(2), fixture_.scalar(static_cast<int32_t>(pick(3)))}, image.bound,
             kImage);
      return;
    case 3: {
      const Tensor other = any_image();
      if (image.bound + other.bound > kMostExact) return;
      result(kSub, {image.id, other.id, fixture_.scalar(0)}, image.bound + other.bound, kImage);
      return;
    }
    default:
      add_convolution();
  }
}

}  // namespace nnvk::test
