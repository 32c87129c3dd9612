// The Support Library through its table of function pointers: its contents, computation, and the reports of diagnostics.
#include <android/NeuralNetworksExtensions.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file_descriptor.h"
#include "tests/api/support_library/loaded_table.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr std::array<float, 2> kSum{11, 22};

// The arguments of the callbacks.
struct Heard {
  int32_t session = 0;
  int64_t version = 0;
  std::string hash;
  std::string devices;
  int64_t code = -1;
  int input_class = -1;
  int output_class = -1;
  bool caching = false;
  bool control_flow = true;
  bool dynamic = true;
  int mode = -1;
  uint64_t nanoseconds = 0;
  uint64_t driver = 0;
};
struct Log {
  std::vector<Heard> compilations;
  std::vector<Heard> executions;
};

std::string hash_text(const uint8_t* bytes) { return {reinterpret_cast<const char*>(bytes), 32}; }

void on_compilation(const void* context, const ANeuralNetworksDiagnosticCompilationInfo* info) {
  const auto& t = table();
  Heard heard;
  heard.session = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(info);
  heard.version = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(info);
  heard.hash = hash_text(t.SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash(info));
  heard.devices = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(info);
  heard.code = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(info);
  heard.input_class = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass(info);
  heard.output_class = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass(info);
  heard.nanoseconds = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(info);
  heard.caching = t.SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(info);
  heard.control_flow = t.SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed(info);
  heard.dynamic = t.SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed(info);
  static_cast<Log*>(const_cast<void*>(context))->compilations.push_back(heard);
}

void on_execution(const void* context, const ANeuralNetworksDiagnosticExecutionInfo* info) {
  const auto& t = table();
  Heard heard;
  heard.session = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId(info);
  heard.version = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion(info);
  heard.hash = hash_text(t.SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(info));
  heard.devices = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds(info);
  heard.code = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(info);
  heard.input_class = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass(info);
  heard.output_class = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass(info);
  heard.mode = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(info);
  heard.nanoseconds = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(info);
  heard.driver = t.SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(info);
  heard.caching = t.SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled(info);
  heard.control_flow = t.SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed(info);
  heard.dynamic = t.SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed(info);
  static_cast<Log*>(const_cast<void*>(context))->executions.push_back(heard);
}

class Listening {
 public:
  Listening() { table().SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, on_execution, &log); }
  ~Listening() { table().SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, nullptr, nullptr); }
  Log log;
};

TEST(DriverTable, HasAFunctionInEverySlotOfTheHighestLevelThoughItSaysSeven) {
  ASSERT_NE(library(), nullptr) << ::dlerror();
  EXPECT_EQ(table().base.implFeatureLevel, 1000007);
  EXPECT_EQ(table().ANeuralNetworks_getRuntimeFeatureLevel(), 1000008);
  std::array<uintptr_t, sizeof(NnApiSLDriverImplFL8) / sizeof(uintptr_t)> words{};
  static_assert(sizeof words == sizeof(NnApiSLDriverImplFL8));
  std::memcpy(words.data(), &whole_table(), sizeof words);
  std::map<uintptr_t, size_t> slots;
  for (size_t i = 1; i < words.size(); ++i) {
    EXPECT_NE(words[i], 0U) << "slot " << i - 1;
    EXPECT_TRUE(slots.emplace(words[i], i).second) << "slots " << i - 1 << " and " << slots[words[i]] - 1 << " are the same";
  }
}

