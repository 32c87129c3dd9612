// Fixture: a plugin host that runs the test plugin, and additions on the driver in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accelerators/host/hosted_driver.h"
#include "tests/accelerators/host/test_plugin.h"

namespace nnvk::test {

using namespace accelerators;

// Memory that can be shared: a sealed memfd, mapped.
class SealedMemory {
 public:
  explicit SealedMemory(size_t size) : size_(size), fd_(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(size)), 0);
    EXPECT_EQ(::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    data_ = static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0));
  }
  ~SealedMemory() { ::munmap(data_, size_); }
  SealedMemory(const SealedMemory&) = delete;
  SealedMemory& operator=(const SealedMemory&) = delete;

  SharedMemory shared() const { return {fd_.get(), 0, size_}; }
  float* floats(size_t offset = 0) const { return reinterpret_cast<float*>(data_ + offset); }

 private:
  const size_t size_;
  FileDescriptor fd_;
  std::byte* data_ = nullptr;
};

// ADD of two FLOAT32 tensors of kElements.
inline constexpr uint32_t kElements = 4;
inline ModelDescription addition() {
  constexpr int32_t kTensorFloat32 = 3;
  constexpr int32_t kInt32 = 1;
  ModelDescription model;
  for (const OperandLife life : {OperandLife::kInput, OperandLife::kInput, OperandLife::kConstant, OperandLife::kOutput}) {
    ModelOperand& operand = model.operands.emplace_back();
    operand.life = life;
    const bool is_tensor = life != OperandLife::kConstant;
    operand.type = is_tensor ? kTensorFloat32 : kInt32;
    if (is_tensor) operand.dimensions = {kElements};
    if (!is_tensor) operand.bytes.resize(4);
  }
  model.operations.push_back({0, std::nullopt, {0, 1, 2}, {3}});
  model.inputs = {0, 1};
  model.outputs = {3};
  return model;
}

// Waits for one answer.
class AwaitedAnswer {
 public:
  ExecutionDone done() {
    return [this](ExecutionAnswer answer) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(answer_) << "answered twice";
      answer_ = std::move(answer);
      changed_.notify_all();
    };
  }
  ExecutionAnswer get() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answer_.has_value(); });
    return *answer_;
  }
  bool is_there() {
    const std::lock_guard lock(mutex_);
    return answer_.has_value();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ExecutionAnswer> answer_;
};

// Shared memory and a compiled addition, made anew after the loss of the host. One memory has three regions: two inputs and
// an output.
class Adder {
 public:
  explicit Adder(Driver& driver) : driver_(driver), memory_(3 * kPart) {}

  // Shares the memory and compiles, unless the driver's current generation already has both.
  Status prepare() {
    const uint64_t generation = driver_.generation();
    if (generation == generation_) return {};
    NNVK_ASSIGN(region_, driver_.share(memory_.shared()));
    CompilationRequest request;
    request.model = addition();
    NNVK_ASSIGN(const CompiledModel compiled, driver_.compile(request));
    compilation_ = compiled.id;
    generation_ = generation;  // the one read at the start: the host may have been lost since then, with all its objects
    return {};
  }

  ExecutionRequest request(float first, bool caller_waits) {
    for (size_t i = 0; i < kElements; ++i) {
      memory_.floats(0)[i] = i == 0 ? first : static_cast<float>(i);
      memory_.floats(kPart)[i] = 10;
      memory_.floats(2 * kPart)[i] = -1;
    }
    ExecutionRequest execution;
    execution.compilation = compilation_;
    execution.caller_waits = caller_waits;
    for (const size_t offset : {size_t{0}, kPart}) execution.inputs.push_back(place(offset));
    execution.outputs.push_back(place(2 * kPart));
    return execution;
  }
  // Blocks. `first`: the first number, or an Order.
  ExecutionAnswer run(float first = 0, bool caller_waits = true, std::optional<std::chrono::milliseconds> time = std::nullopt) {
    if (const Status ready = prepare(); !ready) {
      ExecutionAnswer answer;
      answer.code = ready.error().code;
      answer.message = ready.error().message;
      return answer;
    }
    ExecutionRequest execution = request(first, caller_waits);
    if (time) execution.deadline = std::chrono::steady_clock::now() + *time;
    AwaitedAnswer answer;
    driver_.execute(execution, answer.done());
    return answer.get();
  }
  // Runs an order, and returns the plugin's answer, or -1 if the execution failed.
  float order(Order order) { return run(static_cast<float>(order)).code == Code::kNoError ? sum(0) : -1; }

  float sum(size_t i) const { return memory_.floats(2 * kPart)[i]; }
  RegionId region() const { return region_; }
  CompilationId compilation() const { return compilation_; }

 private:
  static constexpr size_t kPart = 4096;

  ArgumentPlace place(size_t offset) const {
    ArgumentPlace place;
    place.range = {region_, offset, kElements * sizeof(float)};
    place.dimensions = {kElements};
    return place;
  }

  Driver& driver_;
  SealedMemory memory_;
  uint64_t generation_ = 0;
  RegionId region_ = RegionId::kNone;
  CompilationId compilation_ = CompilationId::kNone;
};

inline HostedDriverOptions test_host(const std::string& sandbox = "strict") {
  HostedDriverOptions options;
  options.name = "test";
  options.command.program = NNVK_PLUGIN_HOST_PROGRAM;
  options.command.arguments = {"--library", NNVK_TEST_PLUGIN, "--sandbox", sandbox, "--name", "test"};
  options.restart.first = std::chrono::milliseconds(1);
  options.restart.longest = std::chrono::milliseconds(4);
  return options;
}

class HostedDriverTest : public ::testing::Test {
 protected:
  explicit HostedDriverTest(const HostedDriverOptions& options = test_host())
      : driver_(make_hosted_driver(options)), adder_(*driver_) {}

  // Retries for up to 5 seconds, because the back-off delays the start of the next host.
  void expect_back_again() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    ExecutionAnswer answer;
    do {
      answer = adder_.run(3);
    } while (answer.code != Code::kNoError && std::chrono::steady_clock::now() < limit);
    EXPECT_EQ(answer.code, Code::kNoError) << answer.message;
    EXPECT_EQ(adder_.sum(0), 13);
  }

  std::unique_ptr<Driver> driver_;
  Adder adder_;
};

}  // namespace nnvk::test
