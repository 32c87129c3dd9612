// The fixture for tests of executions.
#pragma once

#include "tests/api/api_objects.h"

namespace nnvk::test {

// z = x + y of two floats on one device, bound on demand.
class ExecutionTest : public ::testing::Test {
 protected:
  ExecutionPointer fresh() const { return make_execution(compilation_.get()); }
  ExecutionPointer bound() { return bound(compilation_); }
  ExecutionPointer bound(const CompilationPointer& compilation) { return make_execution(compilation, {in_, in_}, {out_}); }
  ExecutionPointer computed(bool reusable = false) {
    ExecutionPointer execution = bound();
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), reusable), kOk);
    EXPECT_EQ(compute(execution), kOk);
    return execution;
  }

  // Input 0 from the memory.
  ExecutionPointer bound_to(const MemoryPointer& memory) { return make_execution(compilation_, {{memory, 0, 8}, in_}, {out_}); }

  ModelBuilder model_ = make_add({2});
  CompilationPointer compilation_ = finished(compile_for_one(model_.get()));
  std::array<float, 2> in_{1.0F, 2.0F};
  std::array<float, 2> out_{};
};

}  // namespace nnvk::test