TEST(DeclinedOperations, HaveReasonsThatTheLibraryExports) {
  using Explain = decltype(&nnvk_explainDeclinedOperations);
  const auto explain = reinterpret_cast<Explain>(::dlsym(library(), "nnvk_explainDeclinedOperations"));
  ASSERT_NE(explain, nullptr);
  REQUIRE_DEVICE();
  const auto& t = table();
  ANeuralNetworksModel* model = nullptr;
  ASSERT_EQ(t.ANeuralNetworksModel_create(&model), 0);
  const std::array<uint32_t, 1> size{2};
  const ANeuralNetworksOperandType floats{ANEURALNETWORKS_TENSOR_FLOAT32, 1, size.data(), 0.0F, 0};
  for (int operand = 0; operand < 2; ++operand) EXPECT_EQ(t.ANeuralNetworksModel_addOperand(model, &floats), 0);
  const std::array<uint32_t, 1> in{0};
  const std::array<uint32_t, 1> out{1};
  EXPECT_EQ(t.ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_TANH, 1, in.data(), 1, out.data()), 0);
  EXPECT_EQ(t.ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in.data(), 1, out.data()), 0);
  std::map<uint32_t, std::string> reasons;
  const auto keep = [](uint32_t operation, const char* reason, void* context) {
    (*static_cast<std::map<uint32_t, std::string>*>(context))[operation] = reason;
  };
  EXPECT_EQ(explain(model, first_device(), keep, &reasons), ANEURALNETWORKS_BAD_STATE) << "the model is not finished";
  ASSERT_EQ(t.ANeuralNetworksModel_finish(model), 0);
  EXPECT_EQ(explain(model, first_device(), keep, &reasons), ANEURALNETWORKS_NO_ERROR);
  EXPECT_TRUE(reasons.empty()) << "each device of nnvk runs TANH";
  EXPECT_EQ(explain(nullptr, first_device(), keep, &reasons), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(explain(model, nullptr, keep, &reasons), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(explain(model, first_device(), nullptr, &reasons), ANEURALNETWORKS_UNEXPECTED_NULL);
  t.ANeuralNetworksModel_free(model);
}

TEST(DriverTable, ExportsNoEntryPoints) {
  for (const char* name : {"ANeuralNetworks_getDeviceCount", "ANeuralNetworksModel_create", "nnvk_lastError"}) {
    void* const found = ::dlsym(library(), name);
    EXPECT_EQ(found, nullptr) << name;
  }
}

// Loaders leave the reference device to the platform.
TEST(DriverTable, OffersNoReferenceDevice) {
  uint32_t count = 0;
  ASSERT_EQ(table().ANeuralNetworks_getDeviceCount(&count), 0);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice* device = nullptr;
    ASSERT_EQ(table().ANeuralNetworks_getDevice(i, &device), 0);
    const char* name = nullptr;
    EXPECT_EQ(table().ANeuralNetworksDevice_getName(device, &name), 0);
    EXPECT_STRNE(name, "nnapi-reference");
  }
}

TEST(DriverTable, LivesBesideTheRuntimeWithObjectsOfItsOwn) {
  void* const runtime = ::dlopen(NNVK_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(runtime, nullptr) << ::dlerror();
  using Count = int (*)(uint32_t*);
  const auto runtime_count = reinterpret_cast<Count>(::dlsym(runtime, "ANeuralNetworks_getDeviceCount"));
  ASSERT_NE(runtime_count, nullptr);
  EXPECT_NE(runtime_count, table().ANeuralNetworks_getDeviceCount);
  uint32_t theirs = 0;
  uint32_t ours = 0;
  EXPECT_EQ(runtime_count(&theirs), 0);
  EXPECT_EQ(table().ANeuralNetworks_getDeviceCount(&ours), 0);
  EXPECT_EQ(theirs, ours + 1) << "the CPU device";
  EXPECT_EQ(::dlclose(runtime), 0);
}

TEST(DriverTable, ComputesInEveryMode) {
  REQUIRE_DEVICE();
  const auto& t = table();
  Addition addition;
  ASSERT_EQ(addition.finish(), 0);
  EXPECT_EQ(t.ANeuralNetworksExecution_compute(addition.execution()), 0);
  EXPECT_EQ(addition.y, kSum);
  ANeuralNetworksBurst* burst = nullptr;
  ASSERT_EQ(t.ANeuralNetworksBurst_create(addition.compilation(), &burst), 0);
  addition.y = {};
  EXPECT_EQ(t.ANeuralNetworksExecution_burstCompute(addition.execution(), burst), 0);
  EXPECT_EQ(addition.y, kSum);
  t.ANeuralNetworksBurst_free(burst);
  addition.y = {};
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(t.ANeuralNetworksExecution_startComputeWithDependencies(addition.execution(), nullptr, 0, 0, &event), 0);
  EXPECT_EQ(t.ANeuralNetworksEvent_wait(event), 0);
  EXPECT_EQ(addition.y, kSum);
  t.ANeuralNetworksEvent_free(event);
}

// CPU devices cache no compilation.
#define REQUIRE_DEVICE_WITH_CACHES()                                                 \
  REQUIRE_DEVICE();                                                                  \
  {                                                                                  \
    int32_t type = 0;                                                                \
    ASSERT_EQ(table().ANeuralNetworksDevice_getType(first_device(), &type), 0);      \
    if (type == ANEURALNETWORKS_DEVICE_CPU) GTEST_SKIP() << "no device but the CPU"; \
  }

TEST(DeviceQueries, CachesNeedOneModelFile) {
  REQUIRE_DEVICE_WITH_CACHES();
  const auto& t = table();
  uint32_t models = 7;
  uint32_t data = 7;
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(first_device(), &models, &data), 0);
  EXPECT_EQ(models, 1U);
  EXPECT_EQ(data, 0U);
  models = 7;
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(nullptr, &models, &data), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(models, 0U);
}

