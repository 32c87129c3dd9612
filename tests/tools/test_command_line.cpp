// The nnvk program as a user runs it: exit codes, help, errors, JSON, and the vectors of this project.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"

namespace nnvk::tools {
namespace {

using test::Finished;
using test::nnvk;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModels = std::string(NNVK_SOURCE_DIR) + "/models/";
const std::string kVectors = std::string(NNVK_SOURCE_DIR) + "/tests/tools/vectors";

// Its output with --json, which must be one JSON document and nothing else.
nlohmann::json json_of(const Finished& finished) {
  auto document = nlohmann::json::parse(finished.text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << finished.text;
  return document;
}

TEST(CommandLine, WhatCannotBeWrittenIsAnError) {
  for (const char* command : {"devices", "devices --json", "operations", "conformance --generated --list"}) {
    const auto result = test::nnvk(command, "2>&1 >/dev/full");
    EXPECT_EQ(result.code, 1) << command;
    EXPECT_THAT(result.text, HasSubstr("No space left")) << command;
  }
  const std::string run = "run " + kModels + "digits_float.tflite --input " + kModels + "digit_7.png --device cpu";
  EXPECT_EQ(test::nnvk(run, "2>&1 >/dev/full").code, 1);
  EXPECT_EQ(test::nnvk(run + " --json", "2>&1 >/dev/full").code, 1);
  EXPECT_EQ(test::nnvk(run + " --output /dev/full").code, 1);
}

TEST(CommandLine, FoldersAndEmptyAndEndlessFilesAreErrors) {
  const std::string run = "run " + kModels + "digits_float.tflite --device cpu --labels ";
  for (const char* labels : {"/", "/dev/null", "/dev/zero"}) EXPECT_EQ(test::nnvk(run + labels).code, 1) << labels;
  EXPECT_THAT(test::nnvk("run / --device cpu").text, HasSubstr("is a folder"));
}

TEST(CommandLine, HelpIsEverywhere) {
  for (const auto* command :
       {"", "devices", "run", "bench", "kernels", "soak", "trace", "conformance", "operations", "completion"}) {
    const auto result = nnvk(std::string(command) + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_THAT(result.text, HasSubstr("--help")) << command;
  }
}

TEST(CommandLine, HelpForACommandIsThatOfItsOption) {
  EXPECT_EQ(nnvk("help run").text, nnvk("run --help").text);
  EXPECT_EQ(nnvk("help").text, nnvk("--help").text);
  EXPECT_EQ(nnvk("help fly").code, 2);
}

TEST(CommandLine, WrongUsageIsExitCode2AndSaysWhatIsWrong) {
  for (const auto* arguments : {"", "frobnicate", "run", "run x.tflite --runs 0", "run x.tflite --std 0", "conformance"}) {
    const auto result = nnvk(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.text;
    EXPECT_FALSE(result.text.empty());
  }
  EXPECT_THAT(nnvk("frobnicate").text, AllOf(HasSubstr("frobnicate: nnvk has no such command"), HasSubstr("run, bench")));
}

TEST(CommandLine, ErrorsAboutValuesOfOptionsSayWhichAreRight) {
  const std::pair<std::string, const char*> cases[] = {
      {"conformance --mode 1", "--mode: must be sync, async, burst, fenced, reusable or mixed, not '1'"},
      {"kernels x --variant quick", "--variant: must be texel or words, not 'quick'"},
      {"run x --runs 0", "--runs: must be a number from 1 to 1000000, not '0'"},
      {"benchmark --seconds 0", "--seconds: must be a number above 0, and at most 31536000, not '0'"},
      {"conformance --max-not-supported -1", "--max-not-supported: must be a number of 0 or more, not '-1'"},
      {"run x --memory -1", "--memory: must be a size such as 500MiB or 8GiB, or a number of bytes, not '-1'"},
      {"run x --memory 0", "--memory: must be a size"},
      {"conformance --seed -1", "--seed: must be a number of 0 or more, not '-1'"},
      {"conformance --random-graphs -1", "--random-graphs: must be a number from 0 to 100000000, not '-1'"},
      {"gpu-check --minutes 1e300", "--minutes: must be a number above 0, and at most 525600, not '1e300'"},
      {"benchmark --seconds inf", "--seconds: must be a number above 0"},
      {"run x --min-score nan", "--min-score: must be a number from 0 to 1, not 'nan'"},
      {"run x --device ''", "--device: must not be empty"},
      {"soak --mode brust", "--mode: must be burst or fenced, not 'brust'; did you mean burst?"},
      {"run x --memory 5XB", "--memory: must be a size such as 500MiB or 8GiB, or a number of bytes, not '5XB'"}};
  for (const auto& [arguments, error] : cases) EXPECT_THAT(nnvk(arguments).text, HasSubstr(error));
}

TEST(CommandLine, ErrorsNameTheFileOrDevice) {
  const std::pair<std::string, const char*> cases[] = {
      {"missing.tflite --device cpu", "missing.tflite"},
      {kModels + "digits_float.tflite --device cpu --input " + kModels + "digits_labels.txt", "256 bytes"}};
  for (const auto& [arguments, named] : cases) {
    const auto result = nnvk("run " + arguments);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.text, HasSubstr(named));
  }
}

TEST(CommandLine, EveryCommandEndsWithTheSameCodeForAMissingFileAndForAnUnknownDevice) {
  for (const std::string command : {"run", "bench", "explain", "kernels", "soak", "benchmark"}) {
    EXPECT_EQ(nnvk(command + " /missing.tflite").code, 1) << command;
    const auto result = nnvk(command + " " + kModels + "digits_float.tflite --device nonsense");
    EXPECT_EQ(result.code, 3) << command << "\n" << result.text;
    EXPECT_THAT(result.text, HasSubstr("nonsense")) << command;
  }
  const std::string digits = kModels + "digits_float.tflite";
  const std::string missing[] = {"upscale /missing.png out.png",
                                 "upscale " + kModels + "digit_7.png --measure --model /missing",
                                 "trace /missing",
                                 "operations --check /missing",
                                 "kernels --compare /missing /missing",
                                 "conformance --compare /missing /missing",
                                 "conformance --vectors /missing",
                                 "conformance --generated --waivers /missing",
                                 "conformance --generated --case-list /missing",
                                 "gpu-check --vectors /missing",
                                 "benchmark --onnxruntime /missing",
                                 "run " + digits + " --labels /missing",
                                 "run " + digits + " --cache /missing",
                                 "run " + digits + " --watch /missing",
                                 "run " + digits + " --input /missing"};
  for (const auto& command : missing) {
    const auto result = nnvk(command);
    EXPECT_EQ(result.code, 1) << command << "\n" << result.text;
    EXPECT_THAT(result.text, AllOf(HasSubstr("nnvk: error: "), HasSubstr("/missing"))) << command;
  }
  const auto both = nnvk("run " + digits + " --cache /missing --devcie cpu");
  EXPECT_EQ(both.code, 2) << "a wrong command line is found first";
}

// The library logs failed calls as well. A user who did not ask for its log reads each error once.
TEST(CommandLine, EachErrorIsPrintedOnce) {
  const std::string command = "kernels " + kModels + "digits_float.tflite --device nonsense";
  EXPECT_THAT(nnvk(command).text, Not(HasSubstr("E/")));
  EXPECT_THAT(nnvk(command, "2>&1", "NNVK_LOG=error").text, HasSubstr("E/"));
}

// Returns the line about the choice of devices; "" if there is none.
std::string choice_line(const std::string& arguments, const std::string& settings = "") {
  const auto text = nnvk(arguments, "2>&1 >/dev/null", settings).text;
  const size_t begin = text.find("nnvk: device ");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(CommandLine, WithoutADeviceTheLibraryChoosesAndSaysWhy) {
  const std::string digits = kModels + "digits_float.tflite";
  const std::string commands[] = {
      "run " + digits + " --runs 1",     "bench " + digits + " --runs 1",       "explain " + digits,
      "soak " + digits + " --seconds 1", "soak --mode burst --executions 2000", "upscale " + kModels + "digit_7.png --measure"};
  for (const auto& command : commands) {
    EXPECT_THAT(choice_line(command), AllOf(HasSubstr("(predicted "), HasSubstr(" ms"))) << command;
    EXPECT_EQ(choice_line(command + " --device cpu"), "") << command;
  }
  EXPECT_THAT(choice_line("run " + digits, "NNVK_CPU_ONLY=1"), HasSubstr("nnvk: device nnvk-cpu (predicted "));
  EXPECT_THAT(choice_line("run " + digits, "NNVK_CPU_ONLY=1"), HasSubstr("there is no other device"));
  EXPECT_THAT(choice_line("run " + digits, "NNVK_PARTITION=0"), HasSubstr("nnvk: device nnvk-cpu (NNVK_PARTITION=0; "));
}

// The library takes the device with the smallest predicted time. A factor makes each of two devices the fastest in turn.
TEST(CommandLine, TheChosenDeviceIsTheOneWithTheSmallestPrediction) {
  if (nnvk("run " + kModels + "digits_float.tflite --device vulkan").code == 3) GTEST_SKIP() << "no Vulkan device";
  const std::string run = "run " + kModels + "digits_float.tflite --runs 1 --json";
  const auto choice = [&](const std::string& factors) {
    return json_of(nnvk(run, "2>/dev/null", "NNVK_COST_FACTORS=" + factors))["choice"];
  };
  const auto cpu = choice("nnvk-cpu=0.0001");
  EXPECT_EQ(cpu["devices"], nlohmann::json({"nnvk-cpu"}));
  EXPECT_THAT(cpu["others"][0]["device"].get<std::string>(), ::testing::StartsWith("vulkan"));
  EXPECT_GT(cpu["others"][0]["predicted_seconds"], cpu["predicted_seconds"]);
  const auto gpu = choice("nnvk-cpu=100000");
  EXPECT_THAT(gpu["devices"][0].get<std::string>(), ::testing::StartsWith("vulkan"));
  EXPECT_EQ(gpu["others"][0]["device"], "nnvk-cpu");
  EXPECT_GT(gpu["others"][0]["predicted_seconds"], gpu["predicted_seconds"]);
}

TEST(CommandLine, BenchMeasuresAModelThatDevicesShareWithoutCeilings) {
  const auto result = nnvk("bench " + kModels + "digits_float.tflite --runs 2 --device cpu,nnapi-reference,cpu");
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, AllOf(HasSubstr("ceilings  unknown: several devices share the model"), HasSubstr("median ")));
}

TEST(CommandLine, ColoursAreForTerminalsThatWantThem) {
  const std::string wrong = "frobnicate";
  EXPECT_THAT(nnvk(wrong).text, Not(HasSubstr("\033["))) << "a pipe";
  EXPECT_THAT(nnvk(wrong, "2>&1", "CLICOLOR_FORCE=1").text, HasSubstr("\033[31mnnvk: error:\033[0m frobnicate"));
  EXPECT_THAT(nnvk(wrong, "2>&1", "CLICOLOR_FORCE=1 NO_COLOR=1").text, Not(HasSubstr("\033[")));
  if (test::finished("command -v script").code != 0) GTEST_SKIP() << "script is not installed";
  const auto on_terminal = [&](const std::string& settings) {
    return test::finished(settings + " script -qec \"" + test::command_to_run(NNVK_BINARY) + wrong + "\" /dev/null </dev/null")
        .text;
  };
  EXPECT_THAT(on_terminal("NO_COLOR= TERM=xterm"), HasSubstr("\033[31m"));
  EXPECT_THAT(on_terminal("NO_COLOR= TERM=dumb"), Not(HasSubstr("\033[")));
  EXPECT_THAT(on_terminal("NO_COLOR=1 TERM=xterm"), Not(HasSubstr("\033[")));
}

// People mistype. Each error stands once, begins like all others, and says where help is.
TEST(CommandLine, UnknownCommandsAndOptionsNameTheNearestOne) {
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"rnu x", "rnu: nnvk has no such command", "did you mean run?"},
      {"conformanc", "nnvk has no such command", "did you mean conformance?"},
      {"run x.tflite --devcie cpu", "nnvk run has no option --devcie", "did you mean --device?"},
      {"bench x.tflite --rnus 3", "nnvk bench has no option --rnus", "did you mean --runs?"},
      {"run x.tflite y.tflite", "nnvk run takes no further word 'y.tflite'", "`nnvk run --help`"},
      {"run", "model is required", "`nnvk run --help`"},
      {"", "nnvk needs a command", "`nnvk --help`"}};
  for (const auto& [arguments, error, hint] : cases) {
    const auto result = nnvk(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_THAT(result.text, ::testing::StartsWith("nnvk: error: ")) << arguments;
    EXPECT_EQ(result.text.find("nnvk: error: ", 1), std::string::npos) << result.text;
    EXPECT_THAT(result.text, AllOf(HasSubstr(error), HasSubstr(hint))) << arguments;
  }
  for (const char* arguments : {"zzzzzz", "run x.tflite --zzzzzz"}) {
    EXPECT_THAT(nnvk(arguments).text, Not(HasSubstr("did you mean"))) << arguments;
  }
}

TEST(CommandLine, NumbersOfPicturesAreFiniteAndPicturesAreWrittenAsPng) {
  for (const char* options : {"--mean nan", "--mean inf", "--std nan", "--std 0", "--mean many"}) {
    EXPECT_EQ(nnvk("run " + kModels + "digits_float.tflite " + options).code, 2) << options;
  }
  const auto jpeg = nnvk("upscale " + kModels + "digit_7.png out.jpg");
  EXPECT_EQ(jpeg.code, 2);
  EXPECT_THAT(jpeg.text, HasSubstr("must end with .png"));
}

TEST(CommandLine, DevicesListsTheCpuLast) {
  const auto result = nnvk("devices --json", "2>/dev/null");
  ASSERT_EQ(result.code, 0) << result.text;
  const auto document = json_of(result);
  EXPECT_EQ(document["devices"].back()["name"], "nnapi-reference");
}

std::vector<std::string> offered_devices(const std::string& settings) {
  std::vector<std::string> names;
  const auto document = json_of(nnvk("devices --json", "2>/dev/null", settings));
  for (const auto& device : document["devices"]) names.push_back(device["name"]);
  return names;
}

TEST(CommandLine, SettingsLeaveOutDevicesButNeverTheReference) {
  EXPECT_THAT(offered_devices("NNVK_CPU_ONLY=1"), ElementsAre("nnvk-cpu", "nnapi-reference"));
  EXPECT_THAT(offered_devices("NNVK_DEVICES=nnvk-cpu"), ElementsAre("nnvk-cpu", "nnapi-reference"));
  EXPECT_THAT(offered_devices("NNVK_DEVICES=none"), ElementsAre("nnapi-reference"));
}

TEST(CommandLine, RunNamesTheDigitOnBothModels) {
  for (const auto* model : {"digits_float", "digits_quant"}) {
    const auto result = nnvk("run " + kModels + model + ".tflite --device cpu --json --input " + kModels +
                                 "digit_3.png --labels " + kModels + "digits_labels.txt --profile",
                             "2>/dev/null");
    ASSERT_EQ(result.code, 0) << result.text;
    const auto document = json_of(result);
    EXPECT_EQ(document["results"][0]["answers"][0]["top"][0]["label"], "three");
    EXPECT_EQ(document["execution_seconds"].size(), 5u);
    EXPECT_EQ(document["partitions"], 1);
  }
}

TEST(CommandLine, RunWritesTheRawOutput) {
  const TemporaryFolder folder;
  const auto path = folder.file("output.bin");
  const auto result = nnvk("run " + kModels + "digits_float.tflite --device cpu --runs 1 --output " + path);
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(std::filesystem::file_size(path), 40u);
}

TEST(CommandLine, BenchReportsMedianAndOperations) {
  const auto result = nnvk("bench " + kModels + "digits_float.tflite --device cpu --runs 3 --json", "2>/dev/null");
  ASSERT_EQ(result.code, 0) << result.text;
  const auto document = json_of(result);
  EXPECT_GT(document["median_seconds"].get<double>(), 0);
  EXPECT_GT(document["predicted_seconds"].get<double>(), 0);
  EXPECT_FALSE(document["nodes"].empty());
}

// The kernels that an execution of the digits model on nnvk-cpu uses.
std::set<std::string> kernels_of_digits(const std::string& settings) {
  const auto document =
      json_of(nnvk("bench " + kModels + "digits_quant.tflite --device nnvk-cpu --runs 1 --json", "2>/dev/null", settings));
  std::set<std::string> kernels;
  for (const auto& node : document["nodes"]) kernels.insert(node["kernel"]);
  return kernels;
}

TEST(CommandLine, TheCpuDeviceUsesTheReferencesKernelsWhereASettingSaysSo) {
  EXPECT_THAT(kernels_of_digits("NNVK_CPU_KERNELS=reference"), ElementsAre("reference"));
  EXPECT_THAT(kernels_of_digits("NNVK_CPU_KERNELS=optimized"), Not(Contains("reference")));
}

TEST(CommandLine, ASecondRunStartsFromTheCache) {
  const TemporaryFolder folder;
  const std::string run =
      "run " + kModels + "digits_float.tflite --runs 1 --profile --json --device vulkan --cache " + folder.path();
  const auto first = nnvk(run, "2>/dev/null");
  if (first.code == 3 && first.text.empty()) GTEST_SKIP() << "no Vulkan device";
  const auto second = nnvk(run, "2>/dev/null");
  ASSERT_EQ(second.code, 0) << second.text;
  const auto cold = json_of(first)["counters"];
  const auto warm = json_of(second)["counters"];
  EXPECT_GT(cold["pipelines_created"], 0);
  EXPECT_GT(cold["weights_packed"], 0);
  EXPECT_EQ(warm["pipelines_created"], 0);
  EXPECT_EQ(warm["weights_packed"], 0);
  EXPECT_EQ(warm["weights_restored"], cold["weights_packed"]);
  EXPECT_EQ(nnvk(run + "/none").code, 1) << "the folder must exist";
}

TEST(CommandLine, TraceSumsUpATracedRun) {
  const std::string file = ::testing::TempDir() + "nnvk_command_trace.json";
  ::setenv("NNVK_TRACE", file.c_str(), 1);
  const auto run = nnvk("run " + kModels + "digits_float.tflite --device cpu --runs 4");
  ::unsetenv("NNVK_TRACE");
  ASSERT_EQ(run.code, 0) << run.text;
  const auto whole = json_of(nnvk("trace --json " + file, "2>/dev/null"));
  const auto one = json_of(nnvk("trace --json --per-execution " + file, "2>/dev/null"));
  ASSERT_TRUE(whole.is_object() && one.is_object());
  EXPECT_EQ(whole["executions"], 4);
  EXPECT_GT(whole["seconds"]["Compute"]["CPU"], 0);
  EXPECT_GT(whole["seconds"]["Preparation"]["Runtime"], 0);
  EXPECT_NEAR(one["seconds"]["Compute"]["CPU"].get<double>() * 4, whole["seconds"]["Compute"]["CPU"].get<double>(), 1e-9);
  EXPECT_GE(whole["total_seconds"]["Compilation"]["Runtime"], whole["seconds"]["Compilation"]["Runtime"]);
  EXPECT_EQ(whole["runs"].size(), 1U);
  EXPECT_THAT(nnvk("trace " + file).text, AllOf(HasSubstr("(self-times"), HasSubstr("Termination"), HasSubstr("\nDriver")));
  EXPECT_THAT(nnvk("trace --total-times " + file).text, HasSubstr("(total time"));
  EXPECT_THAT(nnvk("trace --print-detail " + file).text,
              AllOf(HasSubstr("(self-times"), HasSubstr("[NN_LR_PC]ANeuralNetworksCompilation_finish\n")));
  EXPECT_EQ(nnvk("trace --print-detail --json " + file).code, 2);
  std::filesystem::remove(file);
  const auto missing = nnvk("trace " + file);
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.text, HasSubstr(file));
}

TEST(CommandLine, SoakComparesEveryAnswerOnManyThreads) {
  for (const auto* device : {"cpu", "vulkan"}) {
    const auto result =
        nnvk("soak " + kModels + "digits_quant.tflite --threads 16 --seconds 2 --json --device " + device, "2>/dev/null");
    if (result.code == 3 && result.text.empty() && std::string(device) == "vulkan") GTEST_SKIP() << "no Vulkan device";
    const auto document = json_of(result);
    EXPECT_GT(document["executions"], 100) << result.text;
    EXPECT_EQ(document["wrong"], 0);
    EXPECT_EQ(document["error"], "");
  }
}

TEST(CommandLine, SoakWatchesMemoryAndOpenFilesOverManyExecutions) {
  for (const std::string mode : {"burst", "fenced"}) {
    const auto result = nnvk("soak --mode " + mode + " --executions 3000 --device cpu --json", "2>/dev/null");
    const auto document = json_of(result);
    EXPECT_EQ(document["executions"], 3000);
    EXPECT_EQ(document["open_files_early"], document["open_files_late"]);
  }
  EXPECT_EQ(nnvk("soak").code, 2);
  EXPECT_EQ(nnvk("soak model.tflite --mode burst").code, 2);
}

TEST(CommandLine, ExplainsAModelAndDrawsIt) {
  const std::string graph = ::testing::TempDir() + "nnvk_explained.dot";
  const auto result = nnvk("explain " + kModels + "digits_quant.tflite --device cpu --graph " + graph);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("CONV_2D"));
  EXPECT_THAT(result.text, HasSubstr("nnvk-cpu"));
  std::ifstream stream(graph);
  const std::string drawn((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_THAT(drawn, HasSubstr("digraph model"));
  EXPECT_THAT(drawn, HasSubstr("SOFTMAX"));
  EXPECT_EQ(nnvk("explain " + kModels + "digits_quant.tflite --graph picture.png").code, 2);
}

std::string contents_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CommandLine, ExplainsAModelInAPage) {
  const test::TemporaryFolder folder;
  const std::string page = folder.file("page.html");
  ASSERT_EQ(nnvk("explain " + kModels + "digits_quant.tflite --device cpu --graph " + page).code, 0);
  EXPECT_THAT(contents_of(page), AllOf(HasSubstr("<title>digits_quant.tflite</title>"), HasSubstr("0 CONV_2D"),
                                       HasSubstr("nnvk-cpu: 7 operations, "), EndsWith("</html>\n")));
}

TEST(CommandLine, DrawsWithoutGraphviz) {
  const test::TemporaryFolder folder;
  const std::string picture = folder.file("picture.svg");
  // An empty folder as PATH: `dot` is not found.
  const auto result =
      nnvk("explain " + kModels + "digits_quant.tflite --device cpu --graph " + picture, "2>&1", "PATH=" + folder.path());
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("Graphviz is not installed"));
  EXPECT_THAT(contents_of(picture), AllOf(HasSubstr("<svg "), HasSubstr("0 CONV_2D</text>")));
}

TEST(CommandLine, RefusesToDrawIntoAFileThatCannotBeWrittenBeforeItMeasures) {
  for (const std::string file : {"/no/such/folder/graph.svg", "/proc/self.html"}) {
    const auto result = nnvk("explain " + kModels + "digits_quant.tflite --device cpu --graph " + file);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.text, AllOf(HasSubstr("cannot write " + file), Not(HasSubstr("CONV_2D")))) << "nothing was explained";
  }
}

