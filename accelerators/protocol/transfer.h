// The fields of all values that cross between client and plugin host, once for both directions. The functions transfer(archive,
// value) write them with an ArchiveWriter and read them with an ArchiveReader (archive.h). Descriptors travel beside the bytes
// (messages.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "accelerators/driver_model.h"
#include "accelerators/protocol/archive.h"

namespace nnvk::accelerators {

// Limits of a message. The sender of a larger one gets an error when it encodes: it never sends a message that the other end
// refuses.
inline constexpr size_t kMostOperands = size_t{1} << 20;
inline constexpr size_t kMostOperations = size_t{1} << 20;
inline constexpr size_t kMostArguments = size_t{1} << 16;        // inputs or outputs of an operation, a model or an execution
inline constexpr size_t kMostDimensions = 256;                   // of an operand
inline constexpr size_t kMostChannels = size_t{1} << 24;         // scales of an operand
inline constexpr size_t kMostExtensionBytes = size_t{16} << 20;  // of one operand or attribute
inline constexpr size_t kMostAttributes = 4096;
inline constexpr size_t kMostRoles = 4096;
inline constexpr size_t kMostOperandTypes = size_t{1} << 16;
inline constexpr size_t kLongestMessage = 2000;  // text of an error

// For sequences and maps of values with fields of their own.
inline constexpr auto kFields = [](auto& archive, auto& value) { transfer(archive, value); };
inline constexpr auto kNumber = [](auto& archive, auto& value) { archive.value(value); };

// A time of CLOCK_MONOTONIC, which is the same in all processes.
template <class A>
void transfer_time(A& archive, typename A::template Of<std::optional<std::chrono::steady_clock::time_point>>& time) {
  archive.optional(time, [](auto& inner, auto& when) {
    int64_t nanoseconds = 0;
    if constexpr (!A::kReads) nanoseconds = std::chrono::nanoseconds(when.time_since_epoch()).count();
    inner.value(nanoseconds);
    if constexpr (A::kReads) when = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanoseconds));
  });
}

template <class A>
void transfer(A& archive, typename A::template Of<PerformanceInfo>& value) {
  archive.value(value.execution_time);
  archive.value(value.power_usage);
}

template <class A>
void transfer(A& archive, typename A::template Of<ExtensionType>& value) {
  archive.value(value.code);
  archive.boolean(value.is_tensor);
  archive.value(value.byte_size);
}

// Without operations: a driver's description has none.
template <class A>
void transfer(A& archive, typename A::template Of<ExtensionDescription>& value) {
  archive.text(value.name, kLongestName);
  archive.sequence(value.operand_types, kMostExtensionTypes, 7, kFields);
}

template <class A>
void transfer(A& archive, typename A::template Of<DeviceDescription>& value) {
  archive.text(value.name, kLongestName);
  archive.text(value.version, kLongestName);
  archive.value(value.type);
  archive.value(value.feature_level);
  transfer(archive, value.relaxed_scalar);
  transfer(archive, value.relaxed_tensor);
  transfer(archive, value.if_overhead);
  transfer(archive, value.while_overhead);
  archive.map(value.operands, kMostOperandTypes, kNumber, kFields);
  archive.sequence(value.extensions, kMostExtensions, 8, kFields);
  archive.value(value.model_cache_files);
  archive.value(value.data_cache_files);
}

template <class A>
void transfer(A& archive, typename A::template Of<SharedMemory>& value) {
  archive.value(value.offset);
  archive.value(value.size);
  archive.boolean(value.writable);
  archive.boolean(value.is_dma_buf);
}

template <class A>
void transfer(A& archive, typename A::template Of<SharedRange>& value) {
  archive.value(value.region);
  archive.value(value.offset);
  archive.value(value.length);
}

template <class A>
void transfer(A& archive, typename A::template Of<ChannelQuant>& value) {
  archive.value(value.channel_dim);
  archive.numbers(value.scales, kMostChannels);
}

template <class A>
void transfer(A& archive, typename A::template Of<ExtensionOperand>& value) {
  archive.text(value.extension, kLongestName);
  transfer(archive, value.type);
  archive.bytes(value.data, kMostExtensionBytes);
}

template <class A>
void transfer(A& archive, typename A::template Of<ExtensionOperation>& value) {
  archive.text(value.extension, kLongestName);
  archive.value(value.code);
}

