// Compilation caching through the C API, on every device: in one process, in several processes (one after the other, or at the
// same time), and with damaged files.
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>

#include "tests/api/descriptions.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace nnvk::test {
namespace {

constexpr const char* kFolderVariable = "NNVK_TEST_CACHE_FOLDER";
constexpr uint32_t kSize = 6;
constexpr uint32_t kChannels = 4;
constexpr uint32_t kElements = kSize * kSize * kChannels;

using Counters = std::map<std::string, int64_t>;

// The counters of one compilation, and the output of its one execution.
struct Outcome {
  Counters counters;
  std::vector<float> output;
  int64_t operator[](const std::string& name) const {
    const auto found = counters.find(name);
    return found != counters.end() ? found->second : 0;
  }
};

// y = TANH(CONV_2D(x)) with 3x3 filters made of `first`; finished.
ModelBuilder convolution(float first) {
  ModelBuilder m;
  const std::vector<uint32_t> image{1, kSize, kSize, kChannels};
  const uint32_t x = m.operand(ANEURALNETWORKS_TENSOR_FLOAT32, image);
  std::vector<float> filters(kChannels * 9 * kChannels);  // long constants are read at finish
  for (size_t i = 0; i < filters.size(); ++i) filters[i] = first * static_cast<float>(static_cast<int>(i % 11) - 5);
  const uint32_t weights = m.constant(kFloat, {kChannels, 3, 3, kChannels}, filters);
  const uint32_t bias = m.constant<float>(kFloat, {kChannels}, {0.1F, 0.2F, 0.3F, 0.4F});
  const uint32_t same = m.constant(ANEURALNETWORKS_PADDING_SAME);
  const uint32_t one = m.constant(1);
  const uint32_t none = m.constant(ANEURALNETWORKS_FUSED_NONE);
  const uint32_t convolved = m.operand(ANEURALNETWORKS_TENSOR_FLOAT32, image);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_CONV_2D, {x, weights, bias, same, one, one, none}, {convolved}), kOk);
  const uint32_t y = m.operand(ANEURALNETWORKS_TENSOR_FLOAT32, image);
  EXPECT_EQ(m.operation(ANEURALNETWORKS_TANH, {convolved}, {y}), kOk);
  m.finish({x}, {y});
  return m;
}

Outcome compile_and_run(const ANeuralNetworksDevice* device, const std::string& folder, float first = 0.01F) {
  Outcome outcome;
  const ModelBuilder model = convolution(first);
  const CompilationPointer compilation = compile_for(model.get(), device);
  const std::array<uint8_t, 32> token{1, 2, 3};
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation.get(), folder.c_str(), token.data()), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  outcome.counters = describe(compilation)["partitions"][0]["counters"].get<Counters>();
  std::vector<float> input(kElements);
  for (size_t i = 0; i < input.size(); ++i) input[i] = 0.1F * static_cast<float>(i % 7);
  outcome.output.resize(kElements);
  EXPECT_EQ(compute(make_execution(compilation, {input}, {outcome.output})), kOk);
  return outcome;
}

// The part of the tests that runs in a child process: prints its results.
TEST(CachingChild, CompilesOnEveryDevice) {
  const char* const folder = std::getenv(kFolderVariable);
  if (folder == nullptr) GTEST_SKIP() << "only as a child of the tests below";
  nlohmann::json outcomes;
  for (const ANeuralNetworksDevice* device : devices()) {
    const Outcome outcome = compile_and_run(device, folder);
    outcomes.push_back({{"counters", outcome.counters}, {"output", outcome.output}});
  }
  std::printf("\noutcomes %s\n", outcomes.dump().c_str());
}

// The results that the child printed, by device.
std::vector<Outcome> in_another_process(const std::string& folder) {
  char program[PATH_MAX] = {};
  EXPECT_GT(::readlink("/proc/self/exe", program, sizeof program - 1), 0);
  const std::string command =
      std::string(kFolderVariable) + "='" + folder + "' " + command_to_run(program) + "--gtest_filter='CachingChild.*' 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string said;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) said.append(buffer.data(), count);
  EXPECT_EQ(::pclose(pipe), 0) << said;
  const std::string mark = "\noutcomes ";
  const size_t begin = said.find(mark);
  std::vector<Outcome> outcomes(devices().size());
  if (begin == std::string::npos) {
    ADD_FAILURE() << said;
    return outcomes;
  }
  const size_t text = begin + mark.size();
  const auto json = nlohmann::json::parse(said.substr(text, said.find('\n', text) - text));
  EXPECT_EQ(json.size(), outcomes.size());
  for (size_t i = 0; i < outcomes.size() && i < json.size(); ++i) {
    outcomes[i] = {json[i]["counters"].get<Counters>(), json[i]["output"].get<std::vector<float>>()};
  }
  return outcomes;
}

// The CPU devices, which come last, never cache.
size_t caching_devices() { return devices().size() - 2; }

std::vector<float> expected_output(float first = 0.01F) { return compile_and_run(cpu_device(), "", first).output; }