TEST(DeviceQueries, CachingByDescriptorsChecksThem) {
  REQUIRE_DEVICE();
  const auto set = table().SL_ANeuralNetworksCompilation_setCachingFromFds;
  const std::array<uint8_t, 32> token{};
  Addition addition;
  const FileDescriptor file(::memfd_create("cache", MFD_CLOEXEC));
  const int good = file.get();
  const int bad = 987;
  EXPECT_EQ(set(nullptr, &good, 1, nullptr, 0, token.data()), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(addition.compilation(), nullptr, 1, nullptr, 0, token.data()), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(addition.compilation(), &good, 1, nullptr, 0, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(addition.compilation(), &good, 1, &bad, 1, token.data()), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(addition.compilation(), &good, 1, nullptr, 0, token.data()), 0);
  ASSERT_EQ(addition.finish(), 0);
  EXPECT_EQ(set(addition.compilation(), &good, 1, nullptr, 0, token.data()), ANEURALNETWORKS_BAD_STATE);
}

TEST(DeviceQueries, CachingByDescriptorsWritesAndReadsTheGivenFile) {
  REQUIRE_DEVICE_WITH_CACHES();
  const auto& t = table();
  const auto set = t.SL_ANeuralNetworksCompilation_setCachingFromFds;
  const std::array<uint8_t, 32> token{7};
  const FileDescriptor file(::memfd_create("cache", MFD_CLOEXEC));
  const int descriptor = file.get();
  const auto compile = [&](uint32_t count) {
    Addition addition;
    EXPECT_EQ(set(addition.compilation(), &descriptor, count, nullptr, 0, token.data()), 0);
    EXPECT_EQ(addition.finish(), 0);
    EXPECT_EQ(t.ANeuralNetworksExecution_compute(addition.execution()), 0);
    EXPECT_EQ(addition.y, kSum);
  };
  const auto written = [&] {
    struct stat status {};
    EXPECT_EQ(::fstat(descriptor, &status), 0);
    return std::pair(status.st_size, status.st_mtim.tv_nsec);
  };
  compile(0);
  EXPECT_EQ(written().first, 0) << "no files: no caching";
  compile(1);
  const auto first = written();
  EXPECT_GT(first.first, 0);
  compile(1);
  EXPECT_EQ(written(), first) << "it was read, and holds everything";
  ASSERT_EQ(::ftruncate(descriptor, first.first / 2), 0);
  compile(1);
  EXPECT_EQ(written().first, first.first) << "written anew";
}

TEST(DeviceQueries, PerformanceIsARatioToTheCpu) {
  REQUIRE_DEVICE();
  const auto& t = table();
  for (int32_t kind = 0; kind < 4; ++kind) {
    SL_ANeuralNetworksPerformanceInfo info{};
    EXPECT_EQ(t.SL_ANeuralNetworksDevice_getPerformanceInfo(first_device(), kind, &info), 0);
    EXPECT_GT(info.execTime, 0.0F);
    EXPECT_GT(info.powerUsage, 0.0F);
  }
  SL_ANeuralNetworksPerformanceInfo info{5, 5};
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getPerformanceInfo(first_device(), 4, &info), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(info.execTime, 0.0F);
  std::map<int32_t, float> times;
  const auto collect = [](SL_ANeuralNetworksOperandPerformanceInfo of, void* context) {
    (*static_cast<std::map<int32_t, float>*>(context))[of.operandType] = of.performanceInfo.execTime;
  };
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(first_device(), &times, collect), 0);
  for (const int32_t type : {ANEURALNETWORKS_TENSOR_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT16, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                             ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, ANEURALNETWORKS_TENSOR_INT32}) {
    EXPECT_GT(times[type], 0.0F) << type;
  }
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(first_device(), nullptr, collect),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(DeviceQueries, ThereAreNoVendorExtensions) {
  REQUIRE_DEVICE();
  const auto& t = table();
  uint32_t count = 7;
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionCount(first_device(), &count), 0);
  EXPECT_EQ(count, 0U);
  const char* name = "";
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionName(first_device(), 0, &name), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(name, nullptr);
  const auto ignore = [](SL_ANeuralNetworksExtensionOperandTypeInformation, void*) {};
  EXPECT_EQ(t.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(first_device(), 0, &count, ignore),
            ANEURALNETWORKS_BAD_DATA);
}

