// The fields of all values that client and plugin host exchange. Each transfer(archive, value) writes them with an ArchiveWriter
// and reads them with an ArchiveReader (archive.h). Descriptors travel beside the bytes (messages.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "accelerators/driver_model.h"
#include "accelerators/protocol/archive.h"

namespace nnvk::accelerators {

// Limits of the parts of a message. Encoding fails if a part is larger, so nobody sends a message that the receiver refuses.
inline constexpr size_t kMostOperands = size_t{1} << 20;
inline constexpr size_t kMostOperations = size_t{1} << 20;
inline constexpr size_t kMostArguments = size_t{1} << 16;        // inputs or outputs of an operation, a model or an execution
inline constexpr size_t kMostChannels = size_t{1} << 24;         // scales of an operand
inline constexpr size_t kMostExtensionBytes = size_t{16} << 20;  // of one operand or attribute
inline constexpr size_t kMostAttributes = 4096;
inline constexpr size_t kMostRoles = 4096;
inline constexpr size_t kMostOperandTypes = size_t{1} << 16;
inline constexpr size_t kLongestMessage = 2000;  // text of an error

// Transfers a time of CLOCK_MONOTONIC, which is the same in all processes.
template <class A>
void transfer(A& archive, Is<std::chrono::steady_clock::time_point> auto& time) {
  int64_t nanoseconds = 0;
  if constexpr (!A::kReads) nanoseconds = std::chrono::nanoseconds(time.time_since_epoch()).count();
  archive.fields(nanoseconds);
  if constexpr (A::kReads) time = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds));
}

void transfer(auto& archive, Is<PerformanceInfo> auto& value) { archive.fields(value.execution_time, value.power_usage); }

void transfer(auto& archive, Is<ExtensionType> auto& value) { archive.fields(value.code, value.is_tensor, value.byte_size); }

// Transfers an extension without its operations, because a driver's description has none.
void transfer(auto& archive, Is<ExtensionDescription> auto& value) {
  archive.text(value.name, kLongestName);
  archive.sequence(value.operand_types, kMostExtensionTypes, 7);
}

void transfer(auto& archive, Is<DeviceDescription> auto& value) {
  archive.text(value.name, kLongestName);
  archive.text(value.version, kLongestName);
  archive.fields(value.type, value.feature_level, value.relaxed_scalar, value.relaxed_tensor, value.if_overhead,
                 value.while_overhead);
  archive.map(value.operands, kMostOperandTypes, [](auto& inner, auto& type, auto& info) { inner.fields(type, info); });
  archive.sequence(value.extensions, kMostExtensions, 8);
  archive.fields(value.model_cache_files, value.data_cache_files);
}

void transfer(auto& archive, Is<OperationSupport> auto& value) {
  archive.fields(value.supported);
  archive.text(value.reason, kLongestReason);
}

void transfer(auto& archive, Is<SharedMemory> auto& value) {
  archive.fields(value.offset, value.size, value.writable, value.is_dma_buf);
}

void transfer(auto& archive, Is<SharedRange> auto& value) { archive.fields(value.region, value.offset, value.length); }

void transfer(auto& archive, Is<ChannelQuant> auto& value) {
  archive.fields(value.channel_dim);
  archive.numbers(value.scales, kMostChannels);
}

void transfer(auto& archive, Is<ExtensionOperand> auto& value) {
  archive.text(value.extension, kLongestName);
  archive.fields(value.type);
  archive.bytes(value.data, kMostExtensionBytes);
}

void transfer(auto& archive, Is<ExtensionOperation> auto& value) {
  archive.text(value.extension, kLongestName);
  archive.fields(value.code);
}

void transfer(auto& archive, Is<ModelOperand> auto& value) {
  archive.fields(value.type);
  archive.numbers(value.dimensions, kMostDimensions);
  archive.fields(value.scale, value.zero_point);
  archive.enumeration(value.life, static_cast<OperandLife>(kOperandLives - 1));
  archive.bytes(value.bytes, kLongestInlineConstant);
  archive.fields(value.range);
  archive.optional(value.channel_quant);
  archive.optional(value.extension);
}

void transfer(auto& archive, Is<ModelOperation> auto& value) {
  archive.fields(value.code);
  archive.optional(value.extension);
  archive.numbers(value.inputs, kMostArguments);
  archive.numbers(value.outputs, kMostArguments);
}

void transfer(auto& archive, Is<ModelDescription> auto& value) {
  archive.sequence(value.operands, kMostOperands, 40);
  archive.sequence(value.operations, kMostOperations, 13);
  archive.numbers(value.inputs, kMostArguments);
  archive.numbers(value.outputs, kMostArguments);
  archive.fields(value.relaxed);
}

void transfer(auto& archive, Is<ExtensionAttributes> auto& value) {
  archive.map(value, kMostAttributes, [](auto& inner, auto& key, auto& bytes) {
    inner.text(key.first, kLongestName);
    inner.fields(key.second);
    inner.bytes(bytes, kMostExtensionBytes);
  });
}

// Transfers the numbers of files, and the token. The message carries the files' descriptors, those of model files first.
template <class A>
void transfer(A& archive, Is<CacheFiles> auto& value) {
  const auto transfer_count = [&archive](auto& files) {
    auto count = static_cast<uint32_t>(files.size());
    archive.fields(count);
    if constexpr (A::kReads) {
      if (count > kMostCacheFiles) archive.refuse();
      files.assign(archive.ok() ? count : 0, -1);
    }
  };
  transfer_count(value.model_files);
  transfer_count(value.data_files);
  for (auto& byte : value.token) archive.fields(byte);
}

void transfer(auto& archive, Is<CompilationRequest> auto& value) {
  archive.fields(value.device, value.model, value.preference, value.priority);
  archive.optional(value.deadline);
  archive.optional(value.cache);
  archive.fields(value.attributes);
}

void transfer(auto& archive, Is<MemoryPreference> auto& value) { archive.fields(value.alignment, value.padding); }

void transfer(auto& archive, Is<CompiledModel> auto& value) {
  archive.fields(value.id);
  archive.sequence(value.inputs, kMostArguments, 8);
  archive.sequence(value.outputs, kMostArguments, 8);
}

void transfer(auto& archive, Is<MemoryRole> auto& value) { archive.fields(value.compilation, value.is_input, value.index); }

void transfer(auto& archive, Is<DeviceMemoryRequest> auto& value) { archive.sequence(value.roles, kMostRoles, 13); }

void transfer(auto& archive, Is<ArgumentPlace> auto& value) {
  archive.fields(value.range, value.memory);
  archive.numbers(value.dimensions, kMostDimensions);
}

// Does not transfer `caller_waits`, because it concerns the caller's thread.
void transfer(auto& archive, Is<ExecutionRequest> auto& value) {
  archive.fields(value.compilation);
  archive.sequence(value.inputs, kMostArguments, 36);
  archive.sequence(value.outputs, kMostArguments, 36);
  archive.optional(value.deadline);
  archive.fields(value.measure_timing, value.attributes);
}

void transfer(auto& archive, Is<OutputAnswer> auto& value) {
  archive.numbers(value.dimensions, kMostDimensions);
  archive.fields(value.sufficient);
}

void transfer(auto& archive, Is<ExecutionAnswer> auto& value) {
  archive.enumeration(value.code, Code::kDeadObject);
  archive.text(value.message, kLongestMessage);
  archive.sequence(value.outputs, kMostArguments, 5);
  archive.fields(value.hardware_nanoseconds, value.driver_nanoseconds);
}

}  // namespace nnvk::accelerators
