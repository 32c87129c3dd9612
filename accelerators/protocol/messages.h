// The messages between client and plugin host: requests, one per call of Driver (driver.h), and answers. Pure: bytes in, values
// out, and the reverse. Both ends decode with the same distrust; the user of a value checks its meaning.
//
//  `client                              plugin host
//                                       ConfinementReport, once, before any code of the plugin runs
//                                       Hello, once: the plugin is loaded, or why not
//   request (id)                        answer (the same id), in any order
//   requests that free: no answer`
//
// The client numbers its requests from 1 and never uses an id again. A client sends no request that depends on an unanswered one,
// so the host may handle them on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr uint32_t kProtocolVersion = 4;

struct DevicesRequest {};
struct ShareRequest {
  SharedMemory memory;  // its descriptor is the message's
};
struct UnshareRequest {
  RegionId region = RegionId::kNone;
};
struct SupportRequest {
  uint32_t device = 0;
  ModelDescription model;
};
struct FreeCompilationRequest {
  CompilationId compilation = CompilationId::kNone;
};
struct FreeMemoryRequest {
  MemoryId memory = MemoryId::kNone;
};
struct WriteMemoryRequest {
  SharedRange from;
  MemoryId to = MemoryId::kNone;
};
struct ReadMemoryRequest {
  MemoryId from = MemoryId::kNone;
  SharedRange to;
};

// A request's kind is its index in this list.
using Request =
    std::variant<DevicesRequest, ShareRequest, UnshareRequest, SupportRequest, CompilationRequest, FreeCompilationRequest,
                 DeviceMemoryRequest, FreeMemoryRequest, WriteMemoryRequest, ReadMemoryRequest, ExecutionRequest>;

// The answer that reports only success.
struct Done {};

// Describes the isolation of the plugin's code. It answers no request: the host sends it first, unasked.
struct ConfinementReport {
  std::string in_force;  // for people, one line
};

// The type of the answer to a successful request. Executions always get an answer of this type.
template <class R>
struct AnswerTo : std::type_identity<Done> {};
template <>
struct AnswerTo<DevicesRequest> : std::type_identity<std::vector<DeviceDescription>> {};
template <>
struct AnswerTo<ShareRequest> : std::type_identity<RegionId> {};
template <>
struct AnswerTo<SupportRequest> : std::type_identity<std::vector<OperationSupport>> {};
template <>
struct AnswerTo<CompilationRequest> : std::type_identity<CompiledModel> {};
template <>
struct AnswerTo<DeviceMemoryRequest> : std::type_identity<MemoryId> {};
template <>
struct AnswerTo<ExecutionRequest> : std::type_identity<ExecutionAnswer> {};

// A message to send.
struct Message {
  std::vector<std::byte> body;
  std::vector<int> descriptors;  // borrowed from the request
};

// Encodes a request of one of the types in Request. BAD_DATA if it is too large for a message.
template <class R>
Result<Message> encode_request(uint64_t id, const R& request);

struct DecodedRequest {
  uint64_t id = 0;
  Request request;  // its descriptors are borrowed from the message
};
// Decodes a request. DEAD_OBJECT if the message is no request.
Result<DecodedRequest> decode_request(std::span<const std::byte> body, std::span<const FileDescriptor> descriptors);

inline constexpr uint64_t kHelloId = 0;  // of the ConfinementReport and the Hello, which answer no request

// Encodes an answer of a type in AnswerTo, or a ConfinementReport. Errors keep their code and text.
template <class T>
Message encode_answer(uint64_t id, const Result<T>& answer);

// Returns the id of the request that an answer belongs to. DEAD_OBJECT if the message is no answer, or of another version of the
// protocol.
Result<uint64_t> decode_answer_id(std::span<const std::byte> body);
// Decodes an answer. Returns nothing if the message is no answer of this type. Replaces control characters in its texts.
template <class T>
std::optional<Result<T>> decode_answer(std::span<const std::byte> body);

}  // namespace nnvk::accelerators
