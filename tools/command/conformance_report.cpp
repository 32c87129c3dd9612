// The summary as text and as JSON, and the reasons for the exit code.
#include "tools/command/conformance_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command/json_output.h"
#include "tools/command/terminal.h"
#include "tools/conformance/case_queue.h"
#include "tools/conformance/page/report_folder.h"
#include "tools/conformance/page/run_page.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using conformance::Comparison;
using conformance::Record;
using conformance::Verdict;
using conformance::Waiver;

std::string name_of(const Record& record) { return record.name + (record.variant.empty() ? "" : " (" + record.variant + ")"); }

nlohmann::json to_json(const Record& record) {
  return {{"case", record.name},
          {"variant", record.variant},
          {"kind", kind_name(record.outcome.kind)},
          {"message", record.outcome.message}};
}

nlohmann::json to_json(const std::vector<const Record*>& records) {
  auto list = nlohmann::json::array();
  for (const auto* const record : records) list.push_back(to_json(*record));
  return list;
}

nlohmann::json to_json(const ConformanceResults& results, const std::vector<Waiver>& waivers,
                       const conformance::Summary& summary) {
  nlohmann::json json{{"device", results.provenances.empty() ? "" : results.provenances.front().subject.device},
                      {"driver", results.provenances.empty() ? "" : results.provenances.front().subject.driver},
                      {"runs", nlohmann::json::array()},
                      {"complete", results.records.size() >= results.expected},
                      {"passed", summary.totals.passed},
                      {"failed", summary.totals.failed},
                      {"waived", summary.totals.waived},
                      {"skipped", summary.totals.skipped},
                      {"skip_reasons", summary.skip_reasons},
                      {"variants", nlohmann::json::object()},
                      {"families", nlohmann::json::object()},
                      {"failures", nlohmann::json::array()},
                      {"flaky", nlohmann::json::array()}};
  for (const auto& provenance : results.provenances) json["runs"].push_back(nlohmann::json(conformance::to_json(provenance)));
  for (const auto& [family, totals] : summary.families) {
    json["families"][family] = {
        {"passed", totals.passed}, {"failed", totals.failed}, {"waived", totals.waived}, {"skipped", totals.skipped}};
  }
  for (const auto& record : results.records) {
    auto& count = json["variants"][record.variant];
    count = count.is_number() ? count.get<size_t>() + 1 : 1;
    if (record.is_flaky()) json["flaky"].push_back(to_json(record));
    if (record.outcome.verdict != Verdict::kFailed || covering(waivers, record)) continue;
    json["failures"].push_back(to_json(record));
  }
  return json;
}

nlohmann::json to_json(const Comparison& comparison) {
  return {{"new_failures", to_json(comparison.new_failures)},
          {"fixed", to_json(comparison.fixed)},
          {"unchanged", to_json(comparison.unchanged)}};
}

void print_summary(const ConformanceResults& results, const conformance::Summary& summary) {
  for (const auto& record : results.records) {
    if (!record.is_flaky()) continue;
    fmt::print("FLAKY {}: passed at attempt {}; before: {}\n", name_of(record), record.attempts, record.outcome.message);
  }
  fmt::print("{}", conformance::family_table(summary));
  for (const auto& [reason, count] : summary.skip_reasons) fmt::print("skipped {:>5}  {}\n", count, reason);
  for (const auto* waiver : summary.unused) fmt::print("unused waiver: {} ({})\n", waiver->pattern, waiver->reason);
  std::map<std::string, size_t> ran;
  for (const auto& record : results.records) ++ran[record.device + (record.variant.empty() ? "" : ", variant " + record.variant)];
  for (const auto& [where, count] : ran) fmt::print("{} cases on {}\n", count, where);
}

void print_comparison(const Comparison& comparison, const ConformanceResults& results,
                      const std::vector<conformance::Section>& baseline) {
  for (const auto* const record : comparison.new_failures) {
    fmt::print("{} {}: {}\n", coloured(stdout, Colour::kRed, "NEW FAILURE"), name_of(*record), record->outcome.message);
  }
  for (const auto* const record : comparison.fixed)
    fmt::print("{} {}\n", coloured(stdout, Colour::kGreen, "FIXED"), name_of(*record));
  for (const auto* const record : comparison.unchanged) {
    fmt::print("UNCHANGED {}: {}\n", name_of(*record), record->outcome.message);
  }
  for (const auto& provenance : results.provenances) {
    const auto driver = conformance::other_driver(baseline, provenance.subject);
    if (driver.empty()) continue;
    fmt::print("the baseline comes from another driver: {}; this run from {}\n", driver, provenance.subject.driver);
  }
  fmt::print("against the baseline: {} new failures, {} fixed, {} unchanged failures\n", comparison.new_failures.size(),
             comparison.fixed.size(), comparison.unchanged.size());
}

