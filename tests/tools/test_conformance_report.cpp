// `nnvk conformance --report` and `--compare` as users run them: wrong results, lost devices and crashes on a page, dumps that
// NumPy reads, the page in a browser, provenance in every format, two runs compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/tools/conformance_vectors_on_disk.h"
#include "tests/tools/nnvk_program.h"
#include "tools/conformance/results_file.h"

namespace nnvk::tools {
namespace {

using test::TemporaryFolder;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

nlohmann::json json_of(const std::string& text) {
  auto document = nlohmann::json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << text;
  return document;
}

// A run of three RELUs on a CPU device, the second of which has a wrong expectation: its report is in `folder`/report.
test::Finished run_with_a_failure(const TemporaryFolder& folder, const std::string& options = "",
                                  const std::string& redirection = "2>&1") {
  const auto vectors = test::relu_vectors(folder, {true, false, true});
  return test::nnvk("conformance --device nnvk-cpu --vectors " + vectors + " --report " + folder.file("report") + " " + options,
                    redirection);
}

TEST(ConformanceReport, IsAPageWithTheFailureItsDumpsAndItsCommand) {
  const TemporaryFolder folder;
  const auto run = run_with_a_failure(folder);
  EXPECT_EQ(run.code, 1) << run.text;
  EXPECT_THAT(run.text, HasSubstr("the report is " + folder.file("report/index.html")));
  const auto page = text_of(folder.file("report/index.html"));
  EXPECT_THAT(page, HasSubstr("Not conformant: 1 of 3 cases failed"));
  EXPECT_THAT(page, HasSubstr("<b>1 of 1 elements</b> are wrong, by up to 1, 8388608 ulp"));
  EXPECT_THAT(page, HasSubstr("<svg class=\"map\""));
  EXPECT_THAT(page,
              ContainsRegex("nnvk conformance --vectors [^<]* --device nnvk-cpu --case nnvk[.]vectors[.][^<]*[.]relu[.]relu_1<"));

  const auto summary = json_of(text_of(folder.file("report/summary.json")));
  EXPECT_EQ(summary["failed"], 1);
  const auto records = conformance::read_results(folder.file("report/results.jsonl"));
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_EQ(records->front().records.size(), 3u);
  EXPECT_EQ(records->front().records[0].type, "float32");

  size_t dumps = 0;
  const std::string python = "/usr/bin/python3";
  const bool has_numpy = test::finished(python + " -c 'import numpy' 2>&1").code == 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.file("report/failures"))) {
    if (file.path().extension() != ".npy") continue;
    ++dumps;
    const auto link = file.path().lexically_relative(folder.file("report")).generic_string();
    EXPECT_THAT(page, HasSubstr("<a href=\"" + link + "\">"));
    if (!has_numpy) continue;
    const auto number = file.path().filename() == "expected_0.npy" ? "2.0" : "1.0";
    const auto read = test::finished(python + " -c 'import numpy; print(numpy.load(\"" + file.path().string() + "\"))' 2>&1");
    EXPECT_THAT(read.text, MatchesRegex("\\[" + std::string(number).substr(0, 2) + "\\]\n")) << file.path();
  }
  EXPECT_EQ(dumps, 3u) << "input, expected, got";
}

TEST(ConformanceReport, TheCommandOnThePageRunsTheCaseAlone) {
  const TemporaryFolder folder;
  run_with_a_failure(folder);
  const auto records = conformance::read_results(folder.file("report/results.jsonl"));
  ASSERT_TRUE(records);
  auto command = conformance::command_for(records->front().provenance, records->front().records[1].name);
  ASSERT_THAT(command, HasSubstr("nnvk conformance"));
  command.replace(command.find("nnvk conformance"), 4, test::command_to_run(NNVK_BINARY));
  const auto alone = test::finished(command + " 2>&1");
  EXPECT_EQ(alone.code, 1) << alone.text;
  EXPECT_THAT(alone.text, HasSubstr("\n0 passed, 1 failed, 0 skipped\n"));
}

