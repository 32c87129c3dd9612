// Fenced executions that depend on each other, through the C API. A device that keeps their order queues them at once; the host
// does nothing in between.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "tests/api/descriptions.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kCount = 64;
constexpr size_t kBytes = kCount * sizeof(float);

// Memory that the test sees as well.
class SharedFloats {
 public:
  SharedFloats() {
    const int fd = ::memfd_create("fenced_chain_test", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(kBytes)), 0);
    memory_ = memory_of(fd, kBytes);
    values_ = static_cast<float*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    fd_ = fd;
  }
  ~SharedFloats() {
    ::munmap(values_, kBytes);
    ::close(fd_);
  }
  SharedFloats(const SharedFloats&) = delete;
  SharedFloats& operator=(const SharedFloats&) = delete;
  const MemoryPointer& memory() const { return memory_; }
  int fd() const { return fd_; }
  float& at(size_t index) const { return values_[index]; }
  float& front() const { return values_[0]; }
  float& back() const { return values_[kCount - 1]; }

 private:
  int fd_ = -1;
  MemoryPointer memory_;
  float* values_ = nullptr;
};

// y = x + 1.
ModelBuilder make_increment() {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {kCount});
  const uint32_t one = builder.constant<float>(kFloat, {1}, {1.0F});
  const uint32_t none = builder.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = builder.operand(kFloat, {kCount});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_ADD, {x, one, none}, {y}), kOk);
  builder.finish({x}, {y});
  return builder;
}

// y = the elements of x at the positions `indices`, an input. A position outside x makes the execution fail.
ModelBuilder make_gather() {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {kCount});
  const uint32_t axis = builder.constant(0);
  const uint32_t indices = builder.operand(ANEURALNETWORKS_TENSOR_INT32, {kCount});
  const uint32_t y = builder.operand(kFloat, {kCount});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_GATHER, {x, axis, indices}, {y}), kOk);
  builder.finish({x, indices}, {y});
  return builder;
}

EventPointer start_after(const ExecutionPointer& execution, const std::vector<const ANeuralNetworksEvent*>& before,
                         uint64_t duration = 0) {
  ANeuralNetworksEvent* event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), before.data(),
                                                                  static_cast<uint32_t>(before.size()), duration, &event),
            kOk)
      << nnvk_lastError();
  return EventPointer(event);
}

uint64_t counter(const CompilationPointer& compilation, const char* name) {
  return describe(compilation).at("partitions").at(0).at("counters").value(name, uint64_t{0});
}

bool is_vulkan(const ANeuralNetworksDevice* device) { return name_of(device).starts_with("vulkan"); }

// Whether the device reads and writes the client's memory in place.
bool works_in_place(const ANeuralNetworksDevice* device) {
  const nlohmann::json all = describe_devices();
  for (const auto& entry : all.at("devices")) {
    if (entry.at("name") != name_of(device)) continue;
    for (const auto& property : entry.at("properties")) {
      if (property.at("value") == "copied") return false;
    }
  }
  return true;
}

class FencedChains : public ::testing::Test {
 protected:
  static void on_every_device(const std::function<void(const ANeuralNetworksDevice*)>& test) {
    for (const ANeuralNetworksDevice* device : devices()) {
      SCOPED_TRACE(name_of(device));
      test(device);
    }
  }
  static ExecutionPointer link(const CompilationPointer& compilation, const SharedFloats& from, const SharedFloats& to) {
    return make_execution(compilation, {{from.memory(), 0, kBytes}}, {{to.memory(), 0, kBytes}});
  }

  struct Chain {
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
  };
  // Links that each wait for the previous one, over the tensors in turn.
  static Chain start_chain(const CompilationPointer& compilation, std::span<const SharedFloats> tensors, size_t links) {
    Chain chain;
    for (size_t i = 0; i < links; ++i) {
      chain.executions.push_back(link(compilation, tensors[i % tensors.size()], tensors[(i + 1) % tensors.size()]));
      chain.events.push_back(start_fenced(chain.executions.back(), i == 0 ? nullptr : chain.events.back().get()));
    }
    return chain;
  }

  const ModelBuilder increment_ = make_increment();
};

