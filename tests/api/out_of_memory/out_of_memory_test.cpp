// Memory runs out: in every way of using the library, each allocation fails once alone, and once together with all that follow
// it. The failing call, event or execution reports it. Nothing hangs or ends the process; afterwards everything works as before,
// and nothing is lost. A scenario makes its C API objects anew each time and allocates nothing itself.
#include <android/NeuralNetworks.h>
#include <android/hardware_buffer.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <nnvk/diagnostics.h>
#include <nnvk/picture.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/api/out_of_memory/failing_new.h"
#include "tests/support/process_usage.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr int32_t kQuant = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
using Values = std::array<uint8_t, 4>;
constexpr Values kX{1, 2, 3, 4};
constexpr Values kConstant{10, 20, 30, 40};
constexpr Values kWanted{12, 24, 36, 48};  // x + x + constant
constexpr Values kDoubled{2, 4, 6, 8};
constexpr Values kDoubledTwice{4, 8, 12, 16};

// The current attempt, printed if the program crashes.
char under_way[256] = "";

extern "C" void tell_and_die(int) {
  static_cast<void>(!::write(2, under_way, std::strlen(under_way)));
  ::_exit(99);
}

// The sample NPU in this process and in a host process. A crashing process prints the current attempt.
class Surroundings : public ::testing::Environment {
 public:
  void SetUp() override {
    for (const char* isolation : {"in-process", "process"}) {
      std::ofstream(folder_.file(std::string(isolation) + ".json"))
          << R"({"manifest_version": 1, "name": "npu-)" << isolation << R"(", "library": ")" << NNVK_SAMPLE_NPU_LIBRARY
          << R"(", "isolation": ")" << isolation << R"(", "load_patience_seconds": 60})";
    }
    ::setenv("NNVK_PLUGIN_FILES", folder_.path().c_str(), 1);
    ::setenv("NNVK_PLUGIN_HOST", NNVK_PLUGIN_HOST_PROGRAM, 1);
    EXPECT_NE(::dlopen(NNVK_NATIVEWINDOW_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr) << ::dlerror();  // for pictures
    ::setenv("NNVK_LOG", "error", 0);
    nnvk_muteFailedCalls(true);
    for (const int signal : {SIGALRM, SIGABRT}) ::signal(signal, tell_and_die);
  }

 private:
  TemporaryFolder folder_;
};
const auto* const surroundings = ::testing::AddGlobalTestEnvironment(new Surroundings);

// The objects of one attempt. The destructor frees all that were made, whichever call failed.
struct Objects {
  ANeuralNetworksMemory* memory = nullptr;
  std::array<ANeuralNetworksModel*, 2> parts{};  // which the model refers to
  ANeuralNetworksModel* model = nullptr;
  ANeuralNetworksCompilation* compilation = nullptr;
  ANeuralNetworksBurst* burst = nullptr;
  std::array<ANeuralNetworksExecution*, 3> executions{};
  std::array<ANeuralNetworksEvent*, 4> events{};
  ANeuralNetworksMemoryDesc* desc = nullptr;
  ANeuralNetworksMemory* domain = nullptr;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    for (ANeuralNetworksEvent* event : events) ANeuralNetworksEvent_free(event);
    for (ANeuralNetworksExecution* execution : executions) ANeuralNetworksExecution_free(execution);
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksMemory_free(domain);
    ANeuralNetworksMemoryDesc_free(desc);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    for (ANeuralNetworksModel* part : parts) ANeuralNetworksModel_free(part);
    ANeuralNetworksMemory_free(memory);
  }
};

#define NN_TRY(call) \
  if (const int code = (call); code != 0) return code

