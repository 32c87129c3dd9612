// A driver in memory: it maps shared memory, computes RELU of floats, counts calls, and returns invalid answers if a test asks
// for them.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "accelerators/driver.h"
#include "core/base/file_descriptor.h"

namespace nnvk::test {

using namespace nnvk::accelerators;

// Thread-safe except for the members that tests set before they use it.
class FakeDriver final : public Driver {
 public:
  FakeDriver() {
    description.name = "fake";
    description.version = "1";
    description.type = 4;
    description.feature_level = 1000008;
  }
  ~FakeDriver() override {
    for (std::thread& thread : threads_) {
      // A thread of an execution may hold the last reference to the driver, and runs this destructor; it cannot join itself.
      thread.get_id() == std::this_thread::get_id() ? thread.detach() : thread.join();
    }
  }

  DeviceDescription description;
  // Changes the answer of execute(); called after the outputs are written.
  std::function<void(ExecutionAnswer&)> spoil = [](ExecutionAnswer&) {};
  int deaths_when_asked = 0;      // in how many of the next calls of supported_operations() the driver dies
  int deaths_when_compiling = 0;  // in how many of the next compilations the driver dies
  std::function<void(std::vector<OperationSupport>&)> spoil_support = [](std::vector<OperationSupport>&) {};
  std::function<void(CompiledModel&)> spoil_compiled = [](CompiledModel&) {};
  std::function<void(const CacheFiles&)> on_cache = [](const CacheFiles&) {};
  Status compile_result;
  std::map<RegionId, SharedMemory> regions;
  std::vector<ExecutionRequest> executions;
  int compilations = 0;
  int shared = 0;
  int freed_compilations = 0;

  // The driver loses all its state.
  void die() {
    const std::lock_guard lock(mutex_);
    ++generation_;
    regions.clear();
  }

  Result<std::vector<DeviceDescription>> devices() override { return std::vector{description}; }
  uint64_t generation() const override {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  Result<RegionId> share(const SharedMemory& memory) override {
    const std::lock_guard lock(mutex_);
    ++shared;
    const RegionId id{++last_id_};
    regions.emplace(id, memory);
    return id;
  }
  void unshare(RegionId region) override {
    const std::lock_guard lock(mutex_);
    regions.erase(region);
  }
  Result<std::vector<OperationSupport>> supported_operations(uint32_t, const ModelDescription& model) override {
    NNVK_TRY(check_model(model));
    NNVK_TRY(die_if(deaths_when_asked));
    std::vector<OperationSupport> supported;
    for (const ModelOperation& operation : model.operations) supported.push_back({operation.code == kRelu});
    spoil_support(supported);
    return supported;
  }
  Result<CompiledModel> compile(const CompilationRequest& request) override {
    NNVK_TRY(check_model(request.model));
    NNVK_TRY(compile_result);
    NNVK_TRY(die_if(deaths_when_compiling));
    if (request.cache) on_cache(*request.cache);
    const std::lock_guard lock(mutex_);
    ++compilations;
    CompiledModel compiled{CompilationId{++last_id_}, {}, {}};
    compiled.inputs.resize(request.model.inputs.size(), {16, 16});
    compiled.outputs.resize(request.model.outputs.size(), {16, 16});
    spoil_compiled(compiled);
    alive_.emplace(compiled.id, generation_);
    return compiled;
  }
  void free_compilation(CompilationId) override {
    const std::lock_guard lock(mutex_);
    ++freed_compilations;
  }
  Result<MemoryId> allocate(const DeviceMemoryRequest&) override { return fail(Code::kOpFailed, "the fake has none"); }
  void free_memory(MemoryId) override {}
  Status copy_to_memory(const SharedRange&, MemoryId) override { return fail(Code::kOpFailed, "the fake has none"); }
  Status copy_from_memory(MemoryId, const SharedRange&) override { return fail(Code::kOpFailed, "the fake has none"); }

  void execute(const ExecutionRequest& request, ExecutionDone done) override {
    ExecutionAnswer answer = compute(request);
    spoil(answer);
    if (request.caller_waits) return done(std::move(answer));
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([done, answer] { done(answer); });
  }

 private:
  Status die_if(int& deaths) {
    if (deaths == 0) return {};
    --deaths;
    die();
    return fail(Code::kDeadObject, "the fake driver is gone");
  }

  static constexpr int32_t kRelu = 19;

  ExecutionAnswer compute(const ExecutionRequest& request) {
    const std::lock_guard lock(mutex_);
    executions.push_back(request);
    ExecutionAnswer answer;
    if (alive_[request.compilation] != generation_) {
      answer.code = Code::kDeadObject;
      return answer;
    }
    const SharedRange& from = request.inputs[0].range;
    const SharedRange& to = request.outputs[0].range;
    const auto in = map(from);
    const auto out = map(to);
    if (in.empty() || out.empty()) {
      answer.code = Code::kBadData;
      return answer;
    }
    answer.outputs = {{request.inputs[0].dimensions, to.length >= from.length}};
    answer.code = answer.outputs[0].sufficient ? Code::kNoError : Code::kOutputInsufficientSize;
    for (size_t i = 0; i < from.length / sizeof(float) && answer.outputs[0].sufficient; ++i) {
      float value = 0;
      std::memcpy(&value, in.data() + from.offset + i * sizeof value, sizeof value);
      value = value > 0 ? value : 0;
      std::memcpy(out.data() + to.offset + i * sizeof value, &value, sizeof value);
    }
    ::munmap(in.data(), in.size());
    ::munmap(out.data(), out.size());
    return answer;
  }

  // The caller unmaps it.
  std::span<std::byte> map(const SharedRange& range) const {
    const auto region = regions.find(range.region);
    if (region == regions.end()) return {};
    const SharedMemory& memory = region->second;
    void* const address =
        ::mmap(nullptr, memory.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd, static_cast<off_t>(memory.offset));
    if (address == MAP_FAILED) return {};
    return {static_cast<std::byte*>(address), memory.size};
  }

  mutable std::mutex mutex_;
  uint64_t generation_ = 1;
  uint64_t last_id_ = 0;
  std::map<CompilationId, uint64_t> alive_;
  std::vector<std::thread> threads_;
};

}  // namespace nnvk::test
