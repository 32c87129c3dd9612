// What tests of executions start from.
#pragma once

#include "tests/api/api_objects.h"

namespace nnvk::test {

// z = x + y of two floats on one device, bound on demand.
class ExecutionTest : public ::testing::Test {
 protected:
  ExecutionTest() : model_(make_add({2})), compilation_(finished(compile_for_one(model_.get()))) {}

  ExecutionPointer fresh() const { return make_execution(compilation_.get()); }
  ExecutionPointer bound() { return bound(compilation_); }
  ExecutionPointer bound(const CompilationPointer& compilation) {
    ExecutionPointer execution = make_execution(compilation.get());
    for (int32_t i = 0; i < 2; ++i) {
      EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), i, nullptr, in_.data(), sizeof in_), ANEURALNETWORKS_NO_ERROR);
    }
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, out_.data(), sizeof out_),
              ANEURALNETWORKS_NO_ERROR);
    return execution;
  }
  ExecutionPointer computed(bool reusable = false) {
    ExecutionPointer execution = bound();
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), reusable), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_NO_ERROR);
    return execution;
  }

  // Input 0 from the memory.
  ExecutionPointer bound_to(const MemoryPointer& memory) {
    ExecutionPointer execution = fresh();
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 8),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, in_.data(), 8), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, out_.data(), 8), ANEURALNETWORKS_NO_ERROR);
    return execution;
  }

  ModelBuilder model_;
  CompilationPointer compilation_;
  std::array<float, 2> in_{1.0F, 2.0F};
  std::array<float, 2> out_{};
};

}  // namespace nnvk::test
