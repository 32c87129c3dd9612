// `nnvk conformance`: chooses cases and variants, runs them in child processes, and reports. This process never uses the library.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/command/conformance_compare.h"
#include "tools/command/conformance_provenance.h"
#include "tools/command/conformance_report.h"
#include "tools/command/conformance_run.h"
#include "tools/command/conformance_worker.h"
#include "tools/command/json_output.h"
#include "tools/command/stop_signals.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/page/report_folder.h"
#include "tools/conformance/random/entries.h"
#include "tools/nnapi/shell_word.h"

namespace nnvk::tools {
namespace {

using conformance::CaseEntry;
using conformance::Section;
using conformance::Waiver;

// The error that no case was chosen: it names the options that chose among the cases, and the command that prints all names.
tl::unexpected<Error> no_case(const ConformanceOptions& options) {
  const auto& selection = options.selection;
  std::string chosen;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const auto& value : values) chosen += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--case", selection.patterns);
  add("--exclude", selection.excluded);
  if (!selection.case_list.empty()) add("--case-list", {selection.case_list});
  add("--op", selection.operations);
  add("--family", selection.families);
  if (!selection.fraction.empty()) add("--fraction", {selection.fraction});
  const std::string sources = case_sources(options);
  if (chosen.empty()) return fail(fmt::format("there is no case in{}", sources));
  return fail(fmt::format("no case matches{}; `nnvk conformance{} --list` prints all names", chosen, sources),
              conformance::kWrongOption);
}

Result<std::vector<CaseEntry>> collect(const ConformanceOptions& options) {
  std::vector<CaseEntry> entries;
  if (!options.vectors.empty()) {
    TOOLS_ASSIGN(entries, conformance::vector_entries(options.vectors));
    if (options.against_reference) conformance::expect_reference_results(entries);
  }
  if (options.generated) {
    for (auto& entry : conformance::generated_entries(options.seed)) entries.push_back(std::move(entry));
  }
  for (auto& entry : conformance::random_graph_entries(options.random_graphs, options.seed)) entries.push_back(std::move(entry));
  for (auto& entry : conformance::random_nesting_entries(options.random_nestings, options.seed)) {
    entries.push_back(std::move(entry));
  }
  TOOLS_ASSIGN(entries, conformance::choose(std::move(entries), options.selection));
  if (entries.empty()) return no_case(options);
  return entries;
}

// Returns the variants for options.variant. A child process asks the device, because this process must not use the library.
// Without an answer (no Vulkan device, or no such device), the run itself reports the error.
Result<std::vector<std::string>> chosen_variants(const ConformanceOptions& options) {
  if (options.variant.empty()) return std::vector<std::string>{""};
  TOOLS_ASSIGN(const auto answer, ask_child(
                                      {}, [&](int channel) { return tell_variants(channel, options.device); },
                                      std::chrono::minutes(1), [] { return StopSignals::received() != 0; }));
  std::vector<std::string> variants;
  std::istringstream list(answer.text);
  for (std::string name; std::getline(list >> std::ws, name, ',');) variants.push_back(name);
  if (options.variant == "all" && !variants.empty()) return variants;
  const bool known = std::find(variants.begin(), variants.end(), options.variant) != variants.end();
  if (!variants.empty() && !known) {
    return fail(fmt::format("--variant {}: the device has no such variant of kernels; it has {}", options.variant, answer.text),
                conformance::kWrongOption);
  }
  return std::vector<std::string>{options.variant};
}

// Adds the evidence of cases that crashed or hung. Failures cost the evidence alone.
void complete_evidence(const ConformanceOptions& options, const std::vector<CaseEntry>& entries,
                       const ConformanceResults& results) {
  std::map<std::string_view, const CaseEntry*> by_name;
  for (const auto& entry : entries) by_name[entry.dotted] = &entry;
  std::vector<FailedEntry> failures;
  for (const auto& record : results.records) {
    if (record.outcome.verdict != conformance::Verdict::kFailed) continue;
    if (conformance::read_evidence(options.report, record.name, record.variant)) continue;
    failures.push_back({by_name.at(record.name), record.variant});
  }
  if (failures.empty()) return;
  // It needs no GPU, which may be lost.
  const auto answer = ask_child(
      {{"NNVK_CPU_ONLY", "1"}}, [&](int) { return keep_missing_evidence(options.report, failures); }, std::chrono::minutes(2),
      [] { return StopSignals::received() != 0; });
  if (!answer) report_note(fmt::format("the report lacks operands of some failures: {}", answer.error().message));
}

void list_entries(const std::vector<CaseEntry>& entries, bool json) {
  if (!json) {
    for (const auto& entry : entries) fmt::print("{}\n", entry.dotted);
    return;
  }
  auto cases = nlohmann::ordered_json::array();
  for (const auto& entry : entries) {
    cases.push_back({{"case", entry.dotted}, {"family", entry.family}, {"type", entry.type}, {"operations", entry.operations}});
  }
  print_json(nlohmann::ordered_json{{"cases", std::move(cases)}});
}

// Opens the results file, runs all variants, and reports. Returns the exit code.
Result<int> run_and_report(const ConformanceOptions& options, const std::vector<CaseEntry>& entries,
                           const std::vector<Waiver>& waivers) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::vector<Section> baseline;
  if (!options.baseline.empty()) {
    auto read = conformance::read_results(options.baseline);
    if (!read) return report_error(read.error());
    baseline = *std::move(read);
  }
  if (!options.report.empty()) {
    const auto prepared = conformance::prepare_report_folder(options.report, options.resume);
    if (!prepared) return report_error(prepared.error());
  }
  conformance::ResultsFile file;
  if (!options.results.empty()) {
    if (const auto opened = file.open(options.results, options.resume); !opened) return report_error(opened.error());
  }
  TOOLS_ASSIGN(const auto provenance, shared_provenance(options, entries.size()));
  const StopSignals stop_signals;
  const auto variants = chosen_variants(options);
  if (!variants) {
    const auto& error = variants.error();
    if (error.code != 0) return report_error(error);
    return report_error({"the kernel variants of the device are unknown: " + error.message}, kIncomplete);
  }
  ConformanceResults results;
  results.expected = entries.size() * variants->size();
  for (size_t v = 0; v < variants->size(); ++v) {
    const auto& variant = (*variants)[v];
    Environment environment;
    if (!variant.empty()) environment.emplace_back("NNVK_VULKAN_VARIANT", variant);
    if (!options.kernels.empty()) environment.emplace_back("NNVK_VULKAN_KERNELS", options.kernels);
    // Each variant may use its part of the time, and what earlier ones have left.
    const double share = static_cast<double>(v + 1) / static_cast<double>(variants->size());
    std::optional<Clock::time_point> deadline;
    if (options.time_limit > 0) {
      deadline = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.time_limit * share));
    }
    auto end = run_variant({options, entries, waivers, baseline, file, provenance}, environment, deadline);
    if (end.refused != 0) return end.refused;
    std::ranges::move(end.records, std::back_inserter(results.records));
    results.provenances.push_back(std::move(end.provenance));
    results.bad_ends += end.bad_ends;
    const bool goes_on = end.stopped.empty() || end.ran_out_of_time;
    if (results.stopped.empty()) results.stopped = std::move(end.stopped);
    if (!goes_on) break;
  }
  if (!file.flush()) results.unwritten = file.unwritten();
  if (!options.report.empty()) complete_evidence(options, entries, results);
  return report(options, results, waivers, baseline);
}

}  // namespace

