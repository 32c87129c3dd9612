// Memory that lives on a device: who gets it, and how it reaches plans that cannot bind it.
#include <algorithm>

#include "core/runtime/host_transfer.h"
#include "core/runtime/memory_descriptor.h"
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::test {
namespace {

class DeviceMemoryTest : public RuntimeTest {
 protected:
  DeviceMemoryTest() {
    gpu_->behaviour.has_memory = true;
    gpu_->behaviour.binds_memory = false;
  }
  // An execution from `input_` to `memory`.
  std::shared_ptr<Execution> writer_to(Memory& memory, const Compilation& compilation) {
    auto writer = Execution::create(compilation);
    EXPECT_TRUE(writer->set(true, 0, {.data = input_.data(), .length = sizeof input_}));
    EXPECT_TRUE(writer->set(false, 0, {.memory = &memory}));
    return writer;
  }
  // Memory that is output and input 0 of the compilation.
  static Result<std::unique_ptr<Memory>> memory_for(const Compilation& compilation) {
    MemoryDescriptor descriptor;
    NNVK_TRY(descriptor.add_role(compilation, false, 0, 1.0F));
    NNVK_TRY(descriptor.add_role(compilation, true, 0, 1.0F));
    NNVK_TRY(descriptor.finish());
    return descriptor.allocate();
  }
};

TEST_F(DeviceMemoryTest, RolesOfOneDeviceGetItsMemory) {
  Finished compilation(model_, runtime_, {gpu_});
  const auto memory = value_of(memory_for(compilation));
  EXPECT_EQ(memory->device_memory(), gpu_->last_memory.load());
  EXPECT_EQ(code_of(memory->map()), Code::kUnmappable);
}

TEST_F(DeviceMemoryTest, HostMemoryStandsInOnlyWhereTheRuntimeChoseTheDevice) {
  gpu_->behaviour.allocation_result = fail(Code::kResourceExhaustedPersistent, "full");
  Finished automatic(model_, runtime_);
  Finished chosen(model_, runtime_, {gpu_});
  const auto on_host = value_of(memory_for(automatic));
  EXPECT_EQ(on_host->device_memory(), nullptr);
  EXPECT_EQ(code_of(memory_for(chosen)), Code::kResourceExhaustedPersistent);
}

TEST_F(DeviceMemoryTest, ADeviceWithoutMemoryOfItsOwnWorksOnTheHosts) {
  gpu_->behaviour.allocation_result = fail(Code::kOpFailed, "no memory");
  Finished chosen(model_, runtime_, {gpu_});
  const auto on_host = value_of(memory_for(chosen));
  EXPECT_TRUE(on_host->map());
}

TEST_F(DeviceMemoryTest, UnknownSizesNeedADeviceWithMemory) {
  Model open(runtime_.extensions());
  build_relu(open, {0}, {0});
  Finished on_gpu(open, runtime_, {gpu_});
  Finished on_cpu(open, runtime_, {cpu_});
  Finished automatic(open, runtime_);
  const auto memory = value_of(memory_for(on_gpu));
  EXPECT_TRUE(memory->device_memory()->grows());
  EXPECT_EQ(code_of(memory->logical_size()), Code::kBadData);
  EXPECT_EQ(code_of(memory_for(on_cpu)), Code::kOpFailed);
  gpu_->behaviour.allocation_result = fail(Code::kOpFailed, "full");
  EXPECT_EQ(code_of(memory_for(automatic)), Code::kOpFailed);
}

// The fake plan cannot bind device memory, like the CPU's plan after a failure of the device.
TEST_F(DeviceMemoryTest, APlanThatCannotBindItWorksOnHostMemory) {
  Finished compilation(model_, runtime_, {gpu_});
  const auto memory = value_of(memory_for(compilation));
  const auto writer = writer_to(*memory, compilation);
  ASSERT_TRUE(writer->compute());
  auto reader = Execution::create(compilation);
  ASSERT_TRUE(reader->set(true, 0, {.memory = memory.get()}));
  ASSERT_TRUE(reader->set(false, 0, {.data = output_.data(), .length = sizeof output_}));
  ASSERT_TRUE(reader->compute());
  EXPECT_EQ(output_, (std::array<float, 2>{3.0F, 4.0F}));
}

TEST_F(DeviceMemoryTest, TheCpuTakesOverWithMemoryOfTheDevice) {
  Finished compilation(model_, runtime_);
  const auto memory = value_of(memory_for(compilation));
  ASSERT_NE(memory->device_memory(), nullptr);
  gpu_->behaviour.execution_result = fail(Code::kOpFailed, "broken");
  const auto writer = writer_to(*memory, compilation);
  ASSERT_TRUE(writer->compute());
  EXPECT_EQ(writer->summary().device, kReferenceDeviceName);
  float first = 0;
  std::memcpy(&first, gpu_->last_memory.load()->bytes.data(), sizeof first);
  EXPECT_EQ(first, 2.0F);
  EXPECT_TRUE(memory->check_readable_as(Shape{2}));
}

TEST_F(DeviceMemoryTest, AResultThatCannotBeStoredFailsTheExecutionAndUndefinesTheMemory) {
  Finished compilation(model_, runtime_, {gpu_});
  const auto memory = value_of(memory_for(compilation));
  const auto writer = writer_to(*memory, compilation);
  gpu_->last_memory.load()->write_result = fail(Code::kDeadObject, "the device is gone");
  EXPECT_EQ(code_of(writer->compute()), Code::kDeadObject);
  EXPECT_FALSE(memory->check_readable_as(Shape{2}));
}

TEST_F(DeviceMemoryTest, TheExecutionWaitsForItsInputsToArrive) {
  Finished compilation(model_, runtime_, {gpu_});
  FakeMemory slow({sizeof input_, false});
  ASSERT_TRUE(slow.write(std::as_bytes(std::span(input_))));
  slow.arrives = Fence::pending();
  Binding input;
  input.shape = Shape{2};
  input.device_memory = &slow;
  Binding output;
  output.shape = Shape{2};
  output.data = reinterpret_cast<std::byte*>(output_.data());
  output.size = sizeof output_;
  Request request;
  request.inputs = std::span(&input, 1);
  request.outputs = std::span(&output, 1);
  PreparedPlan& plan = compilation.runner();
  EXPECT_FALSE(takes_all_device_memory(plan, request));
  const auto submission = value_of(submit_through_host(plan, request, compilation.output_infos(), runtime_.launches(), 100));
  EXPECT_EQ(submission.done.state(), Fence::State::kPending);
  slow.arrives.signal();
  ASSERT_TRUE(submission.done.wait());
  EXPECT_EQ(output_[1], 3.0F);
}

}  // namespace
}  // namespace nnvk::test
