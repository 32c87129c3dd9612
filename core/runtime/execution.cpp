// Binding inputs and outputs, settings, and queries about the last computation.
#include "core/runtime/execution.h"

#include <algorithm>
#include <limits>

#include "core/operations/rules/data_dependent_shape.h"
#include "core/runtime/io_rules.h"

namespace nnvk {
namespace {

constexpr size_t kMaxLength = std::numeric_limits<uint32_t>::max();

std::string describe(bool is_input, uint32_t index) {
  return std::string(is_input ? "input " : "output ") + std::to_string(static_cast<int32_t>(index));
}

}  // namespace

std::shared_ptr<Execution> Execution::create(const Compilation& compilation) {
  return std::shared_ptr<Execution>(new Execution(compilation));
}

Execution::Execution(const Compilation& compilation)
    : compilation_(compilation),
      inputs_(compilation.input_infos().size()),
      outputs_(compilation.output_infos().size()),
      result_(fail(Code::kBadState, "not computed yet")) {}

Status Execution::require_preparation() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kPreparation) return {};
  return fail(Code::kBadState, state_ == State::kComputation ? "the execution is computing"
                                                             : "the execution was computed; its settings cannot change any more");
}

Result<Execution::Slot*> Execution::slot_at(bool is_input, uint32_t index) {
  std::vector<Slot>& slots = is_input ? inputs_ : outputs_;
  if (index < slots.size()) return &slots[index];
  return fail(Code::kBadData, describe(is_input, index) + " does not exist: the model has " + std::to_string(slots.size()));
}

Status Execution::bind_buffer(bool is_input, uint32_t index, const OperandTypeDescription* type, std::byte* data, size_t length) {
  NNVK_TRY(require_preparation());
  NNVK_ASSIGN(Slot * slot, slot_at(is_input, index));
  const OperandInfo& operand = (is_input ? compilation_.input_infos() : compilation_.output_infos())[index];
  const ExtensionRegistry& extensions = compilation_.model().extensions();
  const auto place = [&](Error error) { return fail(error.at(OperandPlace{is_input ? "input" : "output", index})); };
  auto info = apply_type(operand, type, is_input && data != nullptr, extensions);
  if (!info) return place(info.error());
  if (length > kMaxLength) return place({Code::kBadData, "a buffer has at most 4294967295 bytes"});
  if (slot->set) return place({Code::kBadState, "it was set already"});
  if (const Status status = check_picture(*slot, *info, nullptr); !status) return place(status.error());
  if (data != nullptr && length == 0) return place({Code::kBadData, "the buffer is not NULL but the length is 0"});
  if (data != nullptr) {
    if (const Status status = check_length(*info, length, padding_); !status) return place(status.error());
  }
  slot->set = true;
  slot->info = std::move(*info);
  slot->data = data;
  slot->length = length;
  anything_set_ = true;
  return {};
}

Status Execution::bind_memory(bool is_input, uint32_t index, const OperandTypeDescription* type, const Memory& memory,
                              size_t offset, size_t length) {
  NNVK_TRY(require_preparation());
  NNVK_ASSIGN(Slot * slot, slot_at(is_input, index));
  const OperandInfo& operand = (is_input ? compilation_.input_infos() : compilation_.output_infos())[index];
  const ExtensionRegistry& extensions = compilation_.model().extensions();
  const auto place = [&](Error error) { return fail(error.at(OperandPlace{is_input ? "input" : "output", index})); };
  auto info = apply_type(operand, type, is_input, extensions);
  if (!info) return place(info.error());
  MemoryRegion region{offset, length, nullptr};
  Shape given;
  if (type != nullptr) {
    // What the client wrote, also where the model's operand is a scalar.
    auto given_info = make_operand_info(*type, extensions);
    if (!given_info) return place(given_info.error());
    given = given_info->shape;
    if (!operand.is_tensor() || given.rank() > 0) region.shape_override = &given;
  }
  if (const Status status = memory.check_region({&compilation_, is_input, index}, region); !status) return place(status.error());
  if (slot->set) return place({Code::kBadState, "it was set already"});
  if (const Status status = check_picture(*slot, *info, &memory); !status) return place(status.error());
  if (offset != 0 || length != 0) {
    if (const Status status = check_length(*info, length, padding_); !status) return place(status.error());
  }
  slot->set = true;
  slot->info = std::move(*info);
  slot->memory = const_cast<Memory*>(&memory);  // the C API passes memories as const, outputs write into them all the same
  slot->offset = offset;
  slot->length = length;
  anything_set_ = true;
  return {};
}

Status Execution::set_input(uint32_t index, const OperandTypeDescription* type, const void* data, size_t length) {
  // Devices only read through input bindings.
  return bind_buffer(true, index, type, static_cast<std::byte*>(const_cast<void*>(data)), length);
}

