// Files that shrink after a memory was made from their descriptors. Every device returns an error, in every way of executing,
// although touching the mapping would raise SIGBUS.
#include <fcntl.h>
#include <nnvk/picture.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/api/frames.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kCount = 4096;  // floats: 4 pages
constexpr size_t kBytes = kCount * sizeof(float);

// A file that anyone can truncate, and a memory over all of it.
class File {
 public:
  explicit File(unsigned seals = 0, size_t size = kBytes) : fd_(::memfd_create("shrinking", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    resize(static_cast<off_t>(size));
    if (seals != 0) {
      EXPECT_EQ(::fcntl(fd_, F_ADD_SEALS, seals), 0);
    }
    memory_ = memory_of(fd_, size);
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void resize(off_t size) const { EXPECT_EQ(::ftruncate(fd_, size), 0); }
  int descriptor() const { return fd_; }
  void put(size_t index, float value) const {
    EXPECT_EQ(::pwrite(fd_, &value, sizeof value, static_cast<off_t>(index * sizeof value)), static_cast<ssize_t>(sizeof value));
  }
  float get(size_t index) const {
    float value = -1.0F;
    EXPECT_EQ(::pread(fd_, &value, sizeof value, static_cast<off_t>(index * sizeof value)), static_cast<ssize_t>(sizeof value));
    return value;
  }
  const MemoryPointer& memory() const { return memory_; }
  Input input() const { return {memory_, 0, kBytes}; }
  Output output() const { return {memory_, 0, kBytes}; }

 private:
  const int fd_;
  MemoryPointer memory_;
};

// z = x + constants in this file.
ModelBuilder add_of_constants(const File& constants) {
  ModelBuilder model;
  const uint32_t x = model.operand(kFloat, {kCount});
  const uint32_t y = model.operand(kFloat, {kCount});
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(y), constants.memory().get(), 0, kBytes),
      kOk);
  const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t z = model.operand(kFloat, {kCount});
  EXPECT_EQ(model.operation(ANEURALNETWORKS_ADD, {x, y, none}, {z}), kOk);
  model.finish({x}, {z});
  return model;
}

enum class Way { kCompute, kBurst, kStart, kFenced, kAfterDependency };
constexpr Way kWays[] = {Way::kCompute, Way::kBurst, Way::kStart, Way::kFenced, Way::kAfterDependency};

// Executes and returns the final result code. Calls `meanwhile` before the execution; with a dependency, between call and start.
template <class Action>
int execute(Way way, const CompilationPointer& compilation, const ExecutionPointer& execution, const Action& meanwhile) {
  ANeuralNetworksEvent* event = nullptr;
  int code = kOk;
  if (way == Way::kAfterDependency) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const EventPointer gate = event_of_fence(ends[0]);
    const ANeuralNetworksEvent* const dependency = gate.get();
    code = ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), &dependency, 1, 0, &event);
    meanwhile();
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    const EventPointer done(event);
    if (code == kOk) code = wait(done);
    for (const int end : ends) ::close(end);
    return code;
  }
  meanwhile();
  switch (way) {
    case Way::kBurst:
      return ANeuralNetworksExecution_burstCompute(execution.get(), make_burst(compilation).get());
    case Way::kStart:
      code = ANeuralNetworksExecution_startCompute(execution.get(), &event);
      break;
    case Way::kFenced:
      code = ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0, 0, &event);
      break;
    default:
      return compute(execution);
  }
  const EventPointer done(event);
  return code == kOk ? wait(done) : code;
}

// Events report UNMAPPABLE as OP_FAILED (docs/nnapi/execution.md); the call itself returns errors that it finds while starting.
bool tells_unmappable(Way way, int code) { return code == kUnmappable || (way >= Way::kStart && code == kFailed); }

// Calls check(device, way) for all combinations.
template <class Check>
void for_every_device_and_way(const Check& check) {
  for (const ANeuralNetworksDevice* device : devices()) {
    for (const Way way : kWays) {
      SCOPED_TRACE(name_of(device) + ", way " + std::to_string(static_cast<int>(way)));
      check(device, way);
    }
  }
}

