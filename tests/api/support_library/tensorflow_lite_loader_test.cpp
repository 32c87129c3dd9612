// The Support Library in the way that TensorFlow Lite uses it, without TensorFlow Lite's code. The test loads it by path and
// takes its table if it reports level 5 to 7. It lists devices without nnapi-reference, puts constants in shared memory, and
// compiles and runs the supported operations.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nnvk/support_library.h>
#include <sys/mman.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr const char* kLevelVariable = "NNVK_SUPPORT_LIBRARY_LEVEL";

// A copy of the library, so that it makes its table anew with the current setting. It stays loaded, since drivers that it loaded
// do.
NnApiSLDriverImpl* load_copy(const TemporaryFolder& folder, const std::string& name) {
  const std::string copy = folder.file(name);
  std::filesystem::copy_file(NNVK_SUPPORT_LIBRARY, copy);
  void* const library = ::dlopen(copy.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  EXPECT_NE(library, nullptr) << ::dlerror();
  if (library == nullptr) return nullptr;
  using Function = NnApiSLDriverImpl* (*)();
  const auto get = reinterpret_cast<Function>(::dlsym(library, "ANeuralNetworks_getSLDriverImpl"));
  EXPECT_NE(get, nullptr) << ::dlerror();
  return get == nullptr ? nullptr : get();
}

// The loader's decision: a table of level 5 to 7, else nothing.
const NnApiSLDriverImplFL5* accepted(const NnApiSLDriverImpl* table) {
  if (table == nullptr || table->implFeatureLevel < ANEURALNETWORKS_FEATURE_LEVEL_5 ||
      table->implFeatureLevel > ANEURALNETWORKS_FEATURE_LEVEL_7) {
    return nullptr;
  }
  return reinterpret_cast<const NnApiSLDriverImplFL5*>(table);
}

class TensorFlowLiteLoader : public ::testing::Test {
 protected:
  ~TensorFlowLiteLoader() override { ::unsetenv(kLevelVariable); }
  TemporaryFolder folder_;
};

TEST_F(TensorFlowLiteLoader, TakesTheTableByDefault) {
  ::unsetenv(kLevelVariable);
  NnApiSLDriverImpl* const table = load_copy(folder_, "default.so");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->implFeatureLevel, ANEURALNETWORKS_FEATURE_LEVEL_7);
  const NnApiSLDriverImplFL5* const taken = accepted(table);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_8) << "the field alone says 7";
  EXPECT_NE(reinterpret_cast<const NnApiSLDriverImplFL8*>(table)->ANeuralNetworksExecution_addExtensionAttribute, nullptr);
}

TEST_F(TensorFlowLiteLoader, TakesEveryLevelButTheEighth) {
  const std::array<int64_t, 4> levels{ANEURALNETWORKS_FEATURE_LEVEL_5, ANEURALNETWORKS_FEATURE_LEVEL_6,
                                      ANEURALNETWORKS_FEATURE_LEVEL_7, ANEURALNETWORKS_FEATURE_LEVEL_8};
  for (size_t i = 0; i < levels.size(); ++i) {
    const std::string level = std::to_string(5 + i);
    ::setenv(kLevelVariable, level.c_str(), 1);
    NnApiSLDriverImpl* const table = load_copy(folder_, "level" + level + ".so");
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->implFeatureLevel, levels[i]);
    EXPECT_EQ(accepted(table) != nullptr, levels[i] != ANEURALNETWORKS_FEATURE_LEVEL_8);
  }
}

// The devices that the delegate uses if the user names none.
std::vector<ANeuralNetworksDevice*> target_devices(const NnApiSLDriverImplFL5& t) {
  uint32_t count = 0;
  EXPECT_EQ(t.ANeuralNetworks_getDeviceCount(&count), 0);
  std::vector<ANeuralNetworksDevice*> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    const char* name = nullptr;
    int64_t level = 0;
    EXPECT_EQ(t.ANeuralNetworks_getDevice(i, &device), 0);
    EXPECT_EQ(t.ANeuralNetworksDevice_getName(device, &name), 0);
    EXPECT_EQ(t.ANeuralNetworksDevice_getFeatureLevel(device, &level), 0);
    EXPECT_EQ(level, ANEURALNETWORKS_FEATURE_LEVEL_8);
    if (std::string(name) != "nnapi-reference") devices.push_back(device);
  }
  return devices;
}

