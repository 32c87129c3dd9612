// The page of a report and its parts, from made-up results: escaping, limits, evidence, pictures, dumps.
#include <android/NeuralNetworks.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/tools/nnvk_program.h"
#include "tools/conformance/page/comparison_page.h"
#include "tools/conformance/page/evidence.h"
#include "tools/conformance/page/npy.h"
#include "tools/conformance/page/report_folder.h"
#include "tools/conformance/page/run_page.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::conformance {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::Not;

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// RELU from [2,3] to [2,3].
VectorCase relu(const std::vector<float>& expected) {
  VectorCase c;
  c.name = "relu";
  VectorOperand input;
  input.type = ANEURALNETWORKS_TENSOR_FLOAT32;
  input.dimensions = {2, 3};
  input.lifetime = Lifetime::kModelInput;
  input.data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  VectorOperand output = input;
  output.lifetime = Lifetime::kModelOutput;
  output.data = bytes_of(expected);
  c.main = {{input, output}, {{ANEURALNETWORKS_RELU, {0}, {1}}}, {0}, {1}};
  return c;
}

CaseOutputs computed(const std::vector<float>& values) { return {{{2, 3}, bytes_of(values), true}}; }

Record failed(const std::string& name, const std::string& message = "output 0: element 3 is 1 instead of 2") {
  return {name, "unary", "gpu", "texel", {Verdict::kFailed, message, FailureKind::kWrongResult}, 0.5, 1, "float32"};
}

Provenance run_on_gpu() {
  return {.subject = {"gpu", "driver <1>", "texel", "seed 1"},
          .properties = {{"device", "name", "Made-up \"GPU\" & Co"}, {"limits", "subgroupSize", "64"}},
          .nnvk = "0.1.0",
          .commit = "abc",
          .command = "nnvk conformance --generated --device gpu",
          .started = "2026-11-28T10:00:00Z"};
}

std::string page_of(const std::vector<Record>& records, const EvidenceSource& evidence, const std::vector<Waiver>& waivers = {}) {
  const std::vector<Provenance> runs{run_on_gpu()};
  return run_page({.run = {runs, records, waivers}, .expected = records.size(), .evidence = evidence});
}

std::optional<Evidence> no_evidence(const Record&) { return std::nullopt; }

