#include "tools/benchmark/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/conformance/reports.h"

namespace nnvk::tools::benchmark {
namespace {

constexpr double kMebi = 1 << 20;

std::string line_of(const Measurement& m) {
  if (!m.problem.empty()) return fmt::format("  {:<24} {}\n", m.engine, m.problem);
  std::string line =
      fmt::format("  {:<24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9.1f} {:>9} {:>8}", m.engine, time_text(m.latency.median),
                  time_text(m.latency.p90), time_text(m.latency.p99), time_text(m.first_seconds), time_text(m.compile_seconds),
                  static_cast<double>(m.peak_bytes) / kMebi, energy_text(m), share_text(m));
  if (const auto known = known_answers(m.accuracy); !known.empty()) line += "  " + known;
  if (const auto reference = reference_text(m.accuracy); !reference.empty()) line += "  from reference: " + reference;
  line += "\n";
  if (m.at_once) {
    line += fmt::format("  {:<24} {} at once: {:.1f} executions/s, {} each\n", "", m.at_once->executions, m.at_once->per_second,
                        time_text(m.at_once->median));
  }
  return line;
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{:.9g}", *value) : ""; }

}  // namespace

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.{}f} ms", seconds * 1e3, seconds >= 0.1 ? 1 : 2);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string energy_text(const Measurement& m) { return m.joules ? fmt::format("{:.3g} mJ", *m.joules * 1e3) : ""; }

std::string share_text(const Measurement& m) { return m.largest_share ? fmt::format("{:.0f} %", 100 * *m.largest_share) : ""; }

std::string reference_text(const Accuracy& accuracy) {
  if (!accuracy.reference_mean || !accuracy.reference_largest) return "";
  if (*accuracy.reference_largest == 0) return "equal";
  return fmt::format("{:.2g} (largest {:.2g})", *accuracy.reference_mean, *accuracy.reference_largest);
}

std::string to_text(const Benchmark& benchmark) {
  std::string text;
  for (const auto& [name, value] : benchmark.facts) text += fmt::format("{:<10} {}\n", name, value);
  std::string model;
  for (const Measurement& m : benchmark.measurements) {
    if (m.model != model) {
      model = m.model;
      text += fmt::format("\n{}\n  {:<24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", model, "", "median", "90 %", "99 %",
                          "first", "compile", "peak MiB", "energy", "ceiling");
    }
    text += line_of(m);
  }
  text += "\n";
  for (const Measurement& m : benchmark.measurements) {
    if (!m.warning.empty()) text += fmt::format("warning: {} on {}: {}\n", m.model, m.engine, m.warning);
  }
  if (!benchmark.no_energy.empty()) text += fmt::format("energy is unknown: {}\n", benchmark.no_energy);
  for (const auto& note : benchmark.notes) text += note + "\n";
  return text;
}

std::string to_csv(const Benchmark& benchmark) {
  using conformance::csv_field;
  std::string text =
      "model,engine,median_seconds,p90_seconds,p99_seconds,fastest_seconds,executions,first_seconds,compile_seconds,peak_bytes,"
      "joules,at_once,executions_per_second,samples,top_1,top_5,psnr_db,mean_iou,mean_error,mean_difference_from_reference,"
      "largest_difference_from_reference,largest_share_of_ceiling,problem,warning\n";
  for (const Measurement& m : benchmark.measurements) {
    text += csv_field(m.model) + "," + csv_field(m.engine) + ",";
    if (m.problem.empty()) {
      text += fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{},{:.9g},{:.9g},{},{},{},{},{},", m.latency.median, m.latency.p90,
                          m.latency.p99, m.latency.fastest, m.latency.executions, m.first_seconds, m.compile_seconds,
                          m.peak_bytes, csv_number(m.joules), m.at_once ? std::to_string(m.at_once->executions) : "",
                          m.at_once ? csv_number(m.at_once->per_second) : "", m.accuracy.samples);
    } else {
      text += std::string(12, ',');
    }
    const Accuracy& a = m.accuracy;
    for (const auto& figure :
         {a.top_1, a.top_5, a.psnr, a.mean_iou, a.mean_error, a.reference_mean, a.reference_largest, m.largest_share}) {
      text += csv_number(figure) + ",";
    }
    text += csv_field(m.problem) + "," + csv_field(m.warning) + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const Benchmark& benchmark) {
  nlohmann::ordered_json document{{"facts", nlohmann::ordered_json::object()}};
  for (const auto& [name, value] : benchmark.facts) document["facts"][name] = value;
  if (!benchmark.no_energy.empty()) document["energy_is_unknown"] = benchmark.no_energy;
  document["notes"] = benchmark.notes;
  document["measurements"] = nlohmann::ordered_json::array();
  for (const Measurement& m : benchmark.measurements) document["measurements"].push_back(to_json(m));
  return document;
}

}  // namespace nnvk::tools::benchmark
