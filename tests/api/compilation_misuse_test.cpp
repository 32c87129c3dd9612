// Wrong use of compilations and bursts.
#include <filesystem>
#include <fstream>

#include "tests/api/api_objects.h"
#include "tests/api/misuse_table.h"

namespace nnvk::test {
namespace {

// A list of devices to pass to createForDevices.
int create_for(ANeuralNetworksModel* model, const std::vector<const ANeuralNetworksDevice*>& devices) {
  ANeuralNetworksCompilation* compilation = nullptr;
  const int result =
      ANeuralNetworksCompilation_createForDevices(model, devices.data(), static_cast<uint32_t>(devices.size()), &compilation);
  ANeuralNetworksCompilation_free(compilation);
  return result;
}

TEST(CompilationMisuse, Create) {
  const ModelBuilder model = make_add({2});
  const ANeuralNetworksDevice* cpu = cpu_device();
  ANeuralNetworksCompilation* compilation = nullptr;
  const ModelBuilder invalid = invalid_model();
  alignas(8) const char bogus[64] = {};
  const auto* bogus_device = reinterpret_cast<const ANeuralNetworksDevice*>(bogus);
  check_cases({
      {305, "model NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_create(nullptr, &compilation))},
      {306, "compilation NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_create(model.get(), nullptr))},
      {307, "unfinished", kBadState, NNVK_CALL(ANeuralNetworksCompilation_create(ModelBuilder().get(), &compilation))},
      {308, "invalid", kBadState, NNVK_CALL(ANeuralNetworksCompilation_create(invalid.get(), &compilation))},
      {309, "model NULL", kNull, NNVK_CALL(create_for(nullptr, {cpu}))},
      {310, "devices NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_createForDevices(model.get(), nullptr, 1, &compilation))},
      {311, "compilation NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_createForDevices(model.get(), &cpu, 1, nullptr))},
      {312, "no devices", kBadData, NNVK_CALL(ANeuralNetworksCompilation_createForDevices(model.get(), &cpu, 0, &compilation))},
      {313, "NULL in the list", kNull, NNVK_CALL(create_for(model.get(), {nullptr}))},
      {314, "twice", kBadData, NNVK_CALL(create_for(model.get(), {cpu, cpu}))},
      {315, "{d, d, NULL}", kBadData, NNVK_CALL(create_for(model.get(), {cpu, cpu, nullptr}))},
      {316, "{NULL, d, d}", kNull, NNVK_CALL(create_for(model.get(), {nullptr, cpu, cpu}))},
      {317, "not a device", kBadData, NNVK_CALL(create_for(model.get(), {bogus_device}))},
      {318, "unfinished", kBadState, NNVK_CALL(create_for(ModelBuilder().get(), {cpu}))},
      {319, "invalid", kBadState, NNVK_CALL(create_for(invalid.get(), {cpu}))},
      {320, "twice and unfinished", kBadData, NNVK_CALL(create_for(ModelBuilder().get(), {cpu, cpu}))},
      {321, "all devices", kOk, NNVK_CALL(create_for(model.get(), devices()))},
  });
  EXPECT_EQ(compilation, nullptr);
  check_cases({
      {323, "free NULL", kOk, NNVK_CALL((ANeuralNetworksCompilation_free(nullptr), kOk))},
      {324, "free unfinished", kOk,
       [&] {
         EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), &compilation), kOk);
         ANeuralNetworksCompilation_free(compilation);
         return kOk;
       }},
  });
}

TEST(CompilationMisuse, Settings) {
  const ModelBuilder model = make_add({2});
  const uint8_t token[32] = {};
  const CompilationPointer open = compile_for_one(model.get());
  const CompilationPointer automatic = compile_for_all(model.get());
  const CompilationPointer done = finished(compile_for_one(model.get()));
  const CompilationPointer done_automatic = finished(compile_for_all(model.get()));
  auto* const one = open.get();
  check_cases({
      {325, "preference NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_setPreference(nullptr, 0))},
      {326, "preference 3", kBadData, [=] { return ANeuralNetworksCompilation_setPreference(one, 3); }},
      {327, "preference 40", kBadData, [=] { return ANeuralNetworksCompilation_setPreference(one, 40); }},
      {328, "preference -1", kBadData, [=] { return ANeuralNetworksCompilation_setPreference(one, -1); }},
      {329, "preference late", kBadState, NNVK_CALL(ANeuralNetworksCompilation_setPreference(done.get(), 1))},
      {330, "bad preference late", kBadState, NNVK_CALL(ANeuralNetworksCompilation_setPreference(done.get(), 9))},
      {331, "caching NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_setCaching(nullptr, "/tmp", token))},
      {332, "cacheDir NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_setCaching(one, nullptr, token))},
      {333, "token NULL", kNull, [=] { return ANeuralNetworksCompilation_setCaching(one, "/tmp", nullptr); }},
      {334, "caching late", kBadState, NNVK_CALL(ANeuralNetworksCompilation_setCaching(done.get(), "/tmp", token))},
      {335, "no such directory", kOk, NNVK_CALL(ANeuralNetworksCompilation_setCaching(one, "/no/such/place", token))},
      {336, "empty directory", kOk, NNVK_CALL(ANeuralNetworksCompilation_setCaching(one, "", token))},
      {337, "caching twice", kOk, NNVK_CALL(ANeuralNetworksCompilation_setCaching(one, "/no/such/place/either", token))},
      {338, "priority NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_setPriority(nullptr, 100))},
      {339, "priority 0", kBadData, [=] { return ANeuralNetworksCompilation_setPriority(one, 0); }},
      {340, "priority 95", kBadData, [=] { return ANeuralNetworksCompilation_setPriority(one, 95); }},
      {341, "priority -1", kBadData, [=] { return ANeuralNetworksCompilation_setPriority(one, -1); }},
      {342, "priority 90", kOk, [=] { return ANeuralNetworksCompilation_setPriority(one, 90); }},
      {342, "priority 100", kOk, [=] { return ANeuralNetworksCompilation_setPriority(one, 100); }},
      {342, "priority 110", kOk, [=] { return ANeuralNetworksCompilation_setPriority(one, 110); }},
      {343, "priority late", kBadState, NNVK_CALL(ANeuralNetworksCompilation_setPriority(done.get(), 100))},
      {344, "timeout NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_setTimeout(nullptr, 1))},
      {345, "timeout without a chosen device", kBadData, NNVK_CALL(ANeuralNetworksCompilation_setTimeout(automatic.get(), 1))},
      {347, "timeout", kOk, [=] { return ANeuralNetworksCompilation_setTimeout(one, 1'000'000'000); }},
      {348, "timeout UINT64_MAX", kOk, [=] { return ANeuralNetworksCompilation_setTimeout(one, UINT64_MAX); }},
      {349, "timeout 0", kOk, [=] { return ANeuralNetworksCompilation_setTimeout(one, 0); }},
      {350, "timeout late", kBadState, NNVK_CALL(ANeuralNetworksCompilation_setTimeout(done.get(), 1))},
      {351, "timeout late, no chosen device", kBadState,
       NNVK_CALL(ANeuralNetworksCompilation_setTimeout(done_automatic.get(), 1))},
      {352, "attribute NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(nullptr, "a.b", 1, token, 1))},
      {353, "attribute name NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(one, nullptr, 1, token, 1))},
      {354, "attribute data NULL", kNull,
       [=] { return ANeuralNetworksCompilation_addExtensionAttribute(one, "a.b", 1, nullptr, 1); }},
      {355, "empty attribute", kOk, [=] { return ANeuralNetworksCompilation_addExtensionAttribute(one, "a.b", 1, nullptr, 0); }},
      {356, "attribute without a chosen device", kBadData,
       NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(automatic.get(), "a.b", 1, token, 1))},
      {358, "attribute late", kBadState,
       NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(done.get(), "a.b", 1, token, 1))},
      {359, "attribute twice", kBadData, NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(one, "a.b", 1, token, 1))},
      {360, "same code of another extension", kOk,
       NNVK_CALL(ANeuralNetworksCompilation_addExtensionAttribute(one, "a.c", 1, token, 0))},
  });
  EXPECT_EQ(ANeuralNetworksCompilation_finish(one), kOk);
}

TEST(CompilationMisuse, TwoExplicitDevicesAreNotOne) {
  const ModelBuilder model = make_add({2});
  if (gpus().empty()) {
    skip_rows({346, 357, 541, 546, 563, 606});
    GTEST_SKIP() << "this machine has only the CPU device";
  }
  const CompilationPointer owner = compile_for(model.get(), {devices()[0], devices()[1]});
  ANeuralNetworksCompilation* const two = owner.get();
  check_cases({
      {346, "timeout", kBadData, [=] { return ANeuralNetworksCompilation_setTimeout(two, 1); }},
      {357, "attribute", kBadData, [=] { return ANeuralNetworksCompilation_addExtensionAttribute(two, "a.b", 1, nullptr, 0); }},
  });
  ASSERT_EQ(ANeuralNetworksCompilation_finish(two), kOk);
  std::array<float, 2> data{};
  const ExecutionPointer e = make_execution(owner, {data, data}, {data});
  ANeuralNetworksEvent* event = nullptr;
  check_cases({
      {541, "measure", kBadData, NNVK_CALL(ANeuralNetworksExecution_setMeasureTiming(e.get(), true))},
      {546, "timeout", kBadData, NNVK_CALL(ANeuralNetworksExecution_setTimeout(e.get(), 1))},
      {563, "attribute", kBadData, NNVK_CALL(ANeuralNetworksExecution_addExtensionAttribute(e.get(), "a.b", 1, nullptr, 0))},
      {606, "duration", kBadData,
       NNVK_CALL(ANeuralNetworksExecution_startComputeWithDependencies(e.get(), nullptr, 0, 1, &event))},
  });
  EXPECT_EQ(event, nullptr);
}

TEST(CompilationMisuse, Finish) {
  const ModelBuilder model = make_add({2});
  const CompilationPointer done = finished(compile_for_one(model.get()));
  const FailedCompilation failed;
  check_cases({
      {361, "NULL", kNull, NNVK_CALL(ANeuralNetworksCompilation_finish(nullptr))},
      {362, "after success", kBadState, NNVK_CALL(ANeuralNetworksCompilation_finish(done.get()))},
      {363, "after failure", kBadState, NNVK_CALL(ANeuralNetworksCompilation_finish(failed.compilation.get()))},
      {365, "OEM operation, only the CPU device", kBadData,
       [&] {
         const CompilationPointer again = compile_for_cpu(failed.model.get());
         return ANeuralNetworksCompilation_finish(again.get());
       }},
      {366, "deadline already passed", ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT,
       [&] {
         const CompilationPointer late = compile_for_cpu(model.get());
         EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(late.get(), 1), kOk);
         return ANeuralNetworksCompilation_finish(late.get());
       }},
      {364, "extension operation", kBadData,
       [] {
         const ModelBuilder vendor = make_unary(extension_operation("com.example.nobody", 1), kFloat, {2});
         return ANeuralNetworksCompilation_finish(compile_for_all(vendor.get()).get());
       }},
      {367, "constants that cannot be mapped", ANEURALNETWORKS_UNMAPPABLE,
       [] {
         const MemoryPointer memory = make_unmappable_memory();
         ModelBuilder constant;
         const uint32_t x = constant.operand(kFloat, {2});
         const uint32_t c = constant.operand(kFloat, {2});
         const uint32_t none = constant.constant(0);
         const uint32_t y = constant.operand(kFloat, {2});
         EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(constant.get(), static_cast<int32_t>(c), memory.get(), 0, 8),
                   kOk);
         EXPECT_EQ(constant.operation(ANEURALNETWORKS_ADD, {x, c, none}, {y}), kOk);
         constant.finish({x}, {y});
         return ANeuralNetworksCompilation_finish(compile_for_cpu(constant.get()).get());
       }},
  });
}

TEST(CompilationMisuse, PreferredMemory) {
  using Query = int (*)(const ANeuralNetworksCompilation*, uint32_t, uint32_t*);
  const ModelBuilder model = make_add({2});
  const CompilationPointer open = compile_for_one(model.get());
  const CompilationPointer done = finished(compile_for_one(model.get()));
  const FailedCompilation failed;
  uint32_t value = 0;
  const std::pair<Query, uint32_t> queries[] = {{ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, 2},
                                                {ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, 2},
                                                {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, 1},
                                                {ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, 1}};
  int id = 370;
  for (const auto& [query, count] : queries) {
    check_cases({
        {id, "NULL", kNull, [&, q = query] { return q(nullptr, 0, &value); }},
        {id + 1, "output NULL", kNull, [&, q = query] { return q(done.get(), 0, nullptr); }},
        {id + 2, "unfinished", kBadState, [&, q = query] { return q(open.get(), 0, &value); }},
        {id + 3, "failed", kBadState, [&, q = query] { return q(failed.compilation.get(), 0, &value); }},
        {id + 4, "index", kBadData, [&, q = query, c = count] { return q(done.get(), c, &value); }},
        {id + 5, "valid", kOk, [&, q = query] { return q(done.get(), 0, &value); }},
    });
    EXPECT_TRUE(value >= 1 && (value & (value - 1)) == 0) << value;
    id += 6;
  }
}

TEST(CompilationMisuse, ExecutionsAndBurstsNeedASuccessfulCompilation) {
  const ModelBuilder model = make_add({2});
  const CompilationPointer open = compile_for_one(model.get());
  const CompilationPointer done = finished(compile_for_one(model.get()));
  const FailedCompilation failed;
  ANeuralNetworksExecution* execution = nullptr;
  ANeuralNetworksBurst* burst = nullptr;
  check_cases({
      {402, "NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_create(nullptr, &execution))},
      {403, "output NULL", kNull, NNVK_CALL(ANeuralNetworksExecution_create(done.get(), nullptr))},
      {404, "unfinished", kBadState, NNVK_CALL(ANeuralNetworksExecution_create(open.get(), &execution))},
      {405, "failed", kBadState, NNVK_CALL(ANeuralNetworksExecution_create(failed.compilation.get(), &execution))},
      {651, "NULL", kNull, NNVK_CALL(ANeuralNetworksBurst_create(nullptr, &burst))},
      {652, "output NULL", kNull, NNVK_CALL(ANeuralNetworksBurst_create(done.get(), nullptr))},
      {653, "unfinished", kBadState, NNVK_CALL(ANeuralNetworksBurst_create(open.get(), &burst))},
      {654, "failed", kBadState, NNVK_CALL(ANeuralNetworksBurst_create(failed.compilation.get(), &burst))},
  });
  EXPECT_EQ(execution, nullptr);
  EXPECT_EQ(burst, nullptr);
  check_cases({
      {406, "free NULL", kOk, NNVK_CALL((ANeuralNetworksExecution_free(nullptr), kOk))},
      {407, "free never computed", kOk, NNVK_CALL((make_execution(done.get()).reset(), kOk))},
      {655, "free NULL", kOk, NNVK_CALL((ANeuralNetworksBurst_free(nullptr), kOk))},
  });
}

// Whatever the cache directory contains, a compilation neither fails nor crashes.
TEST(CompilationMisuse, CacheFilesOfNoUse) {
  const std::filesystem::path directory =
      std::filesystem::path(::testing::TempDir()) / ("nnvk_cache_" + std::to_string(::getpid()));
  ASSERT_TRUE(std::filesystem::create_directories(directory));
  const uint8_t token[32] = {7, 7, 7};
  const auto compile = [&](const ModelBuilder& model) {
    const CompilationPointer cached = compile_for_one(model.get());
    EXPECT_EQ(ANeuralNetworksCompilation_setCaching(cached.get(), directory.c_str(), token), kOk);
    return ANeuralNetworksCompilation_finish(cached.get());
  };
  const ModelBuilder model = make_add({2});
  ASSERT_EQ(compile(model), kOk);
  check_cases({
      {369, "token of another model", kOk, NNVK_CALL(compile(make_add({3})))},
      {368, "corrupt files", kOk,
       [&] {
         for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
           if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::trunc) << "not a cache";
         }
         return compile(model);
       }},
  });
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace nnvk::test