size_t count_in(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Html, EscapesWhatHasAMeaningAndReplacesControlCharacters) {
  EXPECT_EQ(escaped("<a href='x'>&\"\x01\x7f\n"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;??\n");
  EXPECT_EQ(escaped("5 µs"), "5 µs");
}

TEST(Html, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(clipped("short", 5), "short");
  EXPECT_EQ(clipped("aµµ", 2), "a ... (4 more bytes)");
}

TEST(RunPage, NamesDeviceRunAndVerdictAndNeedsNoOtherFile) {
  const auto page = page_of({{"nnvk.unary.abs.float32.edge.a", "unary", "gpu", "texel", {}, 0.5, 1, "float32"}}, no_evidence);
  EXPECT_THAT(page, HasSubstr("Made-up &quot;GPU&quot; &amp; Co"));
  EXPECT_THAT(page, HasSubstr("driver &lt;1&gt;"));
  EXPECT_THAT(page, HasSubstr("Conformant: all 1 cases passed"));
  EXPECT_THAT(page, HasSubstr("0.1.0 (commit abc)"));
  EXPECT_THAT(page, HasSubstr("subgroupSize"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"failures\"")));
  for (const auto* outside : {"http://", "https://", " src=", "@import", "url("}) EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(RunPage, AnIncompleteRunIsNeverConformant) {
  const std::vector<Record> records{{"a", "unary", "gpu", "texel", {}}};
  const std::vector<Provenance> runs{run_on_gpu()};
  const auto page = run_page({.run = {runs, records, {}}, .expected = 2, .stopped = "SIGINT <arrived>", .evidence = no_evidence});
  EXPECT_THAT(page, HasSubstr("Incomplete: 1 of 2 cases have a result"));
  EXPECT_THAT(page, HasSubstr("SIGINT &lt;arrived&gt;"));
  const std::vector<Record> skipped{{"a", "unary", "gpu", "texel", {Verdict::kSkipped, "NotSupported"}}};
  EXPECT_THAT(page_of(skipped, no_evidence), HasSubstr("No case ran"));
}

TEST(RunPage, EscapesNamesAndMessagesOfFailures) {
  const auto page = page_of({failed("nnvk.<script>alert(1)</script>.x.y.z", "</details><img onerror='x'>")}, no_evidence);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;/details&gt;&lt;img onerror=&#39;x&#39;&gt;"));
  EXPECT_THAT(page, HasSubstr("--case &#39;nnvk.&lt;script&gt;alert(1)&lt;/script&gt;.x.y.z&#39;"));
}

TEST(RunPage, CountsByFamilyTypeAndVariant) {
  auto other = failed("nnvk.unary.abs.float32_to_quant8.edge.a");
  other.type = "float32_to_quant8";
  const std::vector<Record> records{failed("nnvk.unary.abs.float32.edge.a"),
                                    other,
                                    {"nnvk.unary.abs.int32.edge.a", "unary", "gpu", "texel", {}, 0.5, 1, "int32"}};
  const auto page = page_of(records, no_evidence);
  EXPECT_THAT(page, HasSubstr("Variant of kernels: texel"));
  EXPECT_THAT(page, HasSubstr(">2 of 2</td><td class=\"number good\">1</td></tr>")) << "conversions belong to their first type";
}

TEST(RunPage, SeparatesWaivedAndFlakyCasesFromFailures) {
  Record flaky = failed("nnvk.unary.abs.float32.edge.flaky");
  flaky.outcome.verdict = Verdict::kPassed;
  flaky.attempts = 2;
  const auto page = page_of({failed("known"), flaky}, no_evidence, {{"known", "", "", "driver <bug>", "2030-01-01"}});
  EXPECT_THAT(page, HasSubstr("Conformant: all 1 cases passed"));
  EXPECT_THAT(page, HasSubstr("Waived until 2030-01-01: driver &lt;bug&gt;"));
  EXPECT_THAT(page, HasSubstr("passed at attempt 2"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"failures\"")));
}

TEST(RunPage, StaysUsableWithThousandsOfFailures) {
  std::vector<Record> records;
  for (int i = 0; i < 30000; ++i) {
    records.push_back(failed("nnvk.unary.abs.float32.edge.case_" + std::to_string(i), std::string(5000, 'x')));
  }
  const auto page = page_of(records, no_evidence);
  EXPECT_EQ(count_in(page, "<details class=\"failure") + count_in(page, "<details open class=\"failure"), kMostShownFailures);
  EXPECT_THAT(page, HasSubstr("28000 more are not shown here"));
  EXPECT_LT(page.size(), 10'000'000u);
}

TEST(RunPage, ShowsTheEvidenceOfAFailure) {
  const auto c = relu({1, 2, 3, 4, 5, 6});
  const auto outputs = computed({1, 2, 3, 4, 5.5, std::nanf("")});
  const auto page =
      page_of({failed("nnvk.unary.relu.float32.edge.a")}, [&](const Record&) { return examine(c, &outputs, false); });
  EXPECT_THAT(page, HasSubstr("Operations: RELU"));
  EXPECT_THAT(page, HasSubstr("<b>2 of 6 elements</b> are wrong, by up to 0.5, 1048576 ulp; 1 of them by NaN or infinity"));
  EXPECT_THAT(page, HasSubstr("<code>[1,1]</code>"));
  EXPECT_THAT(page, HasSubstr("<svg class=\"map\""));
  EXPECT_THAT(page, HasSubstr("nnvk conformance --generated --device gpu --case nnvk.unary.relu.float32.edge.a"));
}

TEST(Evidence, IsTheSameAfterItWasWrittenAndRead) {
  const auto c = relu({1, 2, 3, 4, 5, 6});
  const auto outputs = computed({1, 2, 3, 4, 5, std::numeric_limits<float>::infinity()});
  const auto evidence = examine(c, &outputs, false);
  const auto read = evidence_from(nlohmann::json::parse(to_json(evidence).dump()));
  EXPECT_EQ(read.operations, (std::vector<std::string>{"RELU"}));
  EXPECT_EQ(read.operands, evidence.operands);
  ASSERT_EQ(read.outputs.size(), 1u);
  EXPECT_EQ(read.outputs[0].first, evidence.outputs[0].first);
  EXPECT_EQ(read.outputs[0].first.at(0).got, "inf");
  EXPECT_EQ(read.outputs[0].map.cells, evidence.outputs[0].map.cells);
}

TEST(Evidence, WithoutOutputsOrOfAnotherShapeComparesNothing) {
  const auto c = relu({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(examine(c, nullptr, false).outputs.at(0).elements, 0u);
  const CaseOutputs other{{{3, 2}, bytes_of<float>({1, 2, 3, 4, 5, 6}), true}};
  const auto evidence = examine(c, &other, false);
  EXPECT_EQ(evidence.outputs.at(0).elements, 0u);
  EXPECT_EQ(evidence.outputs.at(0).got_shape, "[3,2]");
}

TEST(Evidence, MeasuresDistancesInUlpAndInSteps) {
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_FLOAT32, 1, std::nextafterf(1, 2)), "1 ulp");
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_FLOAT32, 0.0, -0.0), "0 ulp");
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_FLOAT32, 1.4e-45f, -1.4e-45f), "2 ulp");
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_FLOAT16, 1, 1 + 3 * std::ldexp(1.0, -10)), "3 ulp");
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 3, 2), "1 step");
  EXPECT_EQ(distance_text(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, -3, 5), "8 steps");
  EXPECT_FALSE(distance_text(ANEURALNETWORKS_TENSOR_INT32, 1, 2));
  EXPECT_FALSE(distance_text(ANEURALNETWORKS_TENSOR_FLOAT32, 1, std::nan("")));
}