// constant + (x + x) in a model; the constant lies in a memory.
int build(Objects& o) {
  const uint32_t dims[] = {1, 4};
  const ANeuralNetworksOperandType tensor = {kQuant, 2, dims, 1.0F, 0};
  const ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, nullptr, 0.0F, 0};
  const int file = ::memfd_create("constants", MFD_CLOEXEC);
  static_cast<void>(!::write(file, kConstant.data(), sizeof kConstant));
  const int made = ANeuralNetworksMemory_createFromFd(sizeof kConstant, PROT_READ, file, 0, &o.memory);
  ::close(file);
  NN_TRY(made);
  NN_TRY(ANeuralNetworksModel_create(&o.model));
  for (int i = 0; i < 2; ++i) NN_TRY(ANeuralNetworksModel_addOperand(o.model, &tensor));  // x, constant
  NN_TRY(ANeuralNetworksModel_addOperand(o.model, &scalar));
  for (int i = 0; i < 2; ++i) NN_TRY(ANeuralNetworksModel_addOperand(o.model, &tensor));  // x + x, sum
  const int32_t none = ANEURALNETWORKS_FUSED_NONE;
  NN_TRY(ANeuralNetworksModel_setOperandValueFromMemory(o.model, 1, o.memory, 0, sizeof kConstant));
  NN_TRY(ANeuralNetworksModel_setOperandValue(o.model, 2, &none, sizeof none));
  const uint32_t first[] = {0, 0, 2};
  const uint32_t second[] = {3, 1, 2};
  const uint32_t between[] = {3};
  const uint32_t in[] = {0};
  const uint32_t out[] = {4};
  NN_TRY(ANeuralNetworksModel_addOperation(o.model, ANEURALNETWORKS_ADD, 3, first, 1, between));
  NN_TRY(ANeuralNetworksModel_addOperation(o.model, ANEURALNETWORKS_ADD, 3, second, 1, out));
  NN_TRY(ANeuralNetworksModel_identifyInputsAndOutputs(o.model, 1, in, 1, out));
  return ANeuralNetworksModel_finish(o.model);
}

constexpr uint32_t kOne[] = {1};
constexpr ANeuralNetworksOperandType kCounter = {ANEURALNETWORKS_TENSOR_INT32, 1, kOne, 0.0F, 0};
constexpr ANeuralNetworksOperandType kScalar = {ANEURALNETWORKS_INT32, 0, nullptr, 0.0F, 0};
constexpr uint32_t kPixel[] = {1, 1, 1, 4};
constexpr ANeuralNetworksOperandType kImage = {kQuant, 4, kPixel, 1.0F, 0};

int add_operands(ANeuralNetworksModel* model, std::initializer_list<const ANeuralNetworksOperandType*> types) {
  for (const ANeuralNetworksOperandType* type : types) NN_TRY(ANeuralNetworksModel_addOperand(model, type));
  return 0;
}

int set_number(ANeuralNetworksModel* model, int32_t operand, int32_t value) {
  return ANeuralNetworksModel_setOperandValue(model, operand, &value, sizeof value);
}

int finish(ANeuralNetworksModel* model, std::initializer_list<uint32_t> inputs, std::initializer_list<uint32_t> outputs) {
  NN_TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, static_cast<uint32_t>(inputs.size()), inputs.begin(),
                                                       static_cast<uint32_t>(outputs.size()), outputs.begin()));
  return ANeuralNetworksModel_finish(model);
}

int add_sum(ANeuralNetworksModel* model, uint32_t a, uint32_t b, uint32_t fused, uint32_t sum) {
  const uint32_t inputs[] = {a, b, fused};
  return ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &sum);
}

// x + x
int build_doubling(Objects& o) {
  NN_TRY(ANeuralNetworksModel_create(&o.model));
  NN_TRY(add_operands(o.model, {&kImage, &kScalar, &kImage}));
  NN_TRY(set_number(o.model, 1, ANEURALNETWORKS_FUSED_NONE));
  NN_TRY(add_sum(o.model, 0, 0, 1, 2));
  return finish(o.model, {0}, {2});
}