TEST(ConformanceReport, EveryFormatSaysWhatRan) {
  const TemporaryFolder folder;
  const auto run =
      run_with_a_failure(folder, "--junit " + folder.file("j.xml") + " --csv " + folder.file("c.csv") + " --json", "2>/dev/null");
  const auto version = test::nnvk("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.text, MatchesRegex("nnvk [0-9.]+ \\(commit [^ ]+\\)\n"));
  const auto name = version.text.substr(5, version.text.size() - 6);
  const auto json = json_of(run.text);
  ASSERT_EQ(json["runs"].size(), 1u);
  const auto& provenance = json["runs"][0];
  EXPECT_EQ(json["nnvk"]["version"], provenance["nnvk"]);
  EXPECT_EQ(json["nnvk"]["commit"], provenance["commit"]);
  EXPECT_EQ(provenance["seed"], 1);
  EXPECT_THAT(provenance["started"], MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9:]+Z"));
  EXPECT_FALSE(provenance["properties"].empty());
  const std::string digest = provenance["vectors_digest"];
  EXPECT_EQ(digest.size(), 64u);
  for (const auto* file : {"report/index.html", "j.xml", "c.csv"}) {
    const auto text = text_of(folder.file(file));
    for (const auto& fact :
         {name, digest, std::string("nnvk-cpu"), std::string("threads per operation"), std::string("--junit")}) {
      EXPECT_THAT(text, HasSubstr(fact)) << file;
    }
  }
  EXPECT_THAT(text_of(folder.file("report/results.jsonl")), HasSubstr(digest));
}

TEST(ConformanceReport, WorksInABrowserWithoutErrors) {
  std::string browser;
  for (const auto* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (browser.empty() && test::finished(std::string("command -v ") + name).code == 0) browser = name;
  }
  if (browser.empty()) GTEST_SKIP() << "Chromium is not installed; the page was not opened";
  const TemporaryFolder folder;
  run_with_a_failure(folder);
  // Without its services, which wait for a network.
  const std::string flags =
      " --headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update"
      " --disable-sync --disable-extensions --enable-logging=stderr --user-data-dir=" +
      folder.file("browser");
  const auto opened = test::finished("timeout 300 " + browser + flags + " --dump-dom file://" + folder.file("report/index.html") +
                                     " 2>" + folder.file("log"));
  ASSERT_EQ(opened.code, 0) << text_of(folder.file("log"));
  EXPECT_THAT(opened.text, ContainsRegex("<input id=\"filter\" [^>]*aria-label=\"Filter\">"))
      << "the script has shown the filter";
  EXPECT_THAT(text_of(folder.file("log")), Not(HasSubstr("CONSOLE"))) << "messages of scripts, styles and policies";
}

TEST(ConformanceReport, AContinuedRunKeepsTheEvidenceOfItsFailures) {
  const TemporaryFolder folder;
  run_with_a_failure(folder);
  const auto again = run_with_a_failure(folder, "--resume");
  EXPECT_EQ(again.code, 1) << again.text;
  EXPECT_THAT(again.text, HasSubstr("0 are left"));
  EXPECT_THAT(text_of(folder.file("report/index.html")), HasSubstr("got_0.npy"));
}

TEST(ConformanceReport, IsNotWrittenOverOtherFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("report"));
  std::ofstream(folder.file("report/thesis.txt")) << "mine";
  const auto run = run_with_a_failure(folder);
  EXPECT_EQ(run.code, 1) << run.text;
  EXPECT_THAT(run.text, HasSubstr("holds thesis.txt, which is no part of a report"));
}

