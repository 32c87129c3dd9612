// Every entry of the table with NULL for each of its pointers in turn, and for all of them: refused by a code, or answered as is
// documented. None of them ends the process.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/api/support_library/loaded_table.h"

namespace nnvk::test {
namespace {

// clang-format off
#define NNVK_TABLE_ENTRIES(X) \
  X(ANeuralNetworksBurst_create) X(ANeuralNetworksBurst_free) X(ANeuralNetworksCompilation_createForDevices) \
  X(ANeuralNetworksCompilation_finish) X(ANeuralNetworksCompilation_free) \
  X(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput) \
  X(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput) \
  X(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput) \
  X(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput) X(ANeuralNetworksCompilation_setCaching) \
  X(ANeuralNetworksCompilation_setPreference) X(ANeuralNetworksCompilation_setPriority) \
  X(ANeuralNetworksCompilation_setTimeout) X(ANeuralNetworksDevice_getExtensionSupport) \
  X(ANeuralNetworksDevice_getFeatureLevel) X(ANeuralNetworksDevice_getName) X(ANeuralNetworksDevice_getType) \
  X(ANeuralNetworksDevice_getVersion) X(ANeuralNetworksDevice_wait) X(ANeuralNetworksEvent_createFromSyncFenceFd) \
  X(ANeuralNetworksEvent_free) X(ANeuralNetworksEvent_getSyncFenceFd) X(ANeuralNetworksEvent_wait) \
  X(ANeuralNetworksExecution_burstCompute) X(ANeuralNetworksExecution_compute) X(ANeuralNetworksExecution_create) \
  X(ANeuralNetworksExecution_enableInputAndOutputPadding) X(ANeuralNetworksExecution_free) \
  X(ANeuralNetworksExecution_getDuration) X(ANeuralNetworksExecution_getOutputOperandDimensions) \
  X(ANeuralNetworksExecution_getOutputOperandRank) X(ANeuralNetworksExecution_setInput) \
  X(ANeuralNetworksExecution_setInputFromMemory) X(ANeuralNetworksExecution_setLoopTimeout) \
  X(ANeuralNetworksExecution_setMeasureTiming) X(ANeuralNetworksExecution_setOutput) \
  X(ANeuralNetworksExecution_setOutputFromMemory) X(ANeuralNetworksExecution_setReusable) \
  X(ANeuralNetworksExecution_setTimeout) X(ANeuralNetworksExecution_startComputeWithDependencies) \
  X(ANeuralNetworksMemoryDesc_addInputRole) X(ANeuralNetworksMemoryDesc_addOutputRole) X(ANeuralNetworksMemoryDesc_create) \
  X(ANeuralNetworksMemoryDesc_finish) X(ANeuralNetworksMemoryDesc_free) X(ANeuralNetworksMemoryDesc_setDimensions) \
  X(ANeuralNetworksMemory_copy) X(ANeuralNetworksMemory_createFromAHardwareBuffer) X(ANeuralNetworksMemory_createFromDesc) \
  X(ANeuralNetworksMemory_createFromFd) X(ANeuralNetworksMemory_free) X(ANeuralNetworksModel_addOperand) \
  X(ANeuralNetworksModel_addOperation) X(ANeuralNetworksModel_create) X(ANeuralNetworksModel_finish) \
  X(ANeuralNetworksModel_free) X(ANeuralNetworksModel_getExtensionOperandType) \
  X(ANeuralNetworksModel_getExtensionOperationType) X(ANeuralNetworksModel_getSupportedOperationsForDevices) \
  X(ANeuralNetworksModel_identifyInputsAndOutputs) X(ANeuralNetworksModel_relaxComputationFloat32toFloat16) \
  X(ANeuralNetworksModel_setOperandExtensionData) X(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams) \
  X(ANeuralNetworksModel_setOperandValue) X(ANeuralNetworksModel_setOperandValueFromMemory) \
  X(ANeuralNetworksModel_setOperandValueFromModel) X(ANeuralNetworks_getDefaultLoopTimeout) X(ANeuralNetworks_getDevice) \
  X(ANeuralNetworks_getDeviceCount) X(ANeuralNetworks_getMaximumLoopTimeout) X(ANeuralNetworks_getRuntimeFeatureLevel) \
  X(SL_ANeuralNetworksCompilation_setCachingFromFds) X(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded) \
  X(SL_ANeuralNetworksDevice_getPerformanceInfo) X(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo) \
  X(SL_ANeuralNetworksDevice_getVendorExtensionCount) X(SL_ANeuralNetworksDevice_getVendorExtensionName) \
  X(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds) X(SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed) \
  X(SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId) X(SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash) X(SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass) X(SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed) \
  X(SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed) X(SL_ANeuralNetworksDiagnostic_registerCallbacks)
#define NNVK_ENTRIES_OF_LEVEL_8(X) \
  X(ANeuralNetworksCompilation_addExtensionAttribute) X(ANeuralNetworksExecution_addExtensionAttribute)
// clang-format on

template <class... P>
void ignore(P... /*arguments*/) {}

// An argument of every type that functions of the table take: live objects, memory that may be read and written, small numbers.
class ValidArguments {
 public:
  ValidArguments() {
    const auto& t = table();
    EXPECT_EQ(addition_.finish(), 0);
    execution_ = addition_.execution();
    EXPECT_EQ(t.ANeuralNetworksBurst_create(addition_.compilation(), &burst_), 0);
    EXPECT_EQ(t.ANeuralNetworksModel_create(&model_), 0);
    EXPECT_EQ(t.ANeuralNetworksMemoryDesc_create(&descriptor_), 0);
    const int file = ::memfd_create("test", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(file, 4096), 0);
    EXPECT_EQ(t.ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, file, 0, &memory_), 0);
    ::close(file);
    EXPECT_EQ(t.ANeuralNetworksExecution_startComputeWithDependencies(execution_, nullptr, 0, 0, &event_), 0);
  }
  ~ValidArguments() {
    const auto& t = table();
    t.ANeuralNetworksEvent_free(event_);
    t.ANeuralNetworksMemory_free(memory_);
    t.ANeuralNetworksMemoryDesc_free(descriptor_);
    t.ANeuralNetworksModel_free(model_);
    t.ANeuralNetworksBurst_free(burst_);
  }
  ValidArguments(const ValidArguments&) = delete;
  ValidArguments& operator=(const ValidArguments&) = delete;

