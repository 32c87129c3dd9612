// `nnvk trace`: prints the time in recorded traces by phase and layer.
#include <fmt/format.h>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/trace/summary.h"

namespace nnvk::tools {
namespace {

Result<trace::Summary> summarise_files(const TraceOptions& options) {
  trace::Trace whole;
  for (const std::string& file : options.files) {
    TOOLS_ASSIGN(auto part, trace::read_trace(file));
    trace::add_trace(whole, std::move(part));
  }
  const trace::Summary summary = trace::summarise(whole);
  return options.per_execution ? trace::per_execution(summary) : summary;
}

}  // namespace

int run_trace(const TraceOptions& options) {
  const auto summary = summarise_files(options);
  if (!summary) return report_error(summary.error());
  if (options.json) {
    print_json(to_json(*summary, options.per_execution));
  } else {
    fmt::print("{}", to_text(*summary, options.per_execution));
  }
  return kSuccess;
}

}  // namespace nnvk::tools
