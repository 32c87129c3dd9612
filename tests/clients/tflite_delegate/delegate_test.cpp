// The delegate on a context without TensorFlow Lite.
#include "clients/tflite_delegate/delegate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/clients/tflite_delegate/fake_context.h"

namespace nnvk::clients::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A delegate that takes what it can, unless the settings say otherwise: the graphs here are too small for predicted times.
std::unique_ptr<Delegate> delegate_with(std::vector<Setting> settings) {
  settings.emplace_back("device", "cpu");
  const auto chosen = [](const Setting& setting) { return setting.first == "min_nodes"; };
  if (std::ranges::none_of(settings, chosen)) settings.emplace_back("min_nodes", "1");
  auto delegate = Delegate::make(settings);
  EXPECT_TRUE(delegate) << delegate.error().message;
  return delegate ? *std::move(delegate) : nullptr;
}

// An operator of the runtime whose output has the shape of its input.
TfLiteStatus same_shape(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteIntArray* shape = context->tensors[node->inputs->data[0]].dims;
  return context->ResizeTensor(context, &context->tensors[node->outputs->data[0]],
                               int_array({shape->data, shape->data + shape->size}));
}

TEST(Delegate, CannotMeasure) {
  const auto delegate = Delegate::make(std::vector<Setting>{{"choice", "measured"}});
  ASSERT_FALSE(delegate);
  EXPECT_THAT(delegate.error().message, HasSubstr("'choice'"));
}

// c = (a + a) * a, d = UNIQUE(c).
class DelegateOnAGraph : public testing::Test {
 protected:
  DelegateOnAGraph() {
    a_ = context_.add_tensor(kTfLiteFloat32, {4}, "a");
    const int b = context_.add_tensor(kTfLiteFloat32, {4}, "b");
    c_ = context_.add_tensor(kTfLiteFloat32, {4}, "c");
    const int d = context_.add_tensor(kTfLiteFloat32, {4}, "d");
    for (const int node : {context_.add_node(kTfLiteBuiltinAdd, {a_, a_}, {b}, &params_),
                           context_.add_node(kTfLiteBuiltinMul, {b, a_}, {c_}, &params_)}) {
      context_.registration(node).prepare = same_shape;
    }
    context_.add_node(kTfLiteBuiltinUnique, {c_}, {d});
  }

  TfLiteStatus prepare_and_invoke() {
    TfLiteNode* const node = context_.kernels.at(0).get();
    if (context_.kernel_registration.prepare(context_.get(), node) != kTfLiteOk) return kTfLiteError;
    return context_.kernel_registration.invoke(context_.get(), node);
  }

  FakeContext context_;
  TfLiteAddParams params_{};
  int a_ = 0;
  int c_ = 0;
};

TEST_F(DelegateOnAGraph, TakesWhatItCanAndComputesIt) {
  const auto delegate = delegate_with({});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  EXPECT_THAT(context_.replaced, ElementsAre(ElementsAre(0, 1)));
  context_.set_floats(a_, {1, 2, 3, -4});
  ASSERT_EQ(prepare_and_invoke(), kTfLiteOk) << testing::PrintToString(context_.errors);
  EXPECT_THAT(context_.floats(c_), ElementsAre(2, 8, 18, 32));
}

TEST_F(DelegateOnAGraph, ComputesOtherSizesAfterResizing) {
  const auto delegate = delegate_with({});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  for (const int size : {4, 2, 6, 4}) {
    context_.resize(a_, {size});
    context_.set_floats(a_, std::vector<float>(static_cast<size_t>(size), 3));
    ASSERT_EQ(prepare_and_invoke(), kTfLiteOk) << testing::PrintToString(context_.errors);
    EXPECT_EQ(context_.floats(c_), std::vector<float>(static_cast<size_t>(size), 18));
  }
}

TEST_F(DelegateOnAGraph, AcceptsInputsThatGotAnotherSizeBefore) {
  context_.resize(a_, {3});
  const auto delegate = delegate_with({});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  EXPECT_THAT(context_.replaced, ElementsAre(ElementsAre(0, 1)));
  context_.set_floats(a_, {1, 2, 3});
  ASSERT_EQ(prepare_and_invoke(), kTfLiteOk) << testing::PrintToString(context_.errors);
  EXPECT_THAT(context_.floats(c_), ElementsAre(2, 8, 18));
}

