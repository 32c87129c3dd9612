#include "accelerators/driver_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace nnvk::accelerators {
namespace {

constexpr int64_t kLowestFeatureLevel = 31;
constexpr size_t kMostOperands = size_t{1} << 24;

Status bad(std::string message) { return fail(Code::kBadData, std::move(message)); }
Status wrong(const std::string& message) { return fail(Code::kOpFailed, "the driver's answer is wrong: " + message); }

bool is_printable(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
}

bool is_figure(const PerformanceInfo& info) {
  const auto is_sane = [](float value) { return std::isfinite(value) && value >= 0; };
  return is_sane(info.execution_time) && is_sane(info.power_usage);
}

std::string dimensions_text(std::span<const uint32_t> dimensions) {
  std::string text = "[";
  for (const uint32_t size : dimensions) {
    if (text.size() > 1) text += ", ";
    text += size == 0 ? "?" : std::to_string(size);
  }
  return text + "]";
}

// Returns whether a result's dimensions match the declared ones. A 0 on either side matches any size; an empty declaration
// matches all.
bool agree(std::span<const uint32_t> result, std::span<const uint32_t> declared) {
  if (declared.empty()) return true;
  return std::ranges::equal(result, declared, [](uint32_t is, uint32_t said) { return said == 0 || is == said || is == 0; });
}

bool is_scalar(const ModelOperand& operand) {
  if (operand.extension) return !operand.extension->type.is_tensor;
  return is_scalar_type(static_cast<OperandType>(operand.type));
}

// The codes with which NNAPI lets executions end.
constexpr Code kEndsOfExecutions[] = {Code::kNoError,
                                      Code::kOutOfMemory,
                                      Code::kBadData,
                                      Code::kOpFailed,
                                      Code::kUnmappable,
                                      Code::kOutputInsufficientSize,
                                      Code::kUnavailableDevice,
                                      Code::kMissedDeadlineTransient,
                                      Code::kMissedDeadlinePersistent,
                                      Code::kResourceExhaustedTransient,
                                      Code::kResourceExhaustedPersistent,
                                      Code::kDeadObject};

Status check_operand(const ModelOperand& operand) {
  if (!operand.extension) {
    const auto type = static_cast<OperandType>(operand.type);
    if (!is_known_operand_type(type)) return bad("there is no operand type " + std::to_string(operand.type));
    if (type == OperandType::kModel) return bad("models are not operands here");
  } else if (!is_valid_extension_name(operand.extension->extension)) {
    return bad("the name of its extension is malformed");
  }
  if (static_cast<uint8_t>(operand.life) >= kOperandLives) return bad("its life is none of the known ones");
  if (operand.dimensions.size() > kMostDimensions) return bad("it has too many dimensions");
  if (operand.channel_quant && operand.channel_quant->scales.empty()) return bad("it must have at least one channel scale");
  const bool is_ranged = operand.range.region != RegionId::kNone;
  if (operand.life != OperandLife::kConstant) {
    return operand.bytes.empty() && !is_ranged ? Status() : bad("only a constant may have a value");
  }
  if (operand.bytes.empty() == !is_ranged) return bad("a constant must have its bytes in exactly one place");
  if (operand.bytes.size() > kLongestInlineConstant) return bad("it is too long to stand in the description");
  if (is_ranged && (operand.range.length == 0 || operand.range.offset + operand.range.length < operand.range.length)) {
    return bad("its range is empty or wraps around");
  }
  return {};
}

// Checks that operations read only operands that are already written, and that each operand is written at most once.
Status check_wiring(const ModelDescription& model) {
  std::vector<bool> is_there(model.operands.size());
  for (size_t i = 0; i < is_there.size(); ++i) {
    const OperandLife life = model.operands[i].life;
    is_there[i] = life == OperandLife::kInput || life == OperandLife::kConstant || life == OperandLife::kOmitted;
  }
  for (size_t n = 0; n < model.operations.size(); ++n) {
    const ModelOperation& operation = model.operations[n];
    const std::string place = "operation " + std::to_string(n) + ": ";
    if (operation.extension && !is_valid_extension_name(operation.extension->extension)) {
      return bad(place + "the name of its extension is malformed");
    }
    if (operation.outputs.empty()) return bad(place + "it has no output");
    for (const uint32_t id : operation.inputs) {
      if (id >= is_there.size()) return bad(place + "there is no operand " + std::to_string(id));
      if (!is_there[id]) return bad(place + "operand " + std::to_string(id) + " is read before it is written");
    }
    for (const uint32_t id : operation.outputs) {
      if (id >= is_there.size()) return bad(place + "there is no operand " + std::to_string(id));
      const OperandLife life = model.operands[id].life;
      const bool is_result = life == OperandLife::kTemporary || life == OperandLife::kOutput;
      if (!is_result || is_there[id]) return bad(place + "operand " + std::to_string(id) + " cannot be written here");
      is_there[id] = true;
    }
  }
  for (const uint32_t id : model.outputs) {
    if (!is_there[id]) return bad("output operand " + std::to_string(id) + " is never written");
  }
  return {};
}

// Checks that `list` names only operands with this life, and all of them, each once.
Status check_ends(const ModelDescription& model, std::span<const uint32_t> list, OperandLife life, const char* what) {
  std::set<uint32_t> seen;
  for (const uint32_t id : list) {
    if (id >= model.operands.size() || model.operands[id].life != life || !seen.insert(id).second) {
      return bad(std::string(what) + " " + std::to_string(id) + " is no such operand, or is listed twice");
    }
  }
  const auto count = std::ranges::count_if(model.operands, [&](const ModelOperand& operand) { return operand.life == life; });
  if (static_cast<size_t>(count) != list.size()) return bad(std::string("it must list every ") + what);
  return {};
}

Status check_output(const OutputAnswer& answer, const ModelOperand& declared, const ArgumentPlace& place, bool success) {
  const auto& dims = answer.dimensions;
  if (dims.size() > kMostDimensions)
    return wrong("it may have at most " + std::to_string(kMostDimensions) + " dimensions, but has " +
                 std::to_string(dims.size()));
  const bool is_open = !success && dims.empty();
  if (is_scalar(declared) ? !dims.empty() : (!is_open && (!agree(dims, declared.dimensions) || !agree(dims, place.dimensions)))) {
    return wrong("it has shape " + dimensions_text(dims) + ", but the model says " + dimensions_text(declared.dimensions) +
                 " and the execution " + dimensions_text(place.dimensions));
  }
  if (!success) return {};
  if (!answer.sufficient) return wrong("it did not fit, but the execution succeeded");
  if (std::ranges::find(dims, 0U) != dims.end()) return {};  // 0 is an empty dimension, as a finished execution knows all
  const auto size = byte_size(declared, dims);
  if (!size && !declared.extension) return wrong("shape " + dimensions_text(dims) + " is impossible");
  if (place.range.region != RegionId::kNone && size && *size > place.range.length) {
    return wrong("it has " + std::to_string(*size) + " bytes, but there is room for " + std::to_string(place.range.length));
  }
  return {};
}

}  // namespace

