// One-operation plans, their cache, and what a running conversion keeps alive.
#include "core/runtime/picture_input.h"

#include <algorithm>
#include <utility>

#include "core/plan/plan.h"
#include "core/runtime/device_memory_pool.h"
#include "core/runtime/memory.h"

namespace nnvk {
namespace {

constexpr size_t kKept = 8;  // conversions per compilation: cameras change their format seldom

template <class T>
PlanTensor constant(OperandType type, const std::vector<T>& values) {
  PlanTensor tensor;
  tensor.info.type = type;
  tensor.info.shape = {static_cast<uint32_t>(values.size())};
  tensor.role = TensorRole::kConstant;
  auto owner = std::make_shared<const std::vector<T>>(values);
  tensor.value = std::as_bytes(std::span(*owner));
  tensor.owner = std::move(owner);
  return tensor;
}

// The parameters and the size of a conversion: equal ones share a plan.
struct Key {
  const Device* device;
  uint64_t bytes;
  std::vector<int32_t> integers;
  std::vector<float> reals;
  OperandType type;
  Shape shape;
  float scale;
  int32_t zero_point;
  bool operator==(const Key&) const = default;
};

std::shared_ptr<const Plan> make_plan(const Key& key, const OperandInfo& tensor) {
  auto plan = std::make_shared<Plan>();
  PlanTensor bytes;
  bytes.info.type = OperandType::kTensorQuant8Asymm;
  bytes.info.shape = {static_cast<uint32_t>(key.bytes)};
  bytes.info.scale = 1.0F;
  bytes.role = TensorRole::kInput;
  PlanTensor result;
  result.info = tensor;
  result.role = TensorRole::kOutput;
  plan->tensors = {std::move(bytes), constant(OperandType::kTensorInt32, key.integers),
                   constant(OperandType::kTensorFloat32, key.reals), std::move(result)};
  plan->inputs = {0};
  plan->outputs = {3};
  PlanNode node;
  node.code = kPictureToTensor;
  node.inputs = {0, 1, 2};
  node.outputs = {3};
  plan->nodes.push_back(std::move(node));
  return plan;
}

}  // namespace

// A conversion made ready on a device.
class PreparedConversion {
 public:
  PreparedConversion(Device& device, Key key, std::unique_ptr<PreparedPlan> plan)
      : key_(std::move(key)), plan_(std::move(plan)), device_memory_(device) {}

  const Key& key() const { return key_; }
  PreparedPlan& plan() { return *plan_; }
  DeviceMemoryPool& device_memory() { return device_memory_; }

 private:
  const Key key_;
  const std::unique_ptr<PreparedPlan> plan_;
  DeviceMemoryPool device_memory_;
};

namespace {

// What a running conversion reads and writes.
class RunningConversion : public ConvertedPicture {
 public:
  RunningConversion(std::shared_ptr<PreparedConversion> prepared, std::shared_ptr<const PicturePixels> pixels,
                    const OperandInfo& tensor)
      : prepared_(std::move(prepared)), pixels_(std::move(pixels)) {
    binding_.shape = tensor.shape;
    binding_.size = tensor.byte_size().value_or(0);
  }

  Status start(const PictureRequest& request) {
    make_room(request.stays_on_device);
    Binding input;
    input.data = const_cast<std::byte*>(pixels_->bytes().data());  // devices only read inputs
    input.size = pixels_->bytes().size();
    input.mapping = pixels_->mapping();
    input.shape = {static_cast<uint32_t>(input.size)};
    Request run;
    run.inputs = std::span(&input, 1);
    run.outputs = std::span(&binding_, 1);
    run.deadline = request.deadline;
    run.may_run_inline = request.may_run_inline;
    run.measure_timing = request.measure_timing;
    NNVK_ASSIGN(submission_, prepared_->plan().submit(run));
    return {};
  }

  const Binding& binding() const override { return binding_; }
  const Fence& ready() const override { return submission_.done; }
  const ExecutionReport& report() const override { return *submission_.report; }

 private:
  // Host memory where the device has none of its own.
  void make_room(bool stays_on_device) {
    if (stays_on_device) {
      if (auto memory = prepared_->device_memory().take(binding_.size)) {
        device_memory_ = std::move(*memory);
        binding_.device_memory = device_memory_.get();
        return;
      }
    }
    host_memory_.resize(binding_.size);
    binding_.data = host_memory_.data();
  }

  const std::shared_ptr<PreparedConversion> prepared_;
  const std::shared_ptr<const PicturePixels> pixels_;
  Binding binding_;
  std::shared_ptr<DeviceMemory> device_memory_;
  std::vector<std::byte> host_memory_;
  Submission submission_{Fence::already_signalled(), nullptr};
};

}  // namespace

Result<std::shared_ptr<PreparedConversion>> PictureConversions::find_or_prepare(Device& device, const PicturePixels& pixels,
                                                                                const PictureRequest& request) {
  const OperandInfo& tensor = request.tensor;
  Key key{&device,
          pixels.bytes().size(),
          picture_integers(pixels.layout(), request.conversion),
          picture_reals(request.conversion),
          tensor.type,
          tensor.shape,
          tensor.scale,
          tensor.zero_point};
  const std::lock_guard lock(mutex_);
  ++executions_;
  const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& prepared) { return prepared->key() == key; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front();
  }
  PrepareOptions options;
  options.priority = request.priority;
  auto plan = device.prepare(make_plan(key, tensor), options);
  if (!plan) return fail(plan.error().on_device(device.info().name));
  ++prepared_;
  recent_.push_front(std::make_shared<PreparedConversion>(device, std::move(key), std::move(*plan)));
  if (recent_.size() > kKept) recent_.pop_back();
  return recent_.front();
}

Result<std::shared_ptr<const ConvertedPicture>> PictureConversions::start(Device& device, const PictureRequest& request) {
  NNVK_ASSIGN(std::shared_ptr<const PicturePixels> pixels, request.memory.lock_picture());
  NNVK_ASSIGN(auto prepared, find_or_prepare(device, *pixels, request));
  auto running = std::make_shared<RunningConversion>(std::move(prepared), std::move(pixels), request.tensor);
  NNVK_TRY(running->start(request));
  // Whatever becomes of the model's own submission: nothing that the conversion uses goes before it has settled.
  running->ready().on_settled([keep = running](const Status&) mutable { keep.reset(); });
  return std::shared_ptr<const ConvertedPicture>(std::move(running));
}

Counters PictureConversions::counters() const {
  const std::lock_guard lock(mutex_);
  uint64_t copied = 0;
  for (const auto& conversion : recent_) copied += conversion->plan().counters()["bytes_copied_in"];
  return {{"prepared", prepared_}, {"executions", executions_}, {"bytes_copied_in", copied}};
}

}  // namespace nnvk
