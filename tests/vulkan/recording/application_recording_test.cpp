// Plans recorded into an application's command buffers: results, scratch memory, frames in flight, and refused recordings.
#include "vulkan/recording/application_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "application_commands.h"
#include "network.h"
#include "opened_gpu.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {
namespace {

using namespace test;
using testing::HasSubstr;

const Shape kShape{1, 5, 7, 4};

// One tensor in memory of the device, as an application binds it.
struct Tensor {
  Tensor(const std::shared_ptr<Gpu>& gpu, const Shape& s, size_t begin = 0) : shape(s), offset(begin) {
    memory = value_of(ResidentMemory::create(gpu, {.size = offset + shape.element_count() * 4}));
  }
  Binding binding() const {
    Binding made;
    made.shape = shape;
    made.device_memory = memory.get();
    made.device_offset = offset;
    return made;
  }
  template <class T>
  void write(const std::vector<T>& values) {
    std::vector<std::byte> bytes(offset + values.size() * sizeof(T));
    std::memcpy(bytes.data() + offset, values.data(), values.size() * sizeof(T));
    EXPECT_TRUE(value_of(memory->write(bytes)).wait());
  }
  std::vector<float> read() const {
    std::vector<std::byte> bytes(offset + shape.element_count() * sizeof(float));
    EXPECT_TRUE(value_of(memory->read(bytes)).wait());
    std::vector<float> values(shape.element_count());
    std::memcpy(values.data(), bytes.data() + offset, values.size() * sizeof(float));
    return values;
  }
  Shape shape;
  size_t offset;
  std::unique_ptr<DeviceMemory> memory;
};

class ApplicationRecordingTest : public OpenedGpu, public testing::WithParamInterface<Path> {
 protected:
  void SetUp() override {
    gpu_ = open(GetParam().overrides);
    if (!gpu_) GTEST_SKIP() << "no Vulkan device on this machine";
  }
  void TearDown() override {
    plan_.reset();
    gpu_.reset();
    EXPECT_EQ(validation_message_count(), messages_before_) << "the validation layers complained, see the log";
  }

  // The application's view of `plan`, prepared on `gpu` (null: the fixture's).
  RecordablePlan& prepare(std::shared_ptr<const Plan> plan, std::shared_ptr<Gpu> gpu = nullptr) {
    plan_ = value_of(prepare_plan(gpu ? gpu : gpu_, std::move(plan), cpu::reference_evaluator(), {}));
    return dynamic_cast<RecordablePlan&>(*plan_);
  }
  static Result<std::unique_ptr<ApplicationRecording>> record(RecordablePlan& plan, const std::vector<Binding>& inputs,
                                                              const std::vector<Binding>& outputs,
                                                              const ConstantPlace& scratch = {}) {
    Request request;
    request.inputs = inputs;
    request.outputs = outputs;
    return plan.make_recording(request, scratch, true);
  }

  const uint64_t messages_before_ = validation_message_count();
  std::unique_ptr<PreparedPlan> plan_;
};

constexpr ApplicationBarriers kBothBarriers{.before = true, .after = true};

INSTANTIATE_TEST_SUITE_P(Paths, ApplicationRecordingTest,
                         testing::Values(Path{"Default", {}}, Path{"Words", {.variant = KernelVariant::kWords}},
                                         Path{"Staging", {.force_staging = true}}),
                         name_of_path);

TEST_P(ApplicationRecordingTest, GivesWhatTheReferenceComputes) {
  const auto plan = residual_network(kShape, 3);
  const Inference wanted(kShape, 1);
  Tensor x(gpu_, kShape);
  Tensor y(gpu_, kShape);
  x.write(wanted.in);
  const auto recording = value_of(record(prepare(plan), {x.binding()}, {y.binding()}));
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, kBothBarriers)); });
  expect_close(y.read(), expected(plan, wanted));
  EXPECT_TRUE(recording->take_failures());
}

// Two runs in one command buffer; the second takes its input from the first.
TEST_P(ApplicationRecordingTest, RunsInOneCommandBufferFollowEachOther) {
  const auto plan = residual_network(kShape, 3);
  Inference first(kShape, 1);
  Tensor x(gpu_, kShape);
  Tensor y(gpu_, kShape);
  Tensor z(gpu_, kShape);
  x.write(first.in);
  RecordablePlan& prepared = prepare(plan);
  const auto one = value_of(record(prepared, {x.binding()}, {y.binding()}));
  const auto two = value_of(record(prepared, {y.binding()}, {z.binding()}));
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) {
    EXPECT_TRUE(one->record(buffer, kBothBarriers));
    EXPECT_TRUE(two->record(buffer, kBothBarriers));
  });
  Inference second(kShape, 1);
  second.in = expected(plan, first);
  expect_close(z.read(), expected(plan, second));
}

