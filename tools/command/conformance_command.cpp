// `nnvk conformance`: runs published vectors on a device and counts.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/command/command.h"
#include "tools/command/progress.h"
#include "tools/conformance/results_file.h"
#include "tools/conformance/runner.h"
#include "tools/conformance/vector_case.h"

namespace nnvk::tools {
namespace {

using conformance::Outcome;
using conformance::Verdict;

struct Options {
  std::string vectors;
  std::string device;
  std::string pattern;
  std::string results;
  conformance::Mode mode = conformance::Mode::kSync;
  bool list = false;
  bool resume = false;
  bool json = false;
};

// A line of a vector file that the pattern has chosen.
struct Entry {
  size_t file = 0;
  std::streamoff offset = 0;
  std::string dotted;
};

struct Totals {
  size_t passed = 0;
  size_t failed = 0;
  size_t skipped = 0;
  std::map<std::string, size_t> reasons;  // of the skipped cases
  nlohmann::json failures = nlohmann::json::array();

  void count(Verdict verdict) { ++(verdict == Verdict::kPassed ? passed : verdict == Verdict::kFailed ? failed : skipped); }
};

// "V1_0/add" for the file .../V1_0/add.jsonl.
std::string spec_of(const std::filesystem::path& path) { return (path.parent_path().filename() / path.stem()).generic_string(); }

Result<std::vector<Entry>> chosen_entries(const std::vector<std::filesystem::path>& files, const std::string& pattern) {
  std::vector<Entry> entries;
  for (size_t f = 0; f < files.size(); ++f) {
    std::ifstream stream(files[f], std::ios::binary);
    if (!stream) return fail(fmt::format("cannot open {}", files[f].string()));
    const auto spec = spec_of(files[f]);
    std::streamoff offset = 0;
    for (std::string line; std::getline(stream, line); offset = stream.tellg()) {
      if (line.empty()) continue;
      std::string name(conformance::peek_name(line));
      if (name.empty()) {
        const auto parsed = conformance::parse_case(line);
        if (!parsed) return fail(fmt::format("{} at byte {}: {}", files[f].string(), offset, parsed.error().message));
        name = parsed->name;
      }
      auto dotted = conformance::dotted_name(spec, name);
      if (conformance::matches(pattern, dotted, name)) entries.push_back({f, offset, std::move(dotted)});
    }
  }
  return entries;
}

Outcome judge(const std::filesystem::path& file, std::ifstream& stream, std::streamoff offset, const DeviceEntry& device,
              conformance::Mode mode) {
  std::string line;
  stream.clear();
  stream.seekg(offset);
  if (!std::getline(stream, line)) return {Verdict::kFailed, fmt::format("cannot read {} at byte {}", file.string(), offset)};
  const auto parsed = conformance::parse_case(line);
  if (!parsed) return {Verdict::kFailed, fmt::format("malformed vector: {}", parsed.error().message)};
  return conformance::run_case(*parsed, device, mode);
}

Status run_all(const Options& options, const std::vector<std::filesystem::path>& files, const std::vector<Entry>& entries,
               const DeviceEntry& device, Totals& totals) {
  conformance::ResultsFile results;
  if (!options.results.empty()) TOOLS_TRY(results.open(options.results, options.resume));
  Progress progress("conformance", entries.size());
  std::ifstream stream;
  size_t open_file = files.size();
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (const auto done = results.finished().find(entry.dotted); done != results.finished().end()) {
      totals.count(done->second);
      if (done->second == Verdict::kSkipped) ++totals.reasons["in an earlier run"];
      continue;
    }
    progress.update(i, entry.dotted);
    if (open_file != entry.file) {
      stream = std::ifstream(files[entry.file], std::ios::binary);
      open_file = entry.file;
    }
    TOOLS_TRY(results.begin(entry.dotted));
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = judge(files[entry.file], stream, entry.offset, device, options.mode);
    TOOLS_TRY(results.end(outcome, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
    totals.count(outcome.verdict);
    if (outcome.verdict == Verdict::kSkipped) ++totals.reasons[outcome.message];
    if (outcome.verdict != Verdict::kFailed) continue;
    totals.failures.push_back({{"case", entry.dotted}, {"message", outcome.message}});
    if (!options.json) fmt::print("FAILED {}: {}\n", entry.dotted, outcome.message);
  }
  return {};
}

int run(const Options& options) {
  const auto files = conformance::vector_files(options.vectors);
  if (!files) return report_error(files.error(), kUsage);
  const auto entries = chosen_entries(*files, options.pattern);
  if (!entries) return report_error(entries.error(), kUsage);
  if (entries->empty())
    return report_error({fmt::format("no case matches '{}'; --list shows their names", options.pattern)}, kUsage);
  if (options.list) {
    for (const auto& entry : *entries) fmt::print("{}\n", entry.dotted);
    return kSuccess;
  }
  const auto device = find_device(options.device);
  if (!device) return report_error(device.error(), kNoDevice);
  Totals totals;
  if (const auto status = run_all(options, *files, *entries, *device, totals); !status) return report_error(status.error());
  if (options.json) {
    fmt::print("{}\n", nlohmann::json{{"device", device->name},
                                      {"passed", totals.passed},
                                      {"failed", totals.failed},
                                      {"skipped", totals.skipped},
                                      {"skip_reasons", totals.reasons},
                                      {"failures", totals.failures}}
                           .dump(2));
    return totals.failed ? kFailure : kSuccess;
  }
  for (const auto& [reason, count] : totals.reasons) fmt::print("skipped {:>5}  {}\n", count, reason);
  fmt::print("{} passed, {} failed, {} skipped\n", totals.passed, totals.failed, totals.skipped);
  return totals.failed ? kFailure : kSuccess;
}

}  // namespace

void add_conformance_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("conformance", "Run conformance vectors on a device");
  auto options = std::make_shared<Options>();
  command->add_option("--vectors", options->vectors, "A folder with .jsonl vector files, or one such file")->required();
  command->add_option("--device", options->device, kDeviceHelp);
  command
      ->add_option("--case", options->pattern,
                   "Only cases whose dotted or plain name matches this glob (* ? [..]), or contains it when it is no glob")
      ->type_name("PATTERN");
  command->add_flag("--list", options->list, "Print the names of the chosen cases and stop");
  command->add_option("--results", options->results, "Write one JSON line per case, safe against crashes")->type_name("FILE");
  command->add_flag("--resume", options->resume, "Go on with an existing --results file: skip the cases it has");
  const std::map<std::string, conformance::Mode> modes{{"sync", conformance::Mode::kSync},
                                                       {"async", conformance::Mode::kAsync},
                                                       {"burst", conformance::Mode::kBurst},
                                                       {"fenced", conformance::Mode::kFenced},
                                                       {"reusable", conformance::Mode::kReusable}};
  command
      ->add_option("--mode", options->mode, "How executions are started: sync, async, burst, fenced, reusable (computes twice)")
      ->transform(CLI::CheckedTransformer(modes))
      ->type_name("MODE");
  command->add_flag("--json", options->json, "Print JSON instead of lines");
  command->footer("Exit codes: 0 none failed, 1 some failed, 2 usage, 3 no such device.");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nnvk::tools