TEST(CommandLine, ExplainsWhatDevicesComputeInOneStep) {
  for (const std::string device : {"nnvk-cpu", "vulkan"}) {
    const auto result = nnvk("explain " + kModels + "upscaler_float.tflite --json --device " + device, "2>/dev/null");
    if (result.text.empty() && device == "vulkan") GTEST_SKIP() << "no Vulkan device";
    const auto operations = json_of(result)["operations"];
    size_t merged = 0;
    for (const auto& operation : operations) {
      if (!operation.contains("merged_into")) continue;
      ++merged;
      EXPECT_EQ(operation["name"], "ADD");
      EXPECT_EQ(operations[operation["merged_into"].get<size_t>()]["name"], "CONV_2D");
    }
    EXPECT_EQ(merged, 1U) << device << ": the sum at the end belongs to the convolution before it";
  }
}

TEST(CommandLine, TheLogNamesTheDeviceOfEachOperationInAndroidsWords) {
  const auto result =
      nnvk("run " + kModels + "digits_quant.tflite --runs 1 --device cpu", "2>&1 >/dev/null", "NNVK_VLOG=compilation");
  EXPECT_THAT(result.text, HasSubstr("I/ExecutionPlan: ModelBuilder::findBestDeviceForEachOperation(CONV_2D): 0 (nnvk-cpu)\n"));
  EXPECT_THAT(result.text, HasSubstr("I/ExecutionPlan: ModelBuilder::partitionTheWork: only one best device: 0 = nnvk-cpu\n"));
}

