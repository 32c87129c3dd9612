// Executions on memory that outlives them: imported client memory and device memory, in place or copied. Counts what the device
// writes, records and allocates for it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "network.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

// Shared memory with a file, like that of clients.
class ClientMemory {
 public:
  // `as_dma_buf`: devices believe that the file is a dma-buf.
  explicit ClientMemory(size_t size, bool writable = true, bool as_dma_buf = false) {
    const int fd = ::memfd_create("client_memory_test", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
    const int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    void* address = ::mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
    view_ = static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    std::optional<MappedMemory::DmaBuf> dma_buf;
    if (as_dma_buf) dma_buf = {fd, 0};
    const auto unmap = [address, size, view = view_, fd] {
      ::munmap(address, size);
      ::munmap(view, size);
      ::close(fd);
    };
    mapping_ = std::make_shared<MappedMemory>(std::span(static_cast<std::byte*>(address), size), writable, unmap, dma_buf);
  }
  Binding bind(const Shape& shape, size_t offset = 0, size_t length = 0) const {
    Binding binding;
    binding.shape = shape;
    binding.mapping = mapping_;
    binding.data = mapping_->bytes().data() + offset;
    binding.size = length != 0 ? length : shape.element_count() * sizeof(float);
    return binding;
  }
  void write(const std::vector<float>& values, size_t offset = 0) const {
    std::memcpy(view_ + offset, values.data(), values.size() * sizeof(float));
  }
  std::vector<float> floats(size_t count, size_t offset = 0) const {
    std::vector<float> values(count);
    std::memcpy(values.data(), view_ + offset, count * sizeof(float));
    return values;
  }
  std::shared_ptr<MappedMemory>& mapping() { return mapping_; }

 private:
  std::shared_ptr<MappedMemory> mapping_;
  std::byte* view_ = nullptr;  // as another process sees it
};

const Shape kShape{1, 4, 8, 4};
constexpr size_t kFloats = 128;
constexpr size_t kBytes = kFloats * sizeof(float);

class ClientMemoryTest : public OnEveryPath {
 protected:
  void SetUp() override {
    OnEveryPath::SetUp();
    if (!device_) return;
    plan_ = residual_network(kShape, 2);
    prepared_ = prepare(plan_);
    ASSERT_TRUE(prepared_);
    Inference reference(kShape, 3);
    values_ = reference.in;
    wanted_ = expected(plan_, reference);
    before_ = prepared_->counters();
    const ClientMemory probe(kBytes);
    run(probe.bind(kShape), probe.bind(kShape));
    imports_ = total("device_allocations") != 0;
    before_ = prepared_->counters();
  }
  void TearDown() override {
    prepared_.reset();
    OnEveryPath::TearDown();
  }
  Status run(const Binding& input, const Binding& output) {
    Request request;
    request.inputs = std::span(&input, 1);
    request.outputs = std::span(&output, 1);
    const auto submission = prepared_->submit(request);
    return submission ? submission->done.wait() : fail(submission.error());
  }
  // The increase of this counter since SetUp.
  uint64_t total(const char* name) const {
    const auto before = before_.find(name);
    return prepared_->counters().at(name) - (before == before_.end() ? 0 : before->second);
  }
  std::unique_ptr<DeviceMemory> device_memory(size_t size) const {
    auto memory = device_->allocate({size});
    EXPECT_TRUE(memory);
    return std::move(*memory);
  }
  static Binding bind(DeviceMemory& memory, size_t offset = 0) {
    Binding binding;
    binding.shape = kShape;
    binding.device_memory = &memory;
    binding.device_offset = offset;
    return binding;
  }

  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<PreparedPlan> prepared_;
  std::vector<float> values_;
  std::vector<float> wanted_;
  Counters before_;
  bool imports_ = false;
};

INSTANTIATE_TEST_SUITE_P(Paths, ClientMemoryTest,
                         testing::Values(Path{"Default", {}}, Path{"Words", {.variant = KernelVariant::kWords}},
                                         Path{"Staging", {.force_staging = true}}),
                         name_of_path);

TEST_P(ClientMemoryTest, ImportedMemoryIsReadAndWrittenWithoutACopy) {
  if (!imports_) GTEST_SKIP() << "this device imports no host memory";
  const ClientMemory in(kBytes);
  const ClientMemory out(kBytes);
  in.write(values_);
  for (int i = 0; i < 5; ++i) {
    out.write(std::vector<float>(kFloats, -1.0F));
    ASSERT_TRUE(run(in.bind(kShape), out.bind(kShape)));
    expect_close(out.floats(kFloats), wanted_);
  }
  EXPECT_EQ(total("bytes_copied_in"), 0U);
  EXPECT_EQ(total("bytes_copied_out"), 0U);
  EXPECT_EQ(total("bytes_copied_internal"), stages() ? 5 * 2 * kBytes : 0U);
}

// lavapipe accepts any mappable memory as a dma-buf, so this test of the device's path needs no real one.
TEST_P(ClientMemoryTest, DmaBufsAreReadAndWrittenWithoutTheHostsView) {
  const ClientMemory in(4096, true, true);
  const ClientMemory out(4096, true, true);
  in.write(values_);
  ASSERT_TRUE(run(in.bind(kShape), out.bind(kShape)));
  expect_close(out.floats(kFloats), wanted_);
  if (total("dma_bufs_imported") == 0) GTEST_SKIP() << "this device imports no dma-bufs, or not such: they are client memory";
  EXPECT_EQ(total("dma_bufs_imported"), 2U);
  EXPECT_EQ(total("bytes_copied_in"), 0U);
  EXPECT_EQ(total("bytes_copied_out"), 0U);
}

TEST_P(ClientMemoryTest, TheSameMemoriesAgainWriteRecordAndAllocateNothing) {
  const ClientMemory memories[3] = {ClientMemory(2 * 4096), ClientMemory(2 * 4096), ClientMemory(2 * 4096)};
  const auto frame = [&](int i) {
    memories[i % 3].write(values_);
    ASSERT_TRUE(run(memories[i % 3].bind(kShape), memories[i % 3].bind(kShape, 4096)));
    expect_close(memories[i % 3].floats(kFloats, 4096), wanted_);
  };
  for (int i = 0; i < 3; ++i) frame(i);
  before_ = prepared_->counters();
  for (int i = 0; i < 9; ++i) frame(i);
  for (const char* name : {"descriptor_sets_written", "device_allocations", "command_buffers_recorded", "pipelines_created"}) {
    EXPECT_EQ(total(name), 0U) << name;
  }
}

TEST_P(ClientMemoryTest, MorePlacesThanASlotKeepsStillWork) {
  std::vector<std::unique_ptr<ClientMemory>> memories;
  for (int i = 0; i < 20; ++i) memories.push_back(std::make_unique<ClientMemory>(2 * 4096));
  for (int round = 0; round < 2; ++round) {
    for (const auto& memory : memories) {
      memory->write(std::vector<float>(kFloats, -1.0F), 4096);
      memory->write(values_);
      ASSERT_TRUE(run(memory->bind(kShape), memory->bind(kShape, 4096)));
      expect_close(memory->floats(kFloats, 4096), wanted_);
    }
  }
}

TEST_P(ClientMemoryTest, OnlyDispatchesAtTheEdgesGetNewDescriptors) {
  if (stages() || !imports_) GTEST_SKIP() << "inputs and outputs are copied here";
  const ClientMemory in(kBytes);
  const ClientMemory out(kBytes);
  in.write(values_);
  ASSERT_TRUE(run(in.bind(kShape), out.bind(kShape)));
  // The convolution and the sum read the input, the last TANH writes the output; only their descriptor sets change.
  EXPECT_EQ(total("descriptor_sets_written"), 3U);
}

TEST_P(ClientMemoryTest, NothingAroundAnOutputIsTouched) {
  const Shape odd{1, 1, 1, 3};  // 12 bytes: kernels write 16
  const auto plan = [&] {
    PlanFixture m;
    const TensorId x = m.input(odd);
    m.node(OperationCode::kTanh, {x}, {m.output(odd)});
    return m.plan();
  }();
  prepared_ = prepare(plan);
  ASSERT_TRUE(prepared_);
  before_.clear();
  const ClientMemory memory(4096);
  memory.write(std::vector<float>(1024, 0.5F));
  ASSERT_TRUE(run(memory.bind(odd), memory.bind(odd, 256)));
  const std::vector<float> after = memory.floats(1024);
  for (size_t i = 0; i < after.size(); ++i) {
    const bool is_output = i >= 64 && i < 67;
    ASSERT_NEAR(after[i], is_output ? 0.46211716F : 0.5F, is_output ? 1e-5F : 0.0F) << i;
  }
  if (imports_ && !stages()) {
    EXPECT_EQ(total("bytes_copied_in"), 0U);
    EXPECT_EQ(total("bytes_copied_out"), 12U);
    ASSERT_TRUE(run(memory.bind(odd), memory.bind(odd, 256, 64)));  // with padding the fourth float is the device's
    EXPECT_EQ(total("bytes_copied_out"), 12U);
    EXPECT_EQ(memory.floats(1, 256 + 16), std::vector<float>{0.5F});
  }
}

TEST_P(ClientMemoryTest, UnalignedPlacesWorkByCopy) {
  const ClientMemory memory(4096);
  memory.write(values_, 4);
  ASSERT_TRUE(run(memory.bind(kShape, 4), memory.bind(kShape, 2052)));
  expect_close(memory.floats(kFloats, 2052), wanted_);
  if (!stages()) {
    EXPECT_EQ(total("bytes_copied_in"), kBytes);
    EXPECT_EQ(total("bytes_copied_out"), kBytes);
  }
}

TEST_P(ClientMemoryTest, ReadOnlyMemoryIsAnInput) {
  if (!imports_) GTEST_SKIP() << "this device imports no host memory";
  const ClientMemory in(kBytes, false);
  const ClientMemory out(kBytes);
  in.write(values_);
  ASSERT_TRUE(run(in.bind(kShape), out.bind(kShape)));
  expect_close(out.floats(kFloats), wanted_);
  EXPECT_EQ(in.floats(kFloats), values_);
  EXPECT_EQ(total("bytes_copied_in"), 0U);
}

TEST_P(ClientMemoryTest, AnOutputOverItsInputIsComputedFromTheOldValues) {
  const ClientMemory memory(kBytes);
  memory.write(values_);
  ASSERT_TRUE(run(memory.bind(kShape), memory.bind(kShape)));
  expect_close(memory.floats(kFloats), wanted_);
}

TEST_P(ClientMemoryTest, MemoryMayGoWhileAnExecutionUsesIt) {
  std::vector<Submission> submissions;
  std::vector<std::vector<float>> results(20, std::vector<float>(kFloats));
  for (std::vector<float>& result : results) {
    ClientMemory in(kBytes);
    in.write(values_);
    const Binding input = in.bind(kShape);
    const Binding output = test::bind(result, kShape);
    Request request;
    request.inputs = std::span(&input, 1);
    request.outputs = std::span(&output, 1);
    auto submission = prepared_->submit(request);
    ASSERT_TRUE(submission);
    submissions.push_back(std::move(*submission));
  }
  for (const Submission& submission : submissions) ASSERT_TRUE(submission.done.wait());
  for (const std::vector<float>& result : results) expect_close(result, wanted_);
}

TEST_P(ClientMemoryTest, DeviceMemoryIsBoundWithoutPassingTheHost) {
  const auto in = device_memory(kBytes);
  const auto out = device_memory(kBytes);
  EXPECT_TRUE(prepared_->takes_device_memory(*in, true, 0));
  ASSERT_TRUE((*in->write(std::as_bytes(std::span(values_)))).wait());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(bind(*in), bind(*out)));
  std::vector<float> result(kFloats);
  ASSERT_TRUE((*out->read(std::as_writable_bytes(std::span(result)))).wait());
  expect_close(result, wanted_);
  for (const char* name : {"bytes_copied_in", "bytes_copied_out", "bytes_copied_internal"}) EXPECT_EQ(total(name), 0U) << name;
}

TEST_P(ClientMemoryTest, DeviceMemoryAtAnUnalignedOffsetIsCopiedByTheDevice) {
  const auto in = device_memory(kBytes + 4);
  std::vector<float> shifted(1, 77.0F);
  shifted.insert(shifted.end(), values_.begin(), values_.end());
  ASSERT_TRUE((*in->write(std::as_bytes(std::span(shifted)))).wait());
  const ClientMemory out(kBytes);
  ASSERT_TRUE(run(bind(*in, 4), out.bind(kShape)));
  expect_close(out.floats(kFloats), wanted_);
  EXPECT_EQ(total("bytes_copied_in"), 0U);
  EXPECT_GE(total("bytes_copied_internal"), kBytes);
}

}  // namespace
}  // namespace nnvk::vulkan