TEST(ErrorMap, GradesElementsByTheirTolerance) {
  EXPECT_EQ(level_of({1, 1, 0, true}), ErrorLevel::kEqual);
  EXPECT_EQ(level_of({1, 1.5, 1, true}), ErrorLevel::kAllowed);
  EXPECT_EQ(level_of({1, 2.5, 1, false}), ErrorLevel::kSmall);
  EXPECT_EQ(level_of({1, 2, 0, false}), ErrorLevel::kSmall) << "one step where none is allowed";
  EXPECT_EQ(level_of({1, 9, 1, false}), ErrorLevel::kMedium);
  EXPECT_EQ(level_of({1, 500, 1, false}), ErrorLevel::kLarge);
  EXPECT_EQ(level_of({1, 5000, 1, false}), ErrorLevel::kHuge);
  EXPECT_EQ(level_of({1, std::nan(""), 1, false}), ErrorLevel::kNotANumber);
}

TEST(ErrorMap, LaysTensorsOutNearlySquareAndShowsTheWorstOfACell) {
  const auto only = [](size_t wrong) { return [=](size_t i) { return i == wrong ? ErrorLevel::kHuge : ErrorLevel::kEqual; }; };
  const auto image = map_errors(std::vector<uint32_t>{1, 6, 7, 3}, only(23));
  EXPECT_EQ(image.rows, 6u);
  EXPECT_EQ(image.columns, 21u);
  EXPECT_EQ(image.cells.at(23), ErrorLevel::kHuge);
  EXPECT_EQ(image.row_label, "dimensions 0 to 1 (1 x 6)");
  const auto vector = map_errors(std::vector<uint32_t>{100}, only(99));
  EXPECT_EQ(vector.rows * vector.columns, 100u);
  const auto odd = map_errors(std::vector<uint32_t>{97}, only(0));
  EXPECT_EQ(odd.cells.back(), ErrorLevel::kOutside);
  const auto large = map_errors(std::vector<uint32_t>{1000, 1000}, only(999'999));
  EXPECT_LE(large.rows, kMostCells);
  EXPECT_LE(large.columns, kMostCells);
  EXPECT_EQ(large.cells.back(), ErrorLevel::kHuge);
  EXPECT_THAT(large.row_label, HasSubstr("16 per cell"));
  EXPECT_TRUE(map_errors(std::vector<uint32_t>{2, 0}, only(0)).cells.empty());
  EXPECT_EQ(map_errors({}, only(0)).cells.size(), 1u) << "a scalar";
  EXPECT_EQ(from_digits(to_digits(image.cells)), image.cells);
  EXPECT_EQ(count_in(to_svg(image), "<path"), 2u) << "one per level";
}

TEST(Npy, HasTheDocumentedBytes) {
  const auto file = npy_of(ANEURALNETWORKS_TENSOR_FLOAT32, std::vector<uint32_t>{2, 1}, bytes_of<float>({1, 2}));
  const std::string text(file.begin(), file.end());
  EXPECT_TRUE(text.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
  const size_t header = file.at(8) | static_cast<size_t>(file.at(9)) << 8;
  EXPECT_EQ((10 + header) % 64, 0u);
  EXPECT_EQ(text.at(10 + header - 1), '\n');
  EXPECT_THAT(text, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,1,), }"));
  EXPECT_EQ(std::vector<uint8_t>(file.begin() + 10 + static_cast<ptrdiff_t>(header), file.end()), bytes_of<float>({1, 2}));
}

TEST(Npy, IsWhatNumpyReads) {
  const std::string python = "/usr/bin/python3";
  if (test::finished(python + " -c 'import numpy' 2>&1").code != 0) GTEST_SKIP() << "python3-numpy is not installed";
  const TemporaryFolder folder;
  const auto shape_and_values = [&](int32_t type, const std::vector<uint32_t>& shape, const std::vector<uint8_t>& bytes) {
    const auto file = npy_of(type, shape, bytes);
    std::ofstream(folder.file("a.npy"), std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    return test::finished(python + " -c 'import numpy; a = numpy.load(\"" + folder.file("a.npy") +
                          "\"); print(a.dtype, a.shape, a.ravel().tolist())' 2>&1")
        .text;
  };
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_FLOAT32, {2, 1}, bytes_of<float>({1.5f, -2})),
            "float32 (2, 1) [1.5, -2.0]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_FLOAT16, {1}, bytes_of<uint16_t>({0x3c00})), "float16 (1,) [1.0]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, {3}, {0xff, 0, 1}), "int8 (3,) [-1, 0, 1]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {3}, {0xff, 0, 1}), "uint8 (3,) [255, 0, 1]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, {1}, bytes_of<uint16_t>({65535})), "uint16 (1,) [65535]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_INT32, {}, bytes_of<int32_t>({-7})), "int32 () [-7]\n");
  EXPECT_EQ(shape_and_values(ANEURALNETWORKS_TENSOR_INT32, {5}, bytes_of<int32_t>({1, 2})), "int32 (2,) [1, 2]\n")
      << "too few bytes for the shape";
}