TEST_F(FencedChains, AHundredLinksAreQueuedWithoutTheHost) {
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<SharedFloats> tensors(101);
    const auto [executions, events] = start_chain(compilation, tensors, 100);
    EXPECT_EQ(wait(events.back()), kOk);
    for (const EventPointer& event : events) EXPECT_EQ(wait(event), kOk);
    for (size_t i = 0; i <= 100; ++i) EXPECT_EQ(tensors[i].back(), static_cast<float>(i));
    if (!is_vulkan(device) || !works_in_place(device)) return;
    // If the dependency still ran, nnvk submitted the execution at once: no thread of the library launched it.
    const nlohmann::json dependent = describe(compilation).at("dependent_executions");
    EXPECT_EQ(dependent.at("through_host"), 0);
    EXPECT_EQ(counter(compilation, "queued_behind"), dependent.at("queued_behind").get<uint64_t>());
    // On a busy machine it may instead be submitted by the thread that completes the previous link.
    EXPECT_LE(counter(compilation, "queued_behind_at_once"), counter(compilation, "queued_behind"));
    EXPECT_GE(counter(compilation, "queued_behind_at_once"), counter(compilation, "queued_behind") * 9 / 10);
  });
}

// As a video program does that starts the executions of many frames before the first frame is there.
TEST_F(FencedChains, LinksBehindAPendingEventfdAreQueuedWithTheFirst) {
  on_every_device([&](const ANeuralNetworksDevice* device) {
    if (name_of(device) == "nnapi-reference") return;  // it computes within the call
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<SharedFloats> tensors(41);
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    ANeuralNetworksEvent* gate = nullptr;
    ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &gate), kOk);
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
    for (size_t i = 0; i < 40; ++i) {
      executions.push_back(link(compilation, tensors[i], tensors[i + 1]));
      events.push_back(start_fenced(executions.back(), i == 0 ? gate : events.back().get()));
    }
    EXPECT_EQ(tensors[1].back(), 0.0F);
    ::eventfd_write(fd, 1);
    for (const EventPointer& event : events) EXPECT_EQ(wait(event), kOk);
    EXPECT_EQ(tensors.back().back(), 40.0F);
    ANeuralNetworksEvent_free(gate);
    ::close(fd);
    if (is_vulkan(device) && !works_in_place(device)) return;
    const nlohmann::json dependent = describe(compilation).at("dependent_executions");
    EXPECT_EQ(dependent.at("queued_behind"), 39) << dependent;
    EXPECT_EQ(dependent.at("reasons"), (nlohmann::json{{"foreign_fence", 1}}));
  });
}

// y = x from the position `begin` on; begin is an input.
ModelBuilder make_slice() {
  ModelBuilder builder;
  const uint32_t x = builder.operand(kFloat, {kCount});
  const uint32_t begin = builder.operand(ANEURALNETWORKS_TENSOR_INT32, {1});
  const uint32_t size = builder.constant<int32_t>(ANEURALNETWORKS_TENSOR_INT32, {1}, {1});
  const uint32_t y = builder.operand(kFloat, {1});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_SLICE, {x, begin, size}, {y}), kOk);
  builder.finish({x, begin}, {y});
  return builder;
}

// y = x * x for integers.
ModelBuilder make_integer_square() {
  ModelBuilder builder;
  const uint32_t x = builder.operand(ANEURALNETWORKS_TENSOR_INT32, {1});
  const uint32_t none = builder.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t y = builder.operand(ANEURALNETWORKS_TENSOR_INT32, {1});
  EXPECT_EQ(builder.operation(ANEURALNETWORKS_MUL, {x, x, none}, {y}), kOk);
  builder.finish({x}, {y});
  return builder;
}