TEST(CommandLine, ConformanceListsWithoutADevice) {
  const auto result = nnvk("conformance --list --device nonsense --case 'own_conv*' --vectors " + kVectors);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.text, HasSubstr("nnvk.vectors.own.windows.own_conv_quant8\n"));
  EXPECT_THAT(result.text, Not(HasSubstr("own_add")));
}

TEST(CommandLine, OwnVectorsPassInEveryMode) {
  for (const auto* mode : {"sync", "async", "burst", "reusable"}) {
    const auto result = nnvk("conformance --device cpu --mode " + std::string(mode) + " --vectors " + kVectors);
    EXPECT_EQ(result.code, 0) << mode << "\n" << result.text;
    EXPECT_THAT(result.text, HasSubstr(" passed, 0 failed, 0 skipped\n")) << mode;
  }
}

TEST(CommandLine, OwnVectorsGiveTheReferencesIntegersOnVulkan) {
  const auto result = nnvk("conformance --device vulkan --against-reference --vectors " + kVectors);
  if (result.code == 3) GTEST_SKIP() << "no Vulkan device";
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(nnvk("conformance --generated --against-reference").code, 2) << "generated cases always are";
}

TEST(CommandLine, FencedExecutionsLeaveOutVectorsWithOpenOutputs) {
  const auto result = nnvk("conformance --device cpu --mode fenced --vectors " + kVectors);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("  fenced executions need outputs of known shape"));
  EXPECT_THAT(result.text, HasSubstr(" passed, 0 failed, "));
}

