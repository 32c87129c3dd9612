// Computes elementwise operations in double precision. The fake device decides how and when they run.
#include "tests/support/extension_device/extension_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/operations/operation_enumerators.h"
#include "tests/support/extension_device/test_extension.h"
#include "tests/support/fake_device.h"

namespace nnvk::test {
namespace {

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

// The reason why this device cannot run the node; empty if it can. No other code checks the operands of extension operations.
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

// The attribute of "nnvk.test" with this code, one float; at most one may be given. Ignores attributes of other extensions.
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

// A plan made of these operations.
class ExtensionArithmetic {
 public:
  ExtensionArithmetic(std::shared_ptr<const Plan> plan, float gain) : plan_(std::move(plan)), gain_(gain) {}

  ExecutionReport operator()(const Request& request) const {
    ExecutionReport report;
    report.result = execute(request, report);
    return report;
  }

 private:
  Status execute(const Request& request, ExecutionReport& report) const {
    float offset = 0;
    if (request.attributes != nullptr) {
      NNVK_ASSIGN(offset, read_attribute(*request.attributes, kOffset, 0.0F));
    }
    NNVK_ASSIGN(std::vector<Value> values, bind(request));
    for (const PlanNode& node : plan_->nodes) {
      if (const Status status = compute(node, offset, values); !status) {
        return fail(status.error().at(plan_->place_of(node)));
      }
    }
    return deliver(request, values, report);
  }

  Result<std::vector<Value>> bind(const Request& request) const {
    std::vector<Value> values(plan_->tensors.size());
    for (size_t t = 0; t < values.size(); ++t) {
      values[t].info = plan_->tensors[t].info;
      values[t].bytes = plan_->tensors[t].value;
      values[t].omitted = plan_->tensors[t].role == TensorRole::kOmitted;
    }
    for (size_t i = 0; i < request.inputs.size(); ++i) {
      Value& value = values[plan_->inputs[i]];
      value.omitted = request.inputs[i].omitted;
      if (value.omitted) continue;
      const auto shape = merge_shapes(value.info.shape, request.inputs[i].shape);
      if (shape) value.info.shape = *shape;
      const auto size = value.info.byte_size();
      if (!shape || !size || *size > request.inputs[i].size) {
        return fail(Code::kBadData, "input " + std::to_string(i) + " does not fit what is bound");
      }
      value.bytes = {request.inputs[i].data, *size};
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

  // Copies the results to the outputs and reports their shapes, which the model may leave open.
  Status deliver(const Request& request, const std::vector<Value>& values, ExecutionReport& into) const {
    Status result;
    for (size_t i = 0; i < request.outputs.size(); ++i) {
      const Binding& binding = request.outputs[i];
      const Value& value = values[plan_->outputs[i]];
      OutputReport& report = into.outputs.emplace_back(OutputReport{value.info.shape, true});
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

  std::shared_ptr<const Plan> plan_;
  float gain_;
};

}  // namespace

std::unique_ptr<Device> make_extension_device(DeviceInfo info, bool runs_add) {
  const auto compute = [](std::shared_ptr<const Plan> plan, const PrepareOptions& options) -> Result<Computation> {
    NNVK_ASSIGN(const float gain, read_attribute(options.attributes, kGain, 1.0F));
    return ExtensionArithmetic(std::move(plan), gain);
  };
  auto device = std::make_unique<FakeDevice>(info.name, info.type, compute);
  device->changeable_info() = std::move(info);
  device->behaviour.objection = [runs_add](const Plan& plan, const PlanNode& node) { return problem_of(plan, node, runs_add); };
  device->behaviour.predicted_seconds = 1e-6;
  device->behaviour.has_memory = false;
  return device;
}

}  // namespace nnvk::test
