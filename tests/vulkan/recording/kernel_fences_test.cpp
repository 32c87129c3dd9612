// Executions give and wait for kernel fences (sync_files) if the driver has them. Mesa 26's lavapipe has them, and exports every
// one as already signalled.
#include <poll.h>
#include <unistd.h>

#include "network.h"
#include "opened_gpu.h"
#include "vulkan/prepared_plan.h"
#include "vulkan/recording/resident_memory.h"

namespace nnvk::vulkan {
namespace {

using namespace test;

const Shape kShape{1, 5, 7, 4};

class KernelFenceTest : public OpenedGpu {
 protected:
  void SetUp() override {
    gpu_ = open();
    if (!gpu_) GTEST_SKIP() << "no Vulkan device on this machine";
    if (!gpu_->context->plan().sync_files) {
      GTEST_SKIP() << gpu_->context->snapshot().name << " exports no fence and imports no semaphore as SYNC_FD";
    }
    plan_ = *prepare_plan(gpu_, residual_network(kShape), cpu::reference_evaluator(), {});
    for (auto* memory : {&in_, &out_}) *memory = *ResidentMemory::create(gpu_, {bytes(), false});
    EXPECT_TRUE((*in_->write(std::as_bytes(std::span(run_.in)))).wait());
  }
  void TearDown() override { plan_.reset(); }

  static size_t bytes() { return kShape.element_count() * sizeof(float); }
  Request request() {
    inputs_[0].device_memory = in_.get();
    outputs_[0].device_memory = out_.get();
    inputs_[0].shape = outputs_[0].shape = kShape;
    Request request;
    request.inputs = inputs_;
    request.outputs = outputs_;
    return request;
  }
  void expect_right() {
    EXPECT_TRUE((*out_->read(std::as_writable_bytes(std::span(run_.out)))).wait());
    expect_close(run_.out, expected(residual_network(kShape), run_));
  }
  // Expects that `file` becomes readable. -1: already signalled.
  static void expect_signalled(int file) {
    if (file < 0) return;
    pollfd entry{file, POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 60'000), 1);
    ::close(file);
  }

  std::unique_ptr<PreparedPlan> plan_;
  std::unique_ptr<DeviceMemory> in_;
  std::unique_ptr<DeviceMemory> out_;
  Inference run_{kShape, 3};
  Binding inputs_[1];
  Binding outputs_[1];
};

TEST_F(KernelFenceTest, AnExecutionOverDeviceMemoryHasOne) {
  for (int round = 0; round < 20; ++round) {
    const Submission submission = value_of(plan_->submit(request()));
    ASSERT_NE(submission.place, nullptr);
    if (round % 2 == 0) {  // in other rounds no caller exports it
      const auto file = submission.place->export_sync_file();
      ASSERT_TRUE(file);
      expect_signalled(*file);
    }
    EXPECT_TRUE(submission.done.wait());
    EXPECT_EQ(submission.place->export_sync_file(), -1) << "signalled already";
  }
  expect_right();
  EXPECT_EQ(plan_->counters().at("kernel_fences"), 20U);
}

TEST_F(KernelFenceTest, AnExecutionWhoseResultsTheHostCopiesHasNone) {
  const Submission submission = value_of(run_.submit(*plan_));
  EXPECT_EQ(submission.place->export_sync_file(), std::nullopt);
  EXPECT_TRUE(submission.done.wait());
  EXPECT_EQ(plan_->counters().at("kernel_fences"), 0U);
}

TEST_F(KernelFenceTest, ThePlaceOfAnExecutionThatNeverRanMayOutliveTheDevice) {
  gpu_->completions->shut_down();
  const Submission refused = value_of(plan_->submit(request()));
  EXPECT_EQ(code_of(refused.done.wait()), Code::kUnavailableDevice);
  plan_.reset();
  in_.reset();
  out_.reset();
  close();
  EXPECT_EQ(refused.place->export_sync_file(), std::nullopt);
}

TEST_F(KernelFenceTest, TheDeviceWaitsForThoseOfOthers) {
  for (int round = 0; round < 20; ++round) {
    // The fence of another execution: -1 if the driver exports it only after completion.
    const Submission before = value_of(plan_->submit(request()));
    const auto file = before.place->export_sync_file();
    ASSERT_TRUE(file);
    const std::shared_ptr<const QueuePlace> behind[] = {std::make_shared<const SyncFilePlace>(FileDescriptor(*file)),
                                                        std::make_shared<const SyncFilePlace>(FileDescriptor())};
    Request next = request();
    next.behind = behind;
    const auto submission = value_of(plan_->submit_behind(next));
    ASSERT_TRUE(submission);
    EXPECT_TRUE(submission->done.wait());
    EXPECT_TRUE(before.done.wait());
  }
  expect_right();
  EXPECT_EQ(plan_->counters().at("sync_files_waited_for"), 40U);
  EXPECT_EQ(plan_->counters().at("queued_behind_at_once"), 20U);
}

}  // namespace
}  // namespace nnvk::vulkan
