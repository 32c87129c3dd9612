// The rules for bindings, and the mapping of their memories.
#include "core/runtime/execution_bindings.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/base/log.h"
#include "core/base/trace.h"
#include "core/operations/rules/data_dependent_shape.h"
#include "core/runtime/io_rules.h"

namespace nnvk {
namespace {

constexpr size_t kMaxLength = std::numeric_limits<uint32_t>::max();

// Checks a conversion for an input of type `tensor` that is bound to `memory` (null: to a buffer).
Status check_picture(const std::optional<PictureConversion>& conversion, const Memory* memory, const OperandInfo& tensor) {
  if (!conversion) return {};
  const PictureDescription* picture = memory != nullptr ? memory->picture() : nullptr;
  if (picture != nullptr) return check_conversion(*conversion, *picture, tensor);
  return fail(Code::kBadData,
              "it has a picture conversion but is bound to memory that holds no picture. Bind a hardware buffer in a format that "
              "nnvk/picture.h lists, with ANeuralNetworksExecution_setInputFromMemory");
}

// Returns the first error of check(index), with its place added.
template <class Check>
Status check_each(const char* side, size_t count, const Check& check) {
  for (size_t i = 0; i < count; ++i) {
    if (const Status status = check(i); !status) return fail(status.error().at(OperandPlace{side, static_cast<uint32_t>(i)}));
  }
  return {};
}

OperandInfo with_shape(OperandInfo info, const Shape& shape) {
  info.shape = shape;
  return info;
}

}  // namespace

ExecutionBindings::ExecutionBindings(const Compilation& compilation)
    : compilation_(compilation),
      inputs_{"input", MapAccess::kRead, compilation.input_infos(), {}, {}},
      outputs_{"output", MapAccess::kWrite, compilation.output_infos(), {}, {}} {
  for (Side* side : {&inputs_, &outputs_}) {
    side->arguments.resize(side->infos.size());
    side->bindings.resize(side->infos.size());
  }
}

Status ExecutionBindings::check_index(const Side& side, uint32_t index) const {
  if (index < side.infos.size()) return {};
  return fail(Code::kBadData, std::string(side.name) + " " + std::to_string(static_cast<int32_t>(index)) +
                                  " does not exist: the model has " + std::to_string(side.infos.size()));
}

Status ExecutionBindings::set(bool is_input, uint32_t index, const IoSource& source) {
  Side& side = is_input ? inputs_ : outputs_;
  NNVK_TRY(check_index(side, index));
  if (const Status status = set_argument(side, index, source); !status) {
    return fail(status.error().at(OperandPlace{side.name, index}));
  }
  anything_set_ = true;
  return {};
}

Status ExecutionBindings::set_argument(Side& side, uint32_t index, const IoSource& source) {
  Argument& argument = side.arguments[index];
  const bool omitted = source.data == nullptr && source.memory == nullptr;
  const bool must_be_known = side.access == MapAccess::kRead && !omitted;
  NNVK_ASSIGN(OperandInfo info, apply_type(side.infos[index], source.type, must_be_known, compilation_.model().extensions()));
  if (source.memory != nullptr) {
    NNVK_TRY(check_region(side, index, source));
  } else if (source.length > kMaxLength) {
    return fail(Code::kBadData, "a buffer has at most 4294967295 bytes");
  }
  if (argument.is_set) return fail(Code::kBadState, "it was set already; it can be set only once");
  NNVK_TRY(check_picture(argument.conversion, source.memory, info));
  if (source.data != nullptr && source.length == 0) {
    return fail(Code::kBadData, "the buffer is not NULL but the length is 0");
  }
  const bool whole = source.offset == 0 && source.length == 0;  // all of a memory
  if (!omitted && !whole) NNVK_TRY(check_length(info, source.length, padding_));
  if (source.memory != nullptr && is_fully_specified(info)) {
    NNVK_TRY(source.memory->prepare_for(info, side.access == MapAccess::kRead));
  }
  argument.is_set = true;
  argument.is_exact = is_fully_specified(info);
  argument.memory = source.memory;
  argument.offset = source.offset;
  Binding& binding = side.bindings[index];
  binding.data = static_cast<std::byte*>(const_cast<void*>(source.data));  // devices only read the bindings of inputs
  binding.size = source.length;
  binding.shape = std::move(info.shape);
  binding.omitted = omitted;
  if (&side == &inputs_ && argument.is_picture()) prepare_picture(index);
  return {};
}

// Prepares the conversion now, so that computations need not. Ignores errors: the computation tries again and reports them.
void ExecutionBindings::prepare_picture(size_t index) const {
  const Argument& input = inputs_.arguments[index];
  const PictureInput picture = picture_at(index);
  if (!input.conversion && !check_conversion(picture.conversion, *input.memory->picture(), picture.tensor)) return;
  const Status ready = catch_out_of_memory(
      [&] { return compilation_.shared().pictures.prepare(compilation_.picture_device(), picture, compilation_.priority()); });
  if (ready || !log_enabled(Detail::kExecution)) return;
  log_line(Detail::kExecution, "ExecutionBuilder", "the conversion of a picture is not ready yet: " + ready.error().text());
}

Status ExecutionBindings::check_region(const Side& side, uint32_t index, const IoSource& source) const {
  MemoryRegion region{source.offset, source.length, nullptr};
  Shape given;
  if (source.type != nullptr) {
    // The shape that the client gave is checked even if the model's operand is a scalar.
    NNVK_ASSIGN(const OperandInfo info, make_operand_info(*source.type, compilation_.model().extensions()));
    given = info.shape;
    if (!side.infos[index].is_tensor() || given.rank() > 0) region.shape_override = &given;
  }
  return source.memory->check_region({&compilation_, side.access == MapAccess::kRead, index}, region);
}

Status ExecutionBindings::set_picture(uint32_t index, const PictureConversion& conversion) {
  NNVK_TRY(check_index(inputs_, index));
  Argument& argument = inputs_.arguments[index];
  const OperandInfo tensor = with_shape(inputs_.infos[index], inputs_.bindings[index].shape);
  const Status status = argument.is_set ? check_picture(conversion, argument.memory, tensor) : check_conversion(conversion);
  if (!status) return fail(status.error().at(OperandPlace{inputs_.name, index}));
  argument.conversion = conversion;
  if (argument.is_set && argument.is_picture()) prepare_picture(index);
  return {};
}

Status ExecutionBindings::enable_padding(bool enable) {
  if (anything_set_) return fail(Code::kBadState, "padding must be enabled before the first input or output is set");
  padding_ = enable;
  return {};
}

Status ExecutionBindings::check_all_set() const {
  for (const Side* side : {&inputs_, &outputs_}) {
    for (size_t i = 0; i < side->arguments.size(); ++i) {
      if (side->arguments[i].is_set) continue;
      return fail(Code::kBadData,
                  side->name + (" " + std::to_string(i)) + " was not set; set all inputs and outputs before the execution");
    }
  }
  return {};
}

Status ExecutionBindings::check_inputs_readable() const {
  return check_each(inputs_.name, inputs_.arguments.size(), [this](size_t i) -> Status {
    const Memory* memory = inputs_.arguments[i].memory;
    return memory == nullptr ? Status() : memory->check_readable_as(inputs_.bindings[i].shape);
  });
}

Status ExecutionBindings::check_output_shapes_known() const {
  for (size_t i = 0; i < outputs_.arguments.size(); ++i) {
    if (outputs_.bindings[i].omitted || outputs_.arguments[i].is_exact) continue;
    return fail(Code::kBadData, "output " + std::to_string(i) + " has the open shape " + outputs_.bindings[i].shape.to_string() +
                                    "; fenced computations need known shapes");
  }
  return {};
}

Status ExecutionBindings::check_usable_by_cpu() const {
  for (const Side* side : {&inputs_, &outputs_}) {
    NNVK_TRY(check_each(side->name, side->arguments.size(), [side](size_t i) -> Status {
      const Memory* memory = side->arguments[i].memory;
      return memory == nullptr ? Status() : memory->check_usable_by_cpu(side->access);
    }));
  }
  return {};
}

Status ExecutionBindings::map() {
  if (is_mapped_) return {};
  const trace::Section section("[NN_LR_PIO]bind");
  for (size_t i = 0; i < inputs_.arguments.size(); ++i) {
    // A picture without a conversion from the client gets the default one. If that does not fit the input, the error is
    // UNMAPPABLE, as for other memories that cannot become the input.
    const Argument& input = inputs_.arguments[i];
    if (!input.is_picture()) continue;
    has_pictures_ = true;
    if (input.conversion) continue;
    const OperandInfo tensor = with_shape(inputs_.infos[i], inputs_.bindings[i].shape);
    if (const Status status = check_conversion(PictureConversion{}, *input.memory->picture(), tensor); !status) {
      Error error = status.error().at(OperandPlace{inputs_.name, static_cast<uint32_t>(i)});
      error.code = Code::kUnmappable;
      return fail(std::move(error));
    }
  }
  for (Side* side : {&inputs_, &outputs_}) {
    NNVK_TRY(check_each(side->name, side->arguments.size(), [&](size_t i) { return map_argument(*side, i); }));
  }
  is_mapped_ = true;
  return {};
}

Status ExecutionBindings::map_argument(Side& side, size_t index) {
  const Argument& argument = side.arguments[index];
  Binding& binding = side.bindings[index];
  const bool is_input = side.access == MapAccess::kRead;
  if (argument.memory == nullptr || (is_input && argument.is_picture())) return {};
  note_file(*argument.memory, {side.name, static_cast<uint32_t>(index)});
  binding.device_memory = argument.memory->device_memory();
  if (binding.device_memory != nullptr) {
    binding.device_offset = argument.offset;
    return {};
  }
  NNVK_ASSIGN(const std::span<std::byte> bytes, argument.memory->map(side.access));
  if (argument.offset == 0 && binding.size == 0) binding.size = bytes.size();
  binding.data = bytes.data() + argument.offset;
  // The device may overwrite bytes behind an output of open shape only if the client allows padding.
  if (is_input || padding_ || argument.is_exact) binding.mapping = argument.memory->mapping(side.access);
  return {};
}

void ExecutionBindings::note_file(const Memory& memory, const OperandPlace& place) {
  auto file = memory.shrinkable_file();
  const auto is_same = [&](const File& other) { return other.file == file; };
  if (file != nullptr && std::ranges::none_of(files_, is_same)) files_.push_back({std::move(file), place});
}

Status ExecutionBindings::check_files() const {
  for (const File& used : files_) {
    if (const Status status = used.file->check(); !status) return fail(status.error().at(used.place));
  }
  return {};
}

Result<Shape> ExecutionBindings::output_shape(uint32_t index) const {
  NNVK_TRY(check_index(outputs_, index));
  if (outputs_.bindings[index].omitted) return fail(Code::kBadData, "output " + std::to_string(index) + " was omitted");
  return outputs_.bindings[index].shape;
}

std::vector<PictureInput> ExecutionBindings::pictures() const {
  std::vector<PictureInput> pictures;
  for (size_t i = 0; i < inputs_.arguments.size(); ++i) {
    if (inputs_.arguments[i].is_picture()) pictures.push_back(picture_at(i));
  }
  return pictures;
}

PictureInput ExecutionBindings::picture_at(size_t index) const {
  const Argument& input = inputs_.arguments[index];
  return {index, *input.memory, input.conversion.value_or(PictureConversion{}),
          with_shape(inputs_.infos[index], inputs_.bindings[index].shape)};
}

void ExecutionBindings::mark_outputs(const Status& result, std::span<const OutputReport> reports) const {
  for (size_t i = 0; i < outputs_.arguments.size(); ++i) {
    Memory* memory = outputs_.arguments[i].memory;
    if (memory == nullptr) continue;
    if (!result) {
      memory->mark_undefined();
      continue;
    }
    const Shape& declared = outputs_.bindings[i].shape;
    memory->mark_written(i < reports.size() ? delivered_shape(declared, reports[i].shape) : declared);
  }
}

}  // namespace nnvk