TEST_P(ApplicationRecordingTest, TwoFramesAreInFlight) {
  const auto plan = residual_network(kShape, 3);
  RecordablePlan& prepared = prepare(plan);
  struct Frame {
    explicit Frame(const std::shared_ptr<Gpu>& gpu) : x(gpu, kShape), y(gpu, kShape), commands(gpu->context) {}
    Tensor x;
    Tensor y;
    ApplicationCommands commands;
    std::unique_ptr<ApplicationRecording> recording;
    std::optional<Inference> inference;
  };
  std::array<Frame, 2> frames{Frame(gpu_), Frame(gpu_)};
  for (Frame& frame : frames) frame.recording = value_of(record(prepared, {frame.x.binding()}, {frame.y.binding()}));
  const auto retire = [&](Frame& frame) {
    frame.commands.wait();
    if (!frame.inference) return;
    EXPECT_TRUE(frame.recording->take_failures());
    expect_close(frame.y.read(), expected(plan, *frame.inference));
  };
  const uint64_t allocations = plan_->counters().at("device_allocations");
  for (uint32_t number = 0; number < 12; ++number) {
    Frame& frame = frames[number % frames.size()];
    retire(frame);
    frame.inference.emplace(kShape, number);
    frame.x.write(frame.inference->in);
    EXPECT_TRUE(frame.recording->record(frame.commands.begin(), kBothBarriers));
    frame.commands.submit();
  }
  for (Frame& frame : frames) retire(frame);
  EXPECT_EQ(plan_->counters().at("device_allocations"), allocations);
}

TEST_P(ApplicationRecordingTest, WorksInScratchMemoryOfTheApplication) {
  const auto plan = residual_network(kShape, 3);
  RecordablePlan& prepared = prepare(plan);
  const RecordingNeeds needs = value_of(prepared.recording_needs());
  ASSERT_GT(needs.scratch_size, 0U);
  EXPECT_GT(needs.dispatches, 0U);
  EXPECT_FALSE(prepared.has_packing());
  Activity activity;
  constexpr uint64_t kBegin = 3 * kStorageAlignment;
  const Buffer scratch =
      value_of(Buffer::create(gpu_->context, kBegin + needs.scratch_size, MemoryUse::kDevice, activity, "scratch"));
  const Inference wanted(kShape, 4);
  Tensor x(gpu_, kShape);
  Tensor y(gpu_, kShape);
  x.write(wanted.in);
  const uint64_t allocations = plan_->counters().at("device_allocations");
  const auto recording = value_of(record(prepared, {x.binding()}, {y.binding()}, {scratch.handle(), kBegin}));
  EXPECT_EQ(plan_->counters().at("device_allocations"), allocations) << "scratch of the application makes up for our own";
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, kBothBarriers)); });
  expect_close(y.read(), expected(plan, wanted));

  const auto crooked = record(prepared, {x.binding()}, {y.binding()}, {scratch.handle(), 16});
  ASSERT_FALSE(crooked);
  EXPECT_EQ(crooked.error().code, Code::kBadData);
}

// Kernels cannot use these offsets: the device copies.
TEST_P(ApplicationRecordingTest, CrookedOffsetsAreCopied) {
  const auto plan = residual_network(kShape, 2);
  const Inference wanted(kShape, 6);
  Tensor x(gpu_, kShape, 4);
  Tensor y(gpu_, kShape, 12);
  x.write(wanted.in);
  const auto recording = value_of(record(prepare(plan), {x.binding()}, {y.binding()}));
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, kBothBarriers)); });
  expect_close(y.read(), expected(plan, wanted));
}

TEST_P(ApplicationRecordingTest, OpenShapesAreThoseOfTheExecution) {
  const auto plan = residual_network(Shape{1, kUnknownDimension, kUnknownDimension, 4});
  RecordablePlan& prepared = prepare(plan);
  for (const Shape& shape : {Shape{1, 3, 3, 4}, Shape{1, 9, 2, 4}}) {
    const Inference wanted(shape, 6);
    Tensor x(gpu_, shape);
    Tensor y(gpu_, shape);
    x.write(wanted.in);
    const auto recording = value_of(record(prepared, {x.binding()}, {y.binding()}));
    ApplicationCommands commands(gpu_->context);
    commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, kBothBarriers)); });
    expect_close(y.read(), expected(plan, wanted));
    Activity activity;
    const Buffer scratch = value_of(Buffer::create(gpu_->context, 1 << 20, MemoryUse::kDevice, activity, "scratch"));
    EXPECT_FALSE(record(prepared, {x.binding()}, {y.binding()}, {scratch.handle(), 0})) << "nobody could know its size";
  }
}

TEST_P(ApplicationRecordingTest, HostMemoryIsRefused) {
  Tensor y(gpu_, kShape);
  Inference host(kShape, 1);
  const auto recording = record(prepare(residual_network(kShape)), {bind(host.in, kShape)}, {y.binding()});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, Code::kBadData);
  EXPECT_THAT(recording.error().message, HasSubstr("input 0 cannot be recorded"));
}

