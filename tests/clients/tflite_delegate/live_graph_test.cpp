// Nodes and tensors of a context as plain data.
#include "clients/tflite_delegate/live_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/clients/tflite_delegate/fake_context.h"

namespace nnvk::clients::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace format = importers::tflite::format;

TEST(LiveGraph, KeepsTensorsAndNodesWithTheirNumbers) {
  FakeContext context;
  const int a = context.add_tensor(kTfLiteFloat32, {1, 4}, "a");
  const int b = context.add_tensor(kTfLiteInt64, {}, "b");
  const int c = context.add_tensor(kTfLiteFloat32, {1, 4}, "c");
  context.add_node(kTfLiteBuiltinAbs, {a}, {c});
  const int second = context.add_node(kTfLiteBuiltinRelu, {c, kTfLiteOptionalTensor}, {a});
  const std::vector<int> nodes{second};
  const auto live = read_nodes(*context.get(), nodes);
  ASSERT_TRUE(live) << live.error().message;
  ASSERT_EQ(live->graph.operators.size(), 1u);
  EXPECT_EQ(live->graph.operators[0].where, "operator 1 (RELU)");
  EXPECT_THAT(live->graph.operators[0].inputs, ElementsAre(c, -1));
  EXPECT_THAT(live->graph.operators[0].outputs, ElementsAre(a));
  EXPECT_THAT(live->graph.tensors[static_cast<size_t>(a)].dimensions, ElementsAre(1u, 4u));
  EXPECT_EQ(live->graph.tensors[static_cast<size_t>(b)].name, "") << "nothing uses it";
  EXPECT_FALSE(live->refusals[0]) << *live->refusals[0];
}

TEST(LiveGraph, RefersToConstantsInPlace) {
  FakeContext context;
  const int weights = context.add_constant<float>(kTfLiteFloat32, {2, 2}, {1, 2, 3, 4}, "weights");
  const auto tensor = read_tensor(*context.get(), weights);
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(static_cast<const void*>(tensor->data.data()), context.tensor(weights).data.raw);
  EXPECT_EQ(tensor->data.size(), 16u);
}

TEST(LiveGraph, ReadsScalesPerChannel) {
  FakeContext context;
  const int weights = context.add_constant<int8_t>(kTfLiteInt8, {2, 3}, {1, 2, 3, 4, 5, 6}, "weights");
  context.quantize(weights, {0.5f, 0.25f}, {0, 0}, 0);
  const auto tensor = read_tensor(*context.get(), weights);
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_THAT(tensor->scales, ElementsAre(0.5f, 0.25f));
  EXPECT_THAT(tensor->zero_points, ElementsAre(0, 0));
  EXPECT_EQ(tensor->quantized_dimension, 0u);
}

TEST(LiveGraph, ReadsTheOlderFieldsOfOneScale) {
  FakeContext context;
  const int data = context.add_tensor(kTfLiteUInt8, {3}, "data");
  context.tensor(data).params = {0.125f, 7};
  const auto tensor = read_tensor(*context.get(), data);
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_THAT(tensor->scales, ElementsAre(0.125f));
  EXPECT_THAT(tensor->zero_points, ElementsAre(7));
}

TEST(LiveGraph, ReadsWhichElementsASparseConstantHolds) {
  FakeContext context;
  const int weights = context.add_constant<float>(kTfLiteFloat32, {2, 2}, {5}, "weights");
  TfLiteDimensionMetadata dimensions[2]{};
  dimensions[0] = {kTfLiteDimDense, 2, nullptr, nullptr};
  dimensions[1] = {kTfLiteDimSparseCSR, 0, int_array({0, 0, 1}), int_array({1})};
  TfLiteSparsity sparsity{int_array({0, 1}), nullptr, dimensions, 2};
  context.tensor(weights).sparsity = &sparsity;
  const auto tensor = read_tensor(*context.get(), weights);
  ASSERT_TRUE(tensor) << tensor.error().message;
  ASSERT_TRUE(tensor->sparsity);
  EXPECT_THAT(tensor->sparsity->traversal_order, ElementsAre(0, 1));
  ASSERT_EQ(tensor->sparsity->dimensions.size(), 2u);
  EXPECT_EQ(tensor->sparsity->dimensions[0].size, 2);
  EXPECT_THAT(tensor->sparsity->dimensions[1].segments, ElementsAre(0, 0, 1));
  EXPECT_THAT(tensor->sparsity->dimensions[1].indices, ElementsAre(1));
  std::free(sparsity.traversal_order);
  std::free(dimensions[1].array_segments);
  std::free(dimensions[1].array_indices);
}

// A reason why a tensor is unreadable, and a part of the error.
struct BadTensor {
  const char* name;
  void (*damage)(FakeContext&, int);
  const char* says;
};
class LiveGraphBadTensor : public testing::TestWithParam<BadTensor> {};

