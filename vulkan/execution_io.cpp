// Checks, places and copies.
#include "vulkan/execution_io.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/operations/rules/data_dependent_shape.h"
#include "vulkan/memory/host_import.h"
#include "vulkan/recording/io_access.h"

namespace nnvk::vulkan {
namespace {

// Bytes that a device may use of the binding, wherever they lie.
size_t available_bytes(const Binding& binding) {
  if (binding.device_memory == nullptr) return binding.data != nullptr ? binding.size : 0;
  const uint64_t size = binding.device_memory->size();
  return binding.device_offset < size ? size - binding.device_offset : 0;
}

// Whether the client's memory holds `size` bytes of an output; nothing is needed for an omitted one.
bool fits(const Binding& binding, const IoTensor& tensor, uint64_t size) {
  if (binding.omitted || binding.growable != nullptr || !tensor.used) return true;
  return available_bytes(binding) >= size;
}

Status insufficient(size_t output, const Binding& binding, uint64_t size, const Shape& shape) {
  return fail(Code::kOutputInsufficientSize, "output " + std::to_string(output) + " has " +
                                                 std::to_string(available_bytes(binding)) + " bytes, " + std::to_string(size) +
                                                 " are needed for " + shape.to_string());
}

uint32_t word_at(std::span<const std::byte> io, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, io.data() + offset, sizeof word);
  return word;
}

// Puts the shapes of data-dependent outputs after a run into the report. Returns the outputs that are empty though the model
// declares a size: they are zeros. OP_FAILED when shapes contradict what the model declares.
Result<std::vector<bool>> narrow_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) {
  std::vector<bool> is_zeros(program.outputs.size());
  for (const DataSize& size : program.data_sizes) {
    uint32_t& dimension = report.outputs[size.output].shape.dims[size.dimension];
    dimension = std::min(dimension, word_at(io, size.offset));
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Shape* agreed = program.outputs[i].data_dependent.get();
    Shape& shape = report.outputs[i].shape;
    if (agreed == nullptr || !program.outputs[i].used) continue;
    if (auto settled = settle_data_dependent_shape(*agreed, shape)) {
      is_zeros[i] = shape != *settled;
      shape = std::move(*settled);
      continue;
    }
    return fail(Code::kOpFailed,
                "output " + std::to_string(i) + " has shape " + shape.to_string() + " but is declared as " + agreed->to_string());
  }
  return is_zeros;
}

}  // namespace

void clear_status_words(const DispatchProgram& program, std::span<std::byte> io) {
  if (program.input_end <= program.output_begin) return;
  std::memset(io.data() + program.output_begin, 0, program.input_end - program.output_begin);
}

// Null for host memory and memory of other devices.
ResidentMemory* ExecutionIo::resident_memory(const Binding& binding) const {
  auto* memory = dynamic_cast<ResidentMemory*>(binding.device_memory);
  return memory != nullptr && memory->belongs_to(gpu_) ? memory : nullptr;
}

Status ExecutionIo::check() const {
  if (inputs_.size() != plan_.inputs.size() || outputs_.size() != plan_.outputs.size()) {
    return fail(Code::kBadData, "the plan has " + std::to_string(plan_.inputs.size()) + " inputs and " +
                                    std::to_string(plan_.outputs.size()) + " outputs, but " + std::to_string(inputs_.size()) +
                                    " and " + std::to_string(outputs_.size()) + " are bound");
  }
  const auto is_foreign = [&](const Binding& binding) {
    return binding.device_memory != nullptr && resident_memory(binding) == nullptr;
  };
  if (std::any_of(inputs_.begin(), inputs_.end(), is_foreign) || std::any_of(outputs_.begin(), outputs_.end(), is_foreign)) {
    return fail(Code::kBadData, "memory of another device is bound: bind host memory or memory allocated by this device");
  }
  return {};
}

std::vector<BoundTensor> ExecutionIo::bound_inputs() const {
  std::vector<BoundTensor> bound;
  for (const Binding& binding : inputs_) {
    bound.push_back({binding.shape, {binding.data, binding.data != nullptr ? binding.size : 0}, binding.omitted});
  }
  return bound;
}

std::vector<BoundTensor> ExecutionIo::bound_outputs() const {
  std::vector<BoundTensor> bound;
  for (const Binding& binding : outputs_) bound.push_back({binding.shape, {}, binding.omitted});
  return bound;
}

Status ExecutionIo::grow_outputs(const DispatchProgram& program) {
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    ResidentMemory* memory = resident_memory(outputs_[i]);
    if (memory == nullptr || !program.outputs[i].used || outputs_[i].omitted) continue;
    NNVK_TRY(memory->resize(program.outputs[i].size, activity_));
  }
  return {};
}