Status Execution::set_output(uint32_t index, const OperandTypeDescription* type, void* data, size_t length) {
  return bind_buffer(false, index, type, static_cast<std::byte*>(data), length);
}

Status Execution::set_input_from_memory(uint32_t index, const OperandTypeDescription* type, const Memory& memory, size_t offset,
                                        size_t length) {
  return bind_memory(true, index, type, memory, offset, length);
}

Status Execution::set_output_from_memory(uint32_t index, const OperandTypeDescription* type, const Memory& memory, size_t offset,
                                         size_t length) {
  return bind_memory(false, index, type, memory, offset, length);
}

Status Execution::enable_padding(bool enable) {
  NNVK_TRY(require_preparation());
  if (anything_set_) return fail(Code::kBadState, "padding must be enabled before the first input or output is set");
  padding_ = enable;
  return {};
}

Status Execution::set_reusable(bool reusable) {
  NNVK_TRY(require_preparation());
  reusable_ = reusable;
  return {};
}

Status Execution::set_measure_timing(bool measure) {
  NNVK_TRY(compilation_.require_one_explicit_device("measuring time"));
  NNVK_TRY(require_preparation());
  measure_timing_ = measure;
  return {};
}

Status Execution::set_timeout(uint64_t nanoseconds) {
  NNVK_TRY(compilation_.require_one_explicit_device("a timeout"));
  NNVK_TRY(require_preparation());
  timeout_nanoseconds_ = nanoseconds;
  return {};
}

Status Execution::set_loop_timeout(uint64_t nanoseconds) {
  NNVK_TRY(require_preparation());
  loop_timeout_nanoseconds_ = std::min(nanoseconds, kMaximumLoopTimeoutNanoseconds);
  return {};
}

Status Execution::set_profiling(bool enable) {
  NNVK_TRY(require_preparation());
  profile_ = enable;
  return {};
}

Status Execution::add_extension_attribute(const std::string& extension, uint16_t code, const void* data, size_t length) {
  NNVK_TRY(compilation_.require_one_explicit_device("an extension attribute"));
  NNVK_TRY(require_preparation());
  if (attributes_ == nullptr) attributes_ = std::make_shared<ExtensionAttributes>();
  return add_attribute(*attributes_, compilation_.runtime().extensions(), extension, code, data, length);
}

Status Execution::duration(DurationKind kind, uint64_t* value) const {
  *value = kNoDuration;
  const std::lock_guard lock(mutex_);
  if (state_ != State::kCompleted) return fail(Code::kBadState, "the execution has not completed");
  if (!result_) return fail(Code::kBadState, "the last computation failed: " + result_.error().text());
  if (!measure_timing_) return fail(Code::kBadState, "durations were not requested by ANeuralNetworksExecution_setMeasureTiming");
  if (report_ == nullptr) return {};
  // Devices count from the moment that nothing has to be waited for any more. From the launch on, the driver waits as well; the
  // hardware does not.
  const bool hardware = kind == DurationKind::kOnHardware || kind == DurationKind::kFencedOnHardware;
  *value = hardware ? report_->hardware_nanoseconds : report_->driver_nanoseconds;
  // Two clocks: the hardware's must not run ahead of the driver's.
  if (*value != kNoDuration) *value = std::min(*value, report_->driver_nanoseconds);
  if (*value != kNoDuration) {
    const ConversionTimes& c = conversion_nanoseconds_;
    *value += hardware ? std::min(c.hardware, c.driver) : c.driver;
  }
  if (kind == DurationKind::kInDriver && *value != kNoDuration) *value += waited_nanoseconds_;
  return {};
}

Result<Execution::OutputShape> Execution::output_shape(uint32_t index) const {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kCompleted) return fail(Code::kBadState, "the execution has not completed");
  if (!result_ && result_.error().code != Code::kOutputInsufficientSize) {
    return fail(Code::kBadState, "the last computation failed: " + result_.error().text());
  }
  if (index >= outputs_.size()) {
    return fail(Code::kBadData, describe(false, index) + " does not exist: the model has " + std::to_string(outputs_.size()));
  }
  if (outputs_[index].omitted()) return fail(Code::kBadData, describe(false, index) + " was omitted");
  const Shape& declared = outputs_[index].info.shape;
  if (report_ == nullptr || index >= report_->outputs.size()) return OutputShape{declared, true};
  const OutputReport& report = report_->outputs[index];
  return OutputShape{delivered_shape(declared, report.shape), report.sufficient};
}

void Execution::acknowledge() {
  const std::lock_guard lock(mutex_);
  if (!unacknowledged_) return;
  unacknowledged_ = false;
  state_ = State::kCompleted;
}

bool Execution::may_be_freed() const {
  const std::lock_guard lock(mutex_);
  return state_ != State::kComputation;
}

Execution::Summary Execution::summary() const {
  const std::lock_guard lock(mutex_);
  return {state_, result_, device_, wall_nanoseconds_, report_};
}

}  // namespace nnvk