TEST_F(DelegateOnAGraph, TrustsTheFileWhereTheRuntimeLacksAnOperator) {
  context_.registration(1).prepare = [](TfLiteContext*, TfLiteNode*) { return kTfLiteError; };
  const auto delegate = delegate_with({});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  context_.set_floats(a_, {1, 2, 3, 4});
  ASSERT_EQ(prepare_and_invoke(), kTfLiteOk) << testing::PrintToString(context_.errors);
  EXPECT_THAT(context_.floats(c_), ElementsAre(2, 8, 18, 32));
}

TEST_F(DelegateOnAGraph, ReportsNodesThatTheRuntimeCannotResize) {
  context_.registration(1).prepare = [](TfLiteContext*, TfLiteNode*) { return kTfLiteError; };
  const auto delegate = delegate_with({});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  ASSERT_EQ(prepare_and_invoke(), kTfLiteOk) << testing::PrintToString(context_.errors);
  context_.resize(a_, {3});
  EXPECT_EQ(prepare_and_invoke(), kTfLiteError);
  ASSERT_FALSE(context_.errors.empty());
  EXPECT_THAT(context_.errors.back(), HasSubstr("nnvk: TensorFlow Lite's operator 1 cannot work with the new shapes"));
}

TEST_F(DelegateOnAGraph, LeavesEverythingWithAnImpossibleMinimum) {
  const auto delegate = delegate_with({{"min_nodes", "3"}});
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  EXPECT_THAT(context_.replaced, IsEmpty());
  EXPECT_THAT(context_.errors, IsEmpty());
}

// Such a small graph is faster where it is.
class DelegateByPredictedTimes : public DelegateOnAGraph {
 protected:
  void prepare() {
    const std::vector<Setting> settings{{"device", "cpu"}};
    delegate_ = *Delegate::make(settings);
    ASSERT_EQ(delegate_->interface()->Prepare(context_.get(), delegate_->interface()), kTfLiteOk);
  }
  std::unique_ptr<Delegate> delegate_;
};

TEST_F(DelegateByPredictedTimes, LeavesAPartitionThatIsNotFaster) {
  prepare();
  EXPECT_THAT(context_.replaced, IsEmpty());
  EXPECT_THAT(context_.errors, IsEmpty());
}

TEST_F(DelegateOnAGraph, ExplainsItsChoice) {
  const auto delegate = delegate_with({{"explain", "1"}});
  testing::internal::CaptureStderr();
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("nnvk: takes 2 of 3 operators in 1 partitions"));
  EXPECT_THAT(text, HasSubstr("UNIQUE"));
}

TEST_F(DelegateOnAGraph, ServesSeveralGraphsAtTheSameTime) {
  const auto delegate = delegate_with({});
  FakeContext other;
  const int x = other.add_tensor(kTfLiteFloat32, {2}, "x");
  const int y = other.add_tensor(kTfLiteFloat32, {2}, "y");
  other.add_node(kTfLiteBuiltinAdd, {x, x}, {y}, &params_);
  ASSERT_EQ(delegate->interface()->Prepare(context_.get(), delegate->interface()), kTfLiteOk);
  ASSERT_EQ(delegate->interface()->Prepare(other.get(), delegate->interface()), kTfLiteOk);
  context_.set_floats(a_, {1, 1, 1, 1});
  other.set_floats(x, {5, 6});
  ASSERT_EQ(prepare_and_invoke(), kTfLiteOk);
  ASSERT_EQ(other.kernel_registration.prepare(other.get(), other.kernels[0].get()), kTfLiteOk);
  ASSERT_EQ(other.kernel_registration.invoke(other.get(), other.kernels[0].get()), kTfLiteOk);
  EXPECT_THAT(context_.floats(c_), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(other.floats(y), ElementsAre(10, 12));
}

TEST(DelegateSettings, NameWhatIsUnknown) {
  const std::vector<Setting> unknown{{"colour", "red"}};
  EXPECT_THAT(Delegate::make(unknown).error().message, HasSubstr("option 'colour' is unknown"));
  const std::vector<Setting> device{{"device", "abacus"}};
  EXPECT_THAT(Delegate::make(device).error().message, HasSubstr("abacus"));
}

}  // namespace
}  // namespace nnvk::clients::tflite
