// The partitioner's lines in the log: Android's texts, with this compilation's devices and operations.
#include "core/runtime/partition_log.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "core/base/log.h"
#include "core/operations/operation_enumerators.h"
#include "tests/core/runtime/runtime_fixture.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string>& lines() {
  static std::vector<std::string> instance;
  return instance;
}

class PartitionLog : public RuntimeTest {
 protected:
  PartitionLog() { switch_on("compilation"); }
  ~PartitionLog() override {
    set_log_sink(nullptr);
    ::unsetenv("NNVK_VLOG");
    read_details();
  }

  void switch_on(const char* details) {
    ::setenv("NNVK_VLOG", details, 1);
    read_details();
    lines().clear();
    set_log_sink([](LogLevel level, std::string_view tag, std::string_view text) {
      lines().push_back(std::string(1, "EWIV"[static_cast<int>(level)]) + "/" + std::string(tag) + ": " + std::string(text));
    });
  }

  // y = TANH(RELU(x)); `middle`: the dimensions of RELU's result.
  static void build_chain(Model& model, std::vector<uint32_t> middle) {
    const std::vector<uint32_t> dims{2};
    for (const auto& shape : {dims, middle, dims}) {
      ASSERT_TRUE(model.add_operand({3, shape.data(), static_cast<uint32_t>(shape.size()), 0.0F, 0}));
    }
    const uint32_t operands[] = {0, 1, 2};
    ASSERT_TRUE(model.add_operation(19, {&operands[0], 1}, {&operands[1], 1}));
    ASSERT_TRUE(model.add_operation(28, {&operands[1], 1}, {&operands[2], 1}));
    ASSERT_TRUE(model.identify_inputs_and_outputs({&operands[0], 1}, {&operands[2], 1}));
    ASSERT_TRUE(model.finish());
  }
  // y = IF(condition, branch(x), branch(x)).
  static void build_if(Model& model, const Model& branch) {
    const uint32_t two = 2;
    const uint32_t one = 1;
    const OperandTypeDescription types[] = {{9, &one, 1, 0.0F, 0}, {15, nullptr, 0, 0.0F, 0}, {3, &two, 1, 0.0F, 0}};
    for (const size_t type : {0, 1, 1, 2, 2}) ASSERT_TRUE(model.add_operand(types[type]));
    ASSERT_TRUE(model.set_operand_value_from_model(1, branch));
    ASSERT_TRUE(model.set_operand_value_from_model(2, branch));
    const uint32_t inputs[] = {0, 1, 2, 3};
    const uint32_t model_inputs[] = {0, 3};
    const uint32_t output = 4;
    ASSERT_TRUE(model.add_operation(96, inputs, {&output, 1}));
    ASSERT_TRUE(model.identify_inputs_and_outputs(model_inputs, {&output, 1}));
    ASSERT_TRUE(model.finish());
  }
  // The GPU runs RELU alone, so that the chain needs both devices.
  void split() {
    gpu_->behaviour.takes = [](const PlanNode& node) { return node.code == OperationCode::kRelu; };
  }
};

TEST_F(PartitionLog, NamesTheBestDeviceOfEachOperationAndOfTheModel) {
  Model chain(runtime_.extensions());
  build_chain(chain, {2});
  lines().clear();
  const Finished compilation(chain, runtime_);
  EXPECT_THAT(
      lines(),
      ElementsAre("I/ExecutionPlan: ModelBuilder::partitionTheWork: sourceModelIndex = 0, deviceCount = 2, operationCount = 2",
                  "I/ExecutionPlan: ModelBuilder::findBestDeviceForEachOperation(RELU): 0 (fake-gpu)",
                  "I/ExecutionPlan: ModelBuilder::findBestDeviceForEachOperation(TANH): 0 (fake-gpu)",
                  "I/ExecutionPlan: ModelBuilder::partitionTheWork: only one best device: 0 = fake-gpu",
                  "I/ExecutionPlan: ExecutionPlan::SimpleBody::finish, compilation",
                  "I/ExecutionPlan: ModelBuilder::partitionTheWork: source model: 2 operations, 3 operands, 1 inputs, 1 outputs",
                  "I/ExecutionPlan: SIMPLE for fake-gpu", HasSubstr("step 1 of 1: 2 operations on fake-gpu"),
                  HasSubstr("RELU (operation 0)"), HasSubstr("TANH (operation 1)")));
}

