#include "accelerators/protocol/messages.h"

#include <string>
#include <type_traits>
#include <utility>

#include "accelerators/protocol/archive.h"
#include "accelerators/protocol/transfer.h"

namespace nnvk::accelerators {
namespace {

constexpr uint32_t kAnswer = 0x414E5357;  // the kind of all answers: the request determines their type

template <class R, size_t I = 0>
constexpr uint32_t kind_of() {
  if constexpr (std::is_same_v<R, std::variant_alternative_t<I, Request>>) {
    return static_cast<uint32_t>(I);
  } else {
    return kind_of<R, I + 1>();
  }
}

// ---- Fields of requests that have no descriptors

void transfer(auto&, Is<DevicesRequest> auto&) {}
void transfer(auto& archive, Is<ShareRequest> auto& value) { archive.fields(value.memory); }
void transfer(auto& archive, Is<UnshareRequest> auto& value) { archive.fields(value.region); }
void transfer(auto& archive, Is<SupportRequest> auto& value) { archive.fields(value.device, value.model); }
void transfer(auto& archive, Is<FreeCompilationRequest> auto& value) { archive.fields(value.compilation); }
void transfer(auto& archive, Is<FreeMemoryRequest> auto& value) { archive.fields(value.memory); }
void transfer(auto& archive, Is<WriteMemoryRequest> auto& value) { archive.fields(value.from, value.to); }
void transfer(auto& archive, Is<ReadMemoryRequest> auto& value) { archive.fields(value.from, value.to); }
// ---- Descriptors of requests

template <class R>
std::vector<int> descriptors_of(const R& request) {
  if constexpr (std::is_same_v<R, ShareRequest>) return {request.memory.fd};
  if constexpr (std::is_same_v<R, CompilationRequest>) {
    if (!request.cache) return {};
    std::vector<int> all = request.cache->model_files;
    all.insert(all.end(), request.cache->data_files.begin(), request.cache->data_files.end());
    return all;
  }
  return {};
}

// Sets the request's descriptors. Returns false if their number differs from the request's.
template <class R>
bool put_descriptors(R& request, std::span<const FileDescriptor> descriptors) {
  size_t used = 0;
  if constexpr (std::is_same_v<R, ShareRequest>) {
    if (descriptors.empty()) return false;
    request.memory.fd = descriptors[used++].get();
  }
  if constexpr (std::is_same_v<R, CompilationRequest>) {
    if (request.cache) {
      if (descriptors.size() != request.cache->model_files.size() + request.cache->data_files.size()) return false;
      for (int& fd : request.cache->model_files) fd = descriptors[used++].get();
      for (int& fd : request.cache->data_files) fd = descriptors[used++].get();
    }
  }
  return used == descriptors.size();
}

// ---- Fields of answers

void transfer(auto&, Is<Done> auto&) {}
void transfer(auto& archive, Is<ConfinementReport> auto& value) { archive.text(value.in_force, kLongestMessage); }
void transfer(auto& archive, Is<std::vector<DeviceDescription>> auto& value) { archive.sequence(value, kMostDevices, 60); }
void transfer(auto& archive, Is<std::vector<OperationSupport>> auto& value) { archive.sequence(value, kMostOperations, 5); }
template <class A, class T>
void transfer_answer(A& archive, T& answer) {
  if constexpr (std::is_enum_v<T>) {
    archive.fields(answer);  // an id
  } else {
    transfer(archive, answer);
  }
}

// Replaces control characters in a plugin's text by spaces, because logs and terminals will show it.
void make_printable(std::string& text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
}

tl::unexpected<Error> no_request(const char* why) {
  return fail(Code::kDeadObject, std::string("this is no request of the plugin protocol: ") + why);
}

template <size_t I = 0>
Result<Request> decode_kind(uint32_t kind, ArchiveReader& archive, std::span<const FileDescriptor> descriptors) {
  if constexpr (I == std::variant_size_v<Request>) {
    return no_request("its kind is unknown");
  } else {
    if (kind != I) return decode_kind<I + 1>(kind, archive, descriptors);
    std::variant_alternative_t<I, Request> request;
    transfer(archive, request);
    if (!archive.at_end()) return no_request("its fields do not fit its length");
    if (!put_descriptors(request, descriptors)) return no_request("it came with another number of descriptors than it needs");
    return Request(std::in_place_index<I>, std::move(request));
  }
}

struct Head {
  uint32_t version = kProtocolVersion;
  uint32_t kind = 0;
  uint64_t id = 0;
};
void transfer_head(auto& archive, Is<Head> auto& head) { archive.fields(head.version, head.kind, head.id); }

}  // namespace

template <class R>
Result<Message> encode_request(uint64_t id, const R& request) {
  ArchiveWriter archive;
  const Head head{kProtocolVersion, kind_of<R>(), id};
  transfer_head(archive, head);
  transfer(archive, request);
  if (!archive.fits())
    return fail(Code::kBadData, "the request is more than a plugin host takes: a list or text in it is too long");
  return Message{archive.take(), descriptors_of(request)};
}

Result<DecodedRequest> decode_request(std::span<const std::byte> body, std::span<const FileDescriptor> descriptors) {
  ArchiveReader archive(body);
  Head head;
  transfer_head(archive, head);
  if (!archive.ok() || head.version != kProtocolVersion || head.id == kHelloId)
    return no_request("its first fields are not those of a request");
  NNVK_ASSIGN(Request request, decode_kind(head.kind, archive, descriptors));
  return DecodedRequest{head.id, std::move(request)};
}

template <class T>
Message encode_answer(uint64_t id, const Result<T>& answer) {
  ArchiveWriter archive;
  const Head head{kProtocolVersion, kAnswer, id};
  transfer_head(archive, head);
  archive.number(answer ? Code::kNoError : answer.error().code);
  if (answer) {
    transfer_answer(archive, *answer);
    if (!archive.fits()) return encode_answer<T>(id, fail(Code::kOpFailed, "the plugin's answer is longer than any may be"));
  } else {
    archive.text(answer.error().text().substr(0, kLongestMessage), kLongestMessage);
  }
  return {archive.take(), {}};
}

Result<uint64_t> decode_answer_id(std::span<const std::byte> body) {
  ArchiveReader archive(body);
  Head head;
  transfer_head(archive, head);
  if (archive.ok() && head.version != kProtocolVersion) {
    return fail(Code::kDeadObject, "the plugin host speaks version " + std::to_string(head.version) +
                                       " of the protocol and this library version " + std::to_string(kProtocolVersion) +
                                       ": install both from one build");
  }
  if (!archive.ok() || head.kind != kAnswer) return fail(Code::kDeadObject, "this is no answer of the plugin protocol");
  return head.id;
}

template <class T>
std::optional<Result<T>> decode_answer(std::span<const std::byte> body) {
  ArchiveReader archive(body);
  Head head;
  transfer_head(archive, head);
  Code code{};
  archive.enumeration(code, Code::kDeadObject);
  if (code == Code::kNoError) {
    T value{};
    transfer_answer(archive, value);
    if (!archive.at_end()) return std::nullopt;
    if constexpr (std::is_same_v<T, ExecutionAnswer>) make_printable(value.message);
    if constexpr (std::is_same_v<T, ConfinementReport>) make_printable(value.in_force);
    if constexpr (std::is_same_v<T, std::vector<OperationSupport>>) {
      for (OperationSupport& operation : value) make_printable(operation.reason);
    }
    return Result<T>(std::move(value));
  }
  std::string text;
  archive.text(text, kLongestMessage);
  if (!archive.at_end()) return std::nullopt;
  make_printable(text);
  return Result<T>(fail(code, std::move(text)));
}

template Result<Message> encode_request(uint64_t, const DevicesRequest&);
template Result<Message> encode_request(uint64_t, const ShareRequest&);
template Result<Message> encode_request(uint64_t, const UnshareRequest&);
template Result<Message> encode_request(uint64_t, const SupportRequest&);
template Result<Message> encode_request(uint64_t, const CompilationRequest&);
template Result<Message> encode_request(uint64_t, const FreeCompilationRequest&);
template Result<Message> encode_request(uint64_t, const DeviceMemoryRequest&);
template Result<Message> encode_request(uint64_t, const FreeMemoryRequest&);
template Result<Message> encode_request(uint64_t, const WriteMemoryRequest&);
template Result<Message> encode_request(uint64_t, const ReadMemoryRequest&);
template Result<Message> encode_request(uint64_t, const ExecutionRequest&);

#define NNVK_ANSWER(T)                                        \
  template Message encode_answer(uint64_t, const Result<T>&); \
  template std::optional<Result<T>> decode_answer(std::span<const std::byte>);
NNVK_ANSWER(Done)
NNVK_ANSWER(ConfinementReport)
NNVK_ANSWER(std::vector<DeviceDescription>)
NNVK_ANSWER(RegionId)
NNVK_ANSWER(std::vector<OperationSupport>)
NNVK_ANSWER(CompiledModel)
NNVK_ANSWER(MemoryId)
NNVK_ANSWER(ExecutionAnswer)
#undef NNVK_ANSWER

}  // namespace nnvk::accelerators