void expect_right(const Outcome& outcome, const std::vector<float>& wanted) {
  ASSERT_EQ(outcome.output.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(outcome.output[i], wanted[i], 1e-5F) << "element " << i;
}

void expect_miss(const Outcome& outcome) {
  EXPECT_EQ(outcome["cache_misses"], 1);
  EXPECT_EQ(outcome["cache_hits"], 0);
  EXPECT_GT(outcome["weights_packed"], 0);
  EXPECT_EQ(outcome["weights_restored"], 0);
}

void expect_hit(const Outcome& outcome) {
  EXPECT_EQ(outcome["cache_misses"], 0);
  EXPECT_EQ(outcome["cache_hits"], 1);
  EXPECT_EQ(outcome["pipelines_created"], 0);
  EXPECT_EQ(outcome["weights_packed"], 0);
  EXPECT_GT(outcome["weights_restored"], 0);
}

TEST(Caching, AFreshProcessCreatesNoPipelineAndPacksNoWeightThatTheCacheKnows) {
  const TemporaryFolder folder;
  const auto wanted = expected_output();
  const auto cold = in_another_process(folder.path());
  EXPECT_EQ(folder.names().size(), caching_devices()) << "one file each, nothing else";
  const auto warm = in_another_process(folder.path());
  for (size_t i = 0; i < caching_devices(); ++i) {
    expect_miss(cold[i]);
    EXPECT_GT(cold[i]["pipelines_created"], 0);
    expect_hit(warm[i]);
    EXPECT_GT(warm[i]["pipelines_restored"], 0);
    expect_right(cold[i], wanted);
    EXPECT_EQ(warm[i].output, cold[i].output) << "bit by bit";
  }
  EXPECT_EQ(warm.back()["cache_hits"] + warm.back()["cache_misses"], 0) << "CPU devices never cache";
}

TEST(Caching, InOneProcessTheSecondCompilationMakesNothing) {
  const TemporaryFolder folder;
  const auto wanted = expected_output();
  for (size_t i = 0; i < caching_devices(); ++i) {
    expect_miss(compile_and_run(devices()[i], folder.path()));
    const Outcome second = compile_and_run(devices()[i], folder.path());
    expect_hit(second);
    EXPECT_EQ(second["pipelines_restored"], 0) << "they are still there";
    expect_right(second, wanted);
  }
}

TEST(Caching, ProcessesAtTheSameTimeDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  const auto wanted = expected_output();
  std::vector<std::future<std::vector<Outcome>>> processes;
  for (int i = 0; i < 3; ++i) {
    processes.push_back(std::async(std::launch::async, [&] { return in_another_process(folder.path()); }));
  }
  for (auto& process : processes) {
    for (const Outcome& outcome : process.get()) expect_right(outcome, wanted);
  }
  EXPECT_EQ(folder.names().size(), caching_devices());
  for (size_t i = 0; i < caching_devices(); ++i) expect_hit(compile_and_run(devices()[i], folder.path()));
}

TEST(Caching, DamagedFilesAreReplacedWithoutAWord) {
  const auto wanted = expected_output();
  for (size_t i = 0; i < caching_devices(); ++i) {
    const TemporaryFolder folder;
    const ANeuralNetworksDevice* const device = devices()[i];
    expect_miss(compile_and_run(device, folder.path()));
    const std::string file = folder.file(folder.names().at(0));
    const auto size = std::filesystem::file_size(file);
    const std::vector<std::function<void()>> damages = {
        [&] { std::filesystem::resize_file(file, size - 1); },
        [&] { std::filesystem::resize_file(file, 0); },
        [&] { std::filesystem::resize_file(file, size + 1); },
        [&] {
          std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
          stream.seekp(static_cast<std::streamoff>(size / 2));
          stream.write("damage", 6);
        },
        [&] { std::filesystem::remove(file); },
    };
    for (const auto& damage : damages) {
      damage();
      const Outcome outcome = compile_and_run(device, folder.path());
      expect_miss(outcome);
      expect_right(outcome, wanted);
      expect_hit(compile_and_run(device, folder.path()));
    }
    EXPECT_EQ(folder.names().size(), 1U);
  }
}

TEST(Caching, TheTokenOfAnotherModelGivesNoWrongResults) {
  const TemporaryFolder folder;
  for (size_t i = 0; i < caching_devices(); ++i) {
    expect_miss(compile_and_run(devices()[i], folder.path(), 0.01F));
    const Outcome other = compile_and_run(devices()[i], folder.path(), 0.02F);
    expect_miss(other);
    expect_right(other, expected_output(0.02F));
  }
}

TEST(Caching, AFolderThatCannotBeUsedOnlyDisablesIt) {
  const auto wanted = expected_output();
  for (const ANeuralNetworksDevice* device : devices()) {
    expect_right(compile_and_run(device, "/no/such/folder"), wanted);
    const Outcome none = compile_and_run(device, "");
    EXPECT_EQ(none["cache_misses"] + none["cache_hits"], 0);
    expect_right(none, wanted);
  }
}

}  // namespace
}  // namespace nnvk::test