TEST_F(PartitionLog, NamesTheDevicesOfSeveralStepsAndWhyOneDoesNotRunAll) {
  split();
  Model chain(runtime_.extensions());
  build_chain(chain, {2});
  lines().clear();
  const Finished compilation(chain, runtime_);
  EXPECT_THAT(lines(), Contains(HasSubstr("Device fake-gpu can't do operation TANH: ")));
  EXPECT_THAT(lines(), Contains(HasSubstr("findBestDeviceForEachOperation(RELU): 0 (fake-gpu)")));
  EXPECT_THAT(lines(), Contains(HasSubstr("findBestDeviceForEachOperation(TANH): 1 (nnapi-reference)")));
  EXPECT_THAT(lines(), Each(Not(HasSubstr("only one best device"))));
  EXPECT_THAT(lines(), Contains(HasSubstr("ExecutionStep::finishStepModel, compilation on fake-gpu")));
  EXPECT_THAT(lines(), Contains(HasSubstr("ExecutionStep::finishStepModel, compilation on nnapi-reference")));
  EXPECT_THAT(lines(), Contains(HasSubstr("Step#0: execute on fake-gpu")));
  EXPECT_THAT(lines(), Contains(HasSubstr("Step#1: execute on nnapi-reference")));
  EXPECT_THAT(lines(), Each(Not(HasSubstr("unknown size"))));
}

TEST_F(PartitionLog, NamesTheRuntimeForControlFlowOverSeveralDevices) {
  split();
  cpu_->behaviour.takes = [](const PlanNode& node) { return node.code == OperationCode::kTanh; };
  Model chain(runtime_.extensions());
  build_chain(chain, {2});
  Model choice(runtime_.extensions());
  build_if(choice, chain);
  lines().clear();
  const Finished compilation(choice, runtime_);
  EXPECT_THAT(lines(), Contains("I/ExecutionPlan: ModelBuilder::findBestDeviceForEachOperation(IF): -1 (NNAPI)"));
  EXPECT_THAT(lines(), Contains("I/ExecutionPlan: Step#0: execute on several devices (control flow)"));
  EXPECT_THAT(lines(), Each(Not(HasSubstr("only one best device"))));
}

TEST_F(PartitionLog, CountsTheOperationsThatNoDeviceRuns) {
  Model model(runtime_.extensions());
  const uint32_t two = 2;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(model.add_operand({3, &two, 1, 0.0F, 0}));
  const uint32_t operands[] = {0, 1, 2};
  ASSERT_TRUE(model.add_operation(19, {&operands[0], 1}, {&operands[1], 1}));
  ASSERT_TRUE(model.add_operation(28, {&operands[0], 1}, {&operands[2], 1}));  // nothing reads its result
  ASSERT_TRUE(model.identify_inputs_and_outputs({&operands[0], 1}, {&operands[1], 1}));
  ASSERT_TRUE(model.finish());
  lines().clear();
  const Finished compilation(model, runtime_);
  EXPECT_THAT(lines(), Contains(HasSubstr("no device runs 1 other operations: ")));
  EXPECT_THAT(lines(), Each(Not(HasSubstr("findBestDeviceForEachOperation(TANH)"))));
}

TEST_F(PartitionLog, TellsWhichValuesBetweenStepsHaveNoKnownSize) {
  split();
  Model chain(runtime_.extensions());
  build_chain(chain, {0});
  lines().clear();
  const Finished compilation(chain, runtime_);
  EXPECT_THAT(lines(), Contains("I/ExecutionPlan: StepModelOutput (operand#1 of source graph) has unknown size: "
                                "TENSOR_FLOAT32 [?]"));
}

TEST_F(PartitionLog, CountsDevicesInTheListThatTheClientGave) {
  const Finished compilation(model_, runtime_, {cpu_});
  EXPECT_THAT(lines(), Contains(HasSubstr("findBestDeviceForEachOperation(RELU): 0 (nnapi-reference)")));
  EXPECT_THAT(lines(), Contains(HasSubstr("only one best device: 0 = nnapi-reference")));
}

TEST_F(PartitionLog, TellsOfTheFallbackAtCompilation) {
  gpu_->behaviour.prepare_result = fail(wanted_failure());
  const Finished compilation(model_, runtime_);
  EXPECT_THAT(lines(), Contains("I/CompilationBuilder: CompilationBuilder::finish with CPU fallback"));
  EXPECT_THAT(lines(), Contains(HasSubstr("SIMPLE for nnapi-reference")));
}

TEST_F(PartitionLog, TellsAboutTheCacheOfTheCompilation) {
  gpu_->changeable_info().caches = true;
  gpu_->behaviour.keeps = std::vector<std::byte>(9, std::byte{42});
  const TemporaryFolder folder;
  const CacheToken token{1, 2, 3};
  for (const char* line : {" was written, ", " was used"}) {
    lines().clear();
    Compilation compilation(model_, runtime_, {gpu_});
    ASSERT_TRUE(compilation.set_caching(folder.path(), token.data()));
    ASSERT_TRUE(compilation.finish());
    EXPECT_THAT(lines(), Contains(AllOf(HasSubstr("I/Compilation: compilation cache: "), HasSubstr(line))));
  }
}

TEST_F(PartitionLog, IsSilentWithoutTheDetail) {
  for (const char* others : {"", "model execution cpuexe manager driver memory"}) {
    switch_on(others);
    const Finished compilation(model_, runtime_);
    EXPECT_THAT(lines(),
                Each(AllOf(Not(HasSubstr("ModelBuilder::")), Not(HasSubstr("ExecutionPlan::")), Not(HasSubstr("SIMPLE")))));
  }
}

}  // namespace
}  // namespace nnvk::test