void print_totals(const conformance::Totals& totals) {
  const std::string failed = fmt::format("{} failed", totals.failed);
  fmt::print("{} passed, {}, {} skipped{}\n", totals.passed, totals.failed > 0 ? coloured(stdout, Colour::kRed, failed) : failed,
             totals.skipped, totals.waived ? fmt::format(", {} waived", totals.waived) : "");
}

// Prints why the exit code is not the one that the totals suggest.
void explain_exit_code(const ConformanceOptions& options, const ConformanceResults& results, size_t skipped) {
  if (results.records.size() < results.expected) {
    report_note(fmt::format("the run is incomplete: {} of {} cases have a result{}{}", results.records.size(), results.expected,
                            results.stopped.empty() ? "" : ": " + results.stopped,
                            options.results.empty() ? "" : "; --resume runs the others"));
  }
  if (results.unwritten > 0) {
    report_note(fmt::format("{} lacks {} lines, because they could not be written; --resume runs these cases again",
                            options.results, results.unwritten));
  }
  if (options.max_not_supported >= 0 && skipped > static_cast<size_t>(options.max_not_supported)) {
    report_note(fmt::format("{} cases are not supported, and {} are allowed", skipped, options.max_not_supported));
  }
}

int exit_code_of(conformance::Judgement judgement) {
  switch (judgement) {
    case conformance::Judgement::kFailed:
      return kFailure;
    case conformance::Judgement::kIncomplete:
      return kIncomplete;
    default:
      return kSuccess;
  }
}

// Writes the page and the summary for programs into the folder of --report.
Status write_page(const ConformanceOptions& options, const ConformanceResults& results, const conformance::RunPage& page,
                  const nlohmann::json& summary) {
  const std::filesystem::path folder = options.report;
  conformance::remove_stale_evidence(folder, results.records);
  TOOLS_TRY(write_file(folder / "summary.json", json_text(summary)));
  TOOLS_TRY(write_file(folder / "index.html", conformance::run_page(page)));
  report_note(fmt::format("the report is {}", (folder / "index.html").string()));
  return {};
}

}  // namespace

Result<int> report(const ConformanceOptions& options, const ConformanceResults& results, const std::vector<Waiver>& waivers,
                   const std::vector<conformance::Section>& baseline) {
  const auto summary = conformance::summarize(results.records, waivers);
  std::optional<Comparison> comparison;
  std::vector<Record> before;
  if (!options.baseline.empty()) {
    before = conformance::last_records(baseline, results.provenances.empty() ? "" : results.provenances.front().subject.device);
    comparison = conformance::compare(results.records, before, waivers);
  }
  const conformance::ReportedRun run{results.provenances, results.records, waivers};
  if (!options.junit.empty()) TOOLS_TRY(conformance::write_junit(options.junit, run));
  if (!options.csv.empty()) TOOLS_TRY(conformance::write_csv(options.csv, run));
  auto json = to_json(results, waivers, summary);
  if (comparison) json["baseline"] = to_json(*comparison);
  if (!options.report.empty()) {
    const auto evidence = [&](const Record& record) {
      return conformance::read_evidence(options.report, record.name, record.variant);
    };
    TOOLS_TRY(write_page(options, results,
                         {run, results.expected, results.stopped, comparison ? &*comparison : nullptr, evidence}, json));
  }
  if (options.json) {
    print_json(std::move(json));
  } else {
    print_summary(results, summary);
    if (comparison) print_comparison(*comparison, results, baseline);
    print_totals(summary.totals);
  }
  explain_exit_code(options, results, summary.totals.skipped);
  return exit_code_of(conformance::judge_run({.expected = results.expected,
                                              .settled = results.records.size(),
                                              .failures = comparison ? comparison->new_failures.size() : summary.totals.failed,
                                              .unwritten = results.unwritten,
                                              .bad_ends = results.bad_ends,
                                              .skipped = summary.totals.skipped,
                                              .most_skipped = options.max_not_supported}));
}

}  // namespace nnvk::tools
