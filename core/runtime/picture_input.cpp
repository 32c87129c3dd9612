// One-operation plans, their cache, and what a running conversion keeps alive.
#include "core/runtime/picture_input.h"

#include <algorithm>
#include <utility>

#include "core/plan/plan.h"
#include "core/runtime/memory.h"
#include "core/runtime/memory_pools.h"

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
struct PreparedConversion {
  Key key;
  std::unique_ptr<PreparedPlan> plan;
  DeviceMemoryPool device_memory = {};
};

Result<std::shared_ptr<PreparedConversion>> PictureConversions::find_or_prepare(Device& device, const PicturePixels& pixels,
                                                                                const PictureInput& input, int32_t priority) {
  const OperandInfo& tensor = input.tensor;
  Key key{&device,
          pixels.bytes().size(),
          picture_integers(pixels.layout(), input.conversion),
          picture_reals(input.conversion),
          tensor.type,
          tensor.shape,
          tensor.scale,
          tensor.zero_point};
  const std::lock_guard lock(mutex_);
  ++executions_;
  const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const auto& prepared) { return prepared->key == key; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front();
  }
  PrepareOptions options;
  options.priority = priority;
  auto plan = device.prepare(make_plan(key, tensor), options);
  if (!plan) return fail(plan.error().on_device(device.info().name));
  ++prepared_;
  recent_.push_front(std::make_shared<PreparedConversion>(PreparedConversion{std::move(key), std::move(*plan)}));
  if (recent_.size() > kKept) recent_.pop_back();
  return recent_.front();
}

Result<std::shared_ptr<const ConvertedPicture>> PictureConversions::start(Device& device, const PictureInput& input,
                                                                          bool stays_on_device, int32_t priority,
                                                                          const Request& request) {
  const auto converted = std::make_shared<ConvertedPicture>();
  NNVK_ASSIGN(converted->pixels, input.memory.lock_picture());
  NNVK_ASSIGN(converted->prepared, find_or_prepare(device, *converted->pixels, input, priority));
  Binding& output = converted->binding;
  output.shape = input.tensor.shape;
  output.size = input.tensor.byte_size().value_or(0);
  if (stays_on_device) {
    converted->device_memory = converted->prepared->device_memory.take(device, output.size).value_or(nullptr);
    output.device_memory = converted->device_memory.get();
  }
  if (output.device_memory == nullptr) {  // also where the device has no memory of its own
    converted->host_memory.resize(output.size);
    output.data = converted->host_memory.data();
  }
  Binding pixels;
  pixels.data = const_cast<std::byte*>(converted->pixels->bytes().data());  // devices only read inputs
  pixels.size = converted->pixels->bytes().size();
  pixels.mapping = converted->pixels->mapping();
  pixels.shape = {static_cast<uint32_t>(pixels.size)};
  Request run;
  run.inputs = std::span(&pixels, 1);
  run.outputs = std::span(&output, 1);
  run.deadline = request.deadline;
  run.may_run_inline = request.may_run_inline;
  run.measure_timing = request.measure_timing;
  NNVK_ASSIGN(converted->submission, converted->prepared->plan->submit(run));
  // Whatever becomes of the model's own submission: nothing that the conversion uses goes before it has settled.
  converted->submission.done.on_settled([keep = std::shared_ptr(converted)](const Status&) mutable { keep.reset(); });
  return converted;
}

Counters PictureConversions::counters() const {
  const std::lock_guard lock(mutex_);
  uint64_t copied = 0;
  for (const auto& conversion : recent_) copied += conversion->plan->counters()["bytes_copied_in"];
  return {{"prepared", prepared_}, {"executions", executions_}, {"bytes_copied_in", copied}};
}

}  // namespace nnvk