// for (counter = 0; counter < 2; ++counter) x = x + x
int build_loop(Objects& o) {
  const ANeuralNetworksOperandType truth = {ANEURALNETWORKS_TENSOR_BOOL8, 1, kOne, 0.0F, 0};
  ANeuralNetworksModel*& condition = o.parts[0];
  NN_TRY(ANeuralNetworksModel_create(&condition));
  NN_TRY(add_operands(condition, {&kCounter, &kImage, &kCounter, &truth}));
  NN_TRY(set_number(condition, 2, 2));
  const uint32_t compared[] = {0, 2};
  const uint32_t is_less[] = {3};
  NN_TRY(ANeuralNetworksModel_addOperation(condition, ANEURALNETWORKS_LESS, 2, compared, 1, is_less));
  NN_TRY(finish(condition, {0, 1}, {3}));

  ANeuralNetworksModel*& body = o.parts[1];
  NN_TRY(ANeuralNetworksModel_create(&body));
  NN_TRY(add_operands(body, {&kCounter, &kImage, &kCounter, &kScalar, &kCounter, &kImage}));
  NN_TRY(set_number(body, 2, 1));
  NN_TRY(set_number(body, 3, ANEURALNETWORKS_FUSED_NONE));
  NN_TRY(add_sum(body, 0, 2, 3, 4));
  NN_TRY(add_sum(body, 1, 1, 3, 5));
  NN_TRY(finish(body, {0, 1}, {4, 5}));

  const ANeuralNetworksOperandType reference = {ANEURALNETWORKS_MODEL, 0, nullptr, 0.0F, 0};
  NN_TRY(ANeuralNetworksModel_create(&o.model));
  NN_TRY(add_operands(o.model, {&kImage, &reference, &reference, &kCounter, &kCounter, &kImage}));
  NN_TRY(ANeuralNetworksModel_setOperandValueFromModel(o.model, 1, condition));
  NN_TRY(ANeuralNetworksModel_setOperandValueFromModel(o.model, 2, body));
  NN_TRY(set_number(o.model, 3, 0));
  const uint32_t inputs[] = {1, 2, 3, 0};
  const uint32_t outputs[] = {4, 5};
  NN_TRY(ANeuralNetworksModel_addOperation(o.model, ANEURALNETWORKS_WHILE, 4, inputs, 2, outputs));
  return finish(o.model, {0}, {5});
}

// A picture of one pixel, which is x.
int make_picture(Objects& o) {
  const int file = ::memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  static_cast<void>(!::write(file, kX.data(), sizeof kX));
  ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
  nnvk_FrameLayout layout{};
  layout.size = sizeof layout;
  layout.width = layout.height = 1;
  layout.fourcc = NNVK_FRAME_ABGR8888;
  layout.planeCount = 1;
  layout.planes[0] = {0, 0, 4};
  const int made = nnvk_Memory_createFromFds(&layout, &file, 1, &o.memory);
  ::close(file);
  return made;
}

struct Scenario {
  const char* name;
  // Returns the code of the first call that failed. If none failed, it writes the outputs to `output`.
  int (*run)(Objects& o, const ANeuralNetworksDevice* device, Values& output);
  bool is_compiled;  // the model and its compilation exist and are finished
  const Values& wanted = kWanted;
  bool runs_on_npus = true;
};

const char* cache_folder = nullptr;

int compile(Objects& o, const ANeuralNetworksDevice* device, bool cached) {
  NN_TRY(ANeuralNetworksCompilation_createForDevices(o.model, &device, 1, &o.compilation));
  const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {7};
  if (cached) NN_TRY(ANeuralNetworksCompilation_setCaching(o.compilation, cache_folder, token));
  return ANeuralNetworksCompilation_finish(o.compilation);
}

int make(Objects& o, size_t index, const Values& x, Values& output) {
  NN_TRY(ANeuralNetworksExecution_create(o.compilation, &o.executions[index]));
  NN_TRY(ANeuralNetworksExecution_setInput(o.executions[index], 0, nullptr, x.data(), sizeof x));
  return ANeuralNetworksExecution_setOutput(o.executions[index], 0, nullptr, output.data(), sizeof output);
}

