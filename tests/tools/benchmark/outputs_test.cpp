// Benchmarks as text, CSV, JSON and HTML.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "tools/benchmark/chart.h"
#include "tools/benchmark/page.h"
#include "tools/benchmark/tables.h"

namespace nnvk::tools::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Measurement measured(const std::string& model, const std::string& engine, double median) {
  return {.model = model,
          .engine = engine,
          .compile_seconds = 0.5,
          .first_seconds = 2 * median,
          .latency = {.median = median, .p90 = 1.5 * median, .p99 = 3 * median, .fastest = median / 2, .executions = 30},
          .peak_bytes = 3 << 20,
          .joules = 0.25,
          .at_once = AtOnce{.executions = 4, .per_second = 80, .median = 0.05},
          .accuracy = {.top_1 = 0.5, .top_5 = 1, .reference_mean = 0, .reference_largest = 0, .samples = 2},
          .largest_share = 0.9};
}

Benchmark some() {
  Benchmark benchmark;
  benchmark.facts = {{"nnvk", "1.2.3 (commit abc)"}, {"options", "nnvk benchmark \"a<b>.json\""}};
  benchmark.no_energy = "no counter";
  benchmark.notes = {"a note & more"};
  benchmark.measurements = {measured("net, \"small\" <1>", "gpu", 1.25e-3),
                            measured("net, \"small\" <1>", "cpu", 0.25),
                            {.model = "big", .engine = "gpu", .problem = "does not run CONV_2D, sorry"}};
  benchmark.measurements[1].warning = "3 of 4 operations reach more than 100 %";
  return benchmark;
}

TEST(BenchmarkJson, MeasurementsComeBackAsTheyWere) {
  for (const Measurement& m : some().measurements) EXPECT_EQ(measurement_from(to_json(m)), m) << m.engine;
  Measurement infinite = measured("a", "b", 1);
  infinite.accuracy.reference_largest = std::numeric_limits<double>::infinity();
  EXPECT_EQ(measurement_from(nlohmann::ordered_json::parse(to_json(infinite).dump())), infinite);
}

TEST(BenchmarkJson, HoldsFactsNotesAndMeasurements) {
  const auto document = to_json(some());
  EXPECT_EQ(document["facts"]["nnvk"], "1.2.3 (commit abc)");
  EXPECT_EQ(document["energy_is_unknown"], "no counter");
  EXPECT_EQ(document["notes"][0], "a note & more");
  EXPECT_EQ(document["measurements"][0]["latency_seconds"]["median"], 1.25e-3);
  EXPECT_EQ(document["measurements"][2]["problem"], "does not run CONV_2D, sorry");
}

TEST(BenchmarkCsv, QuotesFieldsAndHasAsManyAsItsHead) {
  std::istringstream lines(to_csv(some()));
  std::string head;
  std::string line;
  std::getline(lines, head);
  const auto columns = std::ranges::count(head, ',');
  std::getline(lines, line);
  EXPECT_THAT(line,
              testing::StartsWith("\"net, \"\"small\"\" <1>\",gpu,0.00125,0.001875,0.00375,0.000625,30,0.0025,0.5,3145728,"));
  EXPECT_EQ(std::ranges::count(line, ','), columns + 1) << "one more, in the name";
  std::getline(lines, line);
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr(",\"does not run CONV_2D, sorry\","));
  EXPECT_EQ(std::ranges::count(line, ','), columns + 1);
}

TEST(BenchmarkText, HasALinePerEngineAndTheWarnings) {
  const auto text = to_text(some());
  EXPECT_THAT(text, HasSubstr("1.25 ms"));
  EXPECT_THAT(text, HasSubstr("top-1 50.00 %, top-5 100.00 %  from reference: equal"));
  EXPECT_THAT(text, HasSubstr("4 at once: 80.0 executions/s"));
  EXPECT_THAT(text, HasSubstr("gpu                      does not run CONV_2D, sorry"));
  EXPECT_THAT(text, HasSubstr("on cpu: 3 of 4 operations reach more than 100 %"));
  EXPECT_THAT(text, HasSubstr("energy is unknown: no counter"));
}

TEST(BenchmarkText, TimesHaveFittingUnits) {
  EXPECT_EQ(time_text(2.3456), "2.35 s");
  EXPECT_EQ(time_text(0.1236), "123.6 ms");
  EXPECT_EQ(time_text(0.00123), "1.23 ms");
  EXPECT_EQ(time_text(4.5e-6), "4.5 us");
}

TEST(BenchmarkChart, TheAxisHasPowersOfTenAroundAllTimes) {
  const std::vector<double> times{0.002, 0.3, 0};
  const LogAxis axis = axis_for(times);
  EXPECT_THAT(axis.ticks(), ElementsAre(testing::DoubleNear(1e-3, 1e-12), testing::DoubleNear(1e-2, 1e-12),
                                        testing::DoubleNear(0.1, 1e-12), testing::DoubleNear(1, 1e-12)));
  EXPECT_DOUBLE_EQ(axis.place_of(1e-3), 0);
  EXPECT_NEAR(axis.place_of(1e-2), 1.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(axis.place_of(5), 1);
  EXPECT_EQ(axis_for({}).ticks().size(), 2U);
  EXPECT_EQ(axis_for(std::vector<double>{0.01}).ticks().size(), 2U) << "a single time on a power of ten";
}

// The elements that are open at the end of a text, or the first that closes wrongly.
std::vector<std::string> open_elements(const std::string& page) {
  std::vector<std::string> open;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const size_t end = page.find('>', at);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    const std::string name = tag.substr(closes ? 1 : 0, tag.find_first_of(" />\n", closes ? 1 : 0) - (closes ? 1 : 0));
    if (tag.starts_with('!') || tag.ends_with('/') || name == "meta") continue;
    if (name == "style" || name == "script") {  // their content is no markup
      at = page.find("</" + name + ">", at);
      continue;
    }
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      open.push_back("/" + name);
      return open;
    } else {
      open.pop_back();
    }
  }
  return open;
}

TEST(BenchmarkPage, IsWellFormedAndEscapesNames) {
  const auto page = to_page(some());
  EXPECT_THAT(open_elements(page), testing::IsEmpty());
  EXPECT_THAT(page, HasSubstr("net, &quot;small&quot; &lt;1&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<1>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>.json")));
  EXPECT_THAT(page, Not(HasSubstr("http://"))) << "it loads nothing";
  EXPECT_THAT(page, HasSubstr("2 of 3 measurements, 1 not possible, 1 with a warning"));
  EXPECT_THAT(page, HasSubstr("<svg class=\"chart\""));
  EXPECT_THAT(page, HasSubstr("<td class=\"number best\">1.25 ms</td>"));
}

TEST(BenchmarkPage, OfNothingIsWellFormed) { EXPECT_THAT(open_elements(to_page({})), testing::IsEmpty()); }

}  // namespace
}  // namespace nnvk::tools::benchmark