TEST(Diagnostics, ReportEveryCompilation) {
  REQUIRE_DEVICE();
  Listening listening;
  Addition one;
  const std::array<uint8_t, 32> token{};
  const TemporaryFolder folder;
  ASSERT_EQ(table().ANeuralNetworksCompilation_setCaching(one.compilation(), folder.path().c_str(), token.data()), 0);
  ASSERT_EQ(one.finish(), 0);
  EXPECT_EQ(one.finish(), ANEURALNETWORKS_BAD_STATE);
  Addition same;
  ASSERT_EQ(same.finish(), 0);
  Addition other(3);
  ASSERT_EQ(other.finish(), 0);
  const auto& heard = listening.log.compilations;
  ASSERT_EQ(heard.size(), 4U);
  EXPECT_EQ(heard[0].code, 0);
  EXPECT_EQ(heard[1].code, ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(heard[0].version, 1000008);
  EXPECT_EQ(heard[0].session, heard[3].session);
  EXPECT_EQ(heard[0].input_class, ANNDIAG_DATA_CLASS_FLOAT32);
  EXPECT_EQ(heard[0].output_class, ANNDIAG_DATA_CLASS_FLOAT32);
  EXPECT_TRUE(heard[0].caching);
  EXPECT_FALSE(heard[2].caching);
  EXPECT_FALSE(heard[0].control_flow);
  EXPECT_FALSE(heard[0].dynamic);
  EXPECT_GT(heard[0].nanoseconds, 0U);
  EXPECT_NE(heard[0].devices.find('='), std::string::npos) << heard[0].devices;
  EXPECT_EQ(heard[0].hash, heard[2].hash);
  EXPECT_NE(heard[0].hash, heard[3].hash);
}

TEST(Diagnostics, ReportEveryComputationOnce) {
  REQUIRE_DEVICE();
  const auto& t = table();
  Addition addition;
  ASSERT_EQ(addition.finish(), 0);
  Listening listening;
  ASSERT_EQ(t.ANeuralNetworksExecution_compute(addition.execution()), 0);
  ANeuralNetworksEvent* event = nullptr;
  ASSERT_EQ(t.ANeuralNetworksExecution_startComputeWithDependencies(addition.execution(), nullptr, 0, 0, &event), 0);
  EXPECT_EQ(t.ANeuralNetworksEvent_wait(event), 0);
  EXPECT_EQ(t.ANeuralNetworksEvent_wait(event), 0);
  t.ANeuralNetworksEvent_free(event);
  ASSERT_EQ(t.ANeuralNetworksExecution_startComputeWithDependencies(addition.execution(), nullptr, 0, 0, &event), 0);
  t.ANeuralNetworksEvent_free(event);
  const auto& heard = listening.log.executions;
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_EQ(heard[0].mode, ANNDIAG_EXECUTION_MODE_SYNC);
  EXPECT_NE(heard[0].nanoseconds, UINT64_MAX);
  EXPECT_NE(heard[0].driver, UINT64_MAX) << "it was measured";
  for (const size_t fenced : {size_t{1}, size_t{2}}) {
    EXPECT_EQ(heard[fenced].mode, ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
    EXPECT_EQ(heard[fenced].nanoseconds, UINT64_MAX);
    EXPECT_EQ(heard[fenced].code, 0);
  }
  EXPECT_EQ(heard[0].hash, heard[1].hash);
}

// For an invalid or expired info, getters return empty values and do not read its memory.
TEST(Diagnostics, GettersAnswerForWhatIsNoInfo) {
  REQUIRE_DEVICE();
  const auto& t = table();
  static const void* told = nullptr;
  const auto remember = [](const void*, const ANeuralNetworksDiagnosticCompilationInfo* info) { told = info; };
  t.SL_ANeuralNetworksDiagnostic_registerCallbacks(remember, nullptr, nullptr);
  Addition addition;
  ASSERT_EQ(addition.finish(), 0);
  t.SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, nullptr, nullptr);
  ASSERT_NE(told, nullptr);
  const std::array<uint8_t, 32> zeros{};
  const auto expect_nothing = [&](auto* info, const auto& hash, const auto& devices, const auto& code, const auto& inputs) {
    EXPECT_EQ(std::memcmp(hash(info), zeros.data(), zeros.size()), 0);
    EXPECT_STREQ(devices(info), "");
    EXPECT_EQ(static_cast<int>(code(info)), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(inputs(info), ANNDIAG_DATA_CLASS_UNKNOWN);
  };
  for (const void* none : {static_cast<const void*>(nullptr), told, static_cast<const void*>(&zeros)}) {
    const auto* compiled = static_cast<const ANeuralNetworksDiagnosticCompilationInfo*>(none);
    expect_nothing(compiled, t.SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash,
                   t.SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds,
                   t.SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode,
                   t.SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass);
    EXPECT_EQ(t.SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(compiled), UINT64_MAX);
    EXPECT_FALSE(t.SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(compiled));
    const auto* executed = static_cast<const ANeuralNetworksDiagnosticExecutionInfo*>(none);
    expect_nothing(executed, t.SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash,
                   t.SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds,
                   t.SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode,
                   t.SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass);
    EXPECT_EQ(t.SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(executed), ANNDIAG_EXECUTION_MODE_UNKNOWN);
    EXPECT_EQ(t.SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(executed), UINT64_MAX);
  }
}

}  // namespace
}  // namespace nnvk::test