// Shared memory without a name, mapped by the client and imported by the library.
struct SharedMemory {
  SharedMemory(const NnApiSLDriverImplFL5& functions, size_t size) : t(functions), byte_size(size) {
    file = FileDescriptor(::memfd_create("tensors", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
    bytes = static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    EXPECT_EQ(t.ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, file.get(), 0, &memory), 0);
  }
  ~SharedMemory() {
    t.ANeuralNetworksMemory_free(memory);
    ::munmap(bytes, byte_size);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  const NnApiSLDriverImplFL5& t;
  size_t byte_size;
  FileDescriptor file;
  std::byte* bytes = nullptr;
  ANeuralNetworksMemory* memory = nullptr;
};

// A classifier: y = SOFTMAX(RELU6(1x1 convolution of x)), its weights and bias in shared memory.
constexpr uint32_t kDepth = 5;
constexpr uint32_t kClasses = 3;
constexpr size_t kPadded = 64;  // from level 5 on the delegate rounds lengths up
using Input = std::array<float, kDepth>;
using Output = std::array<float, kClasses>;
constexpr size_t kBiasAt = kDepth * kClasses * sizeof(float);

float weight(uint32_t output, uint32_t input) { return 0.25F * static_cast<float>((output * 7 + input * 3) % 5) - 0.5F; }
float bias(uint32_t output) { return 0.125F * static_cast<float>(output); }

Output expected(const Input& x) {
  Output y{};
  float sum = 0;
  for (uint32_t c = 0; c < kClasses; ++c) {
    float logit = bias(c);
    for (uint32_t k = 0; k < kDepth; ++k) logit += weight(c, k) * x[k];
    y[c] = std::exp(std::fmin(std::fmax(logit, 0.0F), 6.0F));
    sum += y[c];
  }
  for (float& value : y) value /= sum;
  return y;
}

struct Model {
  explicit Model(const NnApiSLDriverImplFL5& functions) : t(functions), constants(functions, kBiasAt + kClasses * sizeof(float)) {
    for (uint32_t c = 0; c < kClasses; ++c) {
      for (uint32_t k = 0; k < kDepth; ++k) store((c * kDepth + k) * sizeof(float), weight(c, k));
      store(kBiasAt + c * sizeof(float), bias(c));
    }
    EXPECT_EQ(t.ANeuralNetworksModel_create(&model), 0);
    const uint32_t x = tensor({1, 1, 1, kDepth});
    const uint32_t filter = tensor({kClasses, 1, 1, kDepth});
    const uint32_t added = tensor({kClasses});
    const auto from_memory = t.ANeuralNetworksModel_setOperandValueFromMemory;
    EXPECT_EQ(from_memory(model, static_cast<int32_t>(filter), constants.memory, 0, kBiasAt), 0);
    EXPECT_EQ(from_memory(model, static_cast<int32_t>(added), constants.memory, kBiasAt, kClasses * sizeof(float)), 0);
    const uint32_t valid = scalar(ANEURALNETWORKS_INT32, int32_t{ANEURALNETWORKS_PADDING_VALID});
    const uint32_t one = scalar(ANEURALNETWORKS_INT32, int32_t{1});
    const uint32_t relu6 = scalar(ANEURALNETWORKS_INT32, int32_t{ANEURALNETWORKS_FUSED_RELU6});
    const uint32_t beta = scalar(ANEURALNETWORKS_FLOAT32, 1.0F);
    const uint32_t logits = tensor({1, 1, 1, kClasses});
    const uint32_t y = tensor({1, 1, 1, kClasses});
    operation(ANEURALNETWORKS_CONV_2D, {x, filter, added, valid, one, one, relu6}, logits);
    operation(ANEURALNETWORKS_SOFTMAX, {logits, beta}, y);
    EXPECT_EQ(t.ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y), 0);
    EXPECT_EQ(t.ANeuralNetworksModel_finish(model), 0);
  }
  ~Model() { t.ANeuralNetworksModel_free(model); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void store(size_t offset, float value) const { std::memcpy(constants.bytes + offset, &value, sizeof value); }
  uint32_t tensor(const std::vector<uint32_t>& dimensions) {
    const ANeuralNetworksOperandType type{ANEURALNETWORKS_TENSOR_FLOAT32, static_cast<uint32_t>(dimensions.size()),
                                          dimensions.data(), 0.0F, 0};
    EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model, &type), 0);
    return operands++;
  }
  template <class Value>
  uint32_t scalar(int32_t code, Value value) {
    const ANeuralNetworksOperandType type{code, 0, nullptr, 0.0F, 0};
    EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model, &type), 0);
    EXPECT_EQ(t.ANeuralNetworksModel_setOperandValue(model, static_cast<int32_t>(operands), &value, sizeof value), 0);
    return operands++;
  }
  void operation(ANeuralNetworksOperationType type, const std::vector<uint32_t>& inputs, uint32_t output) const {
    EXPECT_EQ(t.ANeuralNetworksModel_addOperation(model, type, static_cast<uint32_t>(inputs.size()), inputs.data(), 1, &output),
              0);
  }

  const NnApiSLDriverImplFL5& t;
  SharedMemory constants;
  ANeuralNetworksModel* model = nullptr;
  uint32_t operands = 0;
};