int run_conformance(const ConformanceOptions& chosen) {
  ConformanceOptions options = chosen;
  const bool has_cases =
      !options.vectors.empty() || options.generated || options.random_graphs > 0 || options.random_nestings > 0;
  std::vector<Waiver> waivers;
  if (!options.waivers.empty()) {
    auto read = conformance::read_waivers(options.waivers, conformance::today());
    if (!read) return report_error(read.error());
    waivers = *std::move(read);
  }
  if (!options.compare.empty()) {
    if (has_cases) return report_error({"--compare runs no cases; leave --vectors, --generated and --random-... out"}, kUsage);
    const auto code = compare_results(options, waivers);
    return code ? *code : report_error(code.error());
  }
  if (!has_cases) return report_error({"give --vectors, --generated, --random-graphs or --random-nestings"}, kUsage);
  if (options.against_reference && options.vectors.empty()) return report_error({"--against-reference needs --vectors"}, kUsage);
  if (!options.report.empty() && options.results.empty()) options.results = options.report + "/results.jsonl";
  if (options.resume && options.results.empty()) return report_error({"--resume needs --results or --report"}, kUsage);
  const auto entries = collect(options);
  if (!entries) return report_error(entries.error());
  if (options.list) {
    list_entries(*entries, options.json);
    return kSuccess;
  }
  const auto code = run_and_report(options, *entries, waivers);
  return code ? *code : report_error(code.error());
}

}  // namespace nnvk::tools
