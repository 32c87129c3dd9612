// Elementwise operations over numbers as doubles; every execution runs on the device's thread.
#include "tests/support/extension_device/extension_device.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "cpu_fallback/worker_pool.h"
#include "tests/support/extension_device/test_extension.h"

namespace nnvk::testing {
namespace {

using Clock = std::chrono::steady_clock;

bool is_ours(const PlanNode& node, uint16_t code) {
  return node.extension && node.extension->extension == kTestExtension && node.extension->code == code;
}

bool is_type(const OperandInfo& info, uint16_t code) {
  return info.extension != nullptr && info.extension->extension == kTestExtension && info.extension->type.code == code;
}

bool is_float_tensor(const OperandInfo& info) { return info.type == OperandType::kTensorFloat32; }

double scale_of(const OperandInfo& fixed) {
  const std::vector<std::byte>& data = fixed.extension->data;
  return std::ldexp(1.0, data.empty() ? 0 : static_cast<int>(data[0]));
}

template <class T>
T load(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

double read(const OperandInfo& info, std::span<const std::byte> bytes, size_t index) {
  if (is_float_tensor(info)) return load<float>(bytes, index);
  return load<int16_t>(bytes, index) / scale_of(info);
}

void write(const OperandInfo& info, std::span<std::byte> bytes, size_t index, double value) {
  if (is_float_tensor(info)) {
    const auto number = static_cast<float>(value);
    std::memcpy(bytes.data() + index * sizeof number, &number, sizeof number);
    return;
  }
  const auto number = static_cast<int16_t>(std::clamp(std::nearbyint(value * scale_of(info)), -32768.0, 32767.0));
  std::memcpy(bytes.data() + index * sizeof number, &number, sizeof number);
}

// Why the node is none that this device can run; empty when it can. Nobody else checks the operands of extension operations.
std::string problem_of(const Plan& plan, const PlanNode& node, bool runs_add) {
  const auto in = [&](size_t i) -> const OperandInfo& { return plan.tensors[node.inputs[i]].info; };
  const auto has = [&](size_t inputs) { return node.inputs.size() == inputs && node.outputs.size() == 1; };
  const OperandInfo& out = plan.tensors[node.outputs[0]].info;
  if (node.code == OperationCode::kAdd) {
    if (!runs_add) return "the device has no ADD";
    const PlanTensor& activation = plan.tensors[node.inputs[2]];
    const bool plain = activation.value.size() == sizeof(int32_t) && load<int32_t>(activation.value, 0) == 0;
    return is_float_tensor(out) && plain ? "" : "only ADD of floats without activation";
  }
  if (is_ours(node, kToFixed)) {
    return has(1) && is_float_tensor(in(0)) && is_type(out, kFixed16) ? "" : "TO_FIXED makes FIXED16 of one TENSOR_FLOAT32";
  }
  if (is_ours(node, kScaleBy)) {
    return has(2) && is_type(in(0), kFixed16) && is_type(in(1), kFactor) && is_type(out, kFixed16)
               ? ""
               : "SCALE_BY takes FIXED16 and FACTOR and gives FIXED16";
  }
  if (is_ours(node, kToFloat)) {
    return has(1) && is_type(in(0), kFixed16) && is_float_tensor(out) ? "" : "TO_FLOAT makes TENSOR_FLOAT32 of one FIXED16";
  }
  return "the device has no such operation";
}

// Attributes of "nnvk.test": at most the one with this code, one float. Those of other extensions are somebody else's.
Result<float> read_attribute(const ExtensionAttributes& attributes, uint16_t code, float otherwise) {
  float value = otherwise;
  for (const auto& [name, bytes] : attributes) {
    if (name.first != kTestExtension) continue;
    if (name.second != code || bytes.size() != sizeof value) {
      return fail(Code::kBadData, "attribute " + std::to_string(name.second) + " with " + std::to_string(bytes.size()) +
                                      " bytes is none that belongs here");
    }
    value = load<float>(bytes, 0);
  }
  return value;
}

// One tensor of a running execution.
struct Value {
  OperandInfo info;
  std::span<const std::byte> bytes;
  std::vector<std::byte> owned;
  bool omitted = false;
};

class ExtensionPlan final : public PreparedPlan {
 public:
  ExtensionPlan(std::shared_ptr<const Plan> plan, float gain, int32_t priority, cpu::WorkerPool& thread)
      : plan_(std::move(plan)), gain_(gain), priority_(priority), thread_(thread) {}
  ~ExtensionPlan() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

  Result<Submission> submit(const Request& request) override {
    float offset = 0;
    if (request.attributes != nullptr) {
      NNVK_ASSIGN(offset, read_attribute(*request.attributes, kOffset, 0.0F));
    }
    auto run = std::make_shared<Run>();
    run->inputs.assign(request.inputs.begin(), request.inputs.end());
    run->outputs.assign(request.outputs.begin(), request.outputs.end());
    run->offset = offset;
    run->measure = request.measure_timing;
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    if (!thread_.enqueue(priority_, [this, run] { finish(*run, execute(*run)); })) {
      finish(*run, fail(Code::kResourceExhaustedTransient, "no thread could be started"));
    }
    return Submission{run->done, run->report};
  }

  Counters counters() const override {
    const std::lock_guard lock(mutex_);
    return {{"executions", executions_}};
  }

 private:
  struct Run {
    std::vector<Binding> inputs;
    std::vector<Binding> outputs;
    float offset = 0;
    bool measure = false;
    Clock::time_point submitted = Clock::now();
    Fence done = Fence::pending();
    std::shared_ptr<ExecutionReport> report = std::make_shared<ExecutionReport>();
  };

  void finish(Run& run, Status result) {
    run.report->result = std::move(result);
    if (run.measure) run.report->driver_nanoseconds = static_cast<uint64_t>((Clock::now() - run.submitted).count());
    {
      // Notified under the lock: once it is released, the plan may be gone.
      const std::lock_guard lock(mutex_);
      --running_;
      if (run.report->result) ++executions_;
      idle_.notify_all();
    }
    const Status& final_result = run.report->result;
    final_result ? run.done.signal() : run.done.fail(final_result.error());
  }

  Status execute(Run& run) const {
    const Clock::time_point begin = Clock::now();
    NNVK_ASSIGN(std::vector<Value> values, bind(run));
    for (const PlanNode& node : plan_->nodes) {
      if (const Status status = compute(node, run.offset, values); !status) {
        return fail(status.error().at(plan_->describe(node)));
      }
    }
    Status delivered = deliver(run, values);
    if (run.measure) run.report->hardware_nanoseconds = static_cast<uint64_t>((Clock::now() - begin).count());
    return delivered;
  }

  Result<std::vector<Value>> bind(const Run& run) const {
    std::vector<Value> values(plan_->tensors.size());
    for (size_t t = 0; t < values.size(); ++t) {
      values[t].info = plan_->tensors[t].info;
      values[t].bytes = plan_->tensors[t].value;
      values[t].omitted = plan_->tensors[t].role == TensorRole::kOmitted;
    }
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      Value& value = values[plan_->inputs[i]];
      value.omitted = run.inputs[i].omitted;
      if (value.omitted) continue;
      const auto shape = merge_shapes(value.info.shape, run.inputs[i].shape);
      if (shape) value.info.shape = *shape;
      const auto size = value.info.byte_size();
      if (!shape || !size || *size > run.inputs[i].size) {
        return fail(Code::kBadData, "input " + std::to_string(i) + " does not fit what is bound");
      }
      value.bytes = {run.inputs[i].data, *size};
    }
    return values;
  }

  Status compute(const PlanNode& node, float offset, std::vector<Value>& values) const {
    const Value& in = values[node.inputs[0]];
    Value& out = values[node.outputs[0]];
    const Value* const other = node.inputs.size() > 1 ? &values[node.inputs[1]] : nullptr;
    const auto shape = merge_shapes(in.info.shape, out.info.shape);
    if (in.omitted || !shape || (node.code == OperationCode::kAdd && (other->omitted || other->info.shape != in.info.shape))) {
      return fail(Code::kOpFailed, "operands of the same shape are needed");
    }
    out.info.shape = *shape;
    const auto size = out.info.byte_size();
    if (!size) return fail(Code::kOpFailed, "the result is too large");
    out.owned.resize(*size);
    double factor = 1;
    if (is_ours(node, kScaleBy) && !other->omitted) factor = load<double>(other->bytes, 0);
    for (size_t i = 0; i < shape->element_count(); ++i) {
      double value = read(in.info, in.bytes, i);
      if (node.code == OperationCode::kAdd) value += read(other->info, other->bytes, i);
      if (is_ours(node, kScaleBy)) value *= factor;
      if (is_ours(node, kToFloat)) value = double{gain_} * value + double{offset};
      write(out.info, out.owned, i, value);
    }
    out.bytes = out.owned;
    return {};
  }

  // Copies the results to where they are wanted; reports their shapes, which the model need not know.
  Status deliver(const Run& run, const std::vector<Value>& values) const {
    Status result;
    for (size_t i = 0; i < run.outputs.size(); ++i) {
      const Binding& binding = run.outputs[i];
      const Value& value = values[plan_->outputs[i]];
      OutputReport& report = run.report->outputs.emplace_back(OutputReport{value.info.shape, true});
      if (binding.omitted) continue;
      if (binding.growable != nullptr) {
        binding.growable->assign(value.bytes.begin(), value.bytes.end());
      } else if (value.bytes.size() <= binding.size) {
        std::copy(value.bytes.begin(), value.bytes.end(), binding.data);
      } else {
        report.sufficient = false;
        result = fail(Code::kOutputInsufficientSize,
                      "output " + std::to_string(i) + " needs " + std::to_string(value.bytes.size()) + " bytes");
      }
    }
    return result;
  }

  const std::shared_ptr<const Plan> plan_;
  const float gain_;
  const int32_t priority_;
  cpu::WorkerPool& thread_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;
  uint64_t executions_ = 0;
};

class ExtensionDevice final : public Device {
 public:
  ExtensionDevice(DeviceInfo info, bool runs_add) : info_(std::move(info)), runs_add_(runs_add) {}

  const DeviceInfo& info() const override { return info_; }

  std::vector<Placement> place(const Plan& plan) const override {
    std::vector<Placement> placements;
    for (const PlanNode& node : plan.nodes) {
      std::string problem = problem_of(plan, node, runs_add_);
      const bool supported = problem.empty();
      placements.push_back({supported, std::move(problem), supported ? 1e-6 : 0});
    }
    return placements;
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(std::shared_ptr<const Plan> plan, const PrepareOptions& options) override {
    NNVK_ASSIGN(const float gain, read_attribute(options.attributes, kGain, 1.0F));
    return std::unique_ptr<PreparedPlan>(std::make_unique<ExtensionPlan>(std::move(plan), gain, options.priority, thread_));
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(const MemoryRequest&) override {
    return fail(Code::kOpFailed, "the device has no memory of its own");
  }
  Result<Ceilings> measure_ceilings() override { return Ceilings{}; }

 private:
  const DeviceInfo info_;
  const bool runs_add_;
  cpu::WorkerPool thread_{1};
};

}  // namespace

std::unique_ptr<Device> make_extension_device(DeviceInfo info, bool runs_add) {
  return std::make_unique<ExtensionDevice>(std::move(info), runs_add);
}

}  // namespace nnvk::testing
