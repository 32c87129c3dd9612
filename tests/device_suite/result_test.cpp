// Results of executions: values, shapes, sizes, errors, profiles, durations.
#include "tests/device_suite/device_fixture.h"

namespace nnvk::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Results : public DeviceSuite {};
NNVK_ON_EVERY_DEVICE(Results);

TensorId integers(PlanFixture& f, const std::vector<int32_t>& values, Shape shape) {
  return f.constant(std::move(shape), OperandType::kTensorInt32, values);
}

TEST_P(Results, EveryShapeHasItsOwn) {
  const auto prepared = prepare(small_network({kUnknownDimension}));
  for (int round = 0; round < 2; ++round) {
    for (const uint32_t count : {1U, 7U, 100U, 4096U}) {
      SmallRun run(0, count);
      const Outcome outcome = run.execute(*prepared);
      ASSERT_TRUE(outcome.status) << outcome.status.error().text();
      EXPECT_TRUE(run.is_right()) << count;
      EXPECT_EQ(outcome.report->outputs.at(0).shape, Shape{count});
      EXPECT_TRUE(outcome.report->outputs[0].sufficient);
    }
  }
}

TEST_P(Results, BuffersMayLieAnywhere) {
  const auto prepared = prepare(small_network());
  SmallRun run;
  std::vector<std::byte> in(17);
  std::vector<std::byte> out(17);
  std::memcpy(in.data() + 1, run.a.data(), 16);
  std::vector<Binding> inputs = run.inputs();
  std::vector<Binding> outputs = run.outputs();
  inputs[0].data = in.data() + 1;
  outputs[0].data = out.data() + 1;
  ASSERT_TRUE(execute(*prepared, inputs, outputs).status);
  std::memcpy(run.y.data(), out.data() + 1, 16);
  EXPECT_TRUE(run.is_right());
}

TEST_P(Results, BuffersThatAreTooSmallAreReportedWithAllShapesAndNothingBehindOutputsIsTouched) {
  PlanFixture f;
  const TensorId in = f.input({2, 3});
  const TensorId padded = f.output(Shape::unknown_rank());
  const TensorId transposed = f.output({kUnknownDimension, kUnknownDimension});
  f.node(OperationCode::kPad, {in, integers(f, {1, 1, 0, 2}, {2, 2})}, {padded});
  f.node(OperationCode::kTranspose, {in, integers(f, {1, 0}, {2})}, {transposed});
  const auto prepared = prepare(f.plan());
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::vector<float> first(19, kUntouched);
  std::vector<float> second(8, kUntouched);
  const auto run = [&] {
    return execute(*prepared, {bind(values, {2, 3})},
                   {bind(first, Shape::unknown_rank()), bind(second, {kUnknownDimension, kUnknownDimension})});
  };
  const Outcome small = run();
  EXPECT_EQ(small.code(), Code::kOutputInsufficientSize);
  ASSERT_EQ(small.report->outputs.size(), 2U);
  EXPECT_EQ(small.report->outputs[0].shape, Shape({4, 5}));
  EXPECT_FALSE(small.report->outputs[0].sufficient);
  EXPECT_EQ(small.report->outputs[1].shape, Shape({3, 2}));
  EXPECT_TRUE(small.report->outputs[1].sufficient);

  first.resize(21, kUntouched);
  ASSERT_TRUE(run().status);
  EXPECT_THAT(first, ElementsAre(0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, kUntouched));
  EXPECT_THAT(second, ElementsAre(1, 4, 2, 5, 3, 6, kUntouched, kUntouched));
}

