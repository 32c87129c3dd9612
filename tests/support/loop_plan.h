// A hand-made WHILE loop, for tests of code that runs loops.
#pragma once

#include <utility>

#include "core/plan/rewrites.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::test {

// x -> x + x, of one float.
inline PlanPointer doubling() {
  PlanFixture body;
  const TensorId x = body.input({1});
  body.node(OperationCode::kAdd, {x, x, body.scalar(0)}, {body.output({1})});
  return body.plan();
}

// while (x < 100) x = body(x), of one float.
inline PlanPointer loop_below_100(PlanPointer body) {
  PlanFixture condition;
  const TensorId value = condition.input({1});
  condition.node(OperationCode::kLess, {value, condition.constant<float>({1}, OperandType::kTensorFloat32, {100.0F})},
                 {condition.output({1}, OperandType::kTensorBool8)});
  PlanFixture loop;
  const TensorId x = loop.input({1});
  loop.node(OperationCode::kWhile, {loop.model(condition.plan()), loop.model(std::move(body)), x}, {loop.output({1})});
  return loop.plan();
}

}  // namespace nnvk::test