template <class A>
void transfer(A& archive, typename A::template Of<ModelOperand>& value) {
  archive.value(value.type);
  archive.numbers(value.dimensions, kMostDimensions);
  archive.value(value.scale);
  archive.value(value.zero_point);
  archive.enumeration(value.life, static_cast<OperandLife>(kOperandLives - 1));
  archive.bytes(value.bytes, kLongestInlineConstant);
  transfer(archive, value.range);
  archive.optional(value.channel_quant, kFields);
  archive.optional(value.extension, kFields);
}

template <class A>
void transfer(A& archive, typename A::template Of<ModelOperation>& value) {
  archive.value(value.code);
  archive.optional(value.extension, kFields);
  archive.numbers(value.inputs, kMostArguments);
  archive.numbers(value.outputs, kMostArguments);
}

template <class A>
void transfer(A& archive, typename A::template Of<ModelDescription>& value) {
  archive.sequence(value.operands, kMostOperands, 40, kFields);
  archive.sequence(value.operations, kMostOperations, 13, kFields);
  archive.numbers(value.inputs, kMostArguments);
  archive.numbers(value.outputs, kMostArguments);
  archive.boolean(value.relaxed);
}

template <class A>
void transfer(A& archive, typename A::template Of<ExtensionAttributes>& value) {
  const auto name = [](auto& inner, auto& key) {
    inner.text(key.first, kLongestName);
    inner.value(key.second);
  };
  archive.map(value, kMostAttributes, name, [](auto& inner, auto& bytes) { inner.bytes(bytes, kMostExtensionBytes); });
}

// The message carries the files' descriptors: model files first. The bytes contain only their numbers.
template <class A>
void transfer(A& archive, typename A::template Of<CacheFiles>& value) {
  const auto transfer_count = [&archive](auto& files) {
    auto count = static_cast<uint32_t>(files.size());
    archive.value(count);
    if constexpr (A::kReads) {
      if (count > kMostCacheFiles) archive.refuse();
      files.assign(archive.ok() ? count : 0, -1);
    }
  };
  transfer_count(value.model_files);
  transfer_count(value.data_files);
  for (auto& byte : value.token) archive.value(byte);
}
template <class A>
void transfer(A& archive, typename A::template Of<CompilationRequest>& value) {
  archive.value(value.device);
  transfer(archive, value.model);
  archive.value(value.preference);
  archive.value(value.priority);
  transfer_time(archive, value.deadline);
  archive.optional(value.cache, kFields);
  transfer(archive, value.attributes);
}

template <class A>
void transfer(A& archive, typename A::template Of<MemoryPreference>& value) {
  archive.value(value.alignment);
  archive.value(value.padding);
}

template <class A>
void transfer(A& archive, typename A::template Of<CompiledModel>& value) {
  archive.value(value.id);
  archive.sequence(value.inputs, kMostArguments, 8, kFields);
  archive.sequence(value.outputs, kMostArguments, 8, kFields);
}

template <class A>
void transfer(A& archive, typename A::template Of<MemoryRole>& value) {
  archive.value(value.compilation);
  archive.boolean(value.is_input);
  archive.value(value.index);
}

template <class A>
void transfer(A& archive, typename A::template Of<DeviceMemoryRequest>& value) {
  archive.sequence(value.roles, kMostRoles, 13, kFields);
  archive.numbers(value.dimensions, kMostDimensions);
}

template <class A>
void transfer(A& archive, typename A::template Of<ArgumentPlace>& value) {
  transfer(archive, value.range);
  archive.value(value.memory);
  archive.numbers(value.dimensions, kMostDimensions);
}

// `caller_waits` concerns the caller's thread and is not sent.
template <class A>
void transfer(A& archive, typename A::template Of<ExecutionRequest>& value) {
  archive.value(value.compilation);
  archive.sequence(value.inputs, kMostArguments, 36, kFields);
  archive.sequence(value.outputs, kMostArguments, 36, kFields);
  transfer_time(archive, value.deadline);
  archive.boolean(value.measure_timing);
  transfer(archive, value.attributes);
}

template <class A>
void transfer(A& archive, typename A::template Of<OutputAnswer>& value) {
  archive.numbers(value.dimensions, kMostDimensions);
  archive.boolean(value.sufficient);
}

template <class A>
void transfer(A& archive, typename A::template Of<ExecutionAnswer>& value) {
  archive.enumeration(value.code, Code::kDeadObject);
  archive.text(value.message, kLongestMessage);
  archive.sequence(value.outputs, kMostArguments, 5, kFields);
  archive.value(value.hardware_nanoseconds);
  archive.value(value.driver_nanoseconds);
}

}  // namespace nnvk::accelerators