TEST(ReportFolder, HoldsEvidenceAndDumpsOfAFailure) {
  const TemporaryFolder folder;
  const auto c = relu({1, 2, 3, 4, 5, 6});
  const auto outputs = computed({1, 2, 3, 4, 5, 7});
  const std::string name = "nnvk.unary.relu.float32.edge.a/../b";
  const std::string variant = "texel dot";
  ASSERT_TRUE(keep_evidence(folder.path(), {name, variant, c, &outputs, false}));
  const auto own = evidence_folder(name, variant);
  EXPECT_THAT(own, testing::MatchesRegex("failures/texel_dot-[0-9a-f]*/nnvk.unary.relu.float32.edge.a_.._b-[0-9a-f]*"));
  for (const auto* file : {"failure.json", "input_0.npy", "expected_0.npy", "got_0.npy"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.file(own + "/" + file))) << file;
  }
  const auto read = read_evidence(folder.path(), name, variant);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->outputs.at(0).wrong, 1u);
  EXPECT_EQ(read->operands.at(0).file, "input_0.npy");
  EXPECT_FALSE(read_evidence(folder.path(), "other", variant));

  std::ofstream(folder.file(own + "/failure.json")) << "{\"operations\": 7}";
  EXPECT_FALSE(read_evidence(folder.path(), name, variant)) << "a damaged file is no evidence";
  remove_stale_evidence(folder.path(), {});
  EXPECT_FALSE(std::filesystem::exists(folder.file(own)));
}

