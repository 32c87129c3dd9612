// The parts of the page: verdict, medians of all models, a chart and a table per model, what ran.
#include "tools/benchmark/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "tools/benchmark/chart.h"
#include "tools/benchmark/tables.h"
#include "tools/conformance/page/sections.h"
#include "tools/markup/document.h"
#include "tools/markup/text.h"

namespace nnvk::tools::benchmark {
namespace {

// Returns the names in their first order.
template <class Name>
std::vector<std::string> names_of(const Benchmark& benchmark, const Name& name) {
  std::vector<std::string> names;
  for (const Measurement& m : benchmark.measurements) {
    if (std::ranges::find(names, name(m)) == names.end()) names.push_back(name(m));
  }
  return names;
}

std::vector<std::string> models_in(const Benchmark& benchmark) {
  return names_of(benchmark, [](const Measurement& m) { return m.model; });
}

std::span<const Measurement> of_model(const Benchmark& benchmark, const std::string& model) {
  const auto& all = benchmark.measurements;
  const auto begin = std::ranges::find(all, model, &Measurement::model);
  const auto end = std::find_if(begin, all.end(), [&](const Measurement& m) { return m.model != model; });
  return {begin, end};
}

std::string anchor(const Benchmark& benchmark, const std::string& model) {
  const auto models = models_in(benchmark);
  return fmt::format("model{}", std::ranges::find(models, model) - models.begin());
}

size_t count_if(const Benchmark& benchmark, bool (*counts)(const Measurement&)) {
  return static_cast<size_t>(std::ranges::count_if(benchmark.measurements, counts));
}

std::string header(const Benchmark& benchmark) {
  const size_t measured = count_if(benchmark, [](const Measurement& m) { return m.problem.empty(); });
  const size_t left_out = count_if(benchmark, [](const Measurement& m) { return m.left_out; });
  const size_t warnings = count_if(benchmark, [](const Measurement& m) { return !m.warning.empty(); });
  const size_t failed = benchmark.measurements.size() - measured - left_out;
  const char* const kind = measured == 0 ? "bad" : failed + left_out + warnings > 0 ? "warn" : "good";
  auto verdict = fmt::format("{} of {} measurements", measured, benchmark.measurements.size());
  if (failed > 0) verdict += fmt::format(", {} not possible", failed);
  if (left_out > 0) verdict += fmt::format(", {} left out", left_out);
  if (warnings > 0) verdict += fmt::format(", {} with a warning", warnings);
  std::string text =
      fmt::format("<header class=\"{}\"><div><h1>nnvk benchmark</h1><div class=\"verdict\">{}</div>", kind, verdict);
  for (const auto& [name, value] : benchmark.facts) {
    if (name == "nnvk" || name == "date") text += fmt::format("<p class=\"faint\">{}: {}</p>", escaped(name), escaped(value));
  }
  return text +
         "<nav><a href=\"#medians\">Medians</a><a href=\"#models\">Models</a><a href=\"#facts\">What "
         "ran</a></nav></div></header>\n";
}

// Writes a row per model with the median of each engine; the fastest one is marked.
std::string medians(const Benchmark& benchmark) {
  const auto engines = names_of(benchmark, [](const Measurement& m) { return m.engine; });
  auto text = "<section id=\"medians\"><h2>Median latency</h2>" + table_start("card scroll", "matrix", {});
  text += "<tr><th>model</th>";
  for (const auto& engine : engines) text += "<th class=\"number\">" + escaped(engine) + "</th>";
  text += "</tr>";
  for (const auto& model : models_in(benchmark)) {
    const auto measurements = of_model(benchmark, model);
    const Measurement* best = nullptr;
    for (const Measurement& m : measurements) {
      if (m.problem.empty() && (best == nullptr || m.latency.median < best->latency.median)) best = &m;
    }
    text += fmt::format("<tr><th><a href=\"#{}\">{}</a></th>", anchor(benchmark, model), escaped(model));
    for (const auto& engine : engines) {
      const auto found = std::ranges::find(measurements, engine, &Measurement::engine);
      if (found == measurements.end() || !found->problem.empty()) {
        text += found == measurements.end() ? "<td></td>" : "<td class=\"number faint\">-</td>";
        continue;
      }
      text += fmt::format("<td class=\"number{}\">{}</td>", &*found == best ? " best" : "", time_text(found->latency.median));
    }
    text += "</tr>";
  }
  return text + std::string(kTableEnd) + "</section>\n";
}

std::string mebibytes(uint64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

std::string figures(std::span<const Measurement> measurements) {
  const auto any = [&](const auto& has) { return std::ranges::any_of(measurements, has); };
  const bool energy = any([](const Measurement& m) { return m.joules.has_value(); });
  const bool at_once = any([](const Measurement& m) { return m.at_once.has_value(); });
  auto text = table_start("scroll", "small", {});
  text +=
      "<tr><th>engine</th><th class=\"number\">90 %</th><th class=\"number\">99 %</th><th class=\"number\">first</th>"
      "<th class=\"number\">compilation</th><th class=\"number\">memory</th>";
  if (energy) text += "<th class=\"number\">energy</th>";
  if (at_once) text += "<th class=\"number\">at once</th>";
  text += "<th class=\"number\">ceiling</th><th>accuracy</th><th>from the reference</th></tr>";
  for (const Measurement& m : measurements) {
    if (!m.problem.empty()) continue;
    text += "<tr><td>" + escaped(m.engine) + "</td>";
    const auto add = [&](const std::string& cell) { text += "<td class=\"number\">" + cell + "</td>"; };
    add(time_text(m.latency.p90));
    add(time_text(m.latency.p99));
    add(time_text(m.first_seconds));
    add(time_text(m.compile_seconds));
    add(mebibytes(m.peak_bytes));
    if (energy) add(energy_text(m));
    if (at_once) add(m.at_once ? fmt::format("{}: {:.1f}/s", m.at_once->executions, m.at_once->per_second) : "");
    add(share_text(m));
    text += "<td>" + escaped(known_answers(m.accuracy)) + "</td><td>" + escaped(reference_text(m.accuracy)) + "</td></tr>";
  }
  text += kTableEnd;
  for (const Measurement& m : measurements) {
    if (!m.problem.empty()) text += fmt::format("<p class=\"faint\">{}: {}</p>", escaped(m.engine), escaped(m.problem));
    if (!m.warning.empty())
      text += fmt::format("<p><span class=\"tag warn\">{}</span> {}</p>", escaped(m.engine), escaped(m.warning));
  }
  return text;
}

std::string facts(const Benchmark& benchmark) {
  auto text = "<section id=\"facts\"><h2>What ran</h2>" + table_start("card scroll", "facts", {});
  for (const auto& [name, value] : benchmark.facts)
    text += fmt::format("<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
  if (!benchmark.no_energy.empty())
    text += fmt::format("<tr><th>energy</th><td>unknown: {}</td></tr>", escaped(benchmark.no_energy));
  text += kTableEnd;
  for (const auto& note : benchmark.notes) text += "<p>" + escaped(note) + "</p>";
  return text +
         "<p class=\"faint small\">Charts: the line goes from the fastest execution to the 99th percentile; the mark is the "
         "90th, "
         "the dot the median. The axis is logarithmic. Ceiling: the largest share of the device's measured peak speed that an "
         "operation reaches. Memory: the most that the measuring process had at any time.</p></section>\n";
}

}  // namespace

std::string to_page(const Benchmark& benchmark) {
  std::string body =
      header(benchmark) + "<main>\n" + chart_style() + medians(benchmark) + "<section id=\"models\"><h2>Models</h2>\n";
  for (const auto& model : models_in(benchmark)) {
    const auto measurements = of_model(benchmark, model);
    body += fmt::format("<div class=\"card\" id=\"{}\"><h3>{}</h3>\n", anchor(benchmark, model), escaped(model)) +
            latency_chart(measurements) + figures(measurements) + "</div>\n";
  }
  body += "</section>\n" + facts(benchmark) +
          "</main>\n<footer>Made by nnvk benchmark; results.json and results.csv beside this "
          "page hold the same figures.</footer>";
  return document("nnvk benchmark", body);
}

}  // namespace nnvk::tools::benchmark