TEST(ShrinkingFiles, ConstantsThatAreGoneBeforeCompilationAreUnmappable) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const File constants;
    const ModelBuilder model = add_of_constants(constants);
    EXPECT_EQ(supported(model.get(), {device}, 1), std::vector<bool>{true});  // the library has read the constants by now
    constants.resize(100);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(compile_for(model.get(), device).get()), kUnmappable);
    EXPECT_EQ(supported(model.get(), {device}, 1), std::vector<bool>{false});
  }
}

TEST(ShrinkingFiles, ConstantsThatAreGoneAfterCompilationFailExecutions) {
  for_every_device_and_way([](const ANeuralNetworksDevice* device, Way way) {
    const File constants;
    const Compiled add(add_of_constants(constants), device);
    std::vector<float> in(kCount);
    std::vector<float> out(kCount);
    const int code = execute(way, add.compilation, make_execution(add.compilation, {in}, {out}), [&] { constants.resize(100); });
    EXPECT_TRUE(tells_unmappable(way, code)) << code;
  });
}

TEST(ShrinkingFiles, InputsAndOutputsThatAreGoneFailExecutions) {
  for_every_device_and_way([](const ANeuralNetworksDevice* device, Way way) {
    const Compiled add(make_add({kCount}), device);
    std::vector<float> in(kCount);
    std::vector<float> out(kCount);
    const File file;
    const auto shrink = [&] { file.resize(100); };
    int code = execute(way, add.compilation, make_execution(add.compilation, {in, file.input()}, {out}), shrink);
    EXPECT_TRUE(tells_unmappable(way, code)) << code;
    file.resize(kBytes);
    code = execute(way, add.compilation, make_execution(add.compilation, {in, in}, {file.output()}), shrink);
    EXPECT_TRUE(tells_unmappable(way, code)) << code;
  });
}

TEST(ShrinkingFiles, AReusableExecutionFailsWhileTheFileIsTooShortAndWorksAgainAfterwards) {
  for_every_device_and_way([](const ANeuralNetworksDevice* device, Way way) {
    const Compiled add(make_add({kCount}), device);
    const File in;
    const File out;
    const ExecutionPointer execution = make_execution(add.compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kOk);
    ASSERT_EQ(set_input(execution, 0, in.input()), kOk);
    ASSERT_EQ(set_input(execution, 1, in.input()), kOk);
    ASSERT_EQ(set_output(execution, 0, out.output()), kOk);
    const auto nothing = [] {};
    in.put(kCount - 1, 4.0F);
    EXPECT_EQ(execute(way, add.compilation, execution, nothing), kOk);
    EXPECT_EQ(out.get(kCount - 1), 8.0F);
    const int code = execute(way, add.compilation, execution, [&] { in.resize(100); });
    EXPECT_TRUE(tells_unmappable(way, code)) << code;
    in.resize(kBytes);
    in.put(kCount - 1, 5.0F);
    EXPECT_EQ(execute(way, add.compilation, execution, nothing), kOk);
    EXPECT_EQ(out.get(kCount - 1), 10.0F);
  });
}

TEST(ShrinkingFiles, CopiesFromAndToThemAreUnmappable) {
  const File gone;
  const File there;
  EXPECT_EQ(ANeuralNetworksMemory_copy(gone.memory().get(), there.memory().get()), kOk);
  gone.resize(100);
  EXPECT_EQ(ANeuralNetworksMemory_copy(gone.memory().get(), there.memory().get()), kUnmappable);
  EXPECT_EQ(ANeuralNetworksMemory_copy(there.memory().get(), gone.memory().get()), kUnmappable);
}

