// Random plans for tests of rewrites. Every tensor holds small whole numbers, so that every order of sums gives the same floats.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/plan_fixture.h"

namespace nnvk::test {

// About `operations` operations over images of shape {2, 2, 2, 2}: convolutions in both layouts, with padding, sums, activations
// and reshapes around them. Filters and biases are constants, inputs of the plan, or results of other operations.
class RandomPlan {
 public:
  RandomPlan(uint32_t seed, size_t operations);

  std::shared_ptr<const Plan> plan() const { return fixture_.plan(); }
  // One per input of the plan.
  const std::vector<std::vector<float>>& input_values() const { return input_values_; }

 private:
  struct Tensor {
    TensorId id;
    double bound;  // no element is larger
  };

  uint32_t pick(uint32_t most) { return std::uniform_int_distribution<uint32_t>(0, most)(random_); }
  bool toss() { return pick(1) == 1; }
  std::vector<float> small_numbers(size_t count);
  Tensor leaf(const Shape& shape);
  Tensor any_image();
  Tensor bias();
  Tensor result(OperationCode code, std::vector<TensorId> inputs, double bound, const Shape& shape);
  void add_operation();
  void add_convolution();
  Tensor padded_convolution(const Tensor& image, const Tensor& filter);
  Tensor dilated_convolution(const Tensor& image, const Tensor& filter);

  PlanFixture fixture_;
  std::mt19937 random_;
  std::vector<Tensor> images_;
  std::vector<std::vector<float>> input_values_;
  size_t operations_left_;
};

}  // namespace nnvk::test