TEST(CommandLine, ConformanceWithoutACaseIsAUsageError) {
  const auto result = nnvk("conformance --case nothing_like_it --vectors " + kVectors);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.text, HasSubstr("no case matches --case nothing_like_it; `nnvk conformance --vectors " + kVectors));
  EXPECT_EQ(nnvk("conformance --device nonsense --vectors " + kVectors).code, 3);
}

TEST(CommandLine, VariantsRunOneAfterTheOtherAndAreNamedInTheResults) {
  const auto result = nnvk("conformance --variant all --device vulkan --json --vectors " + kVectors, "2>/dev/null");
  if (result.code == 3) GTEST_SKIP() << "no Vulkan device";
  ASSERT_EQ(result.code, 0) << result.text;
  const auto document = json_of(result);
  EXPECT_GT(document["variants"]["texel"].get<int>(), 0);
  EXPECT_EQ(document["variants"]["texel"], document["variants"]["words"]);
  EXPECT_EQ(document["failed"], 0);
}

TEST(CommandLine, VariantsAreForVulkanDevices) {
  const auto result = nnvk("conformance --variant words --device cpu --vectors " + kVectors);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_THAT(result.text, HasSubstr("nnvk-cpu"));
  EXPECT_EQ(nnvk("conformance --variant quick --device vulkan --vectors " + kVectors).code, 2);
}

