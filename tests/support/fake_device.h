// The fake device: runs the test's computation, and declines, delays, refuses, fails or caches as the test wants.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/device.h"
#include "core/runtime/worker_pool.h"
#include "cpu_fallback/reference_device.h"

namespace nnvk::test {

// Computes one execution on the calling thread; every binding is host memory.
using Computation = std::function<ExecutionReport(const Request&)>;
using MakeComputation = std::function<Result<Computation>(std::shared_ptr<const Plan>, const PrepareOptions&)>;

// Computes with `device`.
MakeComputation computing_on(std::shared_ptr<Device> device);
// Adds one to input 0, float by float, for any plan. Reports 1000 ns on the hardware and 2000 in the driver.
MakeComputation adding_one();

// The result of a call: always the same, or dependent on how many calls the device has had before.
class Answer {
 public:
  Answer() = default;
  Answer(Status always) : by_number_([always = std::move(always)](int) { return always; }) {}
  Answer(tl::unexpected<Error> always) : Answer(Status(std::move(always))) {}
  // Fails with `failure` in the calls for which `strikes` returns true.
  Answer(std::function<bool(int)> strikes, Error failure)
      : by_number_([=](int n) { return strikes(n) ? Status(fail(failure)) : Status(); }) {}
  Status operator()(int number) const { return by_number_ ? by_number_(number) : Status(); }

 private:
  std::function<Status(int)> by_number_;
};

// The error of simulated failures, unless a test gives another.
inline Error wanted_failure(Code code = Code::kResourceExhaustedTransient) { return {code, "the test wants this"}; }

struct FakeBehaviour {
  std::function<bool(const PlanNode&)> takes = [](const PlanNode&) { return true; };
  // The reason why it does not run a node; empty if it runs it. Null: only `takes` decides.
  std::function<std::string(const Plan&, const PlanNode&)> objection;
  std::string cannot_be_asked;      // the reason why it answers for no node; empty: it answers
  double predicted_seconds = 1e-3;  // per node
  std::vector<std::byte> keeps;     // written by prepare() to an empty cache
  Answer prepare_result;
  Answer submit_result;     // returned by submit()
  Answer execution_result;  // In the report, instead of computing.
  // The device computes executions on its own threads, as the interface demands. With `at_once` it computes in submit(), and the
  // fence has settled when submit() returns. With `hold` it computes in FakePlan::release().
  bool at_once = false;
  std::atomic<bool> hold = false;
  bool queues = false;  // executions may follow others of the device that have not run
  // The kernel fence of its executions, of which every caller gets a duplicate; -1: it is signalled already.
  std::optional<int> sync_file;
  Shape reported_output;  // reported instead of the real shapes when not empty
  bool has_memory = true;
  bool binds_memory = true;  // false: its plans accept no memory, not even the device's own
  Status allocation_result;
};

class FakeMemory final : public DeviceMemory {
 public:
  explicit FakeMemory(const MemoryRequest& request, const Device* owner = nullptr)
      : bytes(request.size), owner_(owner), grows_(request.grows) {}
  uint64_t size() const override { return bytes.size(); }
  bool grows() const override { return grows_; }
  Result<Fence> read_from(uint64_t offset, std::span<std::byte> host) const override;
  Result<Fence> write_to(uint64_t offset, std::span<const std::byte> host) override;
  const Device* owner() const { return owner_; }

  std::vector<std::byte> bytes;
  Status write_result;
  Fence arrives = Fence::already_signalled();  // the fence of read_from(): settles when the data is in `host`

 private:
  const Device* owner_;
  const bool grows_;
};

class FakeDevice;

class FakePlan final : public PreparedPlan {
 public:
  FakePlan(FakeDevice& device, Computation compute, int32_t priority);
  ~FakePlan() override;  // releases all executions held back

  Result<Submission> submit(const Request& request) override;
  Result<std::optional<Submission>> submit_behind(const Request& request) override;
  bool takes_device_memory(const DeviceMemory& memory, bool is_input, size_t index) const override;
  Counters counters() const override { return {{"executions", executions_.load()}}; }
  // Computes everything that was held back.
  void release();

  std::atomic<uint64_t> submissions{0};
  std::atomic<uint64_t> queued_behind{0};
  std::optional<std::chrono::steady_clock::time_point> last_deadline;
  std::chrono::nanoseconds last_loop_timeout{0};
  std::shared_ptr<const ExtensionAttributes> last_attributes;

 private:
  struct Run;
  Result<std::shared_ptr<Run>> accept(const Request& request);
  void start(const std::shared_ptr<Run>& run, const Status& before);
  Status to_host(Binding& binding, bool is_output) const;
  void finish(Run& run, const Status& verdict);

  FakeDevice& device_;
  const Computation compute_;
  const int32_t priority_;
  const std::shared_ptr<WorkerPool> pool_;
  std::atomic<uint64_t> executions_{0};
  std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;
  std::vector<std::shared_ptr<Run>> held_;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(std::string name, DeviceType type = DeviceType::kGpu,
                      MakeComputation make_computation = computing_on(cpu::make_reference_device()));

  const DeviceInfo& info() const override { return info_; }
  DeviceInfo& changeable_info() { return info_; }
  std::vector<Placement> place(const Plan& plan, Groundwork* groundwork = nullptr) const override;
  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override;
  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override;
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

  const QueueId queue = new_queue_id();
  FakeBehaviour behaviour;
  // Counters and last values, for the tests to check.
  std::atomic<int> prepared{0};
  std::atomic<int> submissions{0};
  std::atomic<int> allocations{0};
  std::atomic<int> inputs_in_device_memory{0};
  PrepareOptions last_options;
  std::vector<std::byte> found;                   // in the cache, by the last prepare()
  FakePlan* last_plan = nullptr;                  // of the last prepare()
  std::atomic<FakeMemory*> last_memory{nullptr};  // of the last allocate()

 private:
  friend class FakePlan;
  std::string objection_to(const Plan& plan, const PlanNode& node) const;

  DeviceInfo info_;
  const MakeComputation make_computation_;
  std::shared_ptr<WorkerPool> pool_ = std::make_shared<WorkerPool>(2, "nnvk fake");
};

}  // namespace nnvk::test
