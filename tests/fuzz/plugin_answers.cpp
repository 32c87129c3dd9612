// The client's end of the protocol: any bytes as the answer to every kind of request, judged as devices judge it.
#include <algorithm>

#include "accelerators/protocol/packet.h"
#include "tests/fuzz/plugin_messages.h"

namespace nnvk::fuzz {
namespace {

void require_printable(const std::string& text) {
  require(std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7F; }), "text of a plugin can be printed");
}

// Decodes an answer of this type. Encoding and decoding the result again must give the same.
template <class T>
std::optional<T> answer_in(std::span<const std::byte> body) {
  auto answer = decode_answer<T>(body);
  if (!answer) return std::nullopt;
  const Message again = encode_answer<T>(1, *answer);
  const auto second = decode_answer<T>(again.body);
  require(second && second->has_value() == answer->has_value(), "an answer is encoded as it was decoded");
  if (!*answer) {
    require_printable(answer->error().message);
    require(second->error().code == answer->error().code, "an error keeps its code");
    return std::nullopt;
  }
  return **std::move(answer);
}

void judge_devices(const std::vector<DeviceDescription>& devices) {
  for (const DeviceDescription& device : devices) {
    if (check_device(device)) require_printable(device.name + device.version);
  }
}

void judge_execution(ExecutionAnswer answer) {
  require_printable(answer.message);
  const ModelDescription model = various_model();
  const auto declared = std::span(model.operands).first(2);
  const ExecutionRequest request = various_execution();
  const Status judged = check_answer(answer, declared, request.outputs);
  require(judged || answer.outputs.empty() || answer.code == Code::kOutputInsufficientSize, "an error has no outputs");
  if (judged) require(answer.outputs.size() == declared.size(), "a success has all outputs");
}

}  // namespace

void run(std::span<const std::byte> input) {
  static_cast<void>(
      read_packet_header(input.first(std::min(input.size(), sizeof(PacketHeader))), input.size(), input.size() % 3));
  static_cast<void>(decode_answer_id(input));
  static_cast<void>(answer_in<Done>(input));
  static_cast<void>(answer_in<RegionId>(input));
  static_cast<void>(answer_in<MemoryId>(input));
  static_cast<void>(answer_in<std::vector<OperationSupport>>(input));
  if (const auto devices = answer_in<std::vector<DeviceDescription>>(input)) judge_devices(*devices);
  if (const auto compiled = answer_in<CompiledModel>(input)) static_cast<void>(check_compiled(*compiled, 1, 1));
  if (const auto executed = answer_in<ExecutionAnswer>(input)) judge_execution(*executed);
}

std::vector<Input> seeds() {
  DeviceDescription device;
  device.name = "npu";
  device.version = "1.0";
  device.type = 4;
  device.feature_level = 31;
  device.operands = {{3, {}}, {5, {}}};
  device.extensions = {{"org.test.types", {{7, true, 4}}, {}}};
  ExecutionAnswer executed;
  executed.code = Code::kNoError;
  executed.outputs = {{{1, 4}, true}, {{2, 4}, true}};
  executed.hardware_nanoseconds = 1000;
  PacketHeader header;
  const auto bytes = std::as_bytes(std::span(&header, 1));
  return {encode_answer<Done>(0, Done{}).body,
          encode_answer<Done>(0, fail(Code::kUnavailableDevice, "no such library")).body,
          encode_answer<std::vector<DeviceDescription>>(1, std::vector{device, device}).body,
          encode_answer<RegionId>(2, RegionId{1}).body,
          encode_answer<std::vector<OperationSupport>>(3, std::vector<OperationSupport>{{true}, {false, "large"}}).body,
          encode_answer<CompiledModel>(4, CompiledModel{CompilationId{1}, {{64, 16}}, {{64, 16}}}).body,
          encode_answer<ExecutionAnswer>(5, executed).body,
          Input(bytes.begin(), bytes.end())};
}

}  // namespace nnvk::fuzz
