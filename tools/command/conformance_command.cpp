// `nnvk conformance`: runs published vectors and generated cases on a device, in one or both kernel variants, and counts results.
// A child process runs each variant and appends to the results file; this process reads the file and reports.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tools/command/child_process.h"
#include "tools/command/command.h"
#include "tools/command/progress.h"
#include "tools/conformance/case_list.h"
#include "tools/conformance/generators/rows.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/random/description.h"
#include "tools/conformance/random/entries.h"
#include "tools/conformance/reports.h"
#include "tools/conformance/results_file.h"
#include "tools/conformance/runner.h"
#include "tools/conformance/waivers.h"
#include "tools/nnapi/descriptions.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

using conformance::CaseEntry;
using conformance::FailureKind;
using conformance::Outcome;
using conformance::Record;
using conformance::Verdict;
using conformance::Waiver;

constexpr int kMostCrashes = 20;  // of one variant before the run gives up

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
  if (entries.empty()) return fail("no case is chosen; --list shows the names of those that match");
  return entries;
}

// The value of the property that a device reports under this name; "" if it reports none.
std::string property_of(const DeviceEntry& device, std::string_view name) {
  const auto described = describe_device(device.name, false);
  if (!described) return "";
  for (const auto& property : described->value("properties", nlohmann::json::array())) {
    if (property.value("name", "") == name) return property.value("value", "");
  }
  return "";
}

// The kernels that a Vulkan device uses ("texel" or "words") and the requested forms: "texel group_slices". "" for other devices.
std::string variant_of(const DeviceEntry& device, const ConformanceOptions& options) {
  const auto variant = property_of(device, "kernel variant");
  if (variant.empty()) return "";
  return variant.substr(0, variant.find(' ')) + (options.kernels.empty() ? "" : " " + options.kernels);
}

// Checks that the device uses exactly the requested kernel forms.
Status check_forms(const DeviceEntry& device, const ConformanceOptions& options) {
  if (options.kernels.empty()) return {};
  const auto forms = property_of(device, "kernel forms");
  const auto names_in = [](std::string list) {
    std::set<std::string> names;
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream stream(list);
    for (std::string name; stream >> name;) names.insert(name);
    return names;
  };
  if (names_in(forms) == names_in(options.kernels)) return {};
  return fail(fmt::format("--kernels {} is not what {} understands; its forms: {}", options.kernels, device.name,
                          forms.empty() ? "none" : forms));
}

Outcome judge(const CaseEntry& entry, const ConformanceOptions& options, const DeviceEntry& device,
              const DeviceEntry& reference) {
  auto loaded = entry.load();
  if (loaded && options.describe) {
    fmt::print("{}:\n{}", entry.dotted, conformance::describe(*loaded));
    std::fflush(stdout);  // it may crash
  }
  if (!loaded) return {Verdict::kFailed, loaded.error().message, FailureKind::kError};
  if (loaded->golden && !entry.has_expectations) {
    std::string unsupported;
    const auto filled = conformance::fill_expectations(*loaded, reference, entry.keeps_outputs_open, unsupported);
    if (!filled) return {Verdict::kFailed, "on the reference device: " + filled.error().message, FailureKind::kError};
    if (!unsupported.empty()) return {Verdict::kSkipped, "NotSupported: " + unsupported + " on the reference device"};
  }
  return conformance::run_case(*loaded, device, options.run);
}

