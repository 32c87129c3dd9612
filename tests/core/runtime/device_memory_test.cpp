// Memory that lives on a device: who gets it, and how it reaches plans that cannot bind it.
#include <algorithm>

#include "core/runtime/host_transfer.h"
#include "core/runtime/memory_descriptor.h"
#include "tests/core/runtime/runtime_fixture.h"

namespace nnvk::testing {
namespace {

class FakeMemory : public DeviceMemory {
 public:
  explicit FakeMemory(const MemoryRequest& request) : bytes(request.size), grows_(request.grows) {}
  uint64_t size() const override { return bytes.size(); }
  bool grows() const override { return grows_; }
  Result<Fence> read(std::span<std::byte> host) const override {
    std::copy_n(bytes.begin(), host.size(), host.begin());
    return Fence::already_signalled();
  }
  Result<Fence> write(std::span<const std::byte> host) override {
    if (fails) return fail(Code::kDeadObject, "the device is gone");
    if (grows_) bytes.resize(host.size());
    std::copy(host.begin(), host.end(), bytes.begin());
    return Fence::already_signalled();
  }

  std::vector<std::byte> bytes;
  bool fails = false;

 private:
  const bool grows_;
};

class DeviceMemoryTest : public RuntimeTest {
 protected:
  DeviceMemoryTest() {
    gpu_->allocate_memory = [this](const MemoryRequest& request) -> Result<std::unique_ptr<DeviceMemory>> {
      if (!allocation_result_) return fail(allocation_result_.error());
      auto memory = std::make_unique<FakeMemory>(request);
      last_memory_ = memory.get();
      return memory;
    };
  }
  // An execution from `input_` to `memory`.
  std::shared_ptr<Execution> writer_to(Memory& memory, const Compilation& compilation) {
    auto writer = Execution::create(compilation);
    EXPECT_TRUE(writer->set_input(0, nullptr, input_.data(), sizeof input_));
    EXPECT_TRUE(writer->set_output_from_memory(0, nullptr, memory, 0, 0));
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

  Status allocation_result_;
  FakeMemory* last_memory_ = nullptr;
};

TEST_F(DeviceMemoryTest, RolesOfOneDeviceGetItsMemory) {
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  const auto memory = memory_for(compilation);
  ASSERT_TRUE(memory);
  EXPECT_EQ((*memory)->device_memory(), last_memory_);
  EXPECT_EQ(code_of((*memory)->map()), Code::kUnmappable);
}

TEST_F(DeviceMemoryTest, HostMemoryStandsInOnlyWhereTheRuntimeChoseTheDevice) {
  allocation_result_ = fail(Code::kResourceExhaustedPersistent, "full");
  Compilation automatic(model_, runtime_);
  Compilation chosen(model_, runtime_, {gpu_});
  ASSERT_TRUE(automatic.finish());
  ASSERT_TRUE(chosen.finish());
  const auto on_host = memory_for(automatic);
  ASSERT_TRUE(on_host);
  EXPECT_EQ((*on_host)->device_memory(), nullptr);
  EXPECT_EQ(code_of(memory_for(chosen)), Code::kResourceExhaustedPersistent);
}

TEST_F(DeviceMemoryTest, ADeviceWithoutMemoryOfItsOwnWorksOnTheHosts) {
  allocation_result_ = fail(Code::kOpFailed, "no memory");
  Compilation chosen(model_, runtime_, {gpu_});
  ASSERT_TRUE(chosen.finish());
  const auto on_host = memory_for(chosen);
  ASSERT_TRUE(on_host);
  EXPECT_TRUE((*on_host)->map());
}

TEST_F(DeviceMemoryTest, UnknownSizesNeedADeviceWithMemory) {
  Model open(runtime_.extensions());
  build_relu(open, {0}, {0});
  Compilation on_gpu(open, runtime_, {gpu_});
  Compilation on_cpu(open, runtime_, {cpu_});
  Compilation automatic(open, runtime_);
  for (Compilation* compilation : {&on_gpu, &on_cpu, &automatic}) ASSERT_TRUE(compilation->finish());
  const auto memory = memory_for(on_gpu);
  ASSERT_TRUE(memory);
  EXPECT_TRUE((*memory)->device_memory()->grows());
  EXPECT_EQ(code_of((*memory)->logical_size()), Code::kBadData);
  EXPECT_EQ(code_of(memory_for(on_cpu)), Code::kOpFailed);
  allocation_result_ = fail(Code::kOpFailed, "full");
  EXPECT_EQ(code_of(memory_for(automatic)), Code::kOpFailed);
}

// The fake plan takes no device memory: as the CPU after a failure of the device.
TEST_F(DeviceMemoryTest, APlanThatCannotBindItWorksOnHostMemory) {
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  const auto memory = memory_for(compilation);
  ASSERT_TRUE(memory);
  const auto writer = writer_to(**memory, compilation);
  ASSERT_TRUE(writer->compute());
  auto reader = Execution::create(compilation);
  ASSERT_TRUE(reader->set_input_from_memory(0, nullptr, **memory, 0, 0));
  ASSERT_TRUE(reader->set_output(0, nullptr, output_.data(), sizeof output_));
  ASSERT_TRUE(reader->compute());
  EXPECT_EQ(output_, (std::array<float, 2>{3.0F, 4.0F}));
}

TEST_F(DeviceMemoryTest, TheCpuTakesOverWithMemoryOfTheDevice) {
  Compilation compilation(model_, runtime_);
  ASSERT_TRUE(compilation.finish());
  const auto memory = memory_for(compilation);
  ASSERT_TRUE(memory);
  ASSERT_NE((*memory)->device_memory(), nullptr);
  gpu_->behaviour.execution_result = fail(Code::kOpFailed, "broken");
  const auto writer = writer_to(**memory, compilation);
  ASSERT_TRUE(writer->compute());
  EXPECT_EQ(writer->summary().device, kReferenceDeviceName);
  float first = 0;
  std::memcpy(&first, last_memory_->bytes.data(), sizeof first);
  EXPECT_EQ(first, 2.0F);
  EXPECT_TRUE((*memory)->check_readable_as(Shape{2}));
}

TEST_F(DeviceMemoryTest, AResultThatCannotBeStoredFailsTheExecutionAndUndefinesTheMemory) {
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  const auto memory = memory_for(compilation);
  ASSERT_TRUE(memory);
  const auto writer = writer_to(**memory, compilation);
  last_memory_->fails = true;
  EXPECT_EQ(code_of(writer->compute()), Code::kDeadObject);
  EXPECT_FALSE((*memory)->check_readable_as(Shape{2}));
}

TEST_F(DeviceMemoryTest, TheExecutionWaitsForItsInputsToArrive) {
  class SlowMemory : public FakeMemory {
   public:
    using FakeMemory::FakeMemory;
    Result<Fence> read(std::span<std::byte> host) const override {
      target = host;
      return arrived;
    }
    mutable std::span<std::byte> target;
    Fence arrived = Fence::pending();
  };
  Compilation compilation(model_, runtime_, {gpu_});
  ASSERT_TRUE(compilation.finish());
  SlowMemory slow({8, false});
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
  const auto submission = submit_through_host(plan, request);
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->done.state(), Fence::State::kPending);
  std::memcpy(slow.target.data(), input_.data(), sizeof input_);
  slow.arrived.signal();
  ASSERT_TRUE(submission->done.wait());
  EXPECT_EQ(output_[1], 3.0F);
}

}  // namespace
}  // namespace nnvk::testing
