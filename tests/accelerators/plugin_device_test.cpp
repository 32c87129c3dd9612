// Devices of drivers: their requests to the driver, the memory they share, and how they handle invalid answers and dead drivers.
#include "accelerators/plugin_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "core/runtime/memory.h"
#include "cpu_fallback/reference_device.h"
#include "tests/accelerators/fake_driver.h"
#include "tests/support/bindings.h"
#include "tests/support/plan_fixture.h"

namespace nnvk::accelerators {
namespace {

using test::bind;
using test::code_of;
using test::FakeDriver;
using test::PlanFixture;
using test::value_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Plan> relu(const Shape& shape = {4}) {
  PlanFixture f;
  f.node(OperationCode::kRelu, {f.input(shape)}, {f.output(shape)});
  return f.plan();
}

class PluginDevices : public ::testing::Test {
 protected:
  Device& device() {
    if (devices_.empty()) {
      const PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
      devices_ = value_of(make_plugin_devices(driver_, {"vendor", {}}, surroundings));
    }
    return *devices_.at(0);
  }
  PreparedPlan& plan(const std::shared_ptr<const Plan>& of = relu()) {
    if (prepared_ == nullptr) prepared_ = value_of(device().prepare(of, {}));
    return *prepared_;
  }
  Status run(PreparedPlan& prepared, bool waits = true) {
    Request request;
    request.caller_waits = waits;
    const std::vector<Binding> inputs{bind(in_, {4})};
    const std::vector<Binding> outputs{bind(out_, {4})};
    request.inputs = inputs;
    request.outputs = outputs;
    const auto submission = prepared.submit(request);
    if (!submission) return fail(submission.error());
    report_ = submission->report;
    return submission->done.wait();
  }