// Runs in the child process: all cases for which the results file has no result of this variant yet.
Status run_cases(const ConformanceOptions& options, const std::vector<CaseEntry>& entries, const std::string& results_path,
                 const DeviceEntry& device, const std::vector<Waiver>& waivers) {
  TOOLS_ASSIGN(const auto reference, conformance::reference_device());
  const auto variant = variant_of(device, options);
  conformance::ResultsFile results;
  TOOLS_TRY(results.open(results_path, true));
  std::set<std::string> finished;
  for (const auto& record : results.finished()) {
    if (record.device == device.name && record.variant == variant) finished.insert(record.name);
  }
  Progress progress(variant.empty() ? "conformance" : "conformance " + variant, entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (finished.contains(entry.dotted)) continue;
    progress.update(i, entry.dotted);
    Record record{entry.dotted, entry.family, device.name, variant, {}, 0};
    TOOLS_TRY(results.begin(record));
    const auto start = std::chrono::steady_clock::now();
    record.outcome = judge(entry, options, device, reference);
    TOOLS_TRY(results.end(record.outcome, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
    if (record.outcome.verdict != Verdict::kFailed || options.json) continue;
    fmt::print("{} {}{}: {}: {}\n", covering(waivers, record) ? "WAIVED" : "FAILED", entry.dotted,
               variant.empty() ? "" : " (" + variant + ")", kind_name(record.outcome.kind), record.outcome.message);
    if (!entry.explain) continue;
    const auto explanation = entry.explain(device, options.run);
    fmt::print("{}\n", explanation ? *explanation : explanation.error().message);
    std::fflush(stdout);  // the next case may crash
  }
  return {};
}

int child_body(const ConformanceOptions& options, const std::vector<CaseEntry>& entries, const std::string& results_path,
               const std::vector<Waiver>& waivers) {
  const auto device = find_device(options.device);
  if (!device) return report_error(device.error(), kNoDevice);
  if (!options.variant.empty() && variant_of(*device, options).empty()) {
    return report_error({fmt::format("--variant chooses kernels of Vulkan devices, and {} is none", device->name)}, kUsage);
  }
  if (const auto forms = check_forms(*device, options); !forms) return report_error(forms.error(), kUsage);
  const auto status = run_cases(options, entries, results_path, *device, waivers);
  return status ? kSuccess : report_error(status.error());
}

// The path of the user's results file, or of a temporary file that this object deletes.
class ResultsPath {
 public:
  explicit ResultsPath(const std::string& given) : path_(given), temporary_(given.empty()) {
    if (!temporary_) return;
    path_ = (std::filesystem::temp_directory_path() / "nnvk-conformance-XXXXXX").string();
    const int file = mkstemp(path_.data());
    if (file >= 0) close(file);
  }
  ~ResultsPath() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove(path_, ignored);
  }
  ResultsPath(const ResultsPath&) = delete;
  ResultsPath& operator=(const ResultsPath&) = delete;
  const std::string& get() const { return path_; }

 private:
  std::string path_;
  bool temporary_;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// Prints a small part of a random graph that still crashes: leaves out outputs one by one, each attempt in a new process.
Status explain_crash(const ConformanceOptions& options, const Environment& environment, const CaseEntry& entry) {
  constexpr int kMore = 10;  // exit code of the child: it did not crash, and there may be another output to leave out
  const ResultsPath description("");
  std::set<size_t> left_out;
  std::string text;
  for (size_t next = 0;; ++next) {
    std::set<size_t> tried = left_out;
    if (next > 0) tried.insert(next - 1);  // the whole graph first
    TOOLS_ASSIGN(const auto end, run_in_child(environment, [&] {
                   const auto device = find_device(options.device);
                   if (!device) return static_cast<int>(kNoDevice);
                   const auto ran = conformance::run_without_outputs(entry, tried, *device, description.get());
                   return ran && *ran ? kMore : static_cast<int>(kSuccess);
                 }));
    if (end.signal == 0 && (end.exit_code != kMore || next == 0)) break;
    if (end.signal == 0) continue;
    left_out = tried;
    TOOLS_ASSIGN(text, read_text_file(description.get()));
  }
  if (!text.empty()) fmt::print("{}: {}\n", entry.dotted, text);
  return {};
}

// The case that a crashed process had begun: the last one in the results file.
Result<const CaseEntry*> crashed_case(const std::string& results_path, const std::vector<CaseEntry>& entries) {
  conformance::ResultsFile results;
  TOOLS_TRY(results.open(results_path, true));
  if (results.finished().empty()) return nullptr;
  const auto found = std::ranges::find(entries, results.finished().back().name, &CaseEntry::dotted);
  return found == entries.end() ? nullptr : &*found;
}

// Runs all cases of one variant; continues after crashes. Returns the last child's exit code; kIncomplete if it gave up.
Result<int> run_variant(const ConformanceOptions& options, const std::string& variant, const std::vector<CaseEntry>& entries,
                        const std::string& results_path, const std::vector<Waiver>& waivers) {
  Environment environment;
  if (!variant.empty()) environment.emplace_back("NNVK_VULKAN_VARIANT", variant);
  if (!options.kernels.empty()) environment.emplace_back("NNVK_VULKAN_KERNELS", options.kernels);
  for (int crashes = 0; crashes < kMostCrashes; ++crashes) {
    TOOLS_ASSIGN(const auto end, run_in_child(environment, [&] { return child_body(options, entries, results_path, waivers); }));
    if (end.signal == 0) return end.exit_code;
    fmt::print(stderr, "nnvk: the process that ran the cases ended with signal {} ({})\n", end.signal, strsignal(end.signal));
    if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGKILL) return kIncomplete;
    TOOLS_ASSIGN(const CaseEntry* const crashed, crashed_case(results_path, entries));
    if (crashed != nullptr && !options.json) TOOLS_TRY(explain_crash(options, environment, *crashed));
  }
  return kIncomplete;
}

// The variants for options.variant. A child process asks the device, because this process must not use the library. Without an
// answer (no Vulkan device, or no such device), the run itself reports the error.
Result<std::vector<std::string>> chosen_variants(const ConformanceOptions& options) {
  if (options.variant.empty()) return std::vector<std::string>{""};
  const ResultsPath answer("");
  TOOLS_ASSIGN(const auto end, run_in_child({}, [&] {
                 const auto device = find_device(options.device);
                 std::ofstream file(answer.get());
                 if (device) file << property_of(*device, "kernel variants");
                 return static_cast<int>(kSuccess);
               }));
  std::string names;
  if (end.signal == 0) {
    std::ifstream file(answer.get());
    std::getline(file, names);
  }
  std::vector<std::string> variants;
  std::istringstream list(names);
  for (std::string name; std::getline(list >> std::ws, name, ',');) variants.push_back(name);
  if (options.variant == "all" && !variants.empty()) return variants;
  const bool known = std::find(variants.begin(), variants.end(), options.variant) != variants.end();
  if (!variants.empty() && !known) return fail(fmt::format("--variant {}: the device runs {}", options.variant, names));
  return std::vector<std::string>{options.variant};
}

nlohmann::json to_json(const std::vector<Record>& records, const std::vector<Waiver>& waivers,
                       const conformance::Summary& summary) {
  nlohmann::json json{{"device", records.empty() ? "" : records.front().device},
                      {"passed", summary.totals.passed},
                      {"failed", summary.totals.failed},
                      {"waived", summary.totals.waived},
                      {"skipped", summary.totals.skipped},
                      {"skip_reasons", summary.skip_reasons},
                      {"variants", nlohmann::json::object()},
                      {"families", nlohmann::json::object()},
                      {"failures", nlohmann::json::array()}};
  for (const auto& [family, totals] : summary.families) {
    json["families"][family] = {
        {"passed", totals.passed}, {"failed", totals.failed}, {"waived", totals.waived}, {"skipped", totals.skipped}};
  }
  for (const auto& record : records) {
    auto& count = json["variants"][record.variant];
    count = count.is_number() ? count.get<size_t>() + 1 : 1;
    if (record.outcome.verdict != Verdict::kFailed || covering(waivers, record)) continue;
    json["failures"].push_back({{"case", record.name},
                                {"variant", record.variant},
                                {"kind", kind_name(record.outcome.kind)},
                                {"message", record.outcome.message}});
  }
  return json;
}

void print_summary(const std::vector<Record>& records, const conformance::Summary& summary) {
  for (const auto& record : records) {  // the process that ran them could not report it
    if (record.outcome.kind == FailureKind::kCrashed) fmt::print("FAILED {}: crashed: {}\n", record.name, record.outcome.message);
  }
  fmt::print("{}", conformance::family_table(summary));
  for (const auto& [reason, count] : summary.skip_reasons) fmt::print("skipped {:>5}  {}\n", count, reason);
  for (const auto* waiver : summary.unused) fmt::print("unused waiver: {} ({})\n", waiver->pattern, waiver->reason);
  std::map<std::string, size_t> ran;
  for (const auto& record : records) ++ran[record.device + (record.variant.empty() ? "" : ", variant " + record.variant)];
  for (const auto& [where, count] : ran) fmt::print("{} cases on {}\n", count, where);
  const auto& totals = summary.totals;
  fmt::print("{} passed, {} failed, {} skipped{}\n", totals.passed, totals.failed, totals.skipped,
             totals.waived ? fmt::format(", {} waived", totals.waived) : "");
}

// Runs all variants and reports. Returns the exit code.
Result<int> run_and_report(const ConformanceOptions& options, const std::vector<CaseEntry>& entries,
                           const std::vector<Waiver>& waivers) {
  const ResultsPath path(options.results);
  {
    conformance::ResultsFile file;
    TOOLS_TRY(file.open(path.get(), options.resume));  // empties the file, or completes the last line of a run that died
  }
  const auto chosen = chosen_variants(options);
  if (!chosen) return report_error(chosen.error(), kUsage);
  const std::vector<std::string>& variants = *chosen;
  bool incomplete = false;
  for (const auto& variant : variants) {
    TOOLS_ASSIGN(const int code, run_variant(options, variant, entries, path.get(), waivers));
    if (code == kIncomplete) {
      incomplete = true;
    } else if (code != kSuccess) {
      return code;
    }
  }
  conformance::ResultsFile file;
  TOOLS_TRY(file.open(path.get(), true));
  const auto& records = file.finished();
  const auto summary = conformance::summarize(records, waivers);
  if (!options.junit.empty()) TOOLS_TRY(conformance::write_junit(options.junit, records, waivers));
  if (!options.csv.empty()) TOOLS_TRY(conformance::write_csv(options.csv, records, waivers));
  if (options.json) {
    fmt::print("{}\n", to_json(records, waivers, summary).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_summary(records, summary);
  }
  if (incomplete || records.size() < entries.size() * variants.size()) {
    fmt::print(stderr, "nnvk: the run is incomplete: {} of {} cases have a result\n", records.size(),
               entries.size() * variants.size());
    return kIncomplete;
  }
  if (summary.totals.failed > 0) return kFailure;
  if (options.max_not_supported >= 0 && summary.totals.skipped > static_cast<size_t>(options.max_not_supported)) {
    fmt::print(stderr, "nnvk: {} cases are not supported, and {} are allowed\n", summary.totals.skipped,
               options.max_not_supported);
    return kIncomplete;
  }
  return kSuccess;
}

}  // namespace

int run_conformance(const ConformanceOptions& options) {
  if (options.vectors.empty() && !options.generated && options.random_graphs == 0 && options.random_nestings == 0) {
    return report_error({"give --vectors, --generated, --random-graphs or --random-nestings"}, kUsage);
  }
  if (options.against_reference && options.vectors.empty()) return report_error({"--against-reference needs --vectors"}, kUsage);
  if (options.resume && options.results.empty()) return report_error({"--resume needs --results"}, kUsage);
  const auto entries = collect(options);
  if (!entries) return report_error(entries.error(), kUsage);
  if (options.list) {
    for (const auto& entry : *entries) fmt::print("{}\n", entry.dotted);
    return kSuccess;
  }
  std::vector<Waiver> waivers;
  if (!options.waivers.empty()) {
    auto read = conformance::read_waivers(options.waivers, conformance::today());
    if (!read) return report_error(read.error(), kUsage);
    waivers = *std::move(read);
  }
  const auto code = run_and_report(options, *entries, waivers);
  return code ? *code : report_error(code.error());
}

}  // namespace nnvk::tools