// A device finds an output that is too small before it looks at values, wherever in the model an index is bad.
TEST_P(Results, ABadIndexBeforeAnOutputThatIsTooSmallIsInsufficientSize) {
  const std::string name = GetParam().name;
  if (name == "Cut" || name.find("Plugin") != std::string::npos)
    GTEST_SKIP() << "not all sizes are known before the first step, or to the plugin";
  enum class Form : uint8_t { kAlone, kBefore, kBeside };
  for (const auto code : {OperationCode::kEmbeddingLookup, OperationCode::kGather}) {
    for (const Form form : {Form::kAlone, Form::kBefore, Form::kBeside}) {
      SCOPED_TRACE(operation_name(code) + ", form " + std::to_string(static_cast<int>(form)));
      PlanFixture f;
      const Shape open{kUnknownDimension, kUnknownDimension};
      const TensorId indices = f.input({2}, OperandType::kTensorInt32);
      const TensorId values = f.input({3, 4});
      const TensorId looked_up = form == Form::kBefore ? f.temporary(open) : f.output(open);
      if (code == OperationCode::kGather) {
        f.node(code, {values, f.scalar(0), indices}, {looked_up});
      } else {
        f.node(code, {indices, values}, {looked_up});
      }
      if (form != Form::kAlone) f.node(OperationCode::kTanh, {looked_up}, {f.output(open)});
      const auto prepared = prepare(f.plan());
      std::vector<int32_t> bad{1, 7};
      std::vector<float> table(12, 0.5F);
      std::vector<float> small(7, kUntouched);
      std::vector<float> large(8, kUntouched);
      const auto run = [&](std::vector<float>& last) {
        std::vector<Binding> outputs;
        if (form == Form::kBeside) outputs.push_back(bind(large, open));
        outputs.push_back(bind(last, open));
        return execute(*prepared, {bind(bad, {2}), bind(table, {3, 4})}, outputs);
      };
      const Outcome outcome = run(small);
      EXPECT_EQ(outcome.code(), Code::kOutputInsufficientSize) << outcome.status.error().text();
      ASSERT_NE(outcome.report, nullptr);
      ASSERT_FALSE(outcome.report->outputs.empty());
      EXPECT_EQ(outcome.report->outputs.back().shape, Shape({2, 4}));
      EXPECT_FALSE(outcome.report->outputs.back().sufficient);
      std::vector<float> enough(8, kUntouched);
      EXPECT_EQ(run(enough).code(), Code::kOpFailed);
    }
  }
}

TEST_P(Results, AnEmptyResultIsASuccessWithoutBytes) {
  PlanFixture f;
  const TensorId in = f.input({4});
  const TensorId none = f.temporary({kUnknownDimension});
  f.node(OperationCode::kSlice, {in, integers(f, {2}, {1}), integers(f, {0}, {1})}, {none});
  f.node(OperationCode::kTanh, {none}, {f.output({kUnknownDimension})});
  f.raw().nodes[1].source_operation = 2;  // avoids a cut between the steps: no step may receive an empty tensor
  const auto prepared = prepare(f.plan());
  std::vector<float> values(4, 1);
  std::vector<float> buffer(1, kUntouched);
  std::vector<std::byte> growable(3);
  Binding grows;
  grows.shape = {kUnknownDimension};
  grows.growable = &growable;
  for (const Binding& output : {bind(buffer, {kUnknownDimension}), grows}) {
    const Outcome outcome = execute(*prepared, {bind(values, {4})}, {output});
    ASSERT_TRUE(outcome.status);
    EXPECT_EQ(outcome.report->outputs.at(0).shape, Shape({0}));
    EXPECT_TRUE(outcome.report->outputs[0].sufficient);
  }
  EXPECT_EQ(buffer[0], kUntouched);
  EXPECT_TRUE(growable.empty());
}

// BOX_WITH_NMS_LIMIT of two boxes far apart, with one class beside the background: one result per score above 0.1.
std::shared_ptr<const Plan> kept_scores(const Shape& declared) {
  PlanFixture f;
  const auto number = [&](float value) { return f.constant<float>({}, OperandType::kFloat32, {value}); };
  const TensorId scores = f.input({2, 2});
  const TensorId boxes =
      f.constant<float>({2, 8}, OperandType::kTensorFloat32, {0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30, 20, 20, 30, 30});
  const TensorId kept = f.output(declared);
  const TensorId kept_boxes = f.output({kUnknownDimension, 4});
  const TensorId classes = f.output({kUnknownDimension}, OperandType::kTensorInt32);
  const TensorId batches = f.output({kUnknownDimension}, OperandType::kTensorInt32);
  f.node(OperationCode::kBoxWithNmsLimit,
         {scores, boxes, integers(f, {0, 0}, {2}), number(0.1F), f.scalar(-1), f.scalar(0), number(0.5F), number(0.5F),
          number(0.1F)},
         {kept, kept_boxes, classes, batches});
  return f.plan();
}

