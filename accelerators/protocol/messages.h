// What client and plugin host say to each other: requests, one per call of Driver (driver.h), and answers. Pure: bytes in, values
// out, and the reverse. Both ends decode with the same distrust; what a value means is judged by whoever uses it.
//
//   client                               plugin host
//                                        ConfinementReport, once, before any code of the plugin runs
//                                        Hello, once: the plugin is loaded, or why not
//   request (id)                         answer (the same id), in any order
//   requests that free: no answer
//
// A request's id is the client's, counts from 1 and is never used again. Nothing that a client sends depends on the order of two
// requests of which the first is still unanswered, so the host may handle them on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "accelerators/driver_model.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace nnvk::accelerators {

inline constexpr uint32_t kProtocolVersion = 2;

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
struct CopyMemoryRequest {
  MemoryId from = MemoryId::kNone;
  MemoryId to = MemoryId::kNone;
};

// A request's kind is its place here.
using Request = std::variant<DevicesRequest, ShareRequest, UnshareRequest, SupportRequest, CompilationRequest,
                             FreeCompilationRequest, DeviceMemoryRequest, FreeMemoryRequest, WriteMemoryRequest,
                             ReadMemoryRequest, CopyMemoryRequest, ExecutionRequest>;

// The answer to what has none but its success.
struct Done {};

// What keeps the plugin's code from the rest of the machine. No request is answered with it: it comes by itself, first.
struct ConfinementReport {
  std::string in_force;  // for people, one line
};

// What a request is answered with when it succeeds; executions always are.
template <class R>
struct AnswerTo {
  using Type = Done;
};
template <>
struct AnswerTo<DevicesRequest> {
  using Type = std::vector<DeviceDescription>;
};
template <>
struct AnswerTo<ShareRequest> {
  using Type = RegionId;
};
template <>
struct AnswerTo<SupportRequest> {
  using Type = std::vector<bool>;
};
template <>
struct AnswerTo<CompilationRequest> {
  using Type = CompiledModel;
};
template <>
struct AnswerTo<DeviceMemoryRequest> {
  using Type = MemoryId;
};
template <>
struct AnswerTo<ExecutionRequest> {
  using Type = ExecutionAnswer;
};

// A message to be sent.
struct Message {
  std::vector<std::byte> body;
  std::vector<int> descriptors;  // borrowed from what it was made of
};

// BAD_DATA when the request is more than a message can hold. For the types of Request.
template <class R>
Result<Message> encode_request(uint64_t id, const R& request);

struct DecodedRequest {
  uint64_t id = 0;
  Request request;  // its descriptors are borrowed from the message
};
// DEAD_OBJECT when the message is no request.
Result<DecodedRequest> decode_request(std::span<const std::byte> body, std::span<const FileDescriptor> descriptors);

// Which request an answer is for. The report and the Hello have id 0.
struct AnswerHead {
  uint64_t id = 0;
};
inline constexpr uint64_t kHelloId = 0;

// For the types that AnswerTo names, and ConfinementReport. Errors travel with their code and text.
template <class T>
Message encode_answer(uint64_t id, const Result<T>& answer);

// DEAD_OBJECT when the message is no answer.
Result<AnswerHead> decode_answer_head(std::span<const std::byte> body);
// Nothing when the message is no answer of this type. Text in it can be printed.
template <class T>
std::optional<Result<T>> decode_answer(std::span<const std::byte> body);

}  // namespace nnvk::accelerators