void ExecutionIo::choose_places(const DispatchProgram& program) {
  const DevicePlan& device = gpu_.context->plan();
  places_.clear();
  std::vector<IoFacts> facts;
  const auto add = [&](const Binding& binding, const IoTensor& tensor, bool is_output) {
    IoPlace& place = places_.emplace_back();
    IoFacts& fact = facts.emplace_back();
    fact.is_output = is_output;
    if (binding.omitted || !tensor.used) return;
    fact.size = tensor.size;
    fact.size_decided_later = tensor.data_dependent != nullptr;
    if (const ResidentMemory* memory = resident_memory(binding)) {
      place.buffer = memory->buffer();
      place.offset = binding.device_offset;
      fact.host_reaches_it = false;
      fact.room = place.buffer->size() - std::min(place.offset, place.buffer->size());
    } else if (binding.mapping != nullptr && (!is_output || binding.mapping->is_writable())) {
      place.buffer = HostImport::of(binding.mapping, gpu_.context, activity_);
      if (place.buffer == nullptr) return;
      place.offset = static_cast<uint64_t>(binding.data - place.buffer->host_address());
      fact.room = binding.size;
    } else {
      return;
    }
    fact.buffer = place.buffer->id();
    fact.buffer_size = place.buffer->size();
    fact.offset = place.offset;
  };
  for (size_t i = 0; i < program.inputs.size(); ++i) add(inputs_[i], program.inputs[i], false);
  for (size_t i = 0; i < program.outputs.size(); ++i) add(outputs_[i], program.outputs[i], true);
  const std::vector<IoChoice> choices = choose_io_access(facts, {device.io_alignment, device.direct_io});
  for (size_t i = 0; i < places_.size(); ++i) {
    places_[i].direct = choices[i].access == IoAccess::kDirect;
    if (choices[i].access == IoAccess::kHostCopy) places_[i] = {};
  }
}

Status ExecutionIo::check_sizes(const DispatchProgram& program, ExecutionReport& report) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Binding& binding = inputs_[i];
    if (binding.omitted || !program.inputs[i].used) continue;
    if (available_bytes(binding) < program.inputs[i].size) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has " + std::to_string(available_bytes(binding)) + " bytes, " +
                                      std::to_string(program.inputs[i].size) + " are needed for " +
                                      program.inputs[i].shape.to_string());
    }
  }
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Binding& binding = outputs_[i];
    // What depends on data is looked at after the run.
    const bool sufficient =
        program.outputs[i].data_dependent != nullptr || fits(binding, program.outputs[i], program.outputs[i].size);
    report.outputs.push_back({program.outputs[i].shape, sufficient});
    if (!sufficient && result) result = insufficient(i, binding, program.outputs[i].size, program.outputs[i].shape);
  }
  return result;
}

void ExecutionIo::fill_inputs(const DispatchProgram& program, std::span<std::byte> io) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const IoTensor& tensor = program.inputs[i];
    if (!tensor.used || tensor.size == 0 || places_[i].buffer != nullptr) continue;
    std::memcpy(io.data() + tensor.offset, inputs_[i].data, tensor.size);
    activity_.bytes_copied_in.fetch_add(tensor.size, std::memory_order_relaxed);
  }
  clear_status_words(program, io);
}

Status ExecutionIo::drain_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) const {
  for (const FailureFlag& flag : program.failure_flags) {
    if (word_at(io, flag.offset) != 0) return fail(Code::kOpFailed, flag.message);
  }
  NNVK_ASSIGN(const std::vector<bool> is_zeros, narrow_outputs(program, io, report));
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const IoTensor& tensor = program.outputs[i];
    const Binding& binding = outputs_[i];
    if (!tensor.used || binding.omitted) continue;
    uint64_t size = tensor.size;
    if (tensor.data_dependent != nullptr) {
      OperandInfo info = plan_.tensors[plan_.outputs[i]].info;
      info.shape = report.outputs[i].shape;
      size = info.byte_size().value_or(0);
      report.outputs[i].sufficient = fits(binding, tensor, size);
      if (!report.outputs[i].sufficient) {
        if (result) result = insufficient(i, binding, size, info.shape);
        continue;
      }
    }
    if (binding.growable != nullptr) binding.growable->resize(size);
    if (size == 0 || places_[program.inputs.size() + i].buffer != nullptr) continue;
    std::byte* const to = binding.growable != nullptr ? binding.growable->data() : binding.data;
    is_zeros[i] ? std::memset(to, 0, size) : std::memcpy(to, io.data() + tensor.offset, size);
    activity_.bytes_copied_out.fetch_add(size, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace nnvk::vulkan
