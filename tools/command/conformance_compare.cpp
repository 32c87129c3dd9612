// Reading both files, and the output.
#include "tools/command/conformance_compare.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/command/json_output.h"
#include "tools/conformance/baseline.h"
#include "tools/conformance/page/comparison_page.h"
#include "tools/conformance/page/report_folder.h"
#include "tools/nnapi/files.h"

namespace nnvk::tools {
namespace {

namespace fs = std::filesystem;
using conformance::Section;

// Reads a results file, or the one in the folder of a report.
Result<std::vector<Section>> read_one(const fs::path& path) {
  std::error_code error;
  return conformance::read_results(fs::is_directory(path, error) ? path / "results.jsonl" : path);
}

Status write_page(const ConformanceOptions& options, const conformance::ComparedRuns& runs) {
  for (const auto& compared : options.compare) {
    std::error_code error;
    if (!fs::equivalent(compared, options.report, error)) continue;
    return fail(fmt::format("--report {}: this would overwrite the page of a compared run; name another folder", options.report));
  }
  TOOLS_TRY(conformance::prepare_report_folder(options.report, true));
  return write_file(fs::path(options.report) / "index.html", conformance::comparison_page(runs));
}

}  // namespace

Result<int> compare_results(const ConformanceOptions& options, const std::vector<conformance::Waiver>& waivers) {
  TOOLS_ASSIGN(const auto first, read_one(options.compare.at(0)));
  TOOLS_ASSIGN(const auto second, read_one(options.compare.at(1)));
  const auto before = conformance::last_records(first, "");
  const auto now = conformance::last_records(second, "");
  const auto comparison = conformance::compare(now, before, waivers);
  if (comparison.in_both == 0) {
    return fail(fmt::format("{} and {} have no case of the same variant in common", options.compare[0], options.compare[1]));
  }
  const auto runs_before = conformance::last_provenances(first);
  const auto runs_now = conformance::last_provenances(second);
  const conformance::ComparedRuns runs{options.compare[0], options.compare[1], runs_before,
                                       runs_now,           comparison,         conformance::differences(runs_before, runs_now)};
  if (!options.report.empty()) TOOLS_TRY(write_page(options, runs));
  if (options.json) {
    print_json(conformance::comparison_json(runs));
  } else {
    fmt::print("{}", conformance::comparison_text(runs));
  }
  return comparison.new_failures.empty() ? kSuccess : kFailure;
}

}  // namespace nnvk::tools