TEST_P(LiveGraphBadTensor, IsAnErrorThatNamesIt) {
  FakeContext context;
  const int index = context.add_constant<int8_t>(kTfLiteInt8, {2, 2}, {1, 2, 3, 4}, "weights");
  GetParam().damage(context, index);
  const auto tensor = read_tensor(*context.get(), index);
  ASSERT_FALSE(tensor);
  EXPECT_THAT(tensor.error().message, HasSubstr("tensor 0 'weights': "));
  EXPECT_THAT(tensor.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, LiveGraphBadTensor,
    testing::Values(
        BadTensor{"type", [](FakeContext& c, int i) { c.tensor(i).type = kTfLiteString; }, "its type, number 5"},
        BadTensor{"bytes", [](FakeContext& c, int i) { c.tensor(i).bytes = 3; }, "a constant of 3 bytes instead of 4"},
        BadTensor{"dimension", [](FakeContext& c, int i) { c.tensor(i).dims->data[1] = -1; }, "a dimension of -1"},
        BadTensor{"size", [](FakeContext& c, int i) { c.tensor(i).dims->data[0] = c.tensor(i).dims->data[1] = 1 << 20; },
                  "more than 2^32 elements"},
        BadTensor{"scales",
                  [](FakeContext& c, int i) {
                    c.quantize(i, {1, 1, 1}, {0, 0, 0}, 0);
                  },
                  "3 scales do not fit"},
        BadTensor{"axis",
                  [](FakeContext& c, int i) {
                    c.quantize(i, {1, 1}, {0, 0}, 4);
                  },
                  "2 scales do not fit"},
        BadTensor{"zero_points",
                  [](FakeContext& c, int i) {
                    c.quantize(i, {1, 1, 1}, {0, 0}, 0);
                  },
                  "3 scales but 2 zero points"},
        BadTensor{"scale", [](FakeContext& c, int i) { c.quantize(i, {NAN}, {0}, 0); }, "the scale nan"}),
    [](const auto& info) { return info.param.name; });

TEST(LiveGraph, AnIndexBeyondTheTensorsIsAnError) {
  FakeContext context;
  EXPECT_FALSE(read_tensor(*context.get(), 3));
  const int a = context.add_tensor(kTfLiteFloat32, {1}, "a");
  context.add_node(kTfLiteBuiltinAbs, {17}, {a});
  const std::vector<int> nodes{0};
  const auto live = read_nodes(*context.get(), nodes);
  ASSERT_TRUE(live);
  ASSERT_TRUE(live->refusals[0]);
  EXPECT_THAT(*live->refusals[0], HasSubstr("operator 0 (ABS): tensor 17 does not exist"));
}

TEST(LiveGraph, LeavesOperatorsWhoseResultHasAComputedShape) {
  FakeContext context;
  const int data = context.add_tensor(kTfLiteFloat32, {4}, "data");
  const int shape = context.add_tensor(kTfLiteInt32, {2}, "shape");
  const int fixed = context.add_constant<int32_t>(kTfLiteInt32, {2}, {2, 2}, "fixed");
  const int out = context.add_tensor(kTfLiteFloat32, {2, 2}, "out");
  const int out2 = context.add_tensor(kTfLiteFloat32, {2, 2}, "out2");
  context.add_node(kTfLiteBuiltinReshape, {data, shape}, {out});
  context.add_node(kTfLiteBuiltinReshape, {data, fixed}, {out2});
  const std::vector<int> nodes{0, 1};
  const auto live = read_nodes(*context.get(), nodes);
  ASSERT_TRUE(live);
  ASSERT_TRUE(live->refusals[0]);
  EXPECT_THAT(*live->refusals[0], HasSubstr("operator 0 (RESHAPE): input 1"));
  EXPECT_THAT(*live->refusals[0], HasSubstr("decides the shape"));
  EXPECT_FALSE(live->refusals[1]);
}

TEST(LiveGraph, LeavesControlFlowWhoseBranchesItCannotSee) {
  FakeContext context;
  const int condition = context.add_tensor(kTfLiteBool, {1}, "condition");
  const int out = context.add_tensor(kTfLiteFloat32, {1}, "out");
  context.add_node(kTfLiteBuiltinIf, {condition}, {out});
  const std::vector<int> nodes{0};
  const auto live = read_nodes(*context.get(), nodes);
  ASSERT_TRUE(live && live->refusals[0]);
  EXPECT_THAT(*live->refusals[0], HasSubstr("operator 0 (IF): its branches are subgraphs"));
}

TEST(LiveGraph, RefersToTheOptionsOfCustomOperatorsInPlace) {
  FakeContext context;
  const int a = context.add_tensor(kTfLiteFloat32, {1}, "a");
  const int b = context.add_tensor(kTfLiteFloat32, {1}, "b");
  const int number = context.add_node(kTfLiteBuiltinCustom, {a}, {b});
  const uint8_t bytes[3] = {1, 2, 3};
  context.registration(number).custom_name = "Mystery";
  context.node(number).custom_initial_data = bytes;
  context.node(number).custom_initial_data_size = 3;
  const std::vector<int> nodes{number};
  const auto live = read_nodes(*context.get(), nodes);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->graph.operators[0].name, "CUSTOM:Mystery");
  EXPECT_EQ(live->graph.operators[0].custom_options.data(), bytes);
  EXPECT_EQ(live->graph.operators[0].custom_options.size(), 3u);
}

}  // namespace
}  // namespace nnvk::clients::tflite