TEST(CommandLine, GeneratedCasesAreChosenRepeatedAndReported) {
  const TemporaryFolder folder;
  const auto junit = folder.file("junit.xml");
  const auto result = nnvk(
      "conformance --generated --seed 7 --op MAX_POOL_2D --family pooling --fraction 1/4 --repeat 3 --device cpu "
      "--max-not-supported 0 --exclude nchw --junit " +
      junit);
  EXPECT_EQ(result.code, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr(" passed, 0 failed, 0 skipped\n"));
  EXPECT_THAT(result.text, HasSubstr("pooling"));
  EXPECT_THAT(result.text, Not(HasSubstr("E/"))) << "expected errors are not logged";
  EXPECT_GT(std::filesystem::file_size(junit), 1000u);
}

TEST(CommandLine, ExpiredWaiversAreErrors) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("waivers")) << R"([{"case": "own_add*", "reason": "a known bug", "expires": "2020-01-01"}])";
  const auto result = nnvk("conformance --device cpu --waivers " + folder.file("waivers") + " --vectors " + kVectors);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.text, HasSubstr("a known bug"));
}

TEST(CommandLine, AWrongExpectationFailsTheRun) {
  const TemporaryFolder folder;
  const auto path = folder.file("wrong.jsonl");
  std::ofstream(path)
      << R"({"name":"wrong","spec":"x/wrong","variation":"","feature_level":1,"relaxed":false,"expect_failure":false,"multinomial_tolerance":0,"main":{"operands":[{"type":"TENSOR_FLOAT32","dims":[1],"scale":0,"zero_point":0,"lifetime":"SUBGRAPH_INPUT","data":"AACAPw=="},{"type":"TENSOR_FLOAT32","dims":[1],"scale":0,"zero_point":0,"lifetime":"SUBGRAPH_OUTPUT","data":"AAAAQA=="}],"operations":[{"type":"RELU","inputs":[0],"outputs":[1]}],"inputs":[0],"outputs":[1]},"referenced":[]})"
         "\n";
  const auto result = nnvk("conformance --device cpu --vectors " + path);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.text, HasSubstr("element 0 is 1 instead of 2"));
  EXPECT_THAT(result.text, EndsWith("0 passed, 1 failed, 0 skipped\n"));
}

}  // namespace
}  // namespace nnvk::tools
