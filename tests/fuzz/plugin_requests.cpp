// The plugin host's end of the protocol: any bytes, with any number of descriptors, from a client. The driver behind it checks
// that it receives only calls that its interface allows.
#include <sys/mman.h>

#include "accelerators/host/program/request_server.h"
#include "tests/fuzz/plugin_messages.h"

namespace nnvk::fuzz {
namespace {

// Reads all its arguments, as a plugin's code would.
class LookingDriver final : public Driver {
 public:
  Result<std::vector<DeviceDescription>> devices() override { return std::vector<DeviceDescription>(1); }
  uint64_t generation() const override { return 1; }
  Result<RegionId> share(const SharedMemory& memory) override {
    require(memory.fd >= 0 && memory.size > 0, "shared memory is there");
    return RegionId{1};
  }
  void unshare(RegionId) override {}
  Result<std::vector<OperationSupport>> supported_operations(uint32_t, const ModelDescription& model) override {
    look_at(model);
    return std::vector<OperationSupport>(model.operations.size());
  }
  Result<CompiledModel> compile(const CompilationRequest& request) override {
    look_at(request.model);
    if (request.cache) {
      require(request.cache->model_files.size() <= kMostCacheFiles, "not too many cache files");
      for (const int fd : request.cache->model_files) require(fd >= 0, "a cache file is there");
      for (const int fd : request.cache->data_files) require(fd >= 0, "a cache file is there");
    }
    return CompiledModel{CompilationId{1}, std::vector<MemoryPreference>(request.model.inputs.size()),
                         std::vector<MemoryPreference>(request.model.outputs.size())};
  }
  void free_compilation(CompilationId) override {}
  Result<MemoryId> allocate(const DeviceMemoryRequest&) override { return MemoryId{1}; }
  void free_memory(MemoryId) override {}
  Status copy_to_memory(const SharedRange&, MemoryId) override { return {}; }
  Status copy_from_memory(MemoryId, const SharedRange&) override { return fail(Code::kOpFailed, "no copy"); }
  void execute(const ExecutionRequest& request, ExecutionDone done) override {
    ExecutionAnswer answer;
    answer.code = Code::kNoError;
    answer.outputs.resize(request.outputs.size());
    done(std::move(answer));
  }

 private:
  static void look_at(const ModelDescription& model) {
    for (const ModelOperation& operation : model.operations) {
      for (const uint32_t id : operation.inputs) require(id < model.operands.size(), "an input is an operand");
      for (const uint32_t id : operation.outputs) require(id < model.operands.size(), "an output is an operand");
    }
    for (const uint32_t id : model.inputs) require(id < model.operands.size(), "a model's input is an operand");
    for (const ModelOperand& operand : model.operands)
      require(operand.bytes.size() <= kLongestInlineConstant, "constants are short");
  }
};

// Memory as clients share it.
FileDescriptor sealed_memory() {
  FileDescriptor memory(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  require(::ftruncate(memory.get(), 8192) == 0 && ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0, "memory to share");
  return memory;
}

template <class R>
Input seed(const R& request) {
  const auto message = encode_request(1, request);
  Input input{static_cast<std::byte>(message->descriptors.size())};
  input.insert(input.end(), message->body.begin(), message->body.end());
  return input;
}

// Encoding a decoded request must give the same bytes, so that no byte has two meanings.
void expect_same_bytes(std::span<const std::byte> body, const DecodedRequest& decoded) {
  std::visit(
      [&](const auto& request) {
        const auto again = encode_request(decoded.id, request);
        require(again && std::ranges::equal(again->body, body), "a request is encoded as it was decoded");
      },
      decoded.request);
}

}  // namespace

void run(std::span<const std::byte> input) {
  if (input.empty()) return;
  static const FileDescriptor memory = sealed_memory();
  Packet packet;
  for (size_t i = 0; i < static_cast<size_t>(input[0]) % 5; ++i)
    packet.descriptors.push_back(FileDescriptor::duplicate(memory.get()));
  packet.body.assign(input.begin() + 1, input.end());
  if (const auto decoded = decode_request(packet.body, packet.descriptors)) expect_same_bytes(packet.body, *decoded);
  LookingDriver driver;
  RequestServer server(driver, [](const Message& answer) {
    require(decode_answer_id(answer.body).has_value(), "an answer is an answer");
    require(answer.descriptors.empty(), "answers have no descriptors");
  });
  static_cast<void>(server.handle(packet));
}

std::vector<Input> seeds() {
  CompilationRequest compilation;
  compilation.model = various_model();
  compilation.deadline = std::chrono::steady_clock::time_point(std::chrono::seconds(5));
  compilation.cache = CacheFiles{{0}, {0, 0}, {}};
  compilation.attributes[{"org.test.attributes", 2}] = {std::byte{1}, std::byte{2}};
  return {seed(DevicesRequest{}),
          seed(ShareRequest{{0, 4096, 4096, true, false}}),
          seed(UnshareRequest{RegionId{1}}),
          seed(SupportRequest{0, various_model()}),
          seed(compilation),
          seed(FreeCompilationRequest{CompilationId{1}}),
          seed(DeviceMemoryRequest{{{CompilationId{1}, true, 0}, {CompilationId{1}, false, 1}}}),
          seed(FreeMemoryRequest{MemoryId{1}}),
          seed(WriteMemoryRequest{{RegionId{1}, 0, 64}, MemoryId{2}}),
          seed(ReadMemoryRequest{MemoryId{2}, {RegionId{1}, 0, 64}}),
          seed(various_execution())};
}

}  // namespace nnvk::fuzz