TEST(ReportFolder, LimitsTheFailuresOfAnOperationAndTypeAndTheDumpsOfACase) {
  const TemporaryFolder folder;
  const auto c = relu({1, 2, 3, 4, 5, 6});
  for (size_t i = 0; i < kMostFailuresOfAGroup; ++i) {
    const auto name = "nnvk.unary.relu.float32.edge." + std::to_string(i);
    ASSERT_TRUE(wants_evidence(folder.path(), name, "texel"));
    ASSERT_TRUE(keep_evidence(folder.path(), {name, "texel", c, nullptr, false}));
  }
  EXPECT_FALSE(wants_evidence(folder.path(), "nnvk.unary.relu.float32.edge.more", "texel"));
  EXPECT_TRUE(wants_evidence(folder.path(), "nnvk.unary.relu.float32.edge.0", "texel")) << "a further attempt replaces it";
  EXPECT_TRUE(wants_evidence(folder.path(), "nnvk.unary.relu.float32.edge.more", "words"));
  EXPECT_TRUE(wants_evidence(folder.path(), "nnvk.unary.relu.float16.edge.0", "texel"));

  auto large = relu({});
  large.main.operands[0].data.resize(kMostDumpedBytes + 4);
  const std::string name = "large";
  ASSERT_TRUE(keep_evidence(folder.path(), {name, "", large, nullptr, false}));
  const auto read = read_evidence(folder.path(), name, "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->operands.at(0).file, "");
  EXPECT_THAT(read->left_out, HasSubstr("4 MiB"));
}

TEST(ReportFolder, IsNeverAFolderWithOtherFiles) {
  const TemporaryFolder folder;
  ASSERT_TRUE(prepare_report_folder(folder.file("new/report"), false));
  std::filesystem::create_directories(folder.file("failures/texel/old"));
  std::ofstream(folder.file("index.html")) << "old";
  ASSERT_TRUE(prepare_report_folder(folder.file("new/report"), false));
  const auto refused = prepare_report_folder(folder.path(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("holds new, which is no part of a report"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("failures/texel/old")));
  std::filesystem::remove_all(folder.file("new"));
  ASSERT_TRUE(prepare_report_folder(folder.path(), true));
  EXPECT_TRUE(std::filesystem::exists(folder.file("failures/texel/old"))) << "a continued run keeps evidence";
  ASSERT_TRUE(prepare_report_folder(folder.path(), false));
  EXPECT_FALSE(std::filesystem::exists(folder.file("failures")));
}

TEST(ReportFolder, GroupsCasesByOperationAndType) {
  EXPECT_EQ(group_of("nnvk.unary.abs.float32.edge.a"), "nnvk.unary.abs.float32");
  EXPECT_EQ(group_of("nnvk.vectors.V1_0.add.add_relu"), "nnvk.vectors.V1_0.add");
  EXPECT_EQ(group_of("short.name"), "short.name");
}

TEST(ComparisonPage, ListsDifferencesFailuresAndTimes) {
  auto slow = failed("slow");
  slow.outcome = {};
  slow.seconds = 3;
  auto fast = slow;
  fast.seconds = 0.2;
  const std::vector<Record> before{fast, failed("old <1>")};
  const std::vector<Record> now{slow, failed("old <1>"), failed("new", "<b>")};
  auto later = run_on_gpu();
  later.subject.driver = "driver <2>";
  const std::vector<Provenance> runs_before{run_on_gpu()};
  const std::vector<Provenance> runs_now{later};
  const auto comparison = compare(now, before, {});
  const ComparedRuns runs{"a.jsonl", "b & c.jsonl", runs_before, runs_now, comparison, differences(runs_before, runs_now)};
  const auto page = comparison_page(runs);
  EXPECT_THAT(page, HasSubstr("1 new failures"));
  EXPECT_THAT(page, HasSubstr("b &amp; c.jsonl"));
  EXPECT_THAT(page, HasSubstr("<td>driver &lt;1&gt;</td><td>driver &lt;2&gt;</td>"));
  EXPECT_THAT(page, HasSubstr("old &lt;1&gt; (texel)"));
  EXPECT_THAT(page, HasSubstr("15.00 x"));
  const auto text = comparison_text(runs);
  EXPECT_THAT(text, HasSubstr("NEW FAILURE new (texel): <b>\n"));
  EXPECT_THAT(text, HasSubstr("SLOWER slow (texel): 0.200 s then 3.000 s\n"));
  EXPECT_THAT(text, HasSubstr("DIFFERENT texel: run: driver: 'driver <1>' then 'driver <2>'\n"));
  const auto json = comparison_json(runs);
  EXPECT_EQ(json["new_failures"][0]["case"], "new");
  EXPECT_EQ(json["only_in_second"], 1);
}

}  // namespace
}  // namespace nnvk::tools::conformance