TEST_P(Results, SizesThatDependOnDataAreThoseOfTheRun) {
  const auto prepared = prepare(kept_scores({kUnknownDimension}));
  const auto run = [&](std::vector<float> scores, Binding kept) {
    return execute(*prepared, {bind(scores, {2, 2})}, {std::move(kept), omitted(), omitted(), omitted()});
  };
  std::vector<float> two(3, kUntouched);
  Outcome outcome = run({0, 0.75F, 0, 0.5F}, bind(two, {kUnknownDimension}));
  ASSERT_TRUE(outcome.status) << outcome.status.error().text();
  EXPECT_EQ(outcome.report->outputs.at(0).shape, Shape{2});
  EXPECT_THAT(two, ElementsAre(0.75F, 0.5F, kUntouched));

  std::vector<float> one(1, kUntouched);
  outcome = run({0, 0.75F, 0, 0}, bind(one, {kUnknownDimension}));
  ASSERT_TRUE(outcome.status) << "there is room for what there is, not for what there might be";
  EXPECT_THAT(one, ElementsAre(0.75F));
  outcome = run({0, 0.75F, 0, 0.5F}, bind(one, {kUnknownDimension}));
  EXPECT_EQ(outcome.code(), Code::kOutputInsufficientSize);
  ASSERT_EQ(outcome.report->outputs.size(), 4U);
  EXPECT_EQ(outcome.report->outputs[0].shape, Shape{2});
  EXPECT_FALSE(outcome.report->outputs[0].sufficient);
  EXPECT_EQ(outcome.report->outputs[1].shape, Shape({2, 4}));

  std::vector<std::byte> growable(100);
  Binding grows;
  grows.shape = {kUnknownDimension};
  grows.growable = &growable;
  ASSERT_TRUE(run({0, 0.75F, 0, 0.5F}, grows).status);
  ASSERT_EQ(growable.size(), 2 * sizeof(float));
  float last = 0;
  std::memcpy(&last, growable.data() + sizeof(float), sizeof last);
  EXPECT_EQ(last, 0.5F);
}

TEST_P(Results, ASizeThatContradictsTheModelIsTheExecutionsError) {
  const auto prepared = prepare(kept_scores({1}));
  std::vector<float> scores{0, 0.75F, 0, 0.5F};
  std::vector<float> kept;
  const auto run = [&] {
    kept = {kUntouched, kUntouched};
    return execute(*prepared, {bind(scores, {2, 2})}, {bind(kept, {1}), omitted(), omitted(), omitted()}).code();
  };
  EXPECT_EQ(run(), Code::kOpFailed);
  scores[3] = 0;
  EXPECT_EQ(run(), Code::kNoError);
  EXPECT_THAT(kept, ElementsAre(0.75F, kUntouched));
}

TEST_P(Results, AnOmittedOutputIsComputedButNotDelivered) {
  PlanFixture f;
  const TensorId in = f.input({2});
  const TensorId skipped = f.output({2});
  const TensorId wanted = f.output({2});
  f.node(OperationCode::kRelu, {in}, {skipped});
  f.node(OperationCode::kRelu6, {skipped}, {wanted});
  const auto prepared = prepare(f.plan());
  std::vector<float> values{-3, 9};
  std::vector<float> out(2, kUntouched);
  EXPECT_TRUE(execute(*prepared, {bind(values, {2})}, {omitted(), bind(out, {2})}).status);
  EXPECT_THAT(out, ElementsAre(0, 6));
}

TEST_P(Results, AnOmittedInputMayBeDeclaredWithAnyShape) {
  PlanFixture f;
  const TensorId x = f.input({1, 2});
  const TensorId features = f.constant<float>({2, 2}, OperandType::kTensorFloat32, {1, 0, 0, 1});
  const TensorId times = f.constant<float>({2, 1}, OperandType::kTensorFloat32, {2, 3});
  const TensorId bias = f.input({7});  // one for each of two units would fit
  const TensorId state = f.constant<float>({1, 2}, OperandType::kTensorFloat32, {0, 0});
  f.node(OperationCode::kSvdf, {x, features, times, bias, state, f.scalar(1), f.scalar(0)}, {f.output({1, 2}), f.output({1, 2})});
  const auto prepared = prepare(f.plan());
  std::vector<float> in{5, 7};
  std::vector<float> state_out(2);
  std::vector<float> out(2);
  const Outcome outcome = execute(*prepared, {bind(in, {1, 2}), omitted()}, {bind(state_out, {1, 2}), bind(out, {1, 2})});
  ASSERT_TRUE(outcome.status) << outcome.status.error().text();
  EXPECT_THAT(out, ElementsAre(10, 21));
}