Status check_device(const DeviceDescription& device) {
  if (!is_printable(device.name)) return bad("a device has a name that is empty, too long or cannot be printed");
  const std::string place = "device \"" + device.name + "\": ";
  if (!is_printable(device.version)) return bad(place + "its version is empty, too long or cannot be printed");
  if (device.type < 0 || device.type > 4) return bad(place + "there is no device type " + std::to_string(device.type));
  if (device.feature_level < kLowestFeatureLevel) {
    return bad(place + "its feature level " + std::to_string(device.feature_level) + " is below 31 (level 5)");
  }
  for (const PerformanceInfo& info : {device.relaxed_scalar, device.relaxed_tensor, device.if_overhead, device.while_overhead}) {
    if (!is_figure(info)) return bad(place + "a performance figure is negative or not finite");
  }
  for (const auto& [type, info] : device.operands) {
    if (!is_figure(info)) return bad(place + "the performance of operand type " + std::to_string(type) + " is not a figure");
  }
  if (device.model_cache_files > kMostCacheFiles || device.data_cache_files > kMostCacheFiles) {
    return bad(place + "it wants more than " + std::to_string(kMostCacheFiles) + " cache files of a kind");
  }
  if (device.extensions.size() > kMostExtensions) return bad(place + "it lists too many extensions");
  for (const ExtensionDescription& extension : device.extensions) {
    if (extension.name.size() > kLongestName || extension.operand_types.size() > kMostExtensionTypes) {
      return bad(place + "an extension has too long a name or too many operand types");
    }
    if (const Status status = check_extension(extension); !status) return bad(place + status.error().text());
  }
  return {};
}

