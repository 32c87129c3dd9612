// Memories and executions as frameworks use them, in one sequence. A model file is mapped read-only, with weights at odd offsets.
// Inputs and outputs lie in POSIX shared memory, with lengths rounded up. One reusable execution does all computations.
#include <fcntl.h>

#include <algorithm>
#include <numeric>

#include "tests/api/api_objects.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr uint32_t kInputs = 490;  // a keyword spotter's spectrogram: no multiple of 64, nor of 4
constexpr uint32_t kUnits = 6;
constexpr size_t kRounded = 512;
constexpr size_t kWeightsAt = 16;  // a flatbuffer aligns no better

// A file of the model's constants, open for reading only.
class ModelFile {
 public:
  ModelFile() {
    std::iota(bias_.begin(), bias_.end(), -20);
    for (size_t i = 0; i < weights_.size(); ++i) weights_[i] = static_cast<int8_t>(static_cast<int>(i * 7 % 251) - 125);
    const TemporaryFolder folder;
    const std::string path = folder.file("model");
    const int writable = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_GE(writable, 0);
    EXPECT_EQ(::pwrite(writable, weights_.data(), weights_.size(), kWeightsAt), static_cast<ssize_t>(weights_.size()));
    EXPECT_EQ(::pwrite(writable, bias_.data(), sizeof bias_, static_cast<off_t>(bias_at())), static_cast<ssize_t>(sizeof bias_));
    ::close(writable);
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // outlives its name
  }
  ~ModelFile() { ::close(fd_); }
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  int fd() const { return fd_; }
  size_t size() const { return bias_at() + sizeof bias_; }
  static size_t bias_at() { return kWeightsAt + (kInputs * kUnits + 15) / 16 * 16; }
  // Real values 1/128 per step everywhere, so that sums need no rounding but the last.
  int8_t expected(const std::byte* input, uint32_t unit) const {
    int32_t sum = bias_[unit];
    for (uint32_t i = 0; i < kInputs; ++i) sum += static_cast<int8_t>(input[i]) * weights_[unit * kInputs + i];
    return static_cast<int8_t>(std::clamp((sum + (sum >= 0 ? 2048 : -2048)) / 4096, -128, 127));
  }

 private:
  int fd_ = -1;
  std::array<int8_t, kInputs * kUnits> weights_{};
  std::array<int32_t, kUnits> bias_{};
};

// shm_open: such memory takes no seals.
class SharedMemory {
 public:
  SharedMemory(const char* name, size_t size) : size_(size) {
    const std::string unique = std::string("/nnvk-") + name + "-" + std::to_string(::getpid());
    fd_ = ::shm_open(unique.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT_GE(fd_, 0);
    ::shm_unlink(unique.c_str());
    EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(size)), 0);
    bytes_ = static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    memory_ = memory_of(fd_, size);
  }
  ~SharedMemory() {
    ::munmap(bytes_, size_);
    ::close(fd_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* bytes() const { return bytes_; }
  const MemoryPointer& memory() const { return memory_; }

 private:
  size_t size_;
  int fd_ = -1;
  std::byte* bytes_ = nullptr;
  MemoryPointer memory_;
};

TEST(FrameworkPatterns, ConstantsInAMappedFileAndReusableExecutionsWithRoundedLengths) {
  const ModelFile file;
  for (const ANeuralNetworksDevice* device : devices()) {
    SCOPED_TRACE(name_of(device));
    const MemoryPointer mapped = memory_of(file.fd(), file.size(), PROT_READ);
    ModelBuilder model;
    constexpr int32_t kType = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const uint32_t x = model.operand(kType, {1, kInputs}, 1.0F / 128);
    const uint32_t weights = model.operand(kType, {kUnits, kInputs}, 1.0F / 128);
    const uint32_t bias = model.operand(ANEURALNETWORKS_TENSOR_INT32, {kUnits}, 1.0F / 16384);
    const uint32_t none = model.constant(ANEURALNETWORKS_FUSED_NONE);
    const uint32_t y = model.operand(kType, {1, kUnits}, 0.25F);
    const auto from_file = [&](uint32_t operand, size_t offset, size_t length) {
      return ANeuralNetworksModel_setOperandValueFromMemory(model.get(), static_cast<int32_t>(operand), mapped.get(), offset,
                                                            length);
    };
    ASSERT_EQ(from_file(weights, kWeightsAt, kInputs * kUnits), kOk);
    ASSERT_EQ(from_file(bias, ModelFile::bias_at(), kUnits * 4), kOk);
    ASSERT_EQ(model.operation(ANEURALNETWORKS_FULLY_CONNECTED, {x, weights, bias, none}, {y}), kOk);
    model.finish({x}, {y});
    const CompilationPointer compilation = compiled_on(model.get(), device);

    const SharedMemory inputs("in", 2 * kRounded);
    const SharedMemory outputs("out", 2 * kRounded);
    const ExecutionPointer execution = make_execution(compilation.get());
    ASSERT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true), kOk);
    ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(execution.get(), true), kOk);
    ASSERT_EQ(set_input(execution, 0, {inputs.memory(), 64, kRounded}), kOk);
    ASSERT_EQ(set_output(execution, 0, {outputs.memory(), 128, 64}), kOk);
    for (int run = 0; run < 3; ++run) {
      std::fill_n(outputs.bytes(), 2 * kRounded, std::byte{0x5A});
      for (size_t i = 0; i < kRounded; ++i) inputs.bytes()[64 + i] = static_cast<std::byte>((i * 5 + 31 * run) % 256);
      ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
      for (uint32_t unit = 0; unit < kUnits; ++unit) {
        EXPECT_EQ(static_cast<int8_t>(outputs.bytes()[128 + unit]), file.expected(inputs.bytes() + 64, unit)) << unit;
      }
      // The library may write the padding, but no byte outside the region.
      EXPECT_TRUE(std::all_of(outputs.bytes(), outputs.bytes() + 128, [](std::byte b) { return b == std::byte{0x5A}; }));
      EXPECT_TRUE(
          std::all_of(outputs.bytes() + 192, outputs.bytes() + 2 * kRounded, [](std::byte b) { return b == std::byte{0x5A}; }));
    }
  }
}

}  // namespace
}  // namespace nnvk::test
