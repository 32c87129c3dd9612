// Wrong use of the functions that only the Support Library's table has: rows of the misuse table.
#include <unistd.h>

#include <string>

#include "tests/api/misuse_table.h"
#include "tests/api/support_library/loaded_table.h"

namespace nnvk::test {

bool owns_rows_of(const std::string& function) {
  return function.rfind("SL_ANeuralNetworks", 0) == 0 || function == "ANeuralNetworks_getSLDriverImpl";
}

// The table has no function for the error text.
const char* last_refusal() { return nullptr; }

namespace {

// Without a device these tests cannot run; `body` skips the rows it names.
#define REQUIRE_DEVICE_FOR(...)         \
  if (first_device() == nullptr) {      \
    skip_rows({__VA_ARGS__});           \
    GTEST_SKIP() << "no Vulkan device"; \
  }

TEST(SupportLibraryMisuse, TheTable) {
  using Function = NnApiSLDriverImpl* (*)();
  const auto function = reinterpret_cast<Function>(::dlsym(library(), "ANeuralNetworks_getSLDriverImpl"));
  ASSERT_NE(function, nullptr);
  check_cases({{825, "the same table each time", kOk, [&] {
                  EXPECT_NE(function(), nullptr);
                  const auto* const first = function();
                  return function() == first ? kOk : kFailed;
                }}});
}

TEST(SupportLibraryMisuse, CachingByDescriptors) {
  REQUIRE_DEVICE_FOR(394, 395, 396, 397, 398, 399, 400, 401);
  const auto set = table().SL_ANeuralNetworksCompilation_setCachingFromFds;
  const uint8_t token[32] = {};
  const Addition open;
  const Addition done;
  ASSERT_EQ(done.finish(), kOk);
  auto* const compilation = open.compilation();
  const int good[] = {STDERR_FILENO, STDERR_FILENO};
  const int bad = -1;
  check_cases({
      {394, "compilation NULL", kNull, NNVK_CALL(set(nullptr, good, 1, good, 1, token))},
      {395, "token NULL", kNull, NNVK_CALL(set(compilation, good, 1, good, 1, nullptr))},
      {396, "model descriptors NULL", kNull, NNVK_CALL(set(compilation, nullptr, 1, good, 1, token))},
      {397, "data descriptors NULL", kNull, NNVK_CALL(set(compilation, good, 1, nullptr, 1, token))},
      {398, "none", kOk, NNVK_CALL(set(compilation, nullptr, 0, nullptr, 0, token))},
      {399, "model descriptor -1", kBadData, NNVK_CALL(set(compilation, &bad, 1, nullptr, 0, token))},
      {399, "data descriptor -1", kBadData, NNVK_CALL(set(compilation, nullptr, 0, &bad, 1, token))},
      {400, "finished", kBadState, NNVK_CALL(set(done.compilation(), nullptr, 0, nullptr, 0, token))},
      {401, "more than the device needs", kOk, NNVK_CALL(set(compilation, good, 2, good, 1, token))},
      {0, "finish without caching", kOk, NNVK_CALL(open.finish())},
  });
}

TEST(SupportLibraryMisuse, CacheFilesAndPerformance) {
  REQUIRE_DEVICE_FOR(766, 767, 768, 769, 770, 771, 772, 773, 774, 775);
  const auto& t = table();
  const auto* device = first_device();
  uint32_t models = 7;
  uint32_t data = 7;
  SL_ANeuralNetworksPerformanceInfo info{5.0F, 5.0F};
  const auto ignore = [](SL_ANeuralNetworksOperandPerformanceInfo, void*) {};
  check_cases({
      {766, "cache files of NULL", kNull,
       [&] {
         const int result = t.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(nullptr, &models, &data);
         EXPECT_EQ(models + data, 0U);
         return result;
       }},
      {767, "model files NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(device, nullptr, &data))},
      {768, "data files NULL", kNull,
       NNVK_CALL(t.SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(device, &models, nullptr))},
      {769, "performance of NULL", kNull,
       [&] {
         const int result = t.SL_ANeuralNetworksDevice_getPerformanceInfo(nullptr, 0, &info);
         EXPECT_EQ(info.execTime + info.powerUsage, 0.0F);
         return result;
       }},
      {770, "performance NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_getPerformanceInfo(device, 0, nullptr))},
      {771, "kind -1", kBadData, NNVK_CALL(t.SL_ANeuralNetworksDevice_getPerformanceInfo(device, -1, &info))},
      {772, "kind 4", kBadData, NNVK_CALL(t.SL_ANeuralNetworksDevice_getPerformanceInfo(device, 4, &info))},
      {773, "operands of NULL", kNull,
       NNVK_CALL(t.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(nullptr, &info, ignore))},
      {774, "context NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(device, nullptr, ignore))},
      {775, "callback NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(device, &info, nullptr))},
  });
}

TEST(SupportLibraryMisuse, VendorExtensions) {
  REQUIRE_DEVICE_FOR(776, 777, 778, 779, 780, 781, 782, 783, 784);
  const auto& t = table();
  const auto* device = first_device();
  const auto for_each = t.SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation;
  const auto ignore = [](SL_ANeuralNetworksExtensionOperandTypeInformation, void*) {};
  uint32_t count = 0;
  ASSERT_EQ(t.SL_ANeuralNetworksDevice_getVendorExtensionCount(device, &count), kOk);
  uint32_t none = 7;
  const char* name = "";
  check_cases({
      {776, "count of NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_getVendorExtensionCount(nullptr, &none))},
      {777, "count NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_getVendorExtensionCount(device, nullptr))},
      {778, "name of NULL", kNull,
       [&] {
         const int result = t.SL_ANeuralNetworksDevice_getVendorExtensionName(nullptr, 0, &name);
         EXPECT_EQ(name, nullptr);
         return result;
       }},
      {779, "name NULL", kNull, NNVK_CALL(t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, 0, nullptr))},
      {780, "index == count", kBadData,
       [&] {
         name = "";
         const int result = t.SL_ANeuralNetworksDevice_getVendorExtensionName(device, count, &name);
         EXPECT_EQ(name, nullptr);
         return result;
       }},
      {781, "types of NULL", kNull, NNVK_CALL(for_each(nullptr, 0, &count, ignore))},
      {782, "context NULL", kNull, NNVK_CALL(for_each(device, 0, nullptr, ignore))},
      {783, "callback NULL", kNull, NNVK_CALL(for_each(device, 0, &count, nullptr))},
      {784, "index == count", kBadData, NNVK_CALL(for_each(device, count, &count, ignore))},
  });
  EXPECT_EQ(none, 0U);
}

TEST(SupportLibraryMisuse, GettersThatNeedNoInfo) {
  const auto& t = table();
  const auto is = [](bool right) { return right ? kOk : kFailed; };
  const int32_t session = t.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(nullptr);
  check_cases({
      {786, "session", kOk, NNVK_CALL(is(session == t.SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(nullptr)))},
      {787, "version", kOk, NNVK_CALL(is(t.SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(nullptr) == 1000008))},
      {797, "session", kOk, NNVK_CALL(is(session == t.SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId(nullptr)))},
      {798, "version", kOk, NNVK_CALL(is(t.SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion(nullptr) == 1000008))},
  });
}

TEST(SupportLibraryMisuse, TheLastRegistrationIsUsed) {
  REQUIRE_DEVICE_FOR(785);
  int heard[2] = {0, 0};
  const auto count = [](const void* context, const ANeuralNetworksDiagnosticCompilationInfo*) {
    ++*static_cast<int*>(const_cast<void*>(context));
  };
  const auto ignore = [](const void*, const ANeuralNetworksDiagnosticExecutionInfo*) {};
  check_cases({{785, "twice", kOk, [&] {
                  table().SL_ANeuralNetworksDiagnostic_registerCallbacks(count, ignore, &heard[0]);
                  table().SL_ANeuralNetworksDiagnostic_registerCallbacks(count, ignore, &heard[1]);
                  return Addition().finish();
                }}});
  table().SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, nullptr, nullptr);
  EXPECT_EQ(heard[0], 0);
  EXPECT_EQ(heard[1], 1);
}

}  // namespace
}  // namespace nnvk::test