// Nobody reads the status of a recorded run until the application reports its end.
TEST_P(ApplicationRecordingTest, ABadIndexIsToldWhenTheRunIsOver) {
  PlanFixture m;
  const TensorId table = m.input({8, 4});
  const TensorId indices = m.input({3}, OperandType::kTensorInt32);
  m.node(OperationCode::kGather, {table, m.scalar(0), indices}, {m.output({3, 4})});
  Tensor values(gpu_, {8, 4});
  Tensor rows(gpu_, {3});
  Tensor y(gpu_, {3, 4});
  const std::vector<float> numbers = random_floats(32, 1);
  values.write(numbers);
  const auto recording = value_of(record(prepare(m.plan()), {values.binding(), rows.binding()}, {y.binding()}));
  ApplicationCommands commands(gpu_->context);
  const auto gather = [&](const std::vector<int32_t>& wanted) {
    rows.write(wanted);
    commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, kBothBarriers)); });
    return recording->take_failures();
  };
  EXPECT_TRUE(gather({7, 0, 3}));
  const std::vector<float> gathered = y.read();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gathered[static_cast<size_t>(i)], numbers[28 + static_cast<size_t>(i)]);
  const Status bad = gather({7, 8, 3});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::kOpFailed);
  EXPECT_THAT(bad.error().message, HasSubstr("outside [0, 8)"));
  EXPECT_TRUE(gather({1, 1, 1})) << "the mark is gone";
}

TEST_P(ApplicationRecordingTest, WithoutAQueueTheApplicationPacksTheWeights) {
  const auto plan = residual_network(kShape, 2);
  const auto without_queue = std::make_shared<Gpu>(gpu_->context, nullptr);
  RecordablePlan& prepared = prepare(plan, without_queue);
  EXPECT_TRUE(prepared.has_packing());
  Inference inference(kShape, 3);
  EXPECT_EQ(code_of(inference.result_on(*plan_)), Code::kBadState);
  const Inference wanted(kShape, 3);
  Tensor x(without_queue, kShape);
  Tensor y(without_queue, kShape);
  if (gpu_->context->plan().direct_io) x.write(wanted.in);
  const auto recording = value_of(record(prepared, {x.binding()}, {y.binding()}));
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) { EXPECT_EQ(code_of(recording->record(buffer, kBothBarriers)), Code::kBadState); });
  EXPECT_EQ(code_of(prepared.finish_packing()), Code::kBadState) << "it was never recorded";
  commands.run([&](VkCommandBuffer buffer) {
    prepared.record_packing(buffer);
    EXPECT_TRUE(recording->record(buffer, kBothBarriers));
  });
  EXPECT_TRUE(prepared.has_packing()) << "until the application says that it has run";
  EXPECT_TRUE(prepared.finish_packing());
  EXPECT_FALSE(prepared.has_packing());
  if (gpu_->context->plan().direct_io) expect_close(y.read(), expected(plan, wanted));
  commands.run([&](VkCommandBuffer buffer) { EXPECT_TRUE(recording->record(buffer, {})); });
  if (gpu_->context->plan().direct_io) expect_close(y.read(), expected(plan, wanted));
}

// Both recordings read the weights, which the first one has to pack.
TEST_P(ApplicationRecordingTest, WithoutAQueueEveryRecordingWaitsForTheWeights) {
  const auto plan = residual_network(Shape{1, kUnknownDimension, 4, 4});
  const auto without_queue = std::make_shared<Gpu>(gpu_->context, nullptr);
  RecordablePlan& prepared = prepare(plan, without_queue);
  EXPECT_FALSE(prepared.has_packing()) << "nothing is known of any shape yet";
  std::vector<std::unique_ptr<ApplicationRecording>> recordings;
  for (const Shape& shape : {Shape{1, 3, 4, 4}, Shape{1, 5, 4, 4}}) {
    Tensor x(without_queue, shape);
    Tensor y(without_queue, shape);
    recordings.push_back(value_of(record(prepared, {x.binding()}, {y.binding()})));
  }
  EXPECT_TRUE(prepared.has_packing());
  ApplicationCommands commands(gpu_->context);
  commands.run([&](VkCommandBuffer buffer) {
    for (const auto& recording : recordings) EXPECT_EQ(code_of(recording->record(buffer, kBothBarriers)), Code::kBadState);
    prepared.record_packing(buffer);
    for (const auto& recording : recordings) EXPECT_TRUE(recording->record(buffer, kBothBarriers));
  });
  EXPECT_TRUE(prepared.finish_packing());
  EXPECT_FALSE(prepared.has_packing());
}

TEST_P(ApplicationRecordingTest, OnALostDeviceNothingIsRecorded) {
  Tensor x(gpu_, kShape);
  Tensor y(gpu_, kShape);
  const auto recording = value_of(record(prepare(residual_network(kShape)), {x.binding()}, {y.binding()}));
  static_cast<void>(gpu_->context->noted(VK_ERROR_DEVICE_LOST));
  EXPECT_EQ(code_of(recording->record(nullptr, kBothBarriers)), Code::kDeadObject);
}

}  // namespace
}  // namespace nnvk::vulkan
