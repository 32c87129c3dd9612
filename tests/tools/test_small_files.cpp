// Small files that request gigabytes give an error that names the request, at once and before any allocation.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "importers/tflite/graph_emission.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tflite_subset_generated.h"

namespace nnvk::test {
namespace {

using namespace importers::tflite::format;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fb = flatbuffers;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(NNVK_EMULATOR)
constexpr bool kTimesAndMemoryCount = false;
#else
constexpr bool kTimesAndMemoryCount = true;
#endif

struct Described {
  std::vector<int32_t> shape;
  TensorType type = TensorType_FLOAT32;
  std::vector<int32_t> values = {};  // of a constant
};

// A file with tensors and one operator. The operator reads all tensors but the last, and writes the last; tensor 0 is the model's
// input. `times`: how many such operators the file has; each has its own result of the last tensor's type.
std::string file_of(BuiltinOperator code, std::vector<Described> tensors, int times = 1) {
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<Buffer>> buffers{CreateBuffer(builder)};
  std::vector<fb::Offset<Tensor>> tables;
  std::vector<fb::Offset<Operator>> operators;
  std::vector<int32_t> inputs;
  for (size_t i = 0; i + 1 < tensors.size(); ++i) inputs.push_back(static_cast<int32_t>(i));
  const Described result = tensors.back();
  for (int i = 1; i < times; ++i) tensors.push_back(result);
  for (const Described& tensor : tensors) {
    uint32_t buffer = 0;
    if (!tensor.values.empty()) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(tensor.values.data());
      buffer = static_cast<uint32_t>(buffers.size());
      buffers.push_back(CreateBuffer(builder, builder.CreateVector(bytes, tensor.values.size() * sizeof(int32_t))));
    }
    const auto name = builder.CreateString("t" + std::to_string(tables.size()));
    tables.push_back(CreateTensor(builder, builder.CreateVector(tensor.shape), tensor.type, buffer, name));
  }
  for (int i = 0; i < times; ++i) {
    const auto output = static_cast<int32_t>(inputs.size()) + i;
    const std::vector<int32_t> one{output};
    operators.push_back(CreateOperator(builder, 0, builder.CreateVector(inputs), builder.CreateVector(one)));
    inputs[0] = output;
    if (i == 0 && times > 1) inputs = {output};
  }
  const std::vector<int32_t> in{0};
  const std::vector<int32_t> out{static_cast<int32_t>(tensors.size()) - 1};
  const auto graph = CreateSubGraph(builder, builder.CreateVector(tables), builder.CreateVector(in), builder.CreateVector(out),
                                    builder.CreateVector(operators));
  const auto code_table = CreateOperatorCode(builder, static_cast<int8_t>(code), 0, 1, code);
  FinishModelBuffer(builder, CreateModel(builder, 3, builder.CreateVector(&code_table, 1), builder.CreateVector(&graph, 1), 0,
                                         builder.CreateVector(buffers)));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

struct Hungry {
  const char* name;
  std::string file;
  std::string complaint;  // which tensor, and its size
};

std::vector<Hungry> hungry_files() {
  const Described one{{1, 1, 1, 1}};
  return {
      {"input", file_of(BuiltinOperator_RELU, {{{1, 40000, 40000, 1}}, {{1, 40000, 40000, 1}}}),
       "tensor 0 't0' (FLOAT32) [1,40000,40000,1] with 5.96 GiB"},
      {"resize", file_of(BuiltinOperator_RESIZE_BILINEAR, {one, {{2}, TensorType_INT32, {30000, 30000}}, {{1, 30000, 30000, 1}}}),
       "tensor 2 't2' (FLOAT32) [1,30000,30000,1] with 3.35 GiB"},
      {"pad",
       file_of(BuiltinOperator_PAD, {one, {{4, 2}, TensorType_INT32, {0, 0, 0, 32767, 0, 32767, 0, 0}}, {{1, 32768, 32768, 1}}}),
       "tensor 2 't2' (FLOAT32) [1,32768,32768,1] with 4 GiB"},
      {"many", file_of(BuiltinOperator_RELU, {{{1, 8192, 4096, 1}}, {{1, 8192, 4096, 1}}}, 20),
       "(FLOAT32) [1,8192,4096,1] with 128 MiB"}};
}

struct Ended {
  int code = -1;
  std::string text;
  std::chrono::milliseconds time{};
  size_t kilobytes = 0;  // the most that were resident
};

size_t peak_kilobytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  }
  return 0;
}