TEST(ShrinkingFiles, MemoryThatIsLongerThanItsFileByLessThanAPageIsUsable) {
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const Compiled add(make_add({2}), device);
    const File file;
    file.put(0, 3.0F);
    file.resize(4);
    const Input in{file.memory(), 0, 8};
    std::array<float, 2> out{};
    const MemoryPointer memory = memory_of(file.descriptor(), 8);
    EXPECT_EQ(compute(make_execution(add.compilation, {{memory, 0, 8}, {memory, 0, 8}}, {out})), kOk);
    EXPECT_EQ(out, (std::array<float, 2>{6.0F, 0.0F}));
  }
}

// A picture of 2 x 2 pixels in memory that the program declares trusted.
struct TrustedFrame {
  TrustedFrame() {
    nnvk_FrameLayout layout = frame_layout(NNVK_FRAME_ABGR8888, 2, 2, {{0, 0, 8}});
    layout.flags = NNVK_FRAME_TRUST_SIZE;
    const int fd = file.descriptor();
    EXPECT_EQ(nnvk_Memory_createFromFds(&layout, &fd, 1, &made), kOk);
    memory.reset(made);
  }
  File file;
  ANeuralNetworksMemory* made = nullptr;
  MemoryPointer memory;
};

TEST(ShrinkingFiles, PicturesInTrustedMemoryThatIsGoneFailExecutions) {
  for_every_device_and_way([](const ANeuralNetworksDevice* device, Way way) {
    const Compiled relu(image_model(2, 2, 4), device);
    const TrustedFrame frame;
    std::vector<float> out(16);
    const ExecutionPointer execution = make_execution(relu.compilation, {{frame.memory, 0, 0}}, {out});
    const int code = execute(way, relu.compilation, execution, [&] { frame.file.resize(0); });
    EXPECT_TRUE(tells_unmappable(way, code)) << code;
  });
}

// In a process of its own, since the library reads the setting only once.
class UntrustedMemory : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "no process of its own under ThreadSanitizer";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  // `use` returns an error text, or the text that all is well.
  static void expect_all_is_well(const char* (*use)()) {
    EXPECT_EXIT(
        {
          ::setenv("NNVK_UNTRUSTED_MEMORY", "1", 1);
          std::fprintf(stderr, "%s", use());
          std::_Exit(0);
        },
        testing::ExitedWithCode(0), "all is well");
  }
};

