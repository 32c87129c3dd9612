#include "vulkan/execution_io.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/runtime/output_delivery.h"
#include "vulkan/memory/host_import.h"

namespace nnvk::vulkan {
namespace {

uint32_t word_at(std::span<const std::byte> io, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, io.data() + offset, sizeof word);
  return word;
}

// Reduces the dimensions in the report to the data-dependent sizes that the run found.
void narrow_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) {
  for (const DataSize& size : program.data_sizes) {
    uint32_t& dimension = report.outputs[size.output].shape.dims[size.dimension];
    dimension = std::min(dimension, word_at(io, size.offset));
  }
}

}  // namespace

void clear_status_words(const DispatchProgram& program, std::span<std::byte> io) {
  if (program.input_end <= program.output_begin) return;
  std::memset(io.data() + program.output_begin, 0, program.input_end - program.output_begin);
}

Status ExecutionIo::check() const {
  if (inputs_.size() != plan_.inputs.size() || outputs_.size() != plan_.outputs.size()) {
    return fail(Code::kBadData, "the plan has " + std::to_string(plan_.inputs.size()) + " inputs and " +
                                    std::to_string(plan_.outputs.size()) + " outputs, but " + std::to_string(inputs_.size()) +
                                    " and " + std::to_string(outputs_.size()) + " are bound");
  }
  const auto is_lost = [](const Binding& binding) {
    return binding.device_memory != nullptr && binding.device_memory->is_lost();
  };
  if (std::any_of(inputs_.begin(), inputs_.end(), is_lost) || std::any_of(outputs_.begin(), outputs_.end(), is_lost)) {
    return fail(Code::kDeadObject,
                "the execution uses a memory whose contents were lost with the device: create the memory again");
  }
  const auto is_foreign = [&](const Binding& binding) {
    return binding.device_memory != nullptr && resident_memory(binding) == nullptr && image_memory(binding) == nullptr;
  };
  if (std::any_of(inputs_.begin(), inputs_.end(), is_foreign) || std::any_of(outputs_.begin(), outputs_.end(), is_foreign)) {
    return fail(Code::kBadData,
                "the execution uses memory of another device: use host memory, or memory allocated by this device");
  }
  return {};
}

std::vector<BoundTensor> ExecutionIo::bound(std::span<const Binding> bindings) {
  std::vector<BoundTensor> bound;
  for (const Binding& binding : bindings) {
    bound.push_back({binding.shape, {binding.data, binding.data != nullptr ? binding.size : 0}, binding.omitted});
  }
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

Status ExecutionIo::choose_places(const DispatchProgram& program) {
  places_.clear();
  for (size_t i = 0; i < program.inputs.size(); ++i) places_.push_back(place_of(inputs_[i], program.inputs[i], false));
  for (size_t i = 0; i < program.outputs.size(); ++i) places_.push_back(place_of(outputs_[i], program.outputs[i], true));
  NNVK_TRY(bind_images(program));
  const DevicePlan& device = gpu_.context->plan();
  choose_io_access(places_, {device.io_alignment, device.direct_io});
  for (size_t i = 0; i < places_.size(); ++i) {
    IoPlace& place = places_[i];
    if (place.access == IoAccess::kHostCopy) place.memory = nullptr;
    if (place.access != IoAccess::kDeviceCopy || place.image != nullptr) continue;
    const VkBufferUsageFlags needed = place.is_output ? VK_BUFFER_USAGE_TRANSFER_DST_BIT : VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    if ((place.memory->usage() & needed) != 0) continue;
    return fail(Error(Code::kBadData, "kernels cannot use the buffer in place (" + std::string(place.reason) +
                                          "), and it was made without VK_BUFFER_USAGE_TRANSFER_" +
                                          (place.is_output ? "DST" : "SRC") + "_BIT, so it cannot be copied either")
                    .at(operand_at(i)));
  }
  return {};
}

// Returns the input or output with this index in places_, for messages.
OperandPlace ExecutionIo::operand_at(size_t place) const {
  const bool is_output = place >= inputs_.size();
  return {is_output ? "output" : "input", static_cast<uint32_t>(is_output ? place - inputs_.size() : place)};
}

// Binds each image among the inputs and outputs to the type and shape of its tensor in the plan.
Status ExecutionIo::bind_images(const DispatchProgram& program) {
  for (size_t i = 0; i < places_.size(); ++i) {
    IoPlace& place = places_[i];
    const size_t index = place.is_output ? i - inputs_.size() : i;
    ImageMemory* const image = image_memory(place.is_output ? outputs_[index] : inputs_[index]);
    if (image == nullptr || place.size == 0) continue;
    OperandInfo tensor = plan_.tensors[place.is_output ? plan_.outputs[index] : plan_.inputs[index]].info;
    tensor.shape = program.io_tensor(i).shape;
    auto bound = image->bind(tensor, place.is_output);
    if (!bound) return fail(bound.error().at(operand_at(i)));
    place.image = *std::move(bound);
    place.buffer = place.image->id;
    place.buffer_size = place.size;
    place.host_reaches_it = false;
    place.kernels_may_use_it = false;
  }
  return {};
}

bool ExecutionIo::host_fills_inputs(const DispatchProgram& program) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const IoTensor& tensor = program.inputs[i];
    if (tensor.used && tensor.size > 0 && places_[i].access == IoAccess::kHostCopy) return true;
  }
  return false;
}