// Compiles for `devices` and computes twice with one reusable execution over padded regions of one shared memory.
void run(const NnApiSLDriverImplFL5& t, const Model& model, const std::vector<ANeuralNetworksDevice*>& devices) {
  ANeuralNetworksCompilation* compilation = nullptr;
  ASSERT_EQ(t.ANeuralNetworksCompilation_createForDevices(model.model, devices.data(), static_cast<uint32_t>(devices.size()),
                                                          &compilation),
            0);
  ASSERT_EQ(t.ANeuralNetworksCompilation_setPreference(compilation, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED), 0);
  ASSERT_EQ(t.ANeuralNetworksCompilation_finish(compilation), 0);
  const SharedMemory tensors(t, 2 * kPadded);
  ANeuralNetworksExecution* execution = nullptr;
  ASSERT_EQ(t.ANeuralNetworksExecution_create(compilation, &execution), 0);
  EXPECT_EQ(t.ANeuralNetworksExecution_setReusable(execution, true), 0);
  EXPECT_EQ(t.ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true), 0);
  EXPECT_EQ(t.ANeuralNetworksExecution_setInputFromMemory(execution, 0, nullptr, tensors.memory, 0, kPadded), 0);
  EXPECT_EQ(t.ANeuralNetworksExecution_setOutputFromMemory(execution, 0, nullptr, tensors.memory, kPadded, kPadded), 0);
  for (const Input& x : {Input{1, -2, 3, -4, 5}, Input{0.5F, 0.25F, -1, 2, 0}}) {
    std::memcpy(tensors.bytes, x.data(), sizeof x);
    EXPECT_EQ(t.ANeuralNetworksExecution_compute(execution), 0);
    Output y{};
    std::memcpy(y.data(), tensors.bytes + kPadded, sizeof y);
    const Output wanted = expected(x);
    for (uint32_t c = 0; c < kClasses; ++c) EXPECT_NEAR(y[c], wanted[c], 1e-5F) << c;
  }
  t.ANeuralNetworksExecution_free(execution);
  t.ANeuralNetworksCompilation_free(compilation);
}

TEST_F(TensorFlowLiteLoader, RunsAModelOnEveryDeviceAndOnAllOfThem) {
  ::unsetenv(kLevelVariable);
  const NnApiSLDriverImplFL5* const table = accepted(load_copy(folder_, "model.so"));
  ASSERT_NE(table, nullptr);
  const std::vector<ANeuralNetworksDevice*> devices = target_devices(*table);
  ASSERT_FALSE(devices.empty()) << "nnvk-cpu is always there";
  const Model model(*table);
  for (ANeuralNetworksDevice* const device : devices) {
    std::array<bool, 2> supported{};
    ASSERT_EQ(table->ANeuralNetworksModel_getSupportedOperationsForDevices(model.model, &device, 1, supported.data()), 0);
    EXPECT_TRUE(supported[0] && supported[1]);
    run(*table, model, {device});
  }
  run(*table, model, devices);
}

}  // namespace
}  // namespace nnvk::test