// Faults of a device, made by a Vulkan layer.
TEST(ConformanceReport, HasOperandsOfCasesThatCrashedOrLostTheDevice) {
  const TemporaryFolder folder;
  const std::string faults = "VK_ADD_LAYER_PATH=" NNVK_WEAK_DEVICE_LAYER_FOLDER
                             " VK_INSTANCE_LAYERS=VK_LAYER_NNVK_weak_device NNVK_VULKAN_VALIDATION=0 "
                             "NNVK_WEAK_DEVICE=lost_at_10,crash_at_20 NNVK_WEAK_DEVICE_COUNTER=" +
                             folder.file("submissions");
  const auto run =
      test::nnvk("conformance --generated --op ABS --device vulkan --report " + folder.file("report"), "2>&1", faults);
  if (run.code == 3 || run.text.find("vulkan-weak") == std::string::npos)
    GTEST_SKIP() << "no Vulkan device, or the layer is not loaded";
  EXPECT_EQ(run.code, 1) << run.text;
  const auto page = text_of(folder.file("report/index.html"));
  for (const auto* kind : {">device lost</span>", ">crashed</span>"}) EXPECT_THAT(page, HasSubstr(kind));
  size_t with_operands = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.file("report/failures"))) {
    if (file.path().filename() == "input_0.npy") ++with_operands;
    EXPECT_NE(file.path().filename(), "got_0.npy");
  }
  EXPECT_EQ(with_operands, 2u);
}

TEST(ComparedRuns, TellsWhatBecameWorse) {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<bool>& right, const std::string& report) {
    test::nnvk("conformance --device nnvk-cpu --vectors " + test::relu_vectors(folder, right) + " --report " +
               folder.file(report));
  };
  run({true, false, true, false}, "first");
  run({false, true, true, false}, "second");
  const auto both = folder.file("first") + " " + folder.file("second/results.jsonl");
  const auto compared = test::nnvk("conformance --compare " + both + " --report " + folder.file("page"));
  EXPECT_EQ(compared.code, 1) << compared.text;
  EXPECT_THAT(compared.text, ContainsRegex("\nNEW FAILURE nnvk[^ ]*[.]relu_0: "));
  EXPECT_THAT(compared.text, ContainsRegex("\nFIXED nnvk[^ ]*[.]relu_1\n"));
  EXPECT_THAT(compared.text, ContainsRegex("\nUNCHANGED nnvk[^ ]*[.]relu_3: "));
  EXPECT_THAT(compared.text, HasSubstr("DIFFERENT run: SHA-256 of the vectors"));
  EXPECT_THAT(compared.text, HasSubstr("\n1 new failures, 1 fixed, 1 unchanged failures, "));
  EXPECT_THAT(text_of(folder.file("page/index.html")), HasSubstr("1 new failures"));
  const auto json = json_of(test::nnvk("conformance --json --compare " + both, "2>/dev/null").text);
  EXPECT_EQ(json["fixed"].size(), 1u);
  EXPECT_TRUE(json.contains("nnvk"));

  const auto same = test::nnvk("conformance --compare " + folder.file("first") + " " + folder.file("first"));
  EXPECT_EQ(same.code, 0) << same.text;
  const auto over = test::nnvk("conformance --compare " + both + " --report " + folder.file("first"));
  EXPECT_EQ(over.code, 1);
  EXPECT_THAT(over.text, HasSubstr("would overwrite the page of a compared run"));
  EXPECT_EQ(test::nnvk("conformance --generated --compare " + both).code, 2);
}

TEST(ConformanceList, IsJsonWhenAsked) {
  const auto listed = test::nnvk("conformance --generated --op ABS --list --json", "2>/dev/null");
  EXPECT_EQ(listed.code, 0);
  const auto json = json_of(listed.text);
  EXPECT_GT(json["cases"].size(), 40u);
  EXPECT_EQ(json["cases"][0]["family"], "unary");
  EXPECT_EQ(json["cases"][0]["operations"], nlohmann::json({"ABS"}));
  EXPECT_FALSE(json["cases"][0]["type"].get<std::string>().empty());
  EXPECT_TRUE(json.contains("nnvk"));
}

}  // namespace
}  // namespace nnvk::tools