// The library reads such values on the host, so it must not do so before the dependency has written them.
TEST_F(FencedChains, APositionThatTheLinkBeforeComputesIsReadAfterIt) {
  const ModelBuilder square = make_integer_square();
  const ModelBuilder slice = make_slice();
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer squaring = compiled_on(square.get(), device);
    const CompilationPointer slicing = compiled_on(slice.get(), device);
    for (int round = 0; round < 50; ++round) {
      const SharedFloats x;
      x.at(9) = 5;
      const SharedFloats side;
      reinterpret_cast<int32_t&>(side.front()) = 3;
      const SharedFloats position;  // 0 before the first link, 9 after it
      const SharedFloats y;
      const int fd = ::eventfd(0, EFD_CLOEXEC);
      ANeuralNetworksEvent* gate = nullptr;
      ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &gate), kOk);
      const ExecutionPointer first = make_execution(squaring, {{side.memory(), 0, 4}}, {{position.memory(), 0, 4}});
      const ExecutionPointer second =
          make_execution(slicing, {{x.memory(), 0, kBytes}, {position.memory(), 0, 4}}, {{y.memory(), 0, 4}});
      const bool is_gated = round % 2 == 0 && name_of(device) != "nnapi-reference";
      const EventPointer before = start_fenced(first, is_gated ? gate : nullptr);
      const EventPointer after = start_fenced(second, before.get());
      ::eventfd_write(fd, 1);
      EXPECT_EQ(wait(after), kOk);
      EXPECT_EQ(wait(before), kOk);
      EXPECT_EQ(y.front(), 5.0F) << round;
      ANeuralNetworksEvent_free(gate);
      ::close(fd);
    }
  });
}

TEST_F(FencedChains, DiamondsOverTwoCompilationsJoin) {
  const ModelBuilder add = make_add({kCount});
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer increment = compiled_on(increment_.get(), device);
    const CompilationPointer sum = compiled_on(add.get(), device);
    for (int round = 0; round < 30; ++round) {
      const SharedFloats x;
      const SharedFloats top;
      const SharedFloats left;
      const SharedFloats right;
      const SharedFloats bottom;
      const ExecutionPointer first = link(increment, x, top);
      const ExecutionPointer on_left = link(increment, top, left);
      const ExecutionPointer on_right = link(increment, top, right);
      const ExecutionPointer last =
          make_execution(sum, {{left.memory(), 0, kBytes}, {right.memory(), 0, kBytes}}, {{bottom.memory(), 0, kBytes}});
      const EventPointer a = start_fenced(first);
      const EventPointer b = start_fenced(on_left, a.get());
      const EventPointer c = start_fenced(on_right, a.get());
      const EventPointer d = start_after(last, {b.get(), c.get()});
      EXPECT_EQ(wait(d), kOk);
      EXPECT_EQ(bottom.back(), 4.0F);
    }
  });
}

TEST_F(FencedChains, TwoMappingsOfTheSameMemoryAreOneMemory) {
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    const SharedFloats a;
    const SharedFloats b;
    const MemoryPointer b_again = memory_of(b.fd(), kBytes);
    const SharedFloats c;
    for (int round = 0; round < 20; ++round) {
      b.back() = -1;
      const ExecutionPointer first = link(compilation, a, b);
      const ExecutionPointer second = make_execution(compilation, {{b_again, 0, kBytes}}, {{c.memory(), 0, kBytes}});
      const EventPointer before = start_fenced(first);
      EXPECT_EQ(wait(start_fenced(second, before.get())), kOk);
      EXPECT_EQ(c.back(), 2.0F);
    }
  });
}

TEST_F(FencedChains, ALinkThatFailsFailsThoseBehindItAndNoOthers) {
  const ModelBuilder gather = make_gather();
  for (const ANeuralNetworksDevice* device : gpus()) {  // errors of the reference are those of the call
    SCOPED_TRACE(name_of(device));
    const CompilationPointer increment = compiled_on(increment_.get(), device);
    const CompilationPointer picking = compiled_on(gather.get(), device);
    const SharedFloats positions;  // zeros: the first element
    reinterpret_cast<int32_t&>(positions.back()) = 1 << 20;
    std::vector<SharedFloats> tensors(11);
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
    for (size_t i = 0; i < 10; ++i) {
      executions.push_back(i == 4 ? make_execution(picking, {{tensors[i].memory(), 0, kBytes}, {positions.memory(), 0, kBytes}},
                                                   {{tensors[i + 1].memory(), 0, kBytes}})
                                  : link(increment, tensors[i], tensors[i + 1]));
      events.push_back(start_fenced(executions.back(), events.empty() ? nullptr : events.back().get()));
    }
    for (size_t i = 0; i < 10; ++i) EXPECT_EQ(ANeuralNetworksEvent_wait(events[i].get()), i < 4 ? kOk : kFailed) << i;
    EXPECT_EQ(tensors[4].back(), 4.0F);
    const ExecutionPointer other = link(increment, tensors[4], tensors[5]);
    EXPECT_EQ(wait(start_fenced(other, events[3].get())), kOk);
    EXPECT_EQ(tensors[5].back(), 5.0F);
  }
}