// Shrinks and grows a file, all the time.
class Truncator {
 public:
  explicit Truncator(const File& file)
      : thread_([this, &file] {
          while (!stop_) {
            file.resize(0);
            file.resize(kBytes);
            ++rounds_;
          }
        }) {
    while (rounds_ == 0) std::this_thread::yield();
  }
  ~Truncator() {
    stop_ = true;
    thread_.join();
  }
  Truncator(const Truncator&) = delete;
  Truncator& operator=(const Truncator&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> rounds_{0};
  std::thread thread_;
};

// Executes and compiles over files that another thread truncates. Returns an error text, or the text that all is well.
const char* race() {
  constexpr int kRounds = 60;
  size_t successes = 0;
  size_t failures = 0;
  const auto count = [&](Way way, int code) {
    if (code == kOk) ++successes;
    if (tells_unmappable(way, code)) ++failures;
    return code == kOk || tells_unmappable(way, code);
  };
  for (const ANeuralNetworksDevice* device : devices()) {
    const File in;
    const File out;
    const File constants;
    const Compiled add(make_add({kCount}), device);
    const Truncator first(in);
    const Truncator second(out);
    const Truncator third(constants);
    for (int i = 0; i < kRounds; ++i) {
      for (const Way way : kWays) {
        const ExecutionPointer execution = make_execution(add.compilation, {in.input(), in.input()}, {out.output()});
        if (!count(way, execute(way, add.compilation, execution, [] {}))) return "an execution has another code";
      }
      const ModelBuilder model = add_of_constants(constants);
      const CompilationPointer compilation = compile_for(model.get(), device);
      const int code = ANeuralNetworksCompilation_finish(compilation.get());
      if (!count(Way::kCompute, code)) return "a compilation has another code";
      std::vector<float> values(kCount);
      if (code == kOk && compute(make_execution(compilation, {values}, {values})) != kOk) return "copied constants are lost";
    }
  }
  if (testing::Test::HasFailure()) return "a call failed";
  return successes > 0 && failures > 0 ? "all is well" : "there was no race";
}

TEST_F(UntrustedMemory, IsNeverTouchedSoThatNoRaceEndsTheProcess) { expect_all_is_well(race); }

// Checks that copied memory works like memory in place. Returns an error text, or the text that all is well.
const char* use_copies() {
  for (const ANeuralNetworksDevice* device : devices()) {
    for (const Way way : kWays) {
      const File file(0, 3 * kBytes);
      const File constants;
      for (size_t i = 0; i < 3UL * kCount; ++i) file.put(i, static_cast<float>(i));
      for (size_t i = 0; i < kCount; ++i) constants.put(i, 0.5F);
      const Compiled add(add_of_constants(constants), device);
      constants.resize(0);  // they were copied
      const ExecutionPointer execution =
          make_execution(add.compilation, {{file.memory(), kBytes, kBytes}}, {{file.memory(), 0, kBytes}});
      if (execute(way, add.compilation, execution, [] {}) != kOk) return "an execution fails";
      if (file.get(0) != kCount + 0.5F || file.get(kCount - 1) != 2 * kCount - 0.5F) return "an output is wrong";
      if (file.get(kCount) != kCount) return "something behind the output is written";
    }
    // An output of open shape in a larger region: the library must not write the bytes behind it.
    const Compiled relu(make_unary(ANEURALNETWORKS_RELU, kFloat, {0}), device);
    const File file;
    for (size_t i = 0; i < 8; ++i) file.put(i, static_cast<float>(i));
    const TypeOf two(kFloat, {2});
    const ExecutionPointer open = make_execution(relu.compilation, {{file.memory(), 0, 8, two.get()}}, {{file.memory(), 8, 16}});
    if (compute(open) != kOk || file.get(2) != 0.0F || file.get(3) != 1.0F) return "an open output is wrong";
    if (file.get(4) != 4.0F || file.get(5) != 5.0F) return "something behind an open output is written";
    // Too small a region.
    const TypeOf eight(kFloat, {8});
    const ExecutionPointer small =
        make_execution(relu.compilation, {{file.memory(), 0, 32, eight.get()}}, {{file.memory(), 32, 16}});
    if (compute(small) != kTooSmall) return "an output that does not fit is not an error";
    // Mappings that fail.
    const MemoryPointer read_only = memory_of(file.descriptor(), kBytes, PROT_READ);
    const ExecutionPointer refused = make_execution(relu.compilation, {{file.memory(), 0, 8, two.get()}}, {{read_only, 8, 8}});
    if (compute(refused) != kUnmappable) return "memory for reading is written";
  }
  // A program declares trust; the setting of the user overrides it.
  const TrustedFrame frame;
  const Compiled image(image_model(2, 2, 4), cpu_device());
  std::vector<float> pixels(16);
  if (compute(make_execution(image.compilation, {{frame.memory, 0, 0}}, {pixels})) != kUnmappable) return "a frame is trusted";
  const File sealed(F_SEAL_SHRINK);
  const File one;
  const File other;
  one.put(7, 7.0F);
  if (ANeuralNetworksMemory_copy(one.memory().get(), other.memory().get()) != kOk || other.get(7) != 7.0F) return "no copy";
  if (ANeuralNetworksMemory_copy(one.memory().get(), sealed.memory().get()) != kOk || sealed.get(7) != 7.0F) return "no copy";
  return testing::Test::HasFailure() ? "a call failed" : "all is well";
}

TEST_F(UntrustedMemory, GivesTheResultsOfMemoryInPlace) { expect_all_is_well(use_copies); }

}  // namespace
}  // namespace nnvk::test