// Allocations of all threads count, since kernels may run on any thread even in compute().
constexpr Scenario kScenarios[] = {
    {"build",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(build(o));
       output = kWanted;
       return 0;
     },
     false},
    {"build, compile and compute",
     [](Objects& o, const ANeuralNetworksDevice* device, Values& output) {
       NN_TRY(build(o));
       NN_TRY(compile(o, device, false));
       NN_TRY(make(o, 0, kX, output));
       return ANeuralNetworksExecution_compute(o.executions[0]);
     },
     false},
    {"compile from a cache",
     [](Objects& o, const ANeuralNetworksDevice* device, Values& output) {
       NN_TRY(build(o));
       NN_TRY(compile(o, device, true));
       NN_TRY(make(o, 0, kX, output));
       return ANeuralNetworksExecution_compute(o.executions[0]);
     },
     false},
    {"compute",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(make(o, 0, kX, output));
       return ANeuralNetworksExecution_compute(o.executions[0]);
     },
     true},
    {"compute again and again",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(make(o, 0, kX, output));
       NN_TRY(ANeuralNetworksExecution_setReusable(o.executions[0], true));
       for (int i = 0; i < 3; ++i) NN_TRY(ANeuralNetworksExecution_compute(o.executions[0]));
       return 0;
     },
     true},
    {"burst",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(ANeuralNetworksBurst_create(o.compilation, &o.burst));
       NN_TRY(make(o, 0, kX, output));
       return ANeuralNetworksExecution_burstCompute(o.executions[0], o.burst);
     },
     true},
    {"asynchronous",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(make(o, 0, kX, output));
       NN_TRY(ANeuralNetworksExecution_startCompute(o.executions[0], &o.events[0]));
       return ANeuralNetworksEvent_wait(o.events[0]);
     },
     true},
    {"fenced, one behind the other",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       static Values between;
       between = {};
       NN_TRY(make(o, 0, kX, between));
       NN_TRY(make(o, 1, kX, output));
       NN_TRY(ANeuralNetworksExecution_startComputeWithDependencies(o.executions[0], nullptr, 0, 0, &o.events[0]));
       NN_TRY(ANeuralNetworksExecution_startComputeWithDependencies(o.executions[1], &o.events[0], 1, 0, &o.events[1]));
       int fence = -1;
       static_cast<void>(ANeuralNetworksEvent_getSyncFenceFd(o.events[1], &fence));
       if (fence >= 0) ::close(fence);
       return ANeuralNetworksEvent_wait(o.events[1]);
     },
     true},
    {"fenced, behind a foreign fence, with a deadline",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(make(o, 0, kX, output));
       NN_TRY(ANeuralNetworksExecution_setTimeout(o.executions[0], 60'000'000'000));
       int gate[2] = {-1, -1};
       static_cast<void>(!::pipe2(gate, O_CLOEXEC));
       int code = ANeuralNetworksEvent_createFromSyncFenceFd(gate[0], &o.events[1]);
       if (code == 0) {
         code = ANeuralNetworksExecution_startComputeWithDependencies(o.executions[0], &o.events[1], 1, 30'000'000'000,
                                                                      &o.events[0]);
       }
       static_cast<void>(!::write(gate[1], "x", 1));
       if (code == 0) code = ANeuralNetworksEvent_wait(o.events[0]);
       for (const int end : gate) ::close(end);
       return code;
     },
     true},
    {"memory of the device",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(ANeuralNetworksMemoryDesc_create(&o.desc));
       NN_TRY(ANeuralNetworksMemoryDesc_addOutputRole(o.desc, o.compilation, 0, 1.0F));
       NN_TRY(ANeuralNetworksMemoryDesc_finish(o.desc));
       NN_TRY(ANeuralNetworksMemory_createFromDesc(o.desc, &o.domain));
       NN_TRY(ANeuralNetworksExecution_create(o.compilation, &o.executions[0]));
       NN_TRY(ANeuralNetworksExecution_setInput(o.executions[0], 0, nullptr, kX.data(), sizeof kX));
       NN_TRY(ANeuralNetworksExecution_setOutputFromMemory(o.executions[0], 0, nullptr, o.domain, 0, 0));
       NN_TRY(ANeuralNetworksExecution_compute(o.executions[0]));
       output = kWanted;
       return 0;
     },
     true},
    {"freed while it computes",
     [](Objects& o, const ANeuralNetworksDevice*, Values& output) {
       NN_TRY(make(o, 0, kX, output));
       NN_TRY(ANeuralNetworksExecution_startCompute(o.executions[0], &o.events[0]));
       ANeuralNetworksExecution_free(o.executions[0]);
       o.executions[0] = nullptr;
       return ANeuralNetworksEvent_wait(o.events[0]);
     },
     true},
    {"loop",
     [](Objects& o, const ANeuralNetworksDevice* device, Values& output) {
       NN_TRY(build_loop(o));
       NN_TRY(compile(o, device, false));
       NN_TRY(make(o, 0, kX, output));
       return ANeuralNetworksExecution_compute(o.executions[0]);
     },
     false, kDoubledTwice, false},
    {"picture",
     [](Objects& o, const ANeuralNetworksDevice* device, Values& output) {
       NN_TRY(build_doubling(o));
       NN_TRY(make_picture(o));
       NN_TRY(compile(o, device, false));
       nnvk_PictureConversion conversion = NNVK_PICTURE_CONVERSION_DEFAULT;
       for (float& deviation : conversion.deviation) deviation = 1.0F;
       NN_TRY(ANeuralNetworksExecution_create(o.compilation, &o.executions[0]));
       NN_TRY(nnvk_Execution_setInputPicture(o.executions[0], 0, &conversion));
       NN_TRY(ANeuralNetworksExecution_setInputFromMemory(o.executions[0], 0, nullptr, o.memory, 0, 0));
       NN_TRY(ANeuralNetworksExecution_setOutput(o.executions[0], 0, nullptr, output.data(), sizeof output));
       return ANeuralNetworksExecution_compute(o.executions[0]);
     },
     false, kDoubled, true},
};

