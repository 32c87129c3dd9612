// Checks and infers one operation on operands made by hand.
#pragma once

#include <utility>
#include <vector>

#include "tests/support/plan_fixture.h"

namespace nnvk::test {

// A plan with one operation; operands are added through the fixture before run().
class SingleOperation : public PlanFixture {
 public:
  SingleOperation& takes(OperationCode code, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
    node(code, std::move(inputs), std::move(outputs));
    return *this;
  }
  // A scalar whose value is unknown to the host.
  TensorId unknown_scalar(OperandType type = OperandType::kInt32) { return input({}, type); }
  TensorId float_scalar(float value) { return constant<float>({}, OperandType::kFloat32, {value}); }
  // `count` constant INT32 scalars.
  std::vector<TensorId> scalars(const std::vector<int32_t>& values) {
    std::vector<TensorId> ids;
    for (const int32_t value : values) ids.push_back(scalar(value));
    return ids;
  }
  NodeView view() { return declared_view(raw(), raw().nodes.back()); }
  Result<std::vector<Shape>> infer() { return infer_output_shapes(view().view()); }
  // Upper bounds for sizes that infer() leaves to the data.
  Result<std::vector<Shape>> bound() {
    NNVK_ASSIGN(const std::vector<Shape> shapes, infer());
    return bound_output_shapes(view().view(), shapes);
  }
  // The result code of the check at addOperation; kNoError if it passes.
  Code check() {
    const NodeView node_view = view();
    const Result<int> level = check_operation(node_view.view());
    feature_level = level.value_or(0);
    return level ? Code::kNoError : level.error().code;
  }
  // The result of a parameter decoder for the operation.
  template <class Decoder>
  auto decode(Decoder&& decoder) {
    const NodeView node_view = view();
    return decoder(node_view.view());
  }
  // The code of infer(); kNoError when it passes.
  Code infer_code() {
    const auto shapes = infer();
    return shapes ? Code::kNoError : shapes.error().code;
  }
  int feature_level = 0;  // of the last check()
};

inline std::vector<TensorId> join(std::vector<TensorId> a, const std::vector<TensorId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace nnvk::test