TEST_P(Results, RequestsThatDoNotFitThePlanAreBadDataAndHarmNothing) {
  const auto prepared = prepare(small_network());
  SmallRun run;
  const auto refused = [&](std::vector<Binding> inputs, std::vector<Binding> outputs) {
    const Outcome outcome = execute(*prepared, inputs, outputs);
    EXPECT_EQ(run.y[0], kUntouched);
    EXPECT_EQ(outcome.code(), Code::kBadData);
    return outcome.status ? std::string() : outcome.status.error().text();
  };
  refused({}, {});
  refused(run.inputs(), {});
  std::vector<Binding> inputs = run.inputs();
  inputs[1].size = 15;
  EXPECT_THAT(refused(inputs, run.outputs()), HasSubstr("input 1"));
  inputs = run.inputs();
  inputs[1].shape = {5};
  EXPECT_THAT(refused(inputs, run.outputs()), HasSubstr("input 1"));
  std::vector<Binding> outputs = run.outputs();
  outputs[0].shape = {5};
  EXPECT_THAT(refused(run.inputs(), outputs), HasSubstr("output 0"));
  ASSERT_TRUE(run.execute(*prepared).status);
  EXPECT_TRUE(run.is_right());
}

TEST_P(Results, AnErrorNamesTheOperation) {
  PlanFixture f;
  const TensorId a = f.input({kUnknownDimension});
  f.node(OperationCode::kMul, {a, f.input({3}), f.scalar(0)}, {f.output({kUnknownDimension})});
  const auto prepared = prepare(f.plan());
  std::vector<float> two(2);
  std::vector<float> three(3);
  std::vector<float> out(3);
  const Outcome outcome = execute(*prepared, {bind(two, {2}), bind(three, {3})}, {bind(out, {kUnknownDimension})});
  ASSERT_EQ(outcome.code(), Code::kOpFailed);
  EXPECT_THAT(outcome.status.error().text(), HasSubstr("MUL (operation 0)"));
}

// a + b, broadcast to more bytes than any address space has.
TEST_P(Results, AResultThatIsTooLargeIsAnErrorAndHarmsNothing) {
  PlanFixture f;
  const TensorId a = f.input({kUnknownDimension, 1});
  const TensorId b = f.input({1, kUnknownDimension});
  f.node(OperationCode::kAdd, {a, b, f.scalar(0)}, {f.output({kUnknownDimension, kUnknownDimension})});
  const auto prepared = prepare(f.plan());
  const auto run = [&](uint32_t side) {
    std::vector<float> values(side, 1);
    std::vector<float> out(4, kUntouched);
    return execute(*prepared, {bind(values, {side, 1}), bind(values, {1, side})},
                   {bind(out, {kUnknownDimension, kUnknownDimension})});
  };
  EXPECT_NE(run(1U << 24).code(), Code::kNoError);
  EXPECT_EQ(run(2).code(), Code::kNoError);
}

TEST_P(Results, DurationsAndProfilesComeOnRequest) {
  const auto prepared = prepare(tanh_chain({64, 64}, 3));
  std::vector<float> in(4096, 0.5F);
  std::vector<float> out(4096);
  const auto run = [&](const Request& request) {
    const Outcome outcome = execute(*prepared, {bind(in, {64, 64})}, {bind(out, {64, 64})}, request);
    EXPECT_TRUE(outcome.status);
    return outcome.report;
  };
  const auto plain = run({});
  EXPECT_EQ(plain->hardware_nanoseconds, kNoDuration);
  EXPECT_EQ(plain->driver_nanoseconds, kNoDuration);
  EXPECT_TRUE(plain->profile.empty());

  const auto timed = run(with(&Request::measure_timing, true));
  EXPECT_GT(timed->hardware_nanoseconds, 0U);
  EXPECT_LE(timed->hardware_nanoseconds, timed->driver_nanoseconds) << "both, or one that is not known";

  const auto profiled = run(with(&Request::profile, true));
  // A device may compute several operations in one step, which names them all.
  std::vector<uint32_t> operations;
  for (const NodeProfile& node : profiled->profile) {
    operations.push_back(node.source_operation);
    operations.insert(operations.end(), node.merged_operations.begin(), node.merged_operations.end());
    EXPECT_EQ(node.operation, "TANH");
    EXPECT_FALSE(node.kernel.empty());
    EXPECT_GE(node.bytes, 2U * 4096U * sizeof(float));
    EXPECT_EQ(node.device.empty(), !GetParam().is_cut);
  }
  EXPECT_THAT(operations, ::testing::UnorderedElementsAre(0U, 1U, 2U));
}

}  // namespace
}  // namespace nnvk::test