std::vector<const ANeuralNetworksDevice*> all_devices() {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), 0);
  std::vector<const ANeuralNetworksDevice*> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), 0);
    devices.push_back(device);
  }
  return devices;
}

const char* name_of(const ANeuralNetworksDevice* device) {
  const char* name = nullptr;
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name), 0);
  return name;
}

class OutOfMemory : public ::testing::TestWithParam<size_t> {
 protected:
  // Runs the scenario with the `number`-th allocation failing, and returns its code.
  int attempt(const Scenario& scenario, const ANeuralNetworksDevice* device, uint64_t number, Failing how) {
    std::snprintf(under_way, sizeof under_way, "died in \"%s\" on %s when allocation %llu%s failed\n", scenario.name,
                  name_of(device), static_cast<unsigned long long>(number), how == Failing::kOne ? "" : " and all after it");
    ::alarm(60);
    Values output{};
    int code = 0;
    bool is_prepared = true;
    {
      Objects objects;
      if (scenario.is_compiled) is_prepared = build(objects) == 0 && compile(objects, device, false) == 0;
      start_failing(number, how);
      if (is_prepared) code = scenario.run(objects, device, output);
      asked_ = stop_failing();
    }
    ::alarm(0);
    EXPECT_TRUE(is_prepared) << under_way;
    EXPECT_TRUE(code != 0 || output == scenario.wanted) << under_way;
    return code;
  }

  // Waits up to 10 seconds for the allocation count to fall to `wanted`: threads of the library free some objects a moment later.
  static int64_t settled_allocations(int64_t wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (live_allocations() > wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return live_allocations();
  }

  TemporaryFolder folder_;
  uint64_t asked_ = 0;
};

// The library in this process, the plugin in this process and in a host process, and Vulkan if there is a driver.
TEST(OutOfMemoryDevices, AreOfEveryKind) {
  std::string names;
  for (const ANeuralNetworksDevice* device : all_devices()) names += std::string(" ") + name_of(device);
  for (const char* wanted : {"npu-in-process/", "npu-process/", "nnvk-cpu", "nnapi-reference"}) {
    EXPECT_NE(names.find(wanted), std::string::npos) << wanted << " is not among" << names;
  }
}

TEST_P(OutOfMemory, FailsTheCallAndNothingElse) {
  const Scenario& scenario = kScenarios[GetParam()];
  cache_folder = folder_.path().c_str();
  for (const ANeuralNetworksDevice* device : all_devices()) {
    SCOPED_TRACE(std::string(scenario.name) + " on " + name_of(device));
    if (!scenario.runs_on_npus && std::string_view(name_of(device)).starts_with("npu-")) continue;
    for (int i = 0; i < 12; ++i) ASSERT_EQ(attempt(scenario, device, 0, Failing::kOne), 0);  // permanent state is allocated
    const uint64_t allocations = asked_;
    ASSERT_GT(allocations, 0U);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // threads of the library free their memory
    const int64_t live = live_allocations();
    const size_t files = open_descriptors();
    uint64_t refused = 0;
    for (const Failing how : {Failing::kOne, Failing::kFromThereOn}) {
      for (uint64_t number = 1; number <= allocations + 5; ++number) {
        if (attempt(scenario, device, number, how) != 0) ++refused;
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(refused, 0U) << "nothing ever failed";
    for (int i = 0; i < 12; ++i) ASSERT_EQ(attempt(scenario, device, 0, Failing::kOne), 0) << "works no more";
    EXPECT_LT(settled_allocations(live + 10), live + 20) << "allocations were lost";
    EXPECT_EQ(open_descriptors(), files);
  }
}

std::string scenario_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name;
  bool starts_word = true;
  for (const char* letter = kScenarios[info.param].name; *letter != '\0'; ++letter) {
    if (std::isalpha(static_cast<unsigned char>(*letter)) == 0) {
      starts_word = true;
      continue;
    }
    name += starts_word ? static_cast<char>(std::toupper(*letter)) : *letter;
    starts_word = false;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OutOfMemory, ::testing::Range(size_t{0}, std::size(kScenarios)), scenario_name);

}  // namespace
}  // namespace nnvk::test