bool ExecutionIo::needs_host(const DispatchProgram& program) const {
  if (program.input_end > program.output_begin || host_fills_inputs(program)) return true;  // status words
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const IoTensor& tensor = program.outputs[i];
    if (!tensor.used) continue;
    if (tensor.data_dependent != nullptr || places_[program.inputs.size() + i].access == IoAccess::kHostCopy) return true;
  }
  return false;
}

bool ExecutionIo::has_growing_memory() const {
  const auto grows = [](const Binding& binding) { return binding.device_memory != nullptr && binding.device_memory->grows(); };
  return std::ranges::any_of(inputs_, grows) || std::ranges::any_of(outputs_, grows);
}

IoPlace ExecutionIo::place_of(const Binding& binding, const IoTensor& tensor, bool is_output) const {
  IoPlace place;
  place.is_output = is_output;
  if (binding.omitted || !tensor.used) return place;
  place.size = tensor.size;
  place.size_decided_later = tensor.data_dependent != nullptr;
  if (const ResidentMemory* memory = resident_memory(binding)) {
    place.memory = memory->buffer();
    place.offset = memory->begin() + binding.device_offset;
    place.host_reaches_it = false;
    const VkBufferUsageFlags needed = Buffer::kernel_usage(*gpu_.context);
    place.kernels_may_use_it = (place.memory->usage() & needed) == needed;
    place.buffer = place.memory->id();
    place.buffer_size = memory->end();
    place.room = place.buffer_size - std::min(place.offset, place.buffer_size);
    if (memory->is_applications() && binding.size > 0) place.room = std::min<uint64_t>(place.room, binding.size);
    return place;
  }
  if (binding.mapping == nullptr || (is_output && !binding.mapping->is_writable())) return place;
  place.memory = HostImport::of(binding.mapping, gpu_.context, activity_);
  if (place.memory == nullptr) return place;
  place.offset = static_cast<uint64_t>(binding.data - place.memory->host_address());
  place.room = binding.size;
  place.buffer = place.memory->id();
  place.buffer_size = place.memory->size();
  return place;
}

Status ExecutionIo::check_sizes(const DispatchProgram& program, ExecutionReport& report) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Binding& binding = inputs_[i];
    if (binding.omitted || !program.inputs[i].used || image_memory(binding) != nullptr) continue;
    if (available_bytes(binding) < program.inputs[i].size) {
      return fail(Code::kBadData, "input " + std::to_string(i) + " has " + std::to_string(available_bytes(binding)) + " bytes, " +
                                      std::to_string(program.inputs[i].size) + " are needed for " +
                                      program.inputs[i].shape.to_string());
    }
  }
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const IoTensor& tensor = program.outputs[i];
    // drain_outputs() checks data-dependent outputs after the run.
    Status room;
    const bool has_size = image_memory(outputs_[i]) == nullptr;  // bind_images() rejects images that do not fit
    if (tensor.used && tensor.data_dependent == nullptr && has_size)
      room = check_room(i, outputs_[i], {tensor.shape, tensor.size});
    report.outputs.push_back({tensor.shape, room.has_value()});
    if (result && !room) result = std::move(room);
  }
  return result;
}

void ExecutionIo::fill_inputs(const DispatchProgram& program, std::span<std::byte> io) const {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const IoTensor& tensor = program.inputs[i];
    if (!tensor.used || tensor.size == 0 || places_[i].access != IoAccess::kHostCopy) continue;
    std::memcpy(io.data() + tensor.offset, inputs_[i].data, tensor.size);
    activity_.bytes_copied_in.fetch_add(tensor.size, std::memory_order_relaxed);
  }
  clear_status_words(program, io);
}

Status ExecutionIo::drain_outputs(const DispatchProgram& program, std::span<const std::byte> io, ExecutionReport& report) const {
  for (const FailureFlag& flag : program.failure_flags) {
    if (word_at(io, flag.offset) != 0) return fail(Code::kOpFailed, flag.message);
  }
  narrow_outputs(program, io, report);
  Status result;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const IoTensor& tensor = program.outputs[i];
    if (!tensor.used) continue;
    uint64_t size = tensor.size;
    bool is_zeros = false;
    if (tensor.data_dependent != nullptr) {
      OperandInfo agreed = plan_.tensors[plan_.outputs[i]].info;
      agreed.shape = *tensor.data_dependent;
      NNVK_ASSIGN(SettledOutput output, settle_output(i, agreed, report.outputs[i].shape));
      Status room = check_room(i, outputs_[i], output);
      size = output.size;
      is_zeros = output.is_zeros;
      report.outputs[i] = {std::move(output.shape), room.has_value()};
      if (!room) {
        if (result) result = std::move(room);
        continue;
      }
    }
    if (places_[program.inputs.size() + i].access != IoAccess::kHostCopy) continue;
    const uint64_t copied = deliver(outputs_[i], {report.outputs[i].shape, size, is_zeros}, io.data() + tensor.offset);
    activity_.bytes_copied_out.fetch_add(copied, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace nnvk::vulkan