// Runs the program and watches its memory.
Ended watched(const std::vector<std::string>& arguments, const std::string& output) {
  std::vector<char*> words{const_cast<char*>(NNVK_BINARY)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  Ended ended;
  pid_t child = -1;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(::posix_spawn(&child, NNVK_BINARY, &actions, nullptr, words.data(), ::environ), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    ended.kilobytes = std::max(ended.kilobytes, peak_kilobytes(child));
    if (ended.kilobytes > (size_t{1} << 20))
      ::kill(child, SIGKILL);  // the test has failed; stops before the machine runs out of memory
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ended.time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream text(output);
  ended.text.assign(std::istreambuf_iterator<char>(text), std::istreambuf_iterator<char>());
  return ended;
}

class SmallFiles : public ::testing::Test {
 protected:
  std::string path_of(const Hungry& hungry) const {
    const std::string path = folder_.file(std::string(hungry.name) + ".tflite");
    std::ofstream(path, std::ios::binary) << hungry.file;
    return path;
  }
  Ended run(std::vector<std::string> arguments) const { return watched(arguments, folder_.file("output")); }

  TemporaryFolder folder_;
};

TEST_F(SmallFiles, ThatAskForGigabytesEndInAnErrorAtOnce) {
  for (const Hungry& hungry : hungry_files()) {
    EXPECT_LT(hungry.file.size(), hungry.name == std::string("many") ? 4000U : 500U) << hungry.name;
    const std::string path = path_of(hungry);
    for (const char* command : {"run", "bench", "explain", "kernels", "soak"}) {
      const Ended ended = run({command, path});
      EXPECT_NE(ended.code, 0) << command << " " << hungry.name;
      EXPECT_LT(ended.code, 128) << command << " " << hungry.name;
      EXPECT_THAT(ended.text, AllOf(HasSubstr(path), HasSubstr(hungry.complaint), HasSubstr("more than the 2 GiB"),
                                    HasSubstr("allow more with --memory")))
          << command;
      if (!kTimesAndMemoryCount) continue;
      EXPECT_LT(ended.time, std::chrono::seconds(1)) << command << " " << hungry.name;
      EXPECT_LT(ended.kilobytes, 200'000U) << command << " " << hungry.name;
    }
  }
}

TEST_F(SmallFiles, RunWithinWhatTheyAreAllowed) {
  const std::string path = folder_.file("relu.tflite");
  std::ofstream(path, std::ios::binary) << file_of(BuiltinOperator_RELU, {{{1, 512, 512, 1}}, {{1, 512, 512, 1}}});
  // 1 MiB of input, 1 MiB of output, and the same again for values that the program reads and prints.
  EXPECT_EQ(run({"run", path, "--device", "cpu", "--runs", "1", "--memory", "4MiB"}).code, 0);
  const Ended refused = run({"run", path, "--device", "cpu", "--memory", "3MiB"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.text, HasSubstr("its tensors need 4 MiB, more than the 3 MiB"));
}

// Tensors that the importer adds count towards the same budget.
TEST_F(SmallFiles, MayNotAskForMoreByDetours) {
  const std::string file = file_of(BuiltinOperator_RELU, {{{1, 512, 512, 1}}, {{1, 512, 512, 1}}});
  const auto graph = importers::tflite::read_graph({file.begin(), file.end()});
  ASSERT_TRUE(graph);
  importers::ImportBudget budget(uint64_t{5} << 20, file.size());
  ASSERT_TRUE(budget.take_tensors(importers::tflite::tensor_memory(*graph)));
  EXPECT_TRUE(budget.take_bytes(1 << 20, "a result"));
  const auto refused = budget.take_bytes(1, "one more");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("one more needs 1 bytes"), HasSubstr("5 MiB"), HasSubstr("--memory 1GiB")));
}

}  // namespace
}  // namespace nnvk::test
