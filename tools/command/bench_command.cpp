// `nnvk bench`: the times of a whole model and of each operation, compared with the device's own measured ceilings.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/command/command.h"
#include "tools/command/json_output.h"
#include "tools/command/loaded_model.h"
#include "tools/command/progress.h"
#include "tools/reports/placement.h"
#include "tools/reports/profile.h"

namespace nnvk::tools {
namespace {

struct Report {
  double first = 0;
  std::vector<double> seconds;
  std::vector<ProfiledNode> nodes;
  std::optional<Ceilings> ceilings;
  std::string no_ceilings;  // why there are none
  Placement placement;
};

Status measure(const BenchOptions& options, LoadedModel& loaded, Report& report) {
  // First, as in `nnvk benchmark`, so that both measure a processor that is awake.
  if (loaded.device.handle == nullptr) {
    report.no_ceilings = "several devices share the model";
  } else if (const auto ceilings = measure_ceilings(loaded.device)) {
    report.ceilings = *ceilings;
  } else {
    report.no_ceilings = ceilings.error().message;
  }
  fill_with_made_up_inputs(loaded.model, loaded.session);
  const int total = options.warm_up + options.runs + kProfiledRuns;
  Progress progress("measuring", static_cast<size_t>(total));
  for (int i = 0; i < options.warm_up + options.runs; ++i) {
    TOOLS_ASSIGN(const double seconds, loaded.session.run());
    if (i == 0) report.first = seconds;
    if (i >= options.warm_up) report.seconds.push_back(seconds);
    progress.update(static_cast<size_t>(i) + 1, loaded.device.name);
  }
  auto done = static_cast<size_t>(options.warm_up) + static_cast<size_t>(options.runs);
  const auto computed = [&] { progress.update(++done, "operations"); };
  TOOLS_ASSIGN(report.nodes, profile_executions(loaded.session, loaded.model.builder, computed));
  TOOLS_ASSIGN(report.placement, placement_of(loaded.session));
  return {};
}

void print_report_as_text(const BenchOptions& options, const LoadedModel& loaded, const Report& report) {
  fmt::print("model     {}\ndevice    {}\n", options.model, description_of(loaded.device));
  fmt::print("placement {}", to_text(report.placement));
  if (report.ceilings) {
    fmt::print("ceilings  {:.1f} GFLOP/s float, {:.1f} Gop/s 8-bit, {:.1f} GB/s reading\n",
               report.ceilings->float_operations / 1e9, report.ceilings->integer_operations / 1e9, report.ceilings->bytes / 1e9);
  } else {
    fmt::print("ceilings  unknown: {}\n", report.no_ceilings);
  }
  fmt::print("{}", to_text(report.nodes, report.ceilings));
  if (const auto warning = implausible_shares(report.nodes, report.ceilings); !warning.empty()) {
    fmt::print("warning   {}\n", warning);
  }
  fmt::print("compile {:.2f} ms, first execution {:.2f} ms\n", loaded.session.compile_seconds() * 1e3, report.first * 1e3);
  fmt::print("median {:.3f} ms, minimum {:.3f} ms of {} executions\n", median(report.seconds) * 1e3,
             *std::ranges::min_element(report.seconds) * 1e3, report.seconds.size());
  if (const auto expected = predicted_seconds(report.placement.partitions)) {
    fmt::print("{}; `nnvk devices --calibrate` measures what predictions are made from\n",
               compare_with_prediction(*expected, median(report.seconds), "the median"));
  }
}

void print_report_as_json(const BenchOptions& options, const LoadedModel& loaded, const Report& report) {
  nlohmann::json document{{"model", options.model},
                          {"device", loaded.device.name},
                          {"choice", to_json(loaded.choice)},
                          {"compile_seconds", loaded.session.compile_seconds()},
                          {"first_seconds", report.first},
                          {"median_seconds", median(report.seconds)},
                          {"minimum_seconds", *std::ranges::min_element(report.seconds)},
                          {"execution_seconds", report.seconds},
                          {"partitions", report.placement.partitions.size()},
                          {"counters", report.placement.counters},
                          {"nodes", to_json(report.nodes, report.ceilings)}};
  if (const auto expected = predicted_seconds(report.placement.partitions)) document["predicted_seconds"] = *expected;
  if (report.ceilings) {
    document["ceilings"] = {{"float_operations_per_second", report.ceilings->float_operations},
                            {"integer_operations_per_second", report.ceilings->integer_operations},
                            {"bytes_per_second", report.ceilings->bytes},
                            {"traffic", report.ceilings->traffic}};
    if (const auto warning = implausible_shares(report.nodes, report.ceilings); !warning.empty()) document["warning"] = warning;
  }
  print_json(std::move(document));
}

}  // namespace

int run_bench(const BenchOptions& options) {
  auto loaded = load_model(options.model, options.device, options.cache, options.memory);
  if (!loaded) return report_error(loaded.error());
  Report report;
  if (const auto status = measure(options, *loaded, report); !status) return report_error(status.error());
  options.json ? print_report_as_json(options, *loaded, report) : print_report_as_text(options, *loaded, report);
  return kSuccess;
}

}  // namespace nnvk::tools
