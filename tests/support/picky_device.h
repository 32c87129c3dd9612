// A device for tests of partitions: computes with another one, but takes only the operations that the test lets it have, has
// memory of its own, and fails on demand. Work of the CPU device is done on worker threads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/segments.h"
#include "cpu_fallback/reference_device.h"

namespace nnvk::test {

class PickyDevice final : public Device {
 public:
  // What happens to a submission, by its number since the device was made.
  enum class Fate { kSucceeds, kIsRefused, kFails };

  // `inner` does the work.
  explicit PickyDevice(std::string name, DeviceType type = DeviceType::kGpu,
                       std::unique_ptr<Device> inner = cpu::make_reference_device())
      : inner_(std::move(inner)) {
    info_.name = std::move(name);
    info_.version = "1";
    info_.type = type;
    info_.feature_level = 1000008;
  }

  const DeviceInfo& info() const override { return info_; }

  std::vector<Placement> place(const Plan& plan) const override {
    std::vector<Placement> placements = inner_->place(plan);
    for (size_t n = 0; n < plan.nodes.size(); ++n) {
      if (is_control_flow(plan.nodes[n].code)) continue;
      placements[n].predicted_seconds = seconds_per_node;
      if (takes(plan.nodes[n])) continue;
      placements[n] = {false, "the test says no", 0};
    }
    return placements;
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    for (const PlanNode& node : plan->nodes) {
      if (!node.is_view && !takes(node)) return fail(Code::kOpFailed, info_.name + " was given " + plan->describe(node));
    }
    NNVK_TRY(prepare_result(preparations++));
    NNVK_ASSIGN(auto prepared, inner_->prepare(std::move(plan), options));
    return std::unique_ptr<PreparedPlan>(std::make_unique<Prepared>(*this, std::move(prepared)));
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest& request) override {
    if (request.grows) return fail(Code::kOpFailed, info_.name + " has no memory of unknown size");
    ++allocations;
    return std::unique_ptr<DeviceMemory>(std::make_unique<Memory>(*this, request.size));
  }
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

  std::function<bool(const PlanNode&)> takes = [](const PlanNode&) { return true; };
  std::function<Fate(int)> fate_of = [](int) { return Fate::kSucceeds; };
  Error failure{Code::kResourceExhaustedTransient, "the test wants this"};
  std::function<Status(int)> prepare_result = [](int) { return Status(); };  // by the number of the preparation
  double seconds_per_node = 1e-3;
  std::atomic<int> preparations{0};
  std::atomic<int> submissions{0};
  std::atomic<int> allocations{0};
  std::atomic<int> inputs_in_device_memory{0};

 private:
  class Memory final : public DeviceMemory {
   public:
    Memory(const PickyDevice& owner, uint64_t size) : owner_(owner), bytes_(size) {}
    uint64_t size() const override { return bytes_.size(); }
    Result<Fence> read(std::span<std::byte> host) const override {
      std::copy_n(bytes_.begin(), host.size(), host.begin());
      return Fence::already_signalled();
    }
    Result<Fence> write(std::span<const std::byte> host) override {
      std::copy(host.begin(), host.end(), bytes_.begin());
      return Fence::already_signalled();
    }
    bool belongs_to(const PickyDevice& device) const { return &owner_ == &device; }
    std::byte* data() { return bytes_.data(); }

   private:
    const PickyDevice& owner_;
    std::vector<std::byte> bytes_;
  };

  class Prepared final : public PreparedPlan {
   public:
    Prepared(PickyDevice& device, std::unique_ptr<PreparedPlan> inner) : device_(device), inner_(std::move(inner)) {}

    Result<Submission> submit(const Request& request) override {
      const Fate fate = device_.fate_of(device_.submissions++);
      if (fate == Fate::kIsRefused) return fail(device_.failure);
      if (fate == Fate::kFails) {
        auto report = std::make_shared<ExecutionReport>();
        report->result = fail(device_.failure);
        const Fence done = Fence::pending();
        done.fail(device_.failure);
        return Submission{done, report};
      }
      std::vector<Binding> inputs(request.inputs.begin(), request.inputs.end());
      std::vector<Binding> outputs(request.outputs.begin(), request.outputs.end());
      for (Binding& binding : inputs) {
        if (binding.device_memory != nullptr) ++device_.inputs_in_device_memory;
        NNVK_TRY(to_host(binding));
      }
      for (Binding& binding : outputs) NNVK_TRY(to_host(binding));
      Request on_host = request;
      on_host.inputs = inputs;
      on_host.outputs = outputs;
      on_host.may_run_inline = false;
      return inner_->submit(on_host);
    }
    bool takes_device_memory(const DeviceMemory& memory, bool /*is_input*/, size_t /*index*/) const override {
      const auto* const own = dynamic_cast<const Memory*>(&memory);
      return own != nullptr && own->belongs_to(device_);
    }
    Counters counters() const override { return inner_->counters(); }

   private:
    Status to_host(Binding& binding) const {
      if (binding.device_memory == nullptr) return {};
      auto* const memory = dynamic_cast<Memory*>(binding.device_memory);
      if (memory == nullptr || !memory->belongs_to(device_)) return fail(Code::kBadData, "memory of another device");
      binding.data = memory->data();
      binding.size = memory->size();
      binding.device_memory = nullptr;
      return {};
    }

    PickyDevice& device_;
    std::unique_ptr<PreparedPlan> inner_;
  };

  std::unique_ptr<Device> inner_;
  DeviceInfo info_;
};

}  // namespace nnvk::test