Status check_model(const ModelDescription& model) {
  if (model.operands.size() > kMostOperands) return bad("the model has too many operands");
  for (size_t i = 0; i < model.operands.size(); ++i) {
    if (const Status status = check_operand(model.operands[i]); !status) {
      return bad("operand " + std::to_string(i) + ": " + status.error().message);
    }
  }
  NNVK_TRY(check_ends(model, model.inputs, OperandLife::kInput, "input"));
  NNVK_TRY(check_ends(model, model.outputs, OperandLife::kOutput, "output"));
  return check_wiring(model);
}

std::optional<uint64_t> byte_size(const ModelOperand& operand, std::span<const uint32_t> dimensions) {
  OperandInfo info;
  info.type = static_cast<OperandType>(operand.type);
  if (operand.extension) info.extension = std::make_shared<ExtensionOperand>(*operand.extension);
  if (std::ranges::find(dimensions, 0U) != dimensions.end()) return std::nullopt;
  info.shape = Shape(std::vector<uint32_t>(dimensions.begin(), dimensions.end()));
  return info.byte_size();
}

Status check_compiled(const CompiledModel& compiled, size_t inputs, size_t outputs) {
  if (compiled.id == CompilationId::kNone) return wrong("the compilation has no id");
  if (compiled.inputs.size() != inputs || compiled.outputs.size() != outputs) {
    return wrong("memory preferences are not one per input and output");
  }
  const auto is_preference = [](const MemoryPreference& preference) {
    return std::has_single_bit(preference.alignment) && std::has_single_bit(preference.padding);
  };
  if (std::ranges::all_of(compiled.inputs, is_preference) && std::ranges::all_of(compiled.outputs, is_preference)) return {};
  return wrong("a preferred alignment or padding is not a power of two");
}

Status check_answer(ExecutionAnswer& answer, std::span<const ModelOperand> declared, std::span<const ArgumentPlace> outputs) {
  const bool success = answer.code == Code::kNoError;
  const bool has_shapes = success || answer.code == Code::kOutputInsufficientSize;
  Status status = [&]() -> Status {
    if (std::ranges::find(kEndsOfExecutions, answer.code) == std::end(kEndsOfExecutions)) {
      return wrong("executions do not end with code " + std::to_string(static_cast<int>(answer.code)));
    }
    if (!has_shapes) {
      const std::string why = answer.message.empty() ? "the driver gives no further reason" : answer.message;
      return fail(answer.code, why);
    }
    if (answer.outputs.size() != outputs.size() || declared.size() != outputs.size()) {
      return wrong("it reports " + std::to_string(answer.outputs.size()) + " outputs, but there are " +
                   std::to_string(outputs.size()));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (const Status output = check_output(answer.outputs[i], declared[i], outputs[i], success); !output) {
        return fail(output.error().at(OperandPlace{"output", static_cast<uint32_t>(i)}));
      }
    }
    if (success) return {};
    const bool any_short = std::ranges::any_of(answer.outputs, [](const OutputAnswer& output) { return !output.sufficient; });
    if (!any_short) return wrong("memory was too small, but no output is said to be");
    return fail(Code::kOutputInsufficientSize, answer.message.empty() ? "the memory of an output is too small" : answer.message);
  }();
  if (!status) answer.code = status.error().code;
  if (!status && status.error().code != Code::kOutputInsufficientSize) answer.outputs.clear();
  return status;
}

}  // namespace nnvk::accelerators