  template <class T>
  T get() {
    using Plain = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksDevice>) return first_device();
    if constexpr (std::is_same_v<Plain, ANeuralNetworksModel>) return model_;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksCompilation>) return addition_.compilation();
    if constexpr (std::is_same_v<Plain, ANeuralNetworksExecution>) return execution_;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksBurst>) return burst_;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksMemory>) return memory_;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksMemoryDesc>) return descriptor_;
    if constexpr (std::is_same_v<Plain, ANeuralNetworksEvent>) return event_;
    if constexpr (std::is_same_v<T, const ANeuralNetworksDevice* const*>) return &(device_ = first_device());
    if constexpr (std::is_same_v<T, const ANeuralNetworksEvent* const*>) return &event_;
    if constexpr (std::is_arithmetic_v<T>) return T{1};
    if constexpr (std::is_enum_v<T>) return static_cast<T>(1);
    if constexpr (std::is_pointer_v<T>) return pointer(static_cast<T>(nullptr));
  }

 private:
  template <class... P>
  auto pointer(void (*)(P...)) -> void (*)(P...) {
    return &ignore<P...>;
  }
  template <class T>
  T* pointer(T*) {
    scratch_ = {};
    return static_cast<T*>(static_cast<void*>(scratch_.data()));
  }

  Addition addition_;
  ANeuralNetworksExecution* execution_ = nullptr;
  ANeuralNetworksBurst* burst_ = nullptr;
  ANeuralNetworksModel* model_ = nullptr;
  ANeuralNetworksMemory* memory_ = nullptr;
  ANeuralNetworksMemoryDesc* descriptor_ = nullptr;
  ANeuralNetworksEvent* event_ = nullptr;
  const ANeuralNetworksDevice* device_ = nullptr;
  alignas(16) std::array<std::byte, 4096> scratch_{};
};

constexpr int kUnexpectedNull = ANEURALNETWORKS_UNEXPECTED_NULL;

template <class R, class... A>
class Entry {
 public:
  Entry(const char* name, R (*function)(A...)) : name_(name), function_(function) {}

  void check() { check(std::index_sequence_for<A...>()); }

 private:
  using Arguments = std::tuple<A...>;

  template <size_t... I>
  void check(std::index_sequence<I...>) {
    (with_null_at<I>(), ...);
    Arguments nothing{};
    if constexpr (sizeof...(A) > 0 && (std::is_pointer_v<A> || ...)) call(nothing, "of everything", true);
  }
  template <size_t I>
  void with_null_at() {
    if constexpr (std::is_pointer_v<std::tuple_element_t<I, Arguments>>) {
      ValidArguments valid;
      Arguments arguments{valid.get<A>()...};
      std::get<I>(arguments) = nullptr;
      call(arguments, "at argument " + std::to_string(I), I == 0);
    }
  }
  // The first argument is the object that the function uses or makes.
  void call(const Arguments& arguments, const std::string& where, bool is_needed) {
    if constexpr (std::is_same_v<R, int>) {
      const int code = std::apply(function_, arguments);
      if (std::string_view(name_).ends_with("getSessionId")) return;  // a number, no result code
      EXPECT_GE(code, 0) << name_ << ", NULL " << where;
      EXPECT_LE(code, ANEURALNETWORKS_DEAD_OBJECT) << name_ << ", NULL " << where;
      if (is_needed) {
        EXPECT_EQ(code, kUnexpectedNull) << name_ << ", NULL " << where;
      }
    } else {
      static_cast<void>(std::apply(function_, arguments));
    }
  }
  const char* const name_;
  R (*const function_)(A...);
};

template <class R, class... A>
void check_entry(const char* name, R (*function)(A...)) {
  Entry<R, A...>(name, function).check();
}

TEST(TableEntries, AreNotEndedByNull) {
  REQUIRE_DEVICE();
  size_t entries = 0;
#define NNVK_CHECK(name)            \
  check_entry(#name, table().name); \
  ++entries;
  NNVK_TABLE_ENTRIES(NNVK_CHECK)
#undef NNVK_CHECK
#define NNVK_CHECK(name)                  \
  check_entry(#name, whole_table().name); \
  ++entries;
  NNVK_ENTRIES_OF_LEVEL_8(NNVK_CHECK)
#undef NNVK_CHECK
  EXPECT_EQ(entries, sizeof(NnApiSLDriverImplFL8) / sizeof(void*) - 1) << "all but the level";
}

}  // namespace
}  // namespace nnvk::test
