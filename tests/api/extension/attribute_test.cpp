// Attributes of compilations and executions on their way to the device.
#include "tests/api/extension/extension_objects.h"

namespace nnvk::test {
namespace {

int add(const CompilationPointer& to, uint16_t code, float value, const char* extension = kTestExtension) {
  return ANeuralNetworksCompilation_addExtensionAttribute(to.get(), extension, code, &value, sizeof value);
}
int add(const ExecutionPointer& to, uint16_t code, float value, const char* extension = kTestExtension) {
  return ANeuralNetworksExecution_addExtensionAttribute(to.get(), extension, code, &value, sizeof value);
}

class Attributes : public ::testing::Test {
 protected:
  CompilationPointer fresh() const { return compile_for(model_.get(), extension_device()); }
  ExecutionPointer bound(const CompilationPointer& compilation) { return make_execution(compilation, {x_}, {y_}); }

  ModelBuilder model_ = make_to_float(0);
  std::array<int16_t, 2> x_{1, -2};
  std::array<float, 2> y_{};
};

TEST_F(Attributes, OfACompilationAndOfItsExecutionsReachTheDevice) {
  const CompilationPointer compilation = fresh();
  EXPECT_EQ(add(compilation, kGain, 10), kOk);
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(bound(compilation).get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{10, -20}));
  const ExecutionPointer moved = bound(compilation);
  EXPECT_EQ(add(moved, kOffset, 0.5F), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(moved.get(), true), kOk);
  for (int i = 0; i < 2; ++i) {
    y_ = {};
    EXPECT_EQ(ANeuralNetworksExecution_compute(moved.get()), kOk);
    EXPECT_EQ(y_, (std::array<float, 2>{10.5F, -19.5F}));
  }
  EXPECT_EQ(wait(start_fenced(moved)), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(bound(compilation).get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{10, -20})) << "attributes belong to their execution alone";
}

TEST_F(Attributes, AreCopiedByTheCall) {
  const CompilationPointer compilation = fresh();
  std::string name = kTestExtension;
  float gain = 3;
  EXPECT_EQ(ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), name.c_str(), kGain, &gain, sizeof gain), kOk);
  name.assign(name.size(), 'x');
  gain = 4;
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(bound(compilation).get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{3, -6}));
}

TEST_F(Attributes, OfOtherExtensionsAreNotTheDevicesBusiness) {
  const CompilationPointer compilation = fresh();
  EXPECT_EQ(add(compilation, kGain, 7, "com.example.other"), kOk);
  EXPECT_EQ(add(compilation, kGain, 2), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_addExtensionAttribute(compilation.get(), "com.example.other", 2, nullptr, 0), kOk);
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  const ExecutionPointer e = bound(compilation);
  EXPECT_EQ(add(e, kOffset, 100, "com.example.other"), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{2, -4}));
}

TEST_F(Attributes, ThatTheDeviceRefusesFailWhatTheyBelongTo) {
  const CompilationPointer unknown = fresh();
  EXPECT_EQ(add(unknown, kOffset, 1), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(unknown.get()), kBadData);
  const CompilationPointer empty = fresh();
  EXPECT_EQ(ANeuralNetworksCompilation_addExtensionAttribute(empty.get(), kTestExtension, kGain, nullptr, 0), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(empty.get()), kBadData);
  const CompilationPointer good = finished(fresh());
  const ExecutionPointer e = bound(good);
  EXPECT_EQ(add(e, kGain, 1), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kBadData);
}

TEST_F(Attributes, AreIgnoredByTheCpuDevice) {
  const ModelBuilder sum = make_add({2});
  const CompilationPointer compilation = compile_for_cpu(sum.get());
  EXPECT_EQ(add(compilation, kGain, 2), kOk);
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  const std::array<float, 2> x{1, 2};
  const ExecutionPointer e = make_execution(compilation, {x, x}, {y_});
  EXPECT_EQ(add(e, kOffset, 2), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{2, 4}));
}

TEST_F(Attributes, ReachTheDeviceInTheBranchesOfAModelToo) {
  ModelBuilder outer;
  const uint32_t condition = outer.operand(ANEURALNETWORKS_TENSOR_BOOL8, {1});
  const uint32_t branch = outer.reference(model_);
  const uint32_t x = fixed16_operand(outer, {2}, 0);
  const uint32_t y = outer.operand(kFloat, {2});
  EXPECT_EQ(outer.operation(ANEURALNETWORKS_IF, {condition, branch, branch, x}, {y}), kOk);
  outer.finish({condition, x}, {y});
  const CompilationPointer compilation = compile_for(outer.get(), extension_device());
  EXPECT_EQ(add(compilation, kGain, 2), kOk);
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  const uint8_t yes = 1;
  const ExecutionPointer e = make_execution(compilation, {yes, x_}, {y_});
  EXPECT_EQ(add(e, kOffset, 1), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(e.get()), kOk);
  EXPECT_EQ(y_, (std::array<float, 2>{3, -3}));
}

}  // namespace
}  // namespace nnvk::test