TEST_F(FencedChains, BuffersOfTheClientGoThroughTheHostAndComeOutRight) {
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<std::array<float, kCount>> values(30);
    std::vector<ExecutionPointer> executions;
    std::vector<EventPointer> events;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      executions.push_back(make_execution(compilation, {values[i]}, {values[i + 1]}));
      events.push_back(start_fenced(executions.back(), events.empty() ? nullptr : events.back().get()));
    }
    EXPECT_EQ(wait(events.back()), kOk);
    EXPECT_EQ(values.back().back(), 29.0F);
  });
}

TEST_F(FencedChains, AChainOverTwoDevicesGoesThroughTheHost) {
  const std::vector<const ANeuralNetworksDevice*> all = devices();
  std::vector<CompilationPointer> compilations;
  for (const ANeuralNetworksDevice* device : all) compilations.push_back(compiled_on(increment_.get(), device));
  std::vector<SharedFloats> tensors(41);
  std::vector<ExecutionPointer> executions;
  std::vector<EventPointer> events;
  for (size_t i = 0; i < 40; ++i) {
    executions.push_back(link(compilations[i % compilations.size()], tensors[i], tensors[i + 1]));
    events.push_back(start_fenced(executions.back(), events.empty() ? nullptr : events.back().get()));
  }
  EXPECT_EQ(wait(events.back()), kOk);
  EXPECT_EQ(tensors.back().back(), 40.0F);
}

TEST_F(FencedChains, EventsExecutionsAndMemoriesMayBeFreedInAnyOrder) {
  std::mt19937 random(5);
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    for (int round = 0; round < 20; ++round) {
      std::vector<SharedFloats> tensors(9);
      auto [executions, events] = start_chain(compilation, tensors, 8);
      std::vector<size_t> order(16);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, random);
      for (const size_t i : order) i < 8 ? executions[i].reset() : events[i - 8].reset();
      EXPECT_EQ(tensors[8].back(), 8.0F);
    }
  });
}

TEST_F(FencedChains, EachLinkHasASyncFence) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<SharedFloats> tensors(9);
    auto [executions, events] = start_chain(compilation, tensors, 8);
    for (size_t i = 8; i-- > 0;) {
      int fd = -1;
      ASSERT_EQ(ANeuralNetworksEvent_getSyncFenceFd(events[i].get(), &fd), kOk);
      pollfd entry{fd, POLLIN, 0};
      EXPECT_EQ(::poll(&entry, 1, 60'000), 1);
      EXPECT_EQ(entry.revents & POLLERR, 0);
      EXPECT_EQ(tensors[i + 1].back(), static_cast<float>(i + 1));
      ::close(fd);
    }
  }
}

TEST_F(FencedChains, ManyThreadsBuildChainsOnOneCompilation) {
  on_every_device([&](const ANeuralNetworksDevice* device) {
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&] {
        const SharedFloats tensors[3];
        const auto [executions, events] = start_chain(compilation, tensors, 30);
        EXPECT_EQ(wait(events.back()), kOk);
        EXPECT_EQ(tensors[0].back(), 30.0F);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

TEST_F(FencedChains, DurationsOfALinkAreItsOwn) {
  for (const ANeuralNetworksDevice* device : gpus()) {
    SCOPED_TRACE(name_of(device));
    const CompilationPointer compilation = compiled_on(increment_.get(), device);
    std::vector<SharedFloats> tensors(3);
    const ExecutionPointer first = link(compilation, tensors[0], tensors[1]);
    const ExecutionPointer second = link(compilation, tensors[1], tensors[2]);
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(second.get(), true), kOk);
    const EventPointer before = start_fenced(first);
    EXPECT_EQ(wait(start_after(second, {before.get()}, 60'000'000'000)), kOk);
    uint64_t values[4] = {};
    for (int32_t code = 0; code < 4; ++code) {
      EXPECT_EQ(ANeuralNetworksExecution_getDuration(second.get(), code, &values[code]), kOk);
    }
    if (values[ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER] == UINT64_MAX) continue;
    EXPECT_LE(values[ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE], values[ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER]);
    EXPECT_LE(values[ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER], values[ANEURALNETWORKS_DURATION_IN_DRIVER]);
  }
}

}  // namespace
}  // namespace nnvk::test