  const std::shared_ptr<FakeDriver> driver_ = std::make_shared<FakeDriver>();
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<PreparedPlan> prepared_;
  std::vector<float> in_{-1, 2, -3, 4};
  std::vector<float> out_{9, 9, 9, 9};
  std::shared_ptr<const ExecutionReport> report_;
};

TEST_F(PluginDevices, AreNamedAfterThePluginAndDescribedByTheDriver) {
  driver_->description.model_cache_files = 2;
  EXPECT_EQ(device().info().name, "vendor/fake");
  EXPECT_EQ(device().info().type, DeviceType::kAccelerator);
  EXPECT_TRUE(device().info().caches);
}

TEST_F(PluginDevices, OneThatDescribesItselfBadlyIsLeftOut) {
  driver_->description.name = "a\nb";
  const PluginSurroundings surroundings{cpu::reference_evaluator(), *cpu::make_reference_device()->costs()};
  EXPECT_TRUE(value_of(make_plugin_devices(driver_, {"vendor", {}}, surroundings)).empty());
}

TEST_F(PluginDevices, ComputeOnTheCallingThreadOrElsewhere) {
  for (const bool waits : {true, false}) {
    out_.assign(4, 9);
    ASSERT_TRUE(run(plan(), waits));
    EXPECT_THAT(out_, ElementsAre(0, 2, 0, 4));
    EXPECT_EQ(report_->outputs.at(0).shape, Shape{4});
  }
}

TEST_F(PluginDevices, PredictRatiosOfTheCpusTimes) {
  const auto seconds = [&] { return device().place(*relu({1000}))[0].predicted_seconds; };
  const double as_the_cpu = seconds();
  devices_.clear();
  driver_->description.operands[static_cast<int32_t>(OperandType::kTensorFloat32)] = {0.25F, 1};
  EXPECT_NEAR(seconds(), as_the_cpu / 4, as_the_cpu * 1e-6);
}

TEST_F(PluginDevices, AreAskedOnlyAboutWhatTheirLevelHas) {
  driver_->description.feature_level = 31;  // 5
  PlanFixture f;
  const TensorId between = f.temporary({4});
  f.node(OperationCode::kRelu, {f.input({4})}, {between});
  f.node(OperationCode::kPack, {f.scalar(0), between, between}, {f.output({2, 4})});
  const auto placements = device().place(*f.plan());
  EXPECT_TRUE(placements[0].supported);
  EXPECT_FALSE(placements[1].supported);
  EXPECT_THAT(placements[1].reason, HasSubstr("feature level"));
}

// The host may have ended long before, for a reason that has nothing to do with the model.
TEST_F(PluginDevices, ADriverThatDiesWhenItIsAskedIsAskedAgain) {
  device();
  driver_->deaths_when_asked = 2;
  EXPECT_TRUE(device().place(*relu())[0].supported);
  driver_->deaths_when_asked = 3;
  const auto placements = device().place(*relu());
  EXPECT_FALSE(placements[0].supported);
  EXPECT_TRUE(placements[0].is_unanswered);
  EXPECT_THAT(placements[0].reason, HasSubstr("the fake driver is gone"));
}

// Each request may take as long as the patience in the manifest, so repeating it would cost too much time.
TEST_F(PluginDevices, ADriverThatGaveNoAnswerIsNotAskedAgainInTheSameCompilation) {
  const auto groundwork = device().begin_groundwork();
  driver_->deaths_when_asked = 3;
  EXPECT_TRUE(device().place(*relu(), groundwork.get())[0].is_unanswered);
  EXPECT_TRUE(device().place(*relu(), groundwork.get())[0].is_unanswered);
  EXPECT_TRUE(device().place(*relu(), device().begin_groundwork().get())[0].supported);
}

TEST_F(PluginDevices, WhatADriverDeclinesIsAnAnswer) {
  driver_->spoil_support = [](auto& supported) { supported[0] = {}; };
  EXPECT_FALSE(device().place(*relu())[0].is_unanswered);
}

TEST_F(PluginDevices, ADriverThatDiesWhenItCompilesIsAskedAgain) {
  device();
  driver_->deaths_when_compiling = 2;
  EXPECT_TRUE(run(plan()));
  driver_->deaths_when_compiling = 3;
  EXPECT_EQ(code_of(device().prepare(relu(), {})), Code::kUnavailableDevice) << "DEAD_OBJECT is for what was made on it";
}

TEST_F(PluginDevices, AnAnswerOfTheWrongLengthSupportsNothing) {
  driver_->spoil_support = [](auto& supported) { supported.push_back({true}); };
  const auto placements = device().place(*relu());
  EXPECT_FALSE(placements[0].supported);
  EXPECT_THAT(placements[0].reason, HasSubstr("answered for 2 of 1"));
}

TEST_F(PluginDevices, WhatTheyDeclineIsNamedWhenItIsPreparedAllTheSame) {
  PlanFixture f;
  f.node(OperationCode::kTanh, {f.input({4})}, {f.output({4})});
  driver_->compile_result = fail(Code::kBadData, "no");
  const auto prepared = device().prepare(f.plan(), {});
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::kOpFailed);
  EXPECT_THAT(prepared.error().text(), HasSubstr("TANH (operation 0)"));
}

TEST_F(PluginDevices, AModelThatTheyRefuseThoughItIsRightIsTheirFailure) {
  driver_->compile_result = fail(Code::kBadData, "no");
  EXPECT_EQ(code_of(device().prepare(relu(), {})), Code::kOpFailed) << "the CPU may step in";
  driver_->compile_result = fail(Code::kDeadObject, "no");
  EXPECT_EQ(code_of(device().prepare(relu(), {})), Code::kUnavailableDevice) << "nothing of the compilation existed";
  for (const Code code : {Code::kMissedDeadlinePersistent, Code::kResourceExhaustedTransient}) {
    driver_->compile_result = fail(code, "no");
    EXPECT_EQ(code_of(device().prepare(relu(), {})), code);
  }
}

TEST_F(PluginDevices, RubbishAboutMemoryIsAFailedCompilation) {
  driver_->spoil_compiled = [](CompiledModel& compiled) { compiled.inputs.clear(); };
  EXPECT_EQ(code_of(device().prepare(relu(), {})), Code::kOpFailed);
  driver_->spoil_compiled = [](CompiledModel& compiled) { compiled.outputs[0].alignment = 3; };
  EXPECT_EQ(code_of(device().prepare(relu(), {})), Code::kOpFailed);
}

TEST_F(PluginDevices, RubbishIsThatExecutionsErrorAndNoOthers) {
  driver_->spoil = [](ExecutionAnswer& answer) { answer.outputs[0].dimensions = {1000000}; };
  EXPECT_EQ(code_of(run(plan())), Code::kOpFailed);
  EXPECT_TRUE(report_->outputs.empty());
  EXPECT_THAT(out_, ElementsAre(9, 9, 9, 9)) << "nothing of it is delivered";
  driver_->spoil = [](ExecutionAnswer& answer) { answer.outputs.clear(); };
  EXPECT_EQ(code_of(run(plan())), Code::kOpFailed);
  driver_->spoil = [](ExecutionAnswer& answer) { answer.code = static_cast<Code>(99); };
  EXPECT_EQ(code_of(run(plan())), Code::kOpFailed);
  driver_->spoil = [](ExecutionAnswer&) {};
  EXPECT_TRUE(run(plan()));
  EXPECT_THAT(out_, ElementsAre(0, 2, 0, 4));
}

TEST_F(PluginDevices, ADriverThatWasLostGetsItsModelsAndMemoryAgain) {
  for (const bool waits : {true, false}) {
    ASSERT_TRUE(run(plan(), waits));
    const int compilations = driver_->compilations;
    driver_->die();
    out_.assign(4, 9);
    ASSERT_TRUE(run(plan(), waits)) << "its models are compiled again";
    EXPECT_THAT(out_, ElementsAre(0, 2, 0, 4));
    EXPECT_EQ(driver_->compilations, compilations + 1);
  }
}

TEST_F(PluginDevices, AnExecutionDuringALossIsADeadObject) {
  ASSERT_TRUE(run(plan()));
  driver_->spoil = [](ExecutionAnswer& answer) {
    answer = {};
    answer.code = Code::kDeadObject;
  };
  EXPECT_EQ(code_of(run(plan())), Code::kDeadObject);
}

TEST_F(PluginDevices, ADriverThatCannotCompileAgainFailsTheExecution) {
  ASSERT_TRUE(run(plan()));
  driver_->die();
  driver_->compile_result = fail(Code::kDeadObject, "it does not come back");
  EXPECT_EQ(code_of(run(plan())), Code::kDeadObject);
  EXPECT_EQ(code_of(run(plan(), false)), Code::kDeadObject);
  driver_->compile_result = {};
  EXPECT_TRUE(run(plan()));
}

TEST_F(PluginDevices, ShareTheirMemoryOnce) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run(plan()));
  EXPECT_EQ(driver_->shared, 1);
  prepared_ = nullptr;
  EXPECT_EQ(driver_->freed_compilations, 1);
  EXPECT_TRUE(driver_->regions.empty()) << "everything is taken back";
}

