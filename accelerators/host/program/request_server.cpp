#include "accelerators/host/program/request_server.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "accelerators/host/shared_file.h"

namespace nnvk::accelerators {
namespace {

Result<Done> done_if(Status status) {
  if (!status) return fail(std::move(status).error());
  return Done{};
}

Result<std::vector<DeviceDescription>> call(Driver& driver, const DevicesRequest&) { return driver.devices(); }

Result<RegionId> call(Driver& driver, const ShareRequest& request) {
  NNVK_TRY(check_shared_file(request.memory));
  return driver.share(request.memory);
}

Result<std::vector<OperationSupport>> call(Driver& driver, const SupportRequest& request) {
  NNVK_TRY(check_model(request.model));
  return driver.supported_operations(request.device, request.model);
}

Result<CompiledModel> call(Driver& driver, const CompilationRequest& request) {
  NNVK_TRY(check_model(request.model));
  return driver.compile(request);
}

Result<MemoryId> call(Driver& driver, const DeviceMemoryRequest& request) { return driver.allocate(request); }
Result<Done> call(Driver& driver, const WriteMemoryRequest& request) {
  return done_if(driver.copy_to_memory(request.from, request.to));
}
Result<Done> call(Driver& driver, const ReadMemoryRequest& request) {
  return done_if(driver.copy_from_memory(request.from, request.to));
}

// These requests have no answer.
void call(Driver& driver, const UnshareRequest& request) { driver.unshare(request.region); }
void call(Driver& driver, const FreeCompilationRequest& request) { driver.free_compilation(request.compilation); }
void call(Driver& driver, const FreeMemoryRequest& request) { driver.free_memory(request.memory); }

}  // namespace

template <class R>
void RequestServer::serve(uint64_t id, R& request, Packet& packet) {
  if constexpr (std::is_same_v<R, ExecutionRequest>) {
    request.caller_waits = true;  // this thread has nothing else to do
    driver_.execute(request,
                    [send = send_, id](ExecutionAnswer answer) { send(encode_answer<ExecutionAnswer>(id, std::move(answer))); });
  } else if constexpr (std::is_void_v<decltype(call(driver_, request))>) {
    call(driver_, request);
  } else {
    const Message answer = encode_answer(id, call(driver_, request));
    packet.descriptors.clear();
    send_(answer);
  }
}

Status RequestServer::handle(Packet& packet) {
  NNVK_ASSIGN(DecodedRequest decoded, decode_request(packet.body, packet.descriptors));
  std::visit([&](auto& request) { serve(decoded.id, request, packet); }, decoded.request);
  return {};
}

}  // namespace nnvk::accelerators