TEST_F(PluginDevices, HandTheirMemoryOnWithoutACopy) {
  const auto first = value_of(device().allocate({16, false}));
  const auto second = value_of(device().allocate({16, false}));
  ASSERT_TRUE(first->write(std::as_bytes(std::span(in_))));
  Request request;
  request.caller_waits = true;
  Binding input;
  input.device_memory = first.get();
  input.shape = {4};
  Binding output = input;
  output.device_memory = second.get();
  request.inputs = std::span(&input, 1);
  request.outputs = std::span(&output, 1);
  ASSERT_TRUE(value_of(plan().submit(request)).done.wait());
  ASSERT_TRUE(second->read(std::as_writable_bytes(std::span(out_))));
  EXPECT_THAT(out_, ElementsAre(0, 2, 0, 4));
  EXPECT_EQ(plan().counters().at("bytes_copied_in"), 0U);
  EXPECT_EQ(plan().counters().at("bytes_copied_out"), 0U);
}

// A client's memory in a file descriptor, without seals and sealed against shrinking.
TEST_F(PluginDevices, UseSealedMemoryOfClientsInPlaceAndCopyOther) {
  for (const bool sealed : {true, false}) {
    const FileDescriptor file(::memfd_create("client", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
    if (sealed) {
      ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    }
    const auto memory = value_of(make_fd_memory(4096, PROT_READ | PROT_WRITE, file.get(), 0));
    const auto bytes = value_of(memory->map(MapAccess::kWrite));
    std::memcpy(bytes.data(), in_.data(), 16);
    Binding input;
    input.data = bytes.data();
    input.size = 16;
    input.shape = {4};
    input.mapping = memory->mapping(MapAccess::kWrite);
    Binding output = input;
    output.data = bytes.data() + 64;
    Request request;
    request.caller_waits = true;
    request.inputs = std::span(&input, 1);
    request.outputs = std::span(&output, 1);
    const auto prepared = value_of(device().prepare(relu(), {}));
    ASSERT_TRUE(value_of(prepared->submit(request)).done.wait());
    std::memcpy(out_.data(), bytes.data() + 64, 16);
    EXPECT_THAT(out_, ElementsAre(0, 2, 0, 4));
    EXPECT_EQ(prepared->counters().at("bytes_copied_in"), sealed ? 0U : 16U);
    EXPECT_EQ(prepared->counters().at("bytes_copied_out"), sealed ? 0U : 16U);
  }
}

TEST_F(PluginDevices, ComputeEmptyInputsThemselves) {
  const auto prepared = value_of(device().prepare(relu({kUnknownDimension}), {}));
  std::vector<float> nothing;
  std::vector<float> untouched{9};
  const std::vector<Binding> inputs{bind(nothing, {0})};
  const std::vector<Binding> outputs{bind(untouched, {kUnknownDimension})};
  Request request;
  request.inputs = inputs;
  request.outputs = outputs;
  const auto submission = value_of(prepared->submit(request));
  ASSERT_TRUE(submission.done.wait()) << submission.report->result.error().text();
  EXPECT_EQ(submission.report->outputs.at(0).shape, Shape{0});
  EXPECT_TRUE(driver_->executions.empty());
}

// Keeps in memory the data that earlier preparations cached.
class KeptInMemory final : public PreparationCache {
 public:
  std::span<const std::byte> find(const Plan&) override { return contents; }
  void keep(const Plan&, std::vector<std::byte> kept) override { contents = std::move(kept); }
  std::vector<std::byte> contents;
};

TEST_F(PluginDevices, KeepTheFilesThatADriverFillsForLaterCompilations) {
  driver_->description.model_cache_files = 1;
  driver_->description.data_cache_files = 1;
  KeptInMemory cache;
  std::vector<std::string> seen;
  driver_->on_cache = [&](const CacheFiles& files) {
    ASSERT_EQ(files.model_files.size(), 1U);
    ASSERT_EQ(files.data_files.size(), 1U);
    char text[16] = {};
    seen.emplace_back(text, static_cast<size_t>(std::max<ssize_t>(::pread(files.model_files[0], text, sizeof text, 0), 0)));
    ASSERT_EQ(::pwrite(files.model_files[0], "compiled", 8, 0), 8);
  };
  PrepareOptions options;
  options.cache = &cache;
  value_of(device().prepare(relu(), options));
  EXPECT_FALSE(cache.contents.empty());
  value_of(device().prepare(relu(), options));
  EXPECT_THAT(seen, ElementsAre("", "compiled"));
  cache.contents.resize(5);
  value_of(device().prepare(relu(), options));
  EXPECT_EQ(seen.back(), "") << "what is damaged counts as nothing";
}

}  // namespace
}  // namespace nnvk::accelerators
